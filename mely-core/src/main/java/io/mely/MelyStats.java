// SPDX-License-Identifier: Apache-2.0
package io.mely;

import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToLongFunction;

/**
 * The counters of a runtime at one moment. When it is idle or closed, {@code sent = run + refused + discarded}.
 *
 * @param cores one per core
 * @param pools of the threads that groups have beside the cores
 * @param stages of all stages; the first is that of commands
 * @param sentOutside events sent by threads that are not cores, the refused ones included
 * @param refusedOutside of these, the refused
 * @param discarded accepted events that did not run before the deadline of a close
 * @param stalls handlers that took too long
 */
public record MelyStats(
        List<CoreStats> cores,
        PoolStats pools,
        List<StageStats> stages,
        long sentOutside,
        long refusedOutside,
        long discarded,
        StallStats stalls) {
    /** Copies the lists. */
    public MelyStats {
        cores = List.copyOf(cores);
        stages = List.copyOf(stages);
    }

    /** All sends, refused ones included. */
    public long sent() {
        return sentOutside + pools.sent + sum(CoreStats::sent);
    }

    /** All events whose handler was called, throwing ones included. */
    public long run() {
        return pools.run + sum(CoreStats::run);
    }

    /** All sends that were answered false. */
    public long refused() {
        return refusedOutside + pools.refused + sum(CoreStats::refused);
    }

    /** All events whose handler threw. */
    public long failed() {
        return pools.failed + sum(CoreStats::failed);
    }

    /** Events accepted, neither run nor discarded yet. */
    public long pending() {
        return sent() - run() - refused() - discarded;
    }

    /** Colors taken from other cores. */
    public long steals() {
        return sum(CoreStats::steals);
    }

    private long sum(ToLongFunction<CoreStats> figure) {
        return cores.stream().mapToLong(figure).sum();
    }

    /**
     * The counters of one core. Each has one writer, the core.
     *
     * @param core index
     * @param cpu the CPU it is pinned to; -1 if it floats
     * @param sent events its handlers, poller and timers sent, the refused ones included
     * @param refused of these, the refused
     * @param run events it ran
     * @param failed of these, the ones whose handler threw
     * @param steals colors it took from others
     * @param stealsByDistance of these, how many came from how far: the nearest cache that the two cores share, such as "shared l3", or "same package" or "other package"; the nearest first, without those that were none
     * @param stealAttempts victims it locked, whether anything was taken; one for a steal of several colors. Much more than steals: thieves find nothing that pays
     * @param rescues of these steals, those whatever the time left: from a core stuck in one handler, or back from the one that had rescued them
     * @param stealTimeNs time spent in successful steals; over steals it is what a color cost, less than a steal where several were taken at once
     * @param stolenTimeNs time left in the colors it took, as estimated when it took them
     * @param sleeps times it blocked
     * @param wakeups times its sleep was ended by another thread
     * @param polls times it polled
     */
    public record CoreStats(
            int core,
            int cpu,
            long sent,
            long refused,
            long run,
            long failed,
            long steals,
            Map<String, Long> stealsByDistance,
            long stealAttempts,
            long rescues,
            long stealTimeNs,
            long stolenTimeNs,
            long sleeps,
            long wakeups,
            long polls) {
        /** Copies the map. */
        public CoreStats {
            stealsByDistance = Collections.unmodifiableMap(new LinkedHashMap<>(stealsByDistance));
        }
    }

    /**
     * The counters of all threads that groups have beside the cores.
     *
     * @param threads how many there were at most at the same time
     * @param sent events their handlers sent, the refused ones included
     * @param refused of these, the refused
     * @param run events they ran
     * @param failed of these, the ones whose handler threw
     */
    public record PoolStats(int threads, long sent, long refused, long run, long failed) {}

    /**
     * The handlers of which a {@link StallListener} was told.
     *
     * @param told how many
     * @param last the last eight of them, the oldest first
     */
    public record StallStats(long told, List<PastStall> last) {
        /** Of a runtime without stalls. */
        public static final StallStats NONE = new StallStats(0, List.of());

        /** Copies the list. */
        public StallStats {
            last = List.copyOf(last);
        }
    }

    /**
     * A handler that took too long, as it was when the listener was told.
     *
     * @param stall what the listener was told
     * @param ago how long ago that was
     */
    public record PastStall(StallListener.Stall stall, Duration ago) {}
}
