// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE_INTERESTING;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import java.util.concurrent.atomic.AtomicInteger;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;
import org.openjdk.jcstress.infra.results.II_Result;

/** The races of a color at home: what is handed in meets its runner. */
public final class ColorQueueStress {
    private ColorQueueStress() {}

    /**
     * The color's own record is let go of, and the batch ends, while a thief drains the next event, which may take that record. r1: it did;
     * r2: the next event.
     */
    @JCStressTest
    @Outcome(id = "1, 7", expect = ACCEPTABLE, desc = "idle in between: the color's record again")
    @Outcome(id = "0, 7", expect = ACCEPTABLE, desc = "delivered while it ran: a record of the thief's")
    @Outcome(expect = FORBIDDEN, desc = "the next event is lost, or cleared")
    @State
    public static class OwnAgain {
        final StressQueues queues = new StressQueues();
        final int color = StressQueues.color(0);

        public OwnAgain() {
            queues.send(0, color, StressQueues.LIGHT, 1);
            queues.pick(0);
            queues.offerAt(0, color, StressQueues.LIGHT, 7);
        }

        @Actor
        public void runner() {
            queues.runFirst(0);
            queues.end(0);
        }

        @Actor
        public void thief() {
            queues.core(0).lock();
            queues.core(0).arrivals.drain(queues.pool(1));
            queues.core(0).unlock();
        }

        @Arbiter
        public void run(II_Result r) {
            r.r1 = queues.queueOf(color).head < 0 ? 1 : 0;
            r.r2 = queues.runAll(0);
        }
    }

    /** The runner clears the record after it has let go of the color. */
    @JCStressTest
    @Outcome(
            id = {"1, 7", "0, 7"},
            expect = ACCEPTABLE,
            desc = "as if in order")
    @Outcome(id = "1, 0", expect = ACCEPTABLE_INTERESTING, desc = "the next event is cleared")
    @State
    public static class OwnAgainTwin {
        volatile boolean isIdle;
        volatile int own = 1;
        int pooled;

        @Actor
        public void runner() {
            isIdle = true;
            own = 0;
        }

        @Actor
        public void thief(II_Result r) {
            if (isIdle) {
                own = 7;
                r.r1 = 1;
            } else {
                pooled = 7;
            }
        }

        @Arbiter
        public void run(II_Result r) {
            r.r2 = r.r1 == 1 ? own : pooled;
        }
    }

    /** A heavy and urgent event for a light color is handed in while the owner picks that. r1: picked; r2: run later; r3: at this level. */
    @JCStressTest
    @Outcome(id = "12, 0, 0", expect = ACCEPTABLE, desc = "in time: both in one batch")
    @Outcome(id = "1, 2, 6", expect = ACCEPTABLE, desc = "found while the color runs, or after that")
    @Outcome(expect = FORBIDDEN, desc = "linked while it runs, lost, or at the old level")
    @State
    public static class HandInPick {
        final StressQueues queues = new StressQueues();
        final int color = StressQueues.color(0);

        public HandInPick() {
            queues.send(0, color, StressQueues.LIGHT, 1);
        }

        @Actor
        public void sender() {
            queues.handIn(color, StressQueues.URGENT, 2);
        }

        @Actor
        public void owner() {
            queues.pick(0);
        }

        @Arbiter
        public void end(III_Result r) {
            queues.drain(0);
            ColorQueue queue = queues.queueOf(color);
            r.r1 = queue.place == ColorQueue.RUNNING ? queues.runPicked(0) : -1;
            r.r3 = queue.place == ColorQueue.QUEUED && queue.interval != 0 ? queue.level : 0;
            r.r2 = queues.runAll(0);
        }
    }

    /** An entry links the color whatever its place. */
    @JCStressTest
    @Outcome(
            id = {"12, 0, 0", "1, 2, 6"},
            expect = ACCEPTABLE,
            desc = "in time")
    @Outcome(id = "1, 2, 1", expect = ACCEPTABLE_INTERESTING, desc = "linked while it runs")
    @State
    public static class HandInPickTwin {
        private final AtomicInteger entries = new AtomicInteger();
        boolean isLinked = true;

        private boolean drain() {
            boolean hasEntry = entries.getAndSet(0) != 0;
            isLinked |= hasEntry;
            return hasEntry;
        }

        @Actor
        public void sender() {
            entries.set(1);
        }

        @Actor
        public void owner(III_Result r) {
            r.r1 = drain() ? 12 : 1;
            isLinked = false;
        }

        @Arbiter
        public void end(III_Result r) {
            r.r2 = drain() ? 2 : 0;
            r.r3 = isLinked ? 1 : 0;
        }
    }

    /**
     * A handler on the thief's core, in the color that was stolen, has sent an event, which is held. While a third party drains the mark,
     * the handler asks whether its next event may be fused. r1: it may; r2: what runs.
     */
    @JCStressTest
    @Outcome(id = "0, 12", expect = ACCEPTABLE, desc = "held or pending: not alone")
    @Outcome(expect = FORBIDDEN, desc = "the next event would overtake it")
    @State
    public static class FuseSettle {
        final StressQueues queues = new StressQueues();
        final int color = StressQueues.color(0);

        public FuseSettle() {
            queues.send(0, color, StressQueues.HEAVY, 1);
            queues.offerAt(0, StressQueues.color(1), StressQueues.LIGHT, 0); // else nothing need settle
            queues.steal(false);
            queues.send(1, color, StressQueues.LIGHT, 2);
            queues.drain(0); // forwards the mark
        }

        @Actor
        public void runner(II_Result r) {
            r.r1 = queues.core(1).runsAlone(queues.core(1).owner) ? 1 : 0;
        }

        @Actor
        public void drainer() {
            queues.core(1).lock();
            queues.core(1).arrivals.drain(queues.pool(StressQueues.SENDER));
            queues.core(1).unlock();
        }

        @Arbiter
        public void end(II_Result r) {
            r.r2 = queues.runPicked(1) * 10 + queues.runAll(1);
        }
    }

    /** It looks at the list before it asks whether the color settles. */
    @JCStressTest
    @Outcome(id = "0, 12", expect = ACCEPTABLE, desc = "in time")
    @Outcome(id = "1, 12", expect = ACCEPTABLE_INTERESTING, desc = "the next event would overtake it")
    @State
    public static class FuseSettleTwin {
        volatile boolean isSettling = true;
        volatile boolean isEmpty = true;

        @Actor
        public void runner(II_Result r) {
            r.r1 = isEmpty && !isSettling ? 1 : 0;
        }

        @Actor
        public void drainer() {
            isEmpty = false;
            isSettling = false;
        }

        @Arbiter
        public void end(II_Result r) {
            r.r2 = 12;
        }
    }
}
