// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import io.mely.MelyStats;
import io.mely.StageStats;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What was sent, run, refused and discarded: nothing is lost (invariant 3).
 *
 * <p>Each sender and each worker has counters of its own, with one writer. Whether nothing is pending is found by reading all run counters before all accepted ones:
 * see {@link Sender}.
 *
 * <p><b>Threads.</b> Any.
 */
final class Books {
    private final Core[] cores;
    private final Pools pools;
    private final OutsideSenders outside;
    private final BlockingWork blockingWork;
    private final AtomicLong droppedOutside = new AtomicLong();

    Books(Core[] cores, Pools pools, OutsideSenders outside, BlockingWork blockingWork) {
        this.cores = cores;
        this.pools = pools;
        this.outside = outside;
        this.blockingWork = blockingWork;
    }

    /** Whether nothing was pending or under way at a moment of this call. */
    boolean areClosed() {
        long finished = blockingWork.done() + pools.runAcquire();
        for (Core core : cores) {
            finished += core.crew().runAcquire();
        }
        long begun = blockingWork.started() + outside.accepted() + acceptedByWorkers();
        assert begun >= finished : "invariant 3: accepted=" + begun + " < run=" + finished;
        return begun == finished;
    }

    private long acceptedByWorkers() {
        long accepted = pools.acceptedAcquire();
        for (Core core : cores) {
            accepted += core.crew().acceptedAcquire();
        }
        return accepted;
    }

    /** Whether no outside thread is in the middle of a send. */
    boolean areDecided() {
        return !outside.areUndecided();
    }

    /** A timer of an outside thread was dropped, as the close came first. */
    void countDroppedTimer() {
        droppedOutside.incrementAndGet();
    }

    long droppedTimers() {
        long dropped = droppedOutside.get();
        for (Core core : cores) {
            dropped += core.timers().dropped();
        }
        return dropped;
    }

    /** The counts of a stage, of now. */
    StageCounts.Count ofStage(int stage) {
        StageCounts.Count sum = new StageCounts.Count();
        pools.addTo(sum, stage);
        for (Core core : cores) {
            core.crew().addTo(sum, stage);
        }
        outside.addTo(sum, stage);
        return sum;
    }

    /** The counters of now; what is pending after the stop is discarded. */
    MelyStats stats(boolean isStopped, List<StageStats> stages) {
        List<MelyStats.CoreStats> perCore = new ArrayList<>(cores.length);
        MelyStats.PoolStats ofPools = pools.stats(); // run before accepted: see Sender
        long open = -ofPools.run();
        for (Core core : cores) { // run before accepted: see Sender
            perCore.add(core.stats());
            open -= perCore.get(perCore.size() - 1).run();
        }
        long acceptedOutside = outside.decided();
        open += acceptedOutside + acceptedByWorkers();
        long refusedOutside = outside.refused();
        long sentOutside = acceptedOutside + refusedOutside;
        return new MelyStats(perCore, ofPools, stages, sentOutside, refusedOutside, isStopped ? Math.max(0, open) : 0);
    }
}
