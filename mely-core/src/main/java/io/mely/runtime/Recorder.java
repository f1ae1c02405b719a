// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import io.mely.WorkloadProfile;
import io.mely.WorkloadProfile.ColorBand;
import io.mely.WorkloadProfile.Sends;
import io.mely.WorkloadProfile.StageLoad;
import io.mely.WorkloadProfile.TimeBucket;
import io.mely.spi.NanoClock;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.LongStream;

/**
 * One recording: the tracks of the threads that took part, and what they make together.
 *
 * <p><b>Threads.</b> Any.
 */
public final class Recorder {
    /** So many of the most popular colors have a count of their own; then come bands, each as large as all before it. Guess. */
    private static final int SINGLES = 32;

    private final NanoClock clock;
    private final int cores;
    private final long startNs;
    private final List<Track> tracks = new ArrayList<>(); // guarded by this

    /**
     * Begins.
     *
     * @param clock of the runtime
     * @param cores of the runtime
     */
    public Recorder(NanoClock clock, int cores) {
        this.clock = clock;
        this.cores = cores;
        startNs = clock.nanoTime();
    }

    long sinceStartNs() {
        return clock.nanoTime() - startNs;
    }

    /**
     * Lets one more thread take part.
     *
     * @return its own
     */
    public synchronized Track newTrack() {
        Track track = new Track(this);
        tracks.add(track);
        return track;
    }

    /**
     * Puts the tracks together. Their writers should have come to rest; what they still write may be missing in part.
     *
     * @return stages by name
     */
    public synchronized WorkloadProfile profile() {
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
