// SPDX-License-Identifier: Apache-2.0
package io.mely.policy;

import io.mely.Stage;
import io.mely.spi.Lane;
import io.mely.spi.StageGroup;
import io.mely.spi.Worker;
import io.mely.spi.Workers;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Cores by demand: one queue, first in first out, from which as many cores take as the load needs to keep a response time. The others sleep, and their CPUs are free, or save power.
 *
 * <pre>
 *   Policy.of("by-demand", DemandPolicy.of(Duration.ofMillis(20)))
 * </pre>
 *
 * <p><b>Threads.</b> Immutable. <b>Source.</b> spec: stages §14, item 3.
 */
public final class DemandPolicy implements StageGroup.Factory {
    private final long goalNs;

    private DemandPolicy(long goalNs) {
        this.goalNs = goalNs;
    }

    /**
     * Keeps a response time.
     *
     * @param goal from the send to the end of the handler, of nearly all events; &gt; 0
     * @return the policy
     */
    public static DemandPolicy of(Duration goal) {
        Objects.requireNonNull(goal, "goal");
        if (goal.isNegative() || goal.isZero()) {
            throw new IllegalArgumentException("goal must be > 0: goal=" + goal);
        }
        return new DemandPolicy(TimeUnit.NANOSECONDS.convert(goal));
    }

    @Override
    public StageGroup create(Workers workers) {
        return new Group(workers, goalNs);
    }

    private static final class Group implements StageGroup {
        private final Workers workers;
        private final LaneList ready;
        private final Demand demand;
        private final AtomicLong busyNs = new AtomicLong();

        Group(Workers workers, long goalNs) {
            this.workers = workers;
            ready = new LaneList(workers);
            demand = new Demand(workers.cores(), goalNs);
        }

        @Override
        public Sink sink(Stage<?> stage) {
            return lane -> add(lane, stage);
        }

        private void add(Lane lane, Stage<?> stage) {
            ready.add(lane);
            if (!growsFor(stage.processingTimeNs())) {
                wakeOne();
            }
        }

        /** Has one more core run, if too much waits. True if it slept. */
        private boolean growsFor(long eventNs) {
            return demand.waits(ready.size(), eventNs) && workers.wake(demand.active() - 1);
        }

        /** Wakes one of those that are to run, if one sleeps. */
        private void wakeOne() {
            boolean unused = workers.wakeOne(0, demand.active());
        }

        @Override
        public Visitor visitor(int core) {
            return new CoreVisitor(core);
        }

        /** One core's. */
        private final class CoreVisitor implements Visitor {
            private final int core;

            CoreVisitor(int core) {
                this.core = core;
            }

            @Override
            public int run(Worker worker) {
                if (!hasWork()) {
                    return 0;
                }
                int ran = 0;
                boolean isOurs = true;
                long beganNs = workers.clock().nanoTime();
                while (isOurs && !worker.isSliceOver()) {
                    Lane lane = ready.poll();
                    if (lane == null) {
                        break;
                    }
                    ran++;
                    demand.taken(workers.expectedNs(lane));
                    boolean unused = growsFor(0);
                    isOurs = worker.run(lane);
                }
                long nowNs = workers.clock().nanoTime();
                boolean isFewer = demand.worked(nowNs, busyNs.addAndGet(nowNs - beganNs));
                if (isFewer && ready.size() != 0) {
                    wakeOne(); // who has added a lane may have woken the one that is to sleep now
                }
                return ran;
            }

            @Override
            public boolean hasWork() {
                return core < demand.active() && ready.size() != 0;
            }
        }
    }
}
