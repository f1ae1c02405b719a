// SPDX-License-Identifier: Apache-2.0
package io.mely.policy;

import io.mely.Sized;
import io.mely.Stage;
import io.mely.spi.Lane;
import io.mely.spi.StageGroup;
import io.mely.spi.Workers;
import org.jspecify.annotations.Nullable;

/**
 * What waits at one stage of a group whose cores go from stage to stage: in its queue, and in a stack of each core, if the group has those.
 *
 * <p>A stack has one user, its core. What a handler of a core that visits the stage sends there, if any number of threads may run it, goes to the core's own stack, last in first out. What comes from elsewhere, or
 * goes to a single-threaded stage, goes to the queue.
 *
 * <p><b>Threads.</b> Any, but for what says that it is a core's. <b>Source.</b> spec: stages §4.1.
 */
final class StageQueue implements StageGroup.Sink {
    private final Workers workers;
    private final VisitPart part;
    private final Stage<?> stage;
    private final LaneQueue queue;
    private final LaneQueue @Nullable [] stacks; // by core
    private final LaneQueue left; // for the next visit, as it is large
    private final @Nullable BatchController batches;
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
        LaneQueue[] stacks = this.stacks;
        int core = stacks == null ? -1 : workers.handlerCore();
        if (stacks != null && core >= 0 && part.isOf(core)) { // no other core takes from its stack
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
