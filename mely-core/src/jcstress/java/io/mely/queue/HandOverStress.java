// SPDX-License-Identifier: Apache-2.0
package io.mely.queue;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE_INTERESTING;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import java.util.concurrent.atomic.AtomicReference;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** A color changes hands: by a steal, and by way of idle. */
public final class HandOverStress {
    private HandOverStress() {}

    /**
     * A thief takes a color and runs its only event, while a sender appends. r1: the home the opener reads, -1 if the thief goes on with
     * the event; r2: the core that finds the color afterwards.
     */
    @JCStressTest
    @Outcome(id = "1, 1", expect = ACCEPTABLE, desc = "opened after the thief let it go idle: it lives at the thief's")
    @Outcome(id = "-1, -1", expect = ACCEPTABLE, desc = "appended before that: the thief goes on")
    @Outcome(expect = FORBIDDEN, desc = "handed in where it does not live: lost")
    @State
    public static class HomeSender {
        final CoreQueue[] queues = StressColor.queues();
        final StressColor color = new StressColor(0).queuedAt(queues[0], StressColor.HEAVY);
        final EventRecord running = color.head();

        @Actor
        public void thief() {
            if (StressColor.stealFrom(queues[0], 1) == color) {
                color.advanceFully(running);
            }
        }

        @Actor
        public void sender(II_Result r) {
            if (color.send(color.record(7), 3)) {
                r.r1 = color.home();
                color.markOpened();
                queues[r.r1].handIn(color);
            } else {
                r.r1 = -1;
            }
        }

        @Arbiter
        public void find(II_Result r) {
            r.r2 = StressColor.headOf(StressColor.pickFrom(queues[0])) == 7
                    ? 0
                    : StressColor.headOf(StressColor.pickFrom(queues[1])) == 7 ? 1 : -1;
        }
    }

    /** The home is moved after the color went idle. */
    @JCStressTest
    @Outcome(
            id = {"1, 1", "-1, -1"},
            expect = ACCEPTABLE,
            desc = "in time")
    @Outcome(id = "0, -1", expect = ACCEPTABLE_INTERESTING, desc = "handed in where it no longer lives: lost")
    @State
    public static class HomeSenderTwin {
        final Object running = new Object();
        final AtomicReference<Object> tail = new AtomicReference<>(running);
        volatile int home;
        volatile int handedTo = -1;

        @Actor
        public void thief() {
            tail.compareAndSet(running, null);
            home = 1;
        }

        @Actor
        public void sender(II_Result r) {
            if (tail.getAndSet(this) == null) {
                r.r1 = home;
                handedTo = r.r1;
            } else {
                r.r1 = -1;
            }
        }

        @Arbiter
        public void find(II_Result r) {
            r.r2 = handedTo == home ? handedTo : -1; // an entry links a color only where it lives
        }
    }

    /** A batch ends with a relink; a thief takes the color. r1: the thief has it; r2: the plain memory it sees. */
    @JCStressTest
    @Outcome(id = "1, 1", expect = ACCEPTABLE, desc = "stolen, and what the last handler wrote is visible")
    @Outcome(id = "0, 0", expect = ACCEPTABLE, desc = "too early")
    @Outcome(expect = FORBIDDEN, desc = "stolen without its state")
    @State
    public static class StateSteal {
        final CoreQueue queue = StressColor.queues()[0];
        final StressColor color = new StressColor(0);
        final EventRecord running = color.record(1);

        public StateSteal() {
            color.send(running, 3);
            color.send(color.record(StressColor.HEAVY), 3);
        }

        @Actor
        public void owner() {
            color.state = 1;
            color.advance(running);
            queue.lock();
            queue.link(color);
            queue.unlock();
        }

        @Actor
        public void thief(II_Result r) {
            StressColor loot = (StressColor) StressColor.stealFrom(queue, 1);
            if (loot != null) {
                r.r1 = 1;
                r.r2 = loot.state;
            }
        }
    }

    /** Linked before the handler has returned: what a lock without release permits, written out, as x86 keeps stores in order. */
    @JCStressTest
    @Outcome(
            id = {"1, 1", "0, 0"},
            expect = ACCEPTABLE,
            desc = "in time")
    @Outcome(id = "1, 0", expect = ACCEPTABLE_INTERESTING, desc = "stolen without its state")
    @State
    public static class StateStealTwin {
        int state;
        volatile int place;

        @Actor
        public void owner() {
            place = 1;
            state = 1;
        }

        @Actor
        public void thief(II_Result r) {
            if (place == 1) {
                r.r1 = 1;
                r.r2 = state;
            }
        }
    }

    /** The last event runs; the next sender opens the color and its core runs it. r1: opened; r2: the plain memory it sees. */
    @JCStressTest
    @Outcome(id = "1, 1", expect = ACCEPTABLE, desc = "through idle, and what the last handler wrote is visible")
    @Outcome(id = "0, 0", expect = ACCEPTABLE, desc = "appended before: the runner goes on")
    @Outcome(expect = FORBIDDEN, desc = "opened without its state")
    @State
    public static class StateIdle {
        final CoreQueue queue = StressColor.queues()[0];
        final StressColor color = new StressColor(0);
        final EventRecord running = color.record(1);

        public StateIdle() {
            color.send(running, 3);
        }

        @Actor
        public void runner() {
            color.state = 1;
            color.advanceFully(running);
        }

        @Actor
        public void next(II_Result r) {
            if (color.send(color.record(7), 3)) {
                queue.lock();
                queue.link(color);
                queue.unlock();
                r.r1 = 1;
                r.r2 = ((StressColor) StressColor.pickFrom(queue)).state;
            }
        }
    }

    /** The color is touched after it went idle. */
    @JCStressTest
    @Outcome(
            id = {"1, 1", "0, 0"},
            expect = ACCEPTABLE,
            desc = "in time")
    @Outcome(id = "1, 0", expect = ACCEPTABLE_INTERESTING, desc = "opened without its state")
    @State
    public static class StateIdleTwin {
        final Object running = new Object();
        final AtomicReference<Object> tail = new AtomicReference<>(running);
        int state;

        @Actor
        public void runner() {
            tail.compareAndSet(running, null);
            state = 1;
        }

        @Actor
        public void next(II_Result r) {
            if (tail.getAndSet(this) == null) {
                r.r1 = 1;
                r.r2 = state;
            }
        }
    }
}
