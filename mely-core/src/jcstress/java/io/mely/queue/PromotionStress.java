// SPDX-License-Identifier: Apache-2.0
package io.mely.queue;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE_INTERESTING;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/** A send makes a color worthier and more urgent while another core takes it. r1: taken; r2: linked still; r3: at its level. */
public final class PromotionStress {
    private static final int URGENT = 6;

    private PromotionStress() {}

    /** Touched under the lock by the home core, while a thief takes it. */
    @JCStressTest
    @Outcome(id = "1, 0, 0", expect = ACCEPTABLE, desc = "stolen: the touch left it alone, or came first")
    @Outcome(id = "0, 1, 1", expect = ACCEPTABLE, desc = "the thief was turned away: linked once, at the higher level")
    @Outcome(expect = FORBIDDEN, desc = "in two places, in none, or at its old level")
    @State
    public static class TouchSteal {
        final CoreQueue queue = StressColor.queues()[0];
        final StressColor color = new StressColor(0).queuedAt(queue, StressColor.HEAVY);

        @Actor
        public void sender() {
            color.send(color.record(StressColor.HEAVY), URGENT);
            queue.lock();
            queue.touch(color);
            queue.unlock();
        }

        @Actor
        public void thief(III_Result r) {
            r.r1 = StressColor.stealFrom(queue, 1) == null ? 0 : 1;
        }

        @Arbiter
        public void end(III_Result r) {
            queue.lock();
            queue.validate();
            queue.unlock();
            r.r2 = queue.readyCount();
            r.r3 = r.r2 == 1 && color.level == URGENT && color.interval != 0 ? 1 : 0;
        }
    }

    /** Handed in by another core, while the owner drains and picks it. */
    @JCStressTest
    @Outcome(id = "1, 0, 0", expect = ACCEPTABLE, desc = "picked: the entry, now or later, leaves it alone")
    @Outcome(expect = FORBIDDEN, desc = "linked while it runs, or lost")
    @State
    public static class HandInPick {
        final CoreQueue queue = StressColor.queues()[0];
        final StressColor color = new StressColor(0).queuedAt(queue, StressColor.LIGHT);

        @Actor
        public void sender() {
            color.send(color.record(StressColor.HEAVY), URGENT);
            queue.handIn(color);
        }

        @Actor
        public void owner(III_Result r) {
            r.r1 = StressColor.pickFrom(queue) == null ? 0 : 1;
        }

        @Arbiter
        public void end(III_Result r) {
            queue.lock();
            queue.drain();
            queue.validate();
            queue.unlock();
            r.r2 = queue.readyCount();
            r.r3 = r.r2 == 1 && color.level == URGENT ? 1 : 0;
        }
    }

    /** Handed in by another core, while a thief drains and takes it. */
    @JCStressTest
    @Outcome(id = "1, 0, 0", expect = ACCEPTABLE, desc = "stolen: an entry that is late finds it moved")
    @Outcome(id = "0, 1, 1", expect = ACCEPTABLE, desc = "not worthy yet: promoted by the next drain")
    @Outcome(expect = FORBIDDEN, desc = "in two places, in none, or at its old level")
    @State
    public static class HandInSteal {
        final CoreQueue queue = StressColor.queues()[0];
        final StressColor color = new StressColor(0).queuedAt(queue, StressColor.LIGHT);

        @Actor
        public void sender() {
            color.send(color.record(StressColor.HEAVY), URGENT);
            queue.handIn(color);
        }

        @Actor
        public void thief(III_Result r) {
            r.r1 = StressColor.stealFrom(queue, 1) == null ? 0 : 1;
        }

        @Arbiter
        public void end(III_Result r) {
            queue.lock();
            queue.drain();
            queue.validate();
            queue.unlock();
            r.r2 = queue.readyCount();
            r.r3 = r.r2 == 1 && color.level == URGENT && color.interval != 0 ? 1 : 0;
        }
    }

    /** The place is looked at before the lock is taken. */
    abstract static class Unlocked {
        private static final int QUEUED = 2;
        final CoreQueue lock = StressColor.queues()[0];
        volatile int place = QUEUED;
        int linked = 1;

        void promote() {
            if (place == QUEUED) {
                lock.lock();
                linked = 1; // at its new level
                lock.unlock();
            }
        }

        int take() {
            int taken = 0;
            if (lock.tryLock()) {
                place = 0;
                linked = 0;
                taken = 1;
                lock.unlock();
            }
            return taken;
        }
    }

    /** The place is looked at before the lock is taken. */
    @JCStressTest
    @Outcome(
            id = {"1, 0, 0", "0, 1, 0"},
            expect = ACCEPTABLE,
            desc = "in time")
    @Outcome(id = "1, 1, 0", expect = ACCEPTABLE_INTERESTING, desc = "in two places")
    @State
    public static class TouchStealTwin extends Unlocked {
        @Actor
        public void sender() {
            promote();
        }

        @Actor
        public void thief(III_Result r) {
            r.r1 = take();
        }

        @Arbiter
        public void end(III_Result r) {
            r.r2 = linked;
        }
    }

    /** An entry that is late links whatever it finds, and not only what is opened. */
    @JCStressTest
    @Outcome(id = "1, 0, 0", expect = ACCEPTABLE, desc = "in time")
    @Outcome(id = "1, 1, 0", expect = ACCEPTABLE_INTERESTING, desc = "linked while it runs")
    @State
    public static class HandInPickTwin {
        final CoreQueue queue = StressColor.queues()[0];
        volatile int entries;
        int linked = 1;

        private void drain() {
            if (entries != 0) {
                entries = 0;
                linked = 1;
            }
        }

        @Actor
        public void sender() {
            entries = 1;
        }

        @Actor
        public void owner(III_Result r) {
            queue.lock();
            drain();
            linked = 0;
            r.r1 = 1;
            queue.unlock();
        }

        @Arbiter
        public void end(III_Result r) {
            drain();
            r.r2 = linked;
        }
    }

    /** An entry that is late does not ask where the color lives. */
    @JCStressTest
    @Outcome(
            id = {"1, 0, 0", "0, 1, 1"},
            expect = ACCEPTABLE,
            desc = "in time")
    @Outcome(id = "1, 1, 1", expect = ACCEPTABLE_INTERESTING, desc = "in two places")
    @State
    public static class HandInStealTwin {
        final CoreQueue queue = StressColor.queues()[0];
        volatile int entries;
        int linked = 1;
        int level;

        private void drain() {
            if (entries != 0) {
                entries = 0;
                linked = 1;
                level = 1;
            }
        }

        @Actor
        public void sender() {
            entries = 1;
        }

        @Actor
        public void thief(III_Result r) {
            if (queue.tryLock()) {
                drain();
                if (level == 1) {
                    level = 0;
                }
                linked = 0;
                r.r1 = 1;
                queue.unlock();
            }
        }

        @Arbiter
        public void end(III_Result r) {
            drain();
            r.r2 = linked;
            r.r3 = level;
        }
    }
}
