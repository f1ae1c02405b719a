// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.record;

import io.mely.bench.record.WorkloadProfile.ColorBand;
import io.mely.bench.record.WorkloadProfile.Sends;
import io.mely.bench.record.WorkloadProfile.StageLoad;
import io.mely.bench.record.WorkloadProfile.TimeBucket;
import io.mely.runtime.HandlerObserver;
import io.mely.spi.NanoClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.LongStream;

/**
 * Writes down what an application asks of its runtime, from the runtime's building to its close:
 *
 * <pre>{@code
 * Recorder recorder = new Recorder(NanoClock.SYSTEM, Duration.ofSeconds(30));
 * try (Mely mely = Hooks.NONE.withObservers(recorder).on(Mely.builder()).build().start()) {
 *     ...
 * }
 * recorder.profile().write(file);
 * }</pre>
 *
 * <p><b>Threads.</b> Any. <b>Costs.</b> Two readings of the clock and a few look-ups an event, some MB a core, and some KB for each thread outside that has
 * ever sent.
 */
public final class Recorder implements HandlerObserver.Factory {
    /** So many of the most popular colors have a count of their own; then come bands, each as large as all before it. Guess. */
    private static final int SINGLES = 32;

    private final NanoClock clock;
    private final long startNs;
    private final List<Track> tracks = new ArrayList<>(); // guarded by this
    private int cores; // guarded by this

    /**
     * Begins a recording of one runtime.
     *
     * @param clock times the handlers
     * @param warmUp what happens before it has passed is not recorded
     */
    public Recorder(NanoClock clock, Duration warmUp) {
        this.clock = clock;
        startNs = clock.nanoTime() + warmUp.toNanos();
    }

    /** Negative during the warm-up. */
    long sinceStartNs() {
        return clock.nanoTime() - startNs;
    }

    @Override
    public synchronized Track create(int core) {
        cores = Math.max(cores, core + 1);
        Track track = new Track(this);
        tracks.add(track);
        return track;
    }

    /** Whether a runtime was built with this observer. */
    synchronized boolean hasCores() {
        return cores > 0;
    }

    /**
     * Puts the tracks together. Exact once the runtime is closed, or idle and {@link io.mely.Mely#stats} was called; what is being written may be missing in part.
     *
     * @return stages by name
     * @throws IllegalStateException if no runtime was built
     */
    public synchronized WorkloadProfile profile() {
        if (cores == 0) {
            throw new IllegalStateException("profile() needs a runtime that was built with this observer");
        }
        long recordedNs = Math.max(1, sinceStartNs());
        TreeMap<String, StageRecord> byName = new TreeMap<>();
        for (Track track : tracks) {
            track.stages()
                    .forEach((stage, record) -> byName.computeIfAbsent(
                                    stage.name(), name -> new StageRecord(record.options))
                            .addAll(record));
        }
        List<StageLoad> stages = new ArrayList<>();
        byName.forEach((name, record) -> stages.add(load(name, record, recordedNs)));
        return new WorkloadProfile(
                recordedNs / 1e9,
                cores,
                stages,
                bands(new ArrayList<>(byName.keySet())),
                tracks.stream().mapToLong(Track::uncountedColors).sum());
    }

    private static StageLoad load(String name, StageRecord record, long recordedNs) {
        List<TimeBucket> times = record.times.buckets();
        long runs = times.stream().mapToLong(TimeBucket::events).sum();
        List<Sends> sends = new ArrayList<>();
        addSends(record.toOwnColor, true, runs, sends);
        addSends(record.toOtherColors, false, runs, sends);
        return new StageLoad(
                name,
                record.options.processingTimeNs(),
                record.options.penalty(),
                record.options.priority(),
                record.options.dataBytes(),
                runs,
                record.totalNs,
                times,
                sends,
                record.arrivals.total(),
                record.arrivals.dispersion(recordedNs));
    }

    /** A handler that has sent and not ended yet is not among the runs. */
    private static void addSends(Map<String, StageRecord.Edge> edges, boolean isOwnColor, long runs, List<Sends> to) {
        new TreeMap<>(edges).forEach((name, edge) -> {
            long senders = Math.min(edge.runs, runs);
            if (senders > 0) {
                to.add(new Sends(name, isOwnColor, Math.max(edge.events, senders), senders));
            }
        });
    }

    private List<ColorBand> bands(List<String> names) {
        Map<Integer, long[]> byColor = new HashMap<>();
        for (Track track : tracks) {
            track.stages().forEach((stage, record) -> {
                int column = names.indexOf(stage.name());
                record.colors.forEach((color, events) ->
                        byColor.computeIfAbsent(color, slot -> new long[names.size()])[Math.max(0, column)] += events);
            });
        }
        List<long[]> ranked = byColor.entrySet().stream()
                .sorted(Comparator.comparingLong((Map.Entry<Integer, long[]> color) ->
                                -LongStream.of(color.getValue()).sum())
                        .thenComparing(Map.Entry.comparingByKey()))
                .map(Map.Entry::getValue)
                .toList();
        List<ColorBand> bands = new ArrayList<>();
        for (int from = 0; from < ranked.size(); ) {
            int to = Math.min(ranked.size(), from + (from < SINGLES ? 1 : from));
            bands.add(new ColorBand(to - from, sum(ranked.subList(from, to))));
            from = to;
        }
        return bands;
    }

    private static List<Long> sum(List<long[]> colors) {
        long[] sums = new long[colors.get(0).length];
        for (long[] events : colors) {
            for (int stage = 0; stage < sums.length; stage++) {
                sums[stage] += events[stage];
            }
        }
        return LongStream.of(sums).boxed().toList();
    }
}
