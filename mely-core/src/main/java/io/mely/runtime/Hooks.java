// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import io.mely.Mely;
import io.mely.MelyBuilder;
import io.mely.spi.NanoClock;
import java.nio.file.Path;
import java.util.function.IntUnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * What tests, benchmarks and simulators set of a runtime, and nobody else: no part of the API.
 *
 * <pre>{@code
 * Mely mely = Hooks.NONE.withClock(clock).on(Mely.builder()).cores(2).build();
 * }</pre>
 *
 * @param clock the clock
 * @param hashSeed of the hash of keys; null: random
 * @param sysfsRoot where the cache map is read, so that any machine can be described by files; null: /sys
 * @param placement first home of a slot, taken modulo the number of cores; null: slot modulo cores
 * @param observers told of what handlers do; null: nobody
 * @param pendingEventsMax in place of the builder's, without its lower bound; 0: the builder's
 */
public record Hooks(
        NanoClock clock,
        @Nullable Long hashSeed,
        @Nullable Path sysfsRoot,
        @Nullable IntUnaryOperator placement,
        HandlerObserver.@Nullable Factory observers,
        int pendingEventsMax) {
    /** Those of a runtime in use. */
    public static final Hooks NONE = new Hooks(NanoClock.SYSTEM, null, null, null, null, 0);

    /**
     * Those of a builder.
     *
     * @param builder any
     * @return as they are now
     */
    public static Hooks of(MelyBuilder builder) {
        return ApiAccess.get().hooks(builder);
    }

    /**
     * What a builder would build.
     *
     * @param builder any
     * @return its settings
     */
    public static RuntimeConfig config(MelyBuilder builder) {
        return ApiAccess.get().config(builder);
    }

    /**
     * The runtime behind the API.
     *
     * @param mely any
     * @return what it calls
     */
    public static MelyRuntime runtime(Mely mely) {
        return ApiAccess.get().runtime(mely);
    }

    /**
     * Sets these in place of those that a builder has.
     *
     * @param builder any
     * @return the builder
     */
    public MelyBuilder on(MelyBuilder builder) {
        ApiAccess.get().setHooks(builder, this);
        return builder;
    }

    /** A changed copy. */
    public Hooks withClock(NanoClock given) {
        return new Hooks(given, hashSeed, sysfsRoot, placement, observers, pendingEventsMax);
    }

    /** A changed copy. */
    public Hooks withHashSeed(long given) {
        return new Hooks(clock, given, sysfsRoot, placement, observers, pendingEventsMax);
    }

    /** A changed copy. */
    public Hooks withSysfsRoot(Path given) {
        return new Hooks(clock, hashSeed, given, placement, observers, pendingEventsMax);
    }

    /** A changed copy. The runtime asks for all slots when it is built, and for some behind them, which are those of single-threaded stages. */
    public Hooks withPlacement(IntUnaryOperator given) {
        return new Hooks(clock, hashSeed, sysfsRoot, given, observers, pendingEventsMax);
    }

    /** A changed copy. */
    public Hooks withObservers(HandlerObserver.Factory given) {
        return new Hooks(clock, hashSeed, sysfsRoot, placement, given, pendingEventsMax);
    }

    /** A changed copy. */
    public Hooks withPendingEventsMax(int given) {
        return new Hooks(clock, hashSeed, sysfsRoot, placement, observers, given);
    }

    /** From a slot to the first home of its color. */
    IntUnaryOperator firstHomes(int cores) {
        IntUnaryOperator placement = this.placement;
        return placement == null ? slot -> slot % cores : slot -> Math.floorMod(placement.applyAsInt(slot), cores);
    }
}
