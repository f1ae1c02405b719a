// SPDX-License-Identifier: Apache-2.0
package io.mely.cli;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;

/**
 * Registers figures of a server that counts for itself.
 *
 * <p><b>Threads.</b> Any.
 *
 * @param <S> its counters at one moment
 */
public final class Meters<S> {
    private final MeterRegistry registry;
    private final Supplier<S> counters;

    /**
     * For a registry.
     *
     * @param registry keeps what is registered
     * @param counters reads them; for each meter anew
     */
    public Meters(MeterRegistry registry, Supplier<S> counters) {
        this.registry = registry;
        this.counters = counters;
    }

    /**
     * Registers what only grows.
     *
     * @param name with dots, as Micrometer has it
     * @param how to read it
     * @param tags key and value in turn
     * @param figure of the counters
     */
    public void count(String name, String how, Tags tags, ToDoubleFunction<S> figure) {
        FunctionCounter.builder(name, counters, from -> figure.applyAsDouble(from.get()))
                .description(how)
                .tags(tags)
                .register(registry);
    }

    /**
     * Registers what grows and shrinks.
     *
     * @param name with dots, as Micrometer has it
     * @param how to read it
     * @param figure of the counters
     */
    public void gauge(String name, String how, ToDoubleFunction<S> figure) {
        gauge(name, how, Tags.empty(), figure);
    }

    /**
     * The same, with tags.
     *
     * @param name with dots, as Micrometer has it
     * @param how to read it
     * @param tags key and value in turn
     * @param figure of the counters
     */
    public void gauge(String name, String how, Tags tags, ToDoubleFunction<S> figure) {
        Gauge.builder(name, counters, from -> figure.applyAsDouble(from.get()))
                .description(how)
                .tags(tags)
                .strongReference(true)
                .register(registry);
    }
}
