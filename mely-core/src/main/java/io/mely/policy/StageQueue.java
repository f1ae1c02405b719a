// SPDX-License-Identifier: Apache-2.0
package io.mely.policy;

import io.mely.Sized;
import io.mely.Stage;
import io.mely.spi.Lane;
import io.mely.spi.StageGroup;
import io.mely.spi.Workers;
import java.util.concurrent.atomic.AtomicLongFieldUpdater;
import org.jspecify.annotations.Nullable;

/**
 * What waits at one stage of a group whose cores go from stage to stage: in its queue, and in a stack of each core, if the group has those.
 *
 * <p>A stack has one user, its core. What a core's handler sends to a stage that any number of threads may run goes to the core's own stack there, last in first out. What comes from elsewhere, or
 * goes to a single-threaded stage, goes to the queue.
 *
 * <p><b>Threads.</b> Any, but for what says that it is a core's. <b>Source.</b> spec: stages §4.1.
 */
final class StageQueue implements StageGroup.Sink {
    private static final AtomicLongFieldUpdater<StageQueue> ARRIVED =
            AtomicLongFieldUpdater.newUpdater(StageQueue.class, "arrived");

    private final Workers workers;
    private final VisitPart part;
    private final Stage<?> stage;
    private final LaneQueue queue;
    private final LaneQueue @Nullable [] stacks; // by core
    private final LaneQueue left; // for the next visit, as it is large
    private final @Nullable BatchController batches;
    private volatile long arrived;
    private volatile long visitedNs;

    StageQueue(Workers workers, Stage<?> stage, VisitPolicy policy, VisitPart part) {
        this.part = part;
        this.workers = workers;
        this.stage = stage;
        queue = policy.discipline().queue(workers, this::sizeOf);
        left = new LaneList(workers);
        batches = policy.service().controller(workers.clock().nanoTime());
        stacks = policy.hasStacks() && !stage.options().singleThreaded() ? new LaneQueue[workers.cores()] : null;
        for (int i = 0; stacks != null && i < stacks.length; i++) {
            stacks[i] = new LaneList(workers, true);
        }
        visitedNs = workers.clock().nanoTime();
    }

    @Override
    public void add(Lane lane) {
        ARRIVED.incrementAndGet(this);
        LaneQueue[] stacks = this.stacks;
        int core = stacks == null ? -1 : workers.handlerCore();
        if (stacks != null && core >= 0) {
            stacks[core].add(lane);
            boolean unused = workers.wake(core); // it may have another thread than the sender by now, and sleep
            return;
        }
        queue.add(lane);
        part.wakeOne();
    }

    /** What the first event of a lane takes. Whoever has the lane. */
    private long sizeOf(Lane lane) {
        try {
            if (workers.event(lane) instanceof Sized sized) {
                return Math.max(0, sized.size());
            }
        } catch (RuntimeException e) {
            // its author's fault, and no reason to lose it
        }
        return stage.processingTimeNs();
    }

    /**
     * Takes out what a core runs next. That core.
     *
     * @param sizeMax what is larger is left for its next visit
     */
    @Nullable
    Lane poll(int core, long sizeMax) {
        Lane lane = stacks == null ? null : stacks[core].poll();
        while (lane == null) {
            lane = queue.poll();
            if (lane == null) {
                return null;
            }
            if (sizeMax != Long.MAX_VALUE && sizeOf(lane) > sizeMax) {
                left.add(lane);
                lane = null;
            }
        }
        return lane;
    }

    /** Takes out what visits before have left. */
    @Nullable
    Lane pollLeft() {
        return left.poll();
    }

    int left() {
        return left.size();
    }

    /** How many wait that a core can run. */
    int waiting(int core) {
        int waiting = queue.size() + left.size();
        return stacks == null ? waiting : waiting + stacks[core].size();
    }

    /** How many wait. */
    int waiting() {
        int waiting = queue.size() + left.size();
        for (int i = 0; stacks != null && i < stacks.length; i++) {
            waiting += stacks[i].size();
        }
        return waiting;
    }

    long arrived() {
        return arrived;
    }

    Stage<?> stage() {
        return stage;
    }

    /** Most lanes of a visit, if a controller says so. */
    int batch() {
        return batches == null ? Integer.MAX_VALUE : batches.target();
    }

    /** A visit is over, for the controller. */
    void served(int lanes) {
        if (batches != null) {
            batches.served(lanes, workers.clock().nanoTime());
        }
    }

    void visited(long nowNs) {
        visitedNs = nowNs;
    }

    /** When a core last went away from it. */
    long visitedNs() {
        return visitedNs;
    }
}
