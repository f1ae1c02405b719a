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
import org.openjdk.jcstress.infra.results.II_Result;
import org.openjdk.jcstress.infra.results.I_Result;

/** Park and unpark: nobody sleeps on work, and one waker calls. */
public final class WakeupsStress {
    private WakeupsStress() {}

    /** An event is handed in while its core goes to sleep. r1: it blocks; r2: calls. */
    @JCStressTest
    @Outcome(id = "0, 0", expect = ACCEPTABLE, desc = "handed in before the sleep was announced")
    @Outcome(id = "0, 1", expect = ACCEPTABLE, desc = "both saw each other")
    @Outcome(id = "1, 1", expect = ACCEPTABLE, desc = "blocks, and is called")
    @Outcome(expect = FORBIDDEN, desc = "sleeps on work, or called twice")
    @State
    public static class HandedIn {
        final Core[] cores = StressParts.cores(1, false);
        final Wakeups wakeups = StressParts.wakeups(cores, false);
        final StageImpl<Runnable> stage = StressParts.stage(1);

        @Actor
        public void sender() {
            StressParts.handIn(cores[0], wakeups, stage);
        }

        @Actor
        public void sleeper(II_Result r) {
            wakeups.announce(cores[0], false);
            r.r1 = cores[0].mayBlock() ? 1 : 0;
        }

        @Arbiter
        public void end(II_Result r) {
            r.r2 = StressParts.wakeups(cores[0]);
        }
    }

    /** Without the two fences. */
    @JCStressTest
    @Outcome(
            id = {"0, 0", "0, 1", "1, 1"},
            expect = ACCEPTABLE,
            desc = "in order")
    @Outcome(id = "1, 0", expect = ACCEPTABLE_INTERESTING, desc = "sleeps on work")
    @State
    public static class HandedInTwin {
        int work;
        int flag;

        @Actor
        public void sender(II_Result r) {
            work = 1;
            r.r2 = flag;
        }

        @Actor
        public void sleeper(II_Result r) {
            flag = 1;
            r.r1 = work == 0 ? 1 : 0;
        }
    }

    /** A timer from outside is handed in while its core goes to sleep. r1: it blocks; r2: calls. */
    @JCStressTest
    @Outcome(id = "0, 0", expect = ACCEPTABLE, desc = "handed in before the sleep was announced")
    @Outcome(id = "0, 1", expect = ACCEPTABLE, desc = "both saw each other")
    @Outcome(id = "1, 1", expect = ACCEPTABLE, desc = "blocks, and is called")
    @Outcome(expect = FORBIDDEN, desc = "sleeps on a timer, or called twice")
    @State
    public static class TimerIn {
        final MelyRuntime runtime = StressParts.runtime();
        final Core core = runtime.core(0);
        final TimerEntry timer = new TimerEntry(core, StressParts.color(core), StressParts.stage(1), null, 0);

        @Actor
        public void sender() {
            core.addTimer(timer);
        }

        @Actor
        public void sleeper(II_Result r) {
            runtime.wakeups().announce(core, false);
            r.r1 = core.mayBlock() ? 1 : 0;
        }

        @Arbiter
        public void end(II_Result r) {
            r.r2 = StressParts.wakeups(core);
        }
    }

    /** The core looks for the timer before it announces its sleep. */
    @JCStressTest
    @Outcome(
            id = {"0, 0", "0, 1", "1, 1"},
            expect = ACCEPTABLE,
            desc = "in order")
    @Outcome(id = "1, 0", expect = ACCEPTABLE_INTERESTING, desc = "sleeps on a timer")
    @State
    public static class TimerInTwin {
        volatile int work;
        volatile int flag;

        @Actor
        public void sender(II_Result r) {
            work = 1;
            r.r2 = flag;
        }

        @Actor
        public void sleeper(II_Result r) {
            r.r1 = work == 0 ? 1 : 0;
            flag = 1;
        }
    }

    /** A sleep ends by itself and the next begins, while an event is handed in. r1: blocks the second time; r2: calls. */
    @JCStressTest
    @Outcome(id = "0, 0", expect = ACCEPTABLE, desc = "handed in between the sleeps, or before")
    @Outcome(id = "0, 1", expect = ACCEPTABLE, desc = "called in the first, sees the work in the second")
    @Outcome(id = "1, 1", expect = ACCEPTABLE, desc = "blocks the second time, and is called")
    @Outcome(expect = FORBIDDEN, desc = "sleeps on work, or called twice")
    @State
    public static class Retract {
        final Core[] cores = StressParts.cores(1, false);
        final Wakeups wakeups = StressParts.wakeups(cores, false);
        final StageImpl<Runnable> stage = StressParts.stage(1);

        @Actor
        public void sender() {
            StressParts.handIn(cores[0], wakeups, stage);
        }

        @Actor
        public void sleeper(II_Result r) {
            wakeups.announce(cores[0], false);
            wakeups.retract(cores[0]);
            wakeups.announce(cores[0], false);
            r.r1 = cores[0].mayBlock() ? 1 : 0;
        }

        @Arbiter
        public void end(II_Result r) {
            r.r2 = StressParts.wakeups(cores[0]);
        }
    }

    /** The core looks before it retracts, and not after it has announced again. */
    @JCStressTest
    @Outcome(
            id = {"0, 0", "0, 1", "1, 1"},
            expect = ACCEPTABLE,
            desc = "in order")
    @Outcome(id = "1, 0", expect = ACCEPTABLE_INTERESTING, desc = "sleeps on work")
    @State
    public static class RetractTwin {
        final AtomicInteger flag = new AtomicInteger();
        volatile int work;

        @Actor
        public void sender(II_Result r) {
            work = 1;
            r.r2 = flag.compareAndSet(1, 0) ? 1 : 0;
        }

        @Actor
        public void sleeper(II_Result r) {
            flag.set(1);
            r.r1 = work == 0 ? 1 : 0;
            flag.set(0);
            flag.set(1);
        }
    }

    /** Two wakers, one sleeper. r1: calls. */
    @JCStressTest
    @Outcome(id = "1", expect = ACCEPTABLE, desc = "one of them calls")
    @Outcome(expect = FORBIDDEN, desc = "nobody calls, or both")
    @State
    public static class TwoWakers {
        final Core[] cores = StressParts.cores(1, false);
        final Wakeups wakeups = StressParts.wakeups(cores, false);

        public TwoWakers() {
            wakeups.announce(cores[0], false);
        }

        @Actor
        public void waker1() {
            wakeups.handedIn(0, 1);
        }

        @Actor
        public void waker2() {
            wakeups.wake(cores[0]);
        }

        @Arbiter
        public void end(I_Result r) {
            r.r1 = StressParts.wakeups(cores[0]);
        }
    }

    /** The flag is compared and set, without a CAS. */
    @JCStressTest
    @Outcome(id = "1", expect = ACCEPTABLE, desc = "as if atomic")
    @Outcome(id = "2", expect = ACCEPTABLE_INTERESTING, desc = "both call")
    @State
    public static class TwoWakersTwin {
        volatile int flag = 1;
        final AtomicInteger calls = new AtomicInteger();

        private void wake() {
            if (flag == 1) {
                flag = 0;
                calls.incrementAndGet();
            }
        }

        @Actor
        public void waker1() {
            wake();
        }

        @Actor
        public void waker2() {
            wake();
        }

        @Arbiter
        public void end(I_Result r) {
            r.r1 = calls.get();
        }
    }

    /** A core that is busy: it seems to run a color still. */
    abstract static class Loot {
        final Core[] cores;
        final Wakeups wakeups;
        final StageImpl<Runnable> stage = StressParts.stage(StressParts.HEAVY);

        Loot(int count) {
            cores = StressParts.cores(count, true);
            wakeups = StressParts.wakeups(cores, true);
            StressParts.link(cores[0], stage);
            cores[0].queue().lock();
            cores[0].queue().pick(false);
            cores[0].queue().unlock();
            cores[0].queue().owner.next(cores[0].queue().owner.first());
            cores[0].queue().lock();
            QueueLook.end(cores[0].queue(), 1);
            cores[0].queue().unlock();
        }

        void linkLoot() {
            StressParts.link(cores[0], stage);
            wakeups.lootLinked(cores[0]);
        }
    }

    /** Loot appears while a thief goes to sleep. r1: it sees the loot; r2: calls. */
    @JCStressTest
    @Outcome(id = "1, 0", expect = ACCEPTABLE, desc = "linked before the sleep was announced")
    @Outcome(id = "1, 1", expect = ACCEPTABLE, desc = "both saw each other")
    @Outcome(id = "0, 1", expect = ACCEPTABLE, desc = "sleeps, and is called")
    @Outcome(expect = FORBIDDEN, desc = "sleeps on loot, or called twice")
    @State
    public static class LootSleep extends Loot {
        public LootSleep() {
            super(2);
        }

        @Actor
        public void victim() {
            linkLoot();
        }

        @Actor
        public void sleeper(II_Result r) {
            wakeups.announce(cores[1], false);
            r.r1 = cores[1].thief().seesLoot() ? 1 : 0;
        }

        @Arbiter
        public void end(II_Result r) {
            r.r2 = StressParts.wakeups(cores[1]);
        }
    }

    /** Without the two fences. */
    @JCStressTest
    @Outcome(
            id = {"1, 0", "1, 1", "0, 1"},
            expect = ACCEPTABLE,
            desc = "in order")
    @Outcome(id = "0, 0", expect = ACCEPTABLE_INTERESTING, desc = "sleeps on loot")
    @State
    public static class LootSleepTwin {
        int loot;
        int sleepers;

        @Actor
        public void victim(II_Result r) {
            loot = 1;
            r.r2 = sleepers;
        }

        @Actor
        public void sleeper(II_Result r) {
            sleepers = 1;
            r.r1 = loot;
        }
    }

    /** A long event is handed in to a busy core while a thief goes to sleep. r1: it sees the loot; r2: calls. */
    @JCStressTest
    @Outcome(id = "1, 0", expect = ACCEPTABLE, desc = "handed in before the sleep was announced")
    @Outcome(id = "1, 1", expect = ACCEPTABLE, desc = "both saw each other")
    @Outcome(id = "0, 1", expect = ACCEPTABLE, desc = "sleeps, and is called")
    @Outcome(expect = FORBIDDEN, desc = "sleeps on loot, or called twice")
    @State
    public static class LongSleep extends Loot {
        public LongSleep() {
            super(2);
        }

        @Actor
        public void sender() {
            StressParts.handIn(cores[0], wakeups, stage);
        }

        @Actor
        public void sleeper(II_Result r) {
            wakeups.announce(cores[1], false);
            r.r1 = cores[1].thief().seesLoot() ? 1 : 0;
        }

        @Arbiter
        public void end(II_Result r) {
            r.r2 = StressParts.wakeups(cores[1]);
        }
    }

    /** The hint that the inbox has something long comes after the look at the sleepers. */
    @JCStressTest
    @Outcome(
            id = {"1, 0", "1, 1", "0, 1"},
            expect = ACCEPTABLE,
            desc = "in order")
    @Outcome(id = "0, 0", expect = ACCEPTABLE_INTERESTING, desc = "sleeps on loot")
    @State
    public static class LongSleepTwin {
        volatile int hint;
        volatile int sleepers;

        @Actor
        public void sender(II_Result r) {
            r.r2 = sleepers;
            hint = 1;
        }

        @Actor
        public void sleeper(II_Result r) {
            sleepers = 1;
            r.r1 = hint;
        }
    }

    /** The owner drains one long event, and takes the hint back, while another is handed in. r1: entries left; r2: the hint. */
    @JCStressTest
    @Outcome(id = "1, 1", expect = ACCEPTABLE, desc = "behind the drain, and hinted at")
    @Outcome(
            id = {"0, 0", "0, 1"},
            expect = ACCEPTABLE,
            desc = "drained, with or without its hint")
    @Outcome(expect = FORBIDDEN, desc = "left behind, and no hint")
    @State
    public static class LongDrain extends Loot {
        public LongDrain() {
            super(2);
            StressParts.handIn(cores[0], wakeups, stage);
        }

        @Actor
        public void sender() {
            StressParts.handIn(cores[0], wakeups, stage);
        }

        @Actor
        public void owner() {
            cores[0].queue().lock();
            cores[0].queue().arrivals.drain(cores[0].worker().sender.pool);
            cores[0].queue().unlock();
        }

        @Arbiter
        public void end(II_Result r) {
            r.r1 = cores[0].queue().inbox.isEmpty() ? 0 : 1;
            cores[0].queue().inbox.offer(1, stage, null, null, 0, null); // so that a hint is one
            r.r2 = cores[0].queue().arrivals.hasLong() ? 1 : 0;
        }
    }

    /** The hint is taken back after the look into the inbox. */
    @JCStressTest
    @Outcome(
            id = {"1, 1", "0, 0", "0, 1"},
            expect = ACCEPTABLE,
            desc = "in time")
    @Outcome(id = "1, 0", expect = ACCEPTABLE_INTERESTING, desc = "left behind, and no hint")
    @State
    public static class LongDrainTwin {
        final AtomicInteger entries = new AtomicInteger(1);
        volatile int hint = 1;

        @Actor
        public void sender() {
            entries.incrementAndGet();
            hint = 1;
        }

        @Actor
        public void owner() {
            entries.set(0);
            hint = 0;
        }

        @Arbiter
        public void end(II_Result r) {
            r.r1 = entries.get();
            r.r2 = hint;
        }
    }

    /** Something short is handed in while a handler known to be long begins, and a thief sleeps. r1: calls. */
    @JCStressTest
    @Outcome(id = "1", expect = ACCEPTABLE, desc = "called, by the core or by the sender")
    @Outcome(expect = FORBIDDEN, desc = "the event waits for the handler, or called twice")
    @State
    public static class Engage extends Loot {
        private final StageImpl<Runnable> brief = StressParts.stage(1);

        public Engage() {
            super(2);
            wakeups.announce(cores[1], false);
        }

        @Actor
        public void sender() {
            StressParts.handIn(cores[0], wakeups, brief);
        }

        @Actor
        public void victim() {
            wakeups.engage(cores[0]);
        }

        @Arbiter
        public void end(I_Result r) {
            r.r1 = StressParts.wakeups(cores[1]);
        }
    }

    /** The core looks at what it has before it says that it is engaged. */
    @JCStressTest
    @Outcome(id = "1", expect = ACCEPTABLE, desc = "in order")
    @Outcome(id = "0", expect = ACCEPTABLE_INTERESTING, desc = "the event waits for the handler")
    @State
    public static class EngageTwin {
        volatile int engaged;
        volatile int work;
        final AtomicInteger called = new AtomicInteger();

        @Actor
        public void sender() {
            work = 1;
            if (engaged == 1) {
                called.set(1);
            }
        }

        @Actor
        public void victim() {
            boolean hasWork = work == 1;
            engaged = 1;
            if (hasWork) {
                called.set(1);
            }
        }

        @Arbiter
        public void end(I_Result r) {
            r.r1 = called.get();
        }
    }

    /** Something short is handed in to an engaged core while a thief goes to sleep. r1: it sees the loot; r2: calls. */
    @JCStressTest
    @Outcome(id = "1, 0", expect = ACCEPTABLE, desc = "handed in before the sleep was announced")
    @Outcome(id = "1, 1", expect = ACCEPTABLE, desc = "both saw each other")
    @Outcome(id = "0, 1", expect = ACCEPTABLE, desc = "sleeps, and is called")
    @Outcome(expect = FORBIDDEN, desc = "sleeps on loot, or called twice")
    @State
    public static class EngagedSleep extends Loot {
        private final StageImpl<Runnable> brief = StressParts.stage(1);

        public EngagedSleep() {
            super(2);
            wakeups.engage(cores[0]);
        }

        @Actor
        public void sender() {
            StressParts.handIn(cores[0], wakeups, brief);
        }

        @Actor
        public void sleeper(II_Result r) {
            wakeups.announce(cores[1], false);
            r.r1 = cores[1].thief().seesLoot() ? 1 : 0;
        }

        @Arbiter
        public void end(II_Result r) {
            r.r2 = StressParts.wakeups(cores[1]);
        }
    }

    /** The thief looks before it announces its sleep. */
    @JCStressTest
    @Outcome(
            id = {"1, 0", "1, 1", "0, 1"},
            expect = ACCEPTABLE,
            desc = "in order")
    @Outcome(id = "0, 0", expect = ACCEPTABLE_INTERESTING, desc = "sleeps on loot")
    @State
    public static class EngagedSleepTwin {
        volatile int work;
        volatile int sleepers;

        @Actor
        public void sender(II_Result r) {
            work = 1;
            r.r2 = sleepers;
        }

        @Actor
        public void sleeper(II_Result r) {
            r.r1 = work;
            sleepers = 1;
        }
    }

    /** The only searcher goes to sleep: whoever does not call because of it leaves the loot for it to see. As above. */
    @JCStressTest
    @Outcome(id = "1, 0", expect = ACCEPTABLE, desc = "not called, as it searched: it looks again and sees the loot")
    @Outcome(id = "1, 1", expect = ACCEPTABLE, desc = "both saw each other")
    @Outcome(id = "0, 1", expect = ACCEPTABLE, desc = "sleeps, and is called")
    @Outcome(expect = FORBIDDEN, desc = "sleeps on loot, or called twice")
    @State
    public static class LootSearch extends Loot {
        public LootSearch() {
            super(2);
            wakeups.beginSearch();
        }

        @Actor
        public void victim() {
            linkLoot();
        }

        @Actor
        public void sleeper(II_Result r) {
            wakeups.announce(cores[1], true);
            r.r1 = cores[1].thief().seesLoot() ? 1 : 0;
        }

        @Arbiter
        public void end(II_Result r) {
            r.r2 = StressParts.wakeups(cores[1]);
        }
    }

    /** The searcher looks for the last time before it ceases to be one. */
    @JCStressTest
    @Outcome(
            id = {"1, 0", "1, 1", "0, 1"},
            expect = ACCEPTABLE,
            desc = "in order")
    @Outcome(id = "0, 0", expect = ACCEPTABLE_INTERESTING, desc = "sleeps on loot")
    @State
    public static class LootSearchTwin {
        final AtomicInteger searchers = new AtomicInteger(1);
        volatile int loot;

        @Actor
        public void victim(II_Result r) {
            loot = 1;
            r.r2 = searchers.get() == 0 ? 1 : 0;
        }

        @Actor
        public void sleeper(II_Result r) {
            r.r1 = loot;
            searchers.set(0);
        }
    }

    /** The last searcher finds something else while loot appears; a third core sleeps. r1: calls. */
    @JCStressTest
    @Outcome(id = "1", expect = ACCEPTABLE, desc = "called by the one or the other")
    @Outcome(expect = FORBIDDEN, desc = "left behind, or called twice")
    @State
    public static class LastSearcher extends Loot {
        public LastSearcher() {
            super(3);
            wakeups.beginSearch();
            wakeups.announce(cores[2], false);
        }

        @Actor
        public void victim() {
            linkLoot();
        }

        @Actor
        public void searcher() {
            wakeups.endSearch();
        }

        @Arbiter
        public void end(I_Result r) {
            r.r1 = StressParts.wakeups(cores[2]);
        }
    }

    /** The last searcher looks for more loot before it ceases to be one. */
    @JCStressTest
    @Outcome(id = "1", expect = ACCEPTABLE, desc = "in order")
    @Outcome(id = "0", expect = ACCEPTABLE_INTERESTING, desc = "left behind")
    @State
    public static class LastSearcherTwin {
        final AtomicInteger searchers = new AtomicInteger(1);
        final AtomicInteger calls = new AtomicInteger();
        volatile int loot;

        @Actor
        public void victim() {
            loot = 1;
            if (searchers.compareAndSet(0, 1)) {
                calls.incrementAndGet();
            }
        }

        @Actor
        public void searcher() {
            if (loot == 1) {
                calls.incrementAndGet();
            } else {
                searchers.set(0);
            }
        }

        @Arbiter
        public void end(I_Result r) {
            r.r1 = calls.get();
        }
    }
}
