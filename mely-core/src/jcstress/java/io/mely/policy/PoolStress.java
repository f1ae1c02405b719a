// SPDX-License-Identifier: Apache-2.0
package io.mely.policy;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE_INTERESTING;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.mely.spi.Lane;
import io.mely.spi.Worker;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** A pool gets a lane and becomes smaller while one of its threads looks for a lane, or leaves. */
public final class PoolStress {
    /** A thread that may leave finds nothing for so long. */
    private static final Duration IDLE = Duration.ofNanos(1);

    private PoolStress() {}

    /** Runs one lane, and then its thread ends. */
    private static final class Once implements Worker {
        private final AtomicInteger ran;

        Once(AtomicInteger ran) {
            this.ran = ran;
        }

        @Override
        public boolean run(Lane lane) {
            ran.incrementAndGet();
            return false;
        }

        @Override
        public boolean isSliceOver() {
            return false;
        }
    }

    /** A thread finds the lane or leaves, and then another one comes. r1: how often the lane has run; r2: lanes that wait. */
    @JCStressTest
    @Outcome(id = "1, 0", expect = ACCEPTABLE, desc = "by whoever came in time")
    @Outcome(expect = FORBIDDEN, desc = "twice, or a lane that no thread is told of")
    @State
    public static class AddLeave {
        final TwoLanes workers = new TwoLanes();
        final LanePool pool = new LanePool(workers, "pool", new PoolSize(2, 1, 2, IDLE), null);
        final AtomicInteger ran = new AtomicInteger();

        public AddLeave() {
            pool.start();
        }

        @Actor
        public void thread() {
            workers.bodies.get(0).accept(new Once(ran));
        }

        @Actor
        public void adder() {
            pool.add(workers.lanes[1]);
            pool.resize(1);
        }

        @Arbiter
        public void end(II_Result r) {
            pool.resize(2);
            workers.bodies.get(1).accept(new Once(ran));
            r.r1 = ran.get();
            r.r2 = pool.waiting();
        }
    }

    /** The same with a permit that is given before the lane is there. */
    @JCStressTest
    @Outcome(id = "1, 0", expect = ACCEPTABLE, desc = "in time")
    @Outcome(id = "0, 1", expect = ACCEPTABLE_INTERESTING, desc = "its permit is spent, and it waits")
    @State
    public static class AddLeaveTwin {
        final TwoLanes workers = new TwoLanes();
        final LaneList lanes = new LaneList(workers);
        final Semaphore permits = new Semaphore(0);
        final AtomicInteger ran = new AtomicInteger();

        private void look() {
            @Nullable Lane lane = permits.tryAcquire() ? lanes.poll() : null;
            if (lane != null) {
                ran.incrementAndGet();
            }
        }

        @Actor
        public void thread() {
            look();
        }

        @Actor
        public void adder() {
            permits.release();
            lanes.add(workers.lanes[1]);
        }

        @Arbiter
        public void end(II_Result r) {
            look();
            r.r1 = ran.get();
            r.r2 = lanes.size();
        }
    }

    /** A pool of two threads is to have one, and a lane waits. r1: how often the lane has run; r2: threads that the pool counts, after the other one has run it and ended. */
    @JCStressTest
    @Outcome(id = "1, 0", expect = ACCEPTABLE, desc = "one has left, the other one runs it")
    @Outcome(expect = FORBIDDEN, desc = "both take themselves for the one too many")
    @State
    public static class LeaveLeave {
        final TwoLanes workers = new TwoLanes();
        final LanePool pool = new LanePool(workers, "pool", new PoolSize(2, 1, 2, IDLE), null);
        final AtomicInteger ran = new AtomicInteger();

        public LeaveLeave() {
            pool.start();
            pool.resize(1);
            pool.add(workers.lanes[1]);
        }

        @Actor
        public void first() {
            workers.bodies.get(0).accept(new Once(ran));
        }

        @Actor
        public void second() {
            workers.bodies.get(1).accept(new Once(ran));
        }

        @Arbiter
        public void end(II_Result r) {
            r.r1 = ran.get();
            r.r2 = pool.threads();
        }
    }

    /** The same without the monitor. */
    @JCStressTest
    @Outcome(id = "1, 0", expect = ACCEPTABLE, desc = "as if locked")
    @Outcome(expect = ACCEPTABLE_INTERESTING, desc = "both have left, or are counted as one")
    @State
    public static class LeaveLeaveTwin {
        volatile int threads = 2;
        final AtomicInteger ran = new AtomicInteger();

        private void body() {
            if (threads <= 1) {
                ran.incrementAndGet();
            }
            int before = threads;
            threads = before - 1;
        }

        @Actor
        public void first() {
            body();
        }

        @Actor
        public void second() {
            body();
        }

        @Arbiter
        public void end(II_Result r) {
            r.r1 = ran.get();
            r.r2 = threads;
        }
    }
}
