// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import io.mely.MelyStats;
import io.mely.StageStats;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.ToLongFunction;

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
    private final AtomicLong droppedTimers = new AtomicLong();

    Books(Core[] cores, Pools pools, OutsideSenders outside, BlockingWork blockingWork) {
        this.cores = cores;
        this.pools = pools;
        this.outside = outside;
        this.blockingWork = blockingWork;
    }

    /** Whether nothing was pending or under way at a moment of this call. */
    boolean areClosed() {
        long finished = blockingWork.done() + sum(EventWorker::runAcquire);
        long begun = blockingWork.started() + outside.accepted() + acceptedByWorkers();
        assert begun >= finished : "invariant 3: accepted=" + begun + " < run=" + finished;
        return begun == finished;
    }

    private long acceptedByWorkers() {
        return sum(worker -> worker.sender.acceptedAcquire());
    }

    /** All threads that run handlers, or have run some. */
    List<EventWorker> workers() {
        List<EventWorker> workers = new ArrayList<>(pools.workers());
        for (Core core : cores) {
            workers.addAll(List.of(core.crew().all()));
        }
        return workers;
    }

    List<EventWorker> poolWorkers() {
        return new ArrayList<>(pools.workers());
    }

    private long sum(ToLongFunction<EventWorker> figure) {
        long sum = sum(pools.workers(), figure);
        for (Core core : cores) {
            for (CoreWorker worker : core.crew().all()) {
                sum += figure.applyAsLong(worker);
            }
        }
        return sum;
    }

    static long sum(Iterable<? extends EventWorker> workers, ToLongFunction<EventWorker> figure) {
        long sum = 0;
        for (EventWorker worker : workers) {
            sum += figure.applyAsLong(worker);
        }
        return sum;
    }

    /** Whether no outside thread is in the middle of a send. */
    boolean areDecided() {
        return !outside.areUndecided();
    }

    /** A timer was dropped, as the close came first. */
    void countDroppedTimer() {
        droppedTimers.incrementAndGet();
    }

    long droppedTimers() {
        return droppedTimers.get();
    }

    /** The counts of a stage, of now. */
    StageCounts.Count ofStage(int stage) {
        StageCounts.Count sum = new StageCounts.Count();
        workers().forEach(worker -> worker.sender.stages.addTo(sum, stage));
        outside.addTo(sum, stage);
        return sum;
    }

    /** The counters of now; what is pending after the stop is discarded. */
    MelyStats stats(boolean isStopped, List<StageStats> stages, MelyStats.StallStats stalls) {
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
        long discarded = isStopped ? Math.max(0, open) : 0;
        return new MelyStats(perCore, ofPools, stages, sentOutside, refusedOutside, discarded, stalls);
    }
}
