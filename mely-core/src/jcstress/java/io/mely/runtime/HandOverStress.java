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

/** A color changes hands, by a steal from core 0 to core 1 and by way of idle: its events find it, in order, and so does its state. */
public final class HandOverStress {
    private HandOverStress() {}

    /** A color with one event, which pays. */
    abstract static class Loot {
        final StressQueues queues = new StressQueues();
        final int color = StressQueues.color(0);

        Loot() {
            queues.send(0, color, StressQueues.HEAVY, 1);
        }
    }

    /** A thief moves the color while an event is handed in. r1: where it went, 2 if sent again; r2: what runs, on core 1. */
    @JCStressTest
    @Outcome(
            id = "0, 12",
            expect = ACCEPTABLE,
            desc = "before the steal, or before it is looked for: taken along or forwarded")
    @Outcome(id = "1, 12", expect = ACCEPTABLE, desc = "after the steal: to the new home")
    @Outcome(
            id = "2, 12",
            expect = ACCEPTABLE,
            desc = "too late for the thief's look, but seen by its sender: dropped, and sent again")
    @Outcome(expect = FORBIDDEN, desc = "lost, twice, or before what was there")
    @State
    public static class HandInSteal extends Loot {
        @Actor
        public void sender(II_Result r) {
            r.r1 = queues.handIn(color, StressQueues.LIGHT, 2);
        }

        @Actor
        public void thief() {
            while (!queues.steal(true)) {
                Thread.onSpinWait();
            }
        }

        @Arbiter
        public void end(II_Result r) {
            r.r2 = queues.runStolen();
        }
    }

    /** No fence between the offer and the second look at the home, nor between the move and the look into the inbox. */
    @JCStressTest
    @Outcome(
            id = {"0, 12", "1, 12", "2, 12"},
            expect = ACCEPTABLE,
            desc = "in order")
    @Outcome(id = "0, 1", expect = ACCEPTABLE_INTERESTING, desc = "no mark, and not sent again: lost")
    @State
    public static class HandInStealTwin {
        int entry;
        int home;
        boolean isMarked;

        @Actor
        public void sender(II_Result r) {
            entry = 1;
            r.r1 = home == 0 ? 0 : 2;
        }

        @Actor
        public void thief() {
            home = 1;
            isMarked = entry != 0;
        }

        @Arbiter
        public void end(II_Result r) {
            r.r2 = r.r1 == 2 || isMarked ? 12 : 1;
        }
    }

    /** The same with an event of the sender's in the old inbox, which the thief leaves there. As above. */
    @JCStressTest
    @Outcome(id = "0, 123", expect = ACCEPTABLE, desc = "before the thief's look: forwarded")
    @Outcome(id = "1, 123", expect = ACCEPTABLE, desc = "to the new home: held until that is forwarded")
    @Outcome(id = "2, 123", expect = ACCEPTABLE, desc = "behind the look: dropped, and sent again")
    @Outcome(expect = FORBIDDEN, desc = "lost, twice, or out of order")
    @State
    public static class MarkSteal extends Loot {
        public MarkSteal() {
            queues.offerAt(0, color, StressQueues.LIGHT, 2);
        }

        @Actor
        public void sender(II_Result r) {
            r.r1 = queues.handIn(color, StressQueues.LIGHT, 3);
        }

        @Actor
        public void thief() {
            while (!queues.steal(false)) {
                Thread.onSpinWait();
            }
            queues.drain(1);
        }

        @Arbiter
        public void end(II_Result r) {
            r.r2 = queues.runStolen();
        }
    }

    /** What comes directly is not held while the color settles. */
    @JCStressTest
    @Outcome(
            id = {"0, 123", "1, 123"},
            expect = ACCEPTABLE,
            desc = "in time")
    @Outcome(id = "1, 132", expect = ACCEPTABLE_INTERESTING, desc = "overtakes what is in the old inbox")
    @State
    public static class MarkStealTwin {
        private final AtomicInteger order = new AtomicInteger(1);
        volatile int home;

        private void append(int event) {
            order.updateAndGet(events -> events * 10 + event);
        }

        @Actor
        public void sender(II_Result r) {
            r.r1 = home;
            if (r.r1 == 1) {
                append(3);
            }
        }

        @Actor
        public void thief() {
            home = 1;
            append(2);
        }

        @Arbiter
        public void end(II_Result r) {
            if (r.r1 == 0) {
                append(3);
            }
            r.r2 = order.get();
        }
    }

    /** The owner sends to the color, in place, while a thief takes it. r1: -1 for away, 1 for worthier; r2: stolen; r3: what runs. */
    @JCStressTest
    @Outcome(id = "-1, 1, 1", expect = ACCEPTABLE, desc = "stolen first: to be handed in")
    @Outcome(id = "1, 1, 12", expect = ACCEPTABLE, desc = "sent first, and taken along")
    @Outcome(id = "1, 0, 126", expect = ACCEPTABLE, desc = "the thief was turned away: linked once, at level 6")
    @Outcome(expect = FORBIDDEN, desc = "in two places, in none, or at its old level")
    @State
    public static class SendSteal extends Loot {
        @Actor
        public void owner(III_Result r) {
            r.r1 = queues.send(0, color, StressQueues.URGENT, 2);
        }

        @Actor
        public void thief(III_Result r) {
            r.r2 = queues.steal(true) ? 1 : 0;
        }

        @Arbiter
        public void end(III_Result r) {
            if (r.r2 == 1) {
                r.r3 = queues.runStolen();
            } else {
                int level = queues.queueOf(color).level;
                r.r3 = queues.runAll(0) * 10 + level;
            }
        }
    }

    /** The home is looked at before the lock is taken. */
    @JCStressTest
    @Outcome(
            id = {"-1, 1, 1", "1, 1, 12", "1, 0, 126"},
            expect = ACCEPTABLE,
            desc = "in time")
    @Outcome(id = "1, 1, 126", expect = ACCEPTABLE_INTERESTING, desc = "in two places")
    @State
    public static class SendStealTwin {
        final CoreQueue lock = new StressQueues().core(0);
        volatile int home;
        boolean isSent;
        boolean isLinked = true;
        boolean isTakenAlong;

        @Actor
        public void owner(III_Result r) {
            r.r1 = -1;
            if (home == 0) {
                lock.lock();
                isSent = true;
                isLinked = true; // at its new level
                r.r1 = 1;
                lock.unlock();
            }
        }

        @Actor
        public void thief(III_Result r) {
            if (lock.lock.tryLock()) {
                home = 1;
                isLinked = false;
                isTakenAlong = isSent;
                r.r2 = 1;
                lock.unlock();
            }
        }

        @Arbiter
        public void end(III_Result r) {
            r.r3 = isLinked ? 126 : isTakenAlong ? 12 : 1;
        }
    }

    /**
     * An event is sent, and the thief's inbox drained by a third party, while the thief takes the color to it. r1: the core that it was handed to, 2 if
     * the color had moved at the first look; r2: what runs, on core 1.
     */
    @JCStressTest
    @Outcome(
            id = {"0, 12", "1, 12", "2, 12"},
            expect = ACCEPTABLE,
            desc = "taken along, forwarded, or held there")
    @Outcome(expect = FORBIDDEN, desc = "lost, or found at home without what the thief has written")
    @State
    public static class DrainSteal extends Loot {
        @Actor
        public void drainer(II_Result r) {
            r.r1 = queues.handIn(color, StressQueues.LIGHT, 2);
            queues.pool(StressQueues.SENDER).reserve();
            queues.core(1).lock();
            queues.core(1).arrivals.drain(queues.pool(StressQueues.SENDER));
            queues.core(1).unlock();
        }

        @Actor
        public void thief() {
            queues.steal(true);
        }

        @Arbiter
        public void end(II_Result r) {
            r.r2 = queues.runStolen();
        }
    }

    /** The home first: what a home without release permits, written out, as x86 keeps stores in order. */
    @JCStressTest
    @Outcome(
            id = {"0, 12", "1, 12"},
            expect = ACCEPTABLE,
            desc = "in time")
    @Outcome(id = "1, -1", expect = ACCEPTABLE_INTERESTING, desc = "taken for queued, and linked again")
    @State
    public static class DrainStealTwin {
        volatile int home;
        boolean isQueued = true;

        @Actor
        public void drainer(II_Result r) {
            r.r1 = home;
            r.r2 = r.r1 == 1 && isQueued ? -1 : 12;
        }

        @Actor
        public void thief() {
            home = 1;
            isQueued = false;
        }
    }

    /** A batch ends with a relink; a thief takes the color. r1: the thief has it; r2: the plain memory it sees. */
    @JCStressTest
    @Outcome(id = "1, 1", expect = ACCEPTABLE, desc = "stolen, and what the last handler wrote is visible")
    @Outcome(id = "0, 0", expect = ACCEPTABLE, desc = "too early")
    @Outcome(expect = FORBIDDEN, desc = "stolen without its state")
    @State
    public static class StateSteal extends Loot {
        public StateSteal() {
            queues.send(0, color, StressQueues.HEAVY, 2);
            queues.pick(0);
        }

        @Actor
        public void owner() {
            queues.state = 1;
            queues.runFirst(0);
            queues.end(0);
        }

        @Actor
        public void thief(II_Result r) {
            if (queues.steal(false)) {
                r.r1 = 1;
                r.r2 = queues.state;
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

    /** The last event runs; a thief finds the next one in the inbox, and takes the color. As above. */
    @JCStressTest
    @Outcome(id = "1, 1", expect = ACCEPTABLE, desc = "through idle, and what the last handler wrote is visible")
    @Outcome(id = "0, 0", expect = ACCEPTABLE, desc = "it still runs")
    @Outcome(expect = FORBIDDEN, desc = "stolen without its state")
    @State
    public static class StateIdle extends Loot {
        public StateIdle() {
            queues.pick(0);
            queues.offerAt(0, color, StressQueues.HEAVY, 2);
        }

        @Actor
        public void owner() {
            queues.state = 1;
            queues.runFirst(0);
            queues.end(0);
        }

        @Actor
        public void thief(II_Result r) {
            if (queues.steal(true)) {
                r.r1 = 1;
                r.r2 = queues.state;
            }
        }
    }

    /** The color is idle before its handler has returned. */
    @JCStressTest
    @Outcome(
            id = {"1, 1", "0, 0"},
            expect = ACCEPTABLE,
            desc = "in time")
    @Outcome(id = "1, 0", expect = ACCEPTABLE_INTERESTING, desc = "stolen without its state")
    @State
    public static class StateIdleTwin {
        private final AtomicInteger place = new AtomicInteger();
        int state;

        @Actor
        public void owner() {
            place.compareAndSet(0, 1);
            state = 1;
        }

        @Actor
        public void thief(II_Result r) {
            if (place.compareAndSet(1, 2)) {
                r.r1 = 1;
                r.r2 = state;
            }
        }
    }

    /**
     * A sender claims an entry, then looks where the color is; a thief moves it, and another behind it, then looks whether there are entries. r1: the sender leaves its
     * entry void; r2: the thief waits for it.
     */
    @JCStressTest
    @Outcome(id = "1, 0", expect = ACCEPTABLE, desc = "too late: sent again")
    @Outcome(id = "0, 1", expect = ACCEPTABLE, desc = "before the look")
    @Outcome(id = "1, 1", expect = ACCEPTABLE, desc = "each has seen the other")
    @Outcome(expect = FORBIDDEN, desc = "behind a thief that waits for nothing")
    @State
    public static class LookMark extends Loot {
        final int where = queues.homes().where(color);

        public LookMark() {
            queues.send(0, StressQueues.color(1), StressQueues.HEAVY, 1);
        }

        @Actor
        public void sender(II_Result r) {
            r.r1 = queues.offer(where, color, StressQueues.LIGHT, 2) == Inbox.MOVED ? 1 : 0;
        }

        @Actor
        public void thief(II_Result r) {
            CoreQueue victim = queues.core(0);
            victim.lock();
            ColorQueue stolen = victim.take(CoreQueue.NEXT, queues.core(1), 0, 2);
            r.r2 = victim.migration.leave(stolen) >= 0 ? 1 : 0;
            victim.unlock();
        }
    }

    /** No fence between what each writes and what it looks at. */
    @JCStressTest
    @Outcome(
            id = {"1, 0", "0, 1", "1, 1"},
            expect = ACCEPTABLE,
            desc = "one saw the other")
    @Outcome(id = "0, 0", expect = ACCEPTABLE_INTERESTING, desc = "neither")
    @State
    public static class LookMarkTwin {
        int claimed;
        int moved;

        @Actor
        public void sender(II_Result r) {
            claimed = 1;
            r.r1 = moved;
        }

        @Actor
        public void thief(II_Result r) {
            moved = 1;
            r.r2 = claimed;
        }
    }
}
