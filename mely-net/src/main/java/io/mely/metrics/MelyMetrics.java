// SPDX-License-Identifier: Apache-2.0
package io.mely.metrics;

import io.mely.Durations;
import io.mely.Mely;
import io.mely.MelyStats;
import io.mely.MelyStats.CoreStats;
import io.mely.StageStats;
import io.mely.spi.NanoClock;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.TimeGauge;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;

/**
 * The figures of a runtime, for a registry of Micrometer.
 *
 * <pre>{@code
 * new MelyMetrics(mely).bindTo(registry);
 * }</pre>
 *
 * <table>
 * <caption>Meters</caption>
 * <tr><th>Name</th><th>Tags</th><th>How to read it</th></tr>
 * <tr><td>{@code mely.core.events}</td><td>{@code core}, {@code outcome}</td><td>events a core has {@code run}; of these {@code failed}: their handler threw; sends of its handlers that were {@code refused}</td></tr>
 * <tr><td>{@code mely.core.steals}</td><td>{@code core}</td><td>colors it took from others; none under load on all cores is fine</td></tr>
 * <tr><td>{@code mely.core.rescues}</td><td>{@code core}</td><td>of these, those behind a core that stood still: a handler takes long</td></tr>
 * <tr><td>{@code mely.core.sleeps}</td><td>{@code core}</td><td>how often it found nothing to do</td></tr>
 * <tr><td>{@code mely.outside.events}</td><td>{@code outcome}</td><td>events that other threads sent, and those {@code refused}</td></tr>
 * <tr><td>{@code mely.pending}</td><td></td><td>events that wait; growth means overload</td></tr>
 * <tr><td>{@code mely.stalls}</td><td></td><td>handlers that took too long</td></tr>
 * <tr><td>{@code mely.stage.events}</td><td>{@code stage}, {@code outcome}</td><td>events {@code run}, {@code failed} and {@code refused}</td></tr>
 * <tr><td>{@code mely.stage.pending}</td><td>{@code stage}</td><td>the length of its queue</td></tr>
 * <tr><td>{@code mely.stage.service}</td><td>{@code stage}, {@code quantile}</td><td>time of its handler, since the start</td></tr>
 * <tr><td>{@code mely.stage.sojourn}</td><td>{@code stage}, {@code quantile}</td><td>time from the send to the handler's end, since the start</td></tr>
 * </table>
 *
 * <p>Stages that are made later are not seen. <b>Threads.</b> Any. <b>Costs.</b> One reading of all counters for each reading of the registry, and at most one a second; none between.
 */
public final class MelyMetrics implements MeterBinder {
    private static final double[] PERCENTILES = {50, 90, 99};

    /** Readings of single meters that are closer together are of the same counters. */
    private static final long READING_NS = TimeUnit.SECONDS.toNanos(1);

    private final Mely mely;
    private final Tags tags;
    private final NanoClock clock;
    private MelyStats last; // guarded by this
    private long lastNs; // guarded by this

    /**
     * Of a runtime.
     *
     * @param mely kept as long as the registry keeps the meters
     */
    public MelyMetrics(Mely mely) {
        this(mely, List.of());
    }

    /**
     * Of one of several runtimes.
     *
     * @param mely kept as long as the registry keeps the meters
     * @param tags that tell it from others
     */
    public MelyMetrics(Mely mely, Iterable<Tag> tags) {
        this(mely, tags, NanoClock.SYSTEM);
    }

    MelyMetrics(Mely mely, Iterable<Tag> tags, NanoClock clock) {
        this.mely = mely;
        this.tags = Tags.of(tags);
        this.clock = clock;
        last = mely.stats();
        lastNs = clock.nanoTime();
    }

    private synchronized MelyStats stats() {
        long nowNs = clock.nanoTime();
        if (nowNs - lastNs >= READING_NS) {
            last = mely.stats();
            lastNs = nowNs;
        }
        return last;
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        for (CoreStats core : stats().cores()) {
            bindCore(registry, core.core());
        }
        count(registry, "mely.outside.events", Tags.of("outcome", "sent"), MelyStats::sentOutside);
        count(registry, "mely.outside.events", Tags.of("outcome", "refused"), MelyStats::refusedOutside);
        gauge(registry, "mely.pending", Tags.empty(), MelyStats::pending);
        count(registry, "mely.stalls", Tags.empty(), stats -> stats.stalls().told());
        List<StageStats> stages = stats().stages();
        for (int i = 0; i < stages.size(); i++) {
            bindStage(registry, i, Tags.of("stage", stages.get(i).stage()));
        }
    }

    private void bindCore(MeterRegistry registry, int core) {
        Tags ofCore = Tags.of("core", Integer.toString(core));
        Function<MelyStats, CoreStats> at = stats -> stats.cores().get(core);
        count(
                registry,
                "mely.core.events",
                ofCore.and("outcome", "run"),
                stats -> at.apply(stats).run());
        count(
                registry,
                "mely.core.events",
                ofCore.and("outcome", "failed"),
                stats -> at.apply(stats).failed());
        count(
                registry,
                "mely.core.events",
                ofCore.and("outcome", "refused"),
                stats -> at.apply(stats).refused());
        count(registry, "mely.core.steals", ofCore, stats -> at.apply(stats).steals());
        count(registry, "mely.core.rescues", ofCore, stats -> at.apply(stats).rescues());
        count(registry, "mely.core.sleeps", ofCore, stats -> at.apply(stats).sleeps());
    }

    private void bindStage(MeterRegistry registry, int number, Tags ofStage) {
        Function<MelyStats, StageStats> at = stats -> stats.stages().get(number);
        count(
                registry,
                "mely.stage.events",
                ofStage.and("outcome", "run"),
                stats -> at.apply(stats).run());
        count(
                registry,
                "mely.stage.events",
                ofStage.and("outcome", "failed"),
                stats -> at.apply(stats).failed());
        count(
                registry,
                "mely.stage.events",
                ofStage.and("outcome", "refused"),
                stats -> at.apply(stats).refused());
        gauge(registry, "mely.stage.pending", ofStage, stats -> at.apply(stats).pending());
        for (double percent : PERCENTILES) {
            Tags quantile = ofStage.and("quantile", Double.toString(percent / 100));
            time(
                    registry,
                    "mely.stage.service",
                    quantile,
                    percent,
                    stats -> at.apply(stats).service());
            time(
                    registry,
                    "mely.stage.sojourn",
                    quantile,
                    percent,
                    stats -> at.apply(stats).sojourn());
        }
    }

    private void count(MeterRegistry registry, String name, Tags more, ToDoubleFunction<MelyStats> figure) {
        FunctionCounter.builder(name, this, metrics -> figure.applyAsDouble(metrics.stats()))
                .tags(tags.and(more))
                .register(registry);
    }

    private void gauge(MeterRegistry registry, String name, Tags more, ToDoubleFunction<MelyStats> figure) {
        Gauge.builder(name, this, metrics -> figure.applyAsDouble(metrics.stats()))
                .tags(tags.and(more))
                .strongReference(true)
                .register(registry);
    }

    private void time(
            MeterRegistry registry, String name, Tags more, double percent, Function<MelyStats, Durations> figure) {
        TimeGauge.builder(
                        name,
                        this,
                        TimeUnit.NANOSECONDS,
                        metrics -> figure.apply(metrics.stats()).percentileNs(percent))
                .tags(tags.and(more))
                .strongReference(true)
                .register(registry);
    }
}
