// SPDX-License-Identifier: Apache-2.0
package io.mely.stingy;

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

/** Two threads and the accounts of one region: what one frees the other may have, once, with what was written to it. */
public final class RegionStress {
    private static final StingyPlan PLAN =
            StingyPlan.builder(4096).site("one", 64, 1, 0).site("two", 64, 2, 1).build();

    private RegionStress() {}

    /** A region with one buffer of the first site and two of the second. */
    abstract static class Region {
        final StingyRegion region = new StingyRegion(PLAN);
    }

    /** Both allocate; there is one. r1, r2: whether they got it; r3: in use in the end. */
    @JCStressTest
    @Outcome(
            id = {"1, 0, 1", "0, 1, 1"},
            expect = ACCEPTABLE,
            desc = "one of them has it")
    @Outcome(expect = FORBIDDEN, desc = "both have it, or none")
    @State
    public static class TakeTake extends Region {
        @Actor
        public void first(III_Result r) {
            r.r1 = region.take(0) == Slots.NONE ? 0 : 1;
        }

        @Actor
        public void second(III_Result r) {
            r.r2 = region.take(0) == Slots.NONE ? 0 : 1;
        }

        @Arbiter
        public void end(III_Result r) {
            StingyRegion.SiteCounts counts = new StingyRegion.SiteCounts();
            region.addTo(0, counts);
            r.r3 = counts.live;
        }
    }

    /** The account is looked at, and then changed. */
    @JCStressTest
    @Outcome(
            id = {"1, 0, 1", "0, 1, 1"},
            expect = ACCEPTABLE,
            desc = "in time")
    @Outcome(
            id = {"1, 1, 1", "1, 1, 2"},
            expect = ACCEPTABLE_INTERESTING,
            desc = "both have it")
    @State
    public static class TakeTakeTwin {
        int live;

        private int take() {
            if (live == 1) {
                return 0;
            }
            live++;
            return 1;
        }

        @Actor
        public void first(III_Result r) {
            r.r1 = take();
        }

        @Actor
        public void second(III_Result r) {
            r.r2 = take();
        }

        @Arbiter
        public void end(III_Result r) {
            r.r3 = live;
        }
    }

    /** One frees the only buffer, after it has written to it; the other allocates. r1: what it finds in it, -1 if it got none; r2: in use in the end. */
    @JCStressTest
    @Outcome(id = "-1, 0", expect = ACCEPTABLE, desc = "too early")
    @Outcome(id = "7, 1", expect = ACCEPTABLE, desc = "the same buffer, after what its last owner wrote")
    @Outcome(expect = FORBIDDEN, desc = "an account is wrong, or the last owner writes on")
    @State
    public static class GiveTake extends Region {
        final int offset = region.take(0);

        @Actor
        public void freer() {
            region.slice(offset, 4).putInt(0, 7);
            region.give(offset);
        }

        @Actor
        public void taker(II_Result r) {
            int taken = region.take(0);
            r.r1 = taken == Slots.NONE ? -1 : region.slice(taken, 4).getInt(0);
        }

        @Arbiter
        public void end(II_Result r) {
            StingyRegion.SiteCounts counts = new StingyRegion.SiteCounts();
            region.addTo(0, counts);
            r.r2 = counts.live;
        }
    }

    /** It is free before its owner has written: what an account without release permits, written out, as x86 keeps stores in order. */
    @JCStressTest
    @Outcome(
            id = {"-1, 0", "7, 1"},
            expect = ACCEPTABLE,
            desc = "in time")
    @Outcome(id = "0, 1", expect = ACCEPTABLE_INTERESTING, desc = "the last owner writes on")
    @State
    public static class GiveTakeTwin {
        int memory;
        volatile int live = 1;

        @Actor
        public void freer() {
            live = 0;
            memory = 7;
        }

        @Actor
        public void taker(II_Result r) {
            r.r1 = -1;
            if (live == 0) {
                r.r1 = memory;
                live = 1;
            }
        }

        @Arbiter
        public void end(II_Result r) {
            r.r2 = live;
        }
    }

    /** Both free one of two, on their threads. r1: in use in the end; r2: whether both can be taken again. */
    @JCStressTest
    @Outcome(id = "0, 1", expect = ACCEPTABLE, desc = "both are there")
    @Outcome(expect = FORBIDDEN, desc = "one is lost")
    @State
    public static class GiveGive extends Region {
        final int first = region.take(1);
        final int second = region.take(1);

        @Actor
        public void one() {
            region.give(first);
        }

        @Actor
        public void other() {
            region.give(second);
        }

        @Arbiter
        public void end(II_Result r) {
            StingyRegion.SiteCounts counts = new StingyRegion.SiteCounts();
            region.addTo(1, counts);
            r.r1 = counts.live;
            int a = region.take(1);
            int b = region.take(1);
            r.r2 = a != Slots.NONE && b != Slots.NONE && a != b ? 1 : 0;
        }
    }

    /** A list that is pushed to without a lock. */
    @JCStressTest
    @Outcome(id = "0, 1", expect = ACCEPTABLE, desc = "in time")
    @Outcome(
            id = {"1, 0", "0, 0", "1, 1"},
            expect = ACCEPTABLE_INTERESTING,
            desc = "one is lost")
    @State
    public static class GiveGiveTwin {
        int live = 2;
        int head;
        final int[] next = new int[3];

        private void give(int place) {
            live--;
            next[place] = head;
            head = place;
        }

        @Actor
        public void one() {
            give(1);
        }

        @Actor
        public void other() {
            give(2);
        }

        @Arbiter
        public void end(II_Result r) {
            r.r1 = live;
            r.r2 = head != 0 && next[head] != 0 ? 1 : 0;
        }
    }

    /** A batch takes two or none while another thread takes one. r1: whether it got them; r2: whether the other got one; r3: in use in the end. */
    @JCStressTest
    @Outcome(id = "1, 0, 2", expect = ACCEPTABLE, desc = "the batch was first")
    @Outcome(id = "0, 1, 1", expect = ACCEPTABLE, desc = "the other was first: nothing is left of the batch")
    @Outcome(expect = FORBIDDEN, desc = "half a batch")
    @State
    public static class BatchTake extends Region {
        final StingyRegion.Needs needs = new StingyRegion.Needs(new int[] {1}, new int[] {1});
        final Hand hand = new Hand(0);

        @Actor
        public void batch(III_Result r) {
            r.r1 = region.take(needs, 2, hand.push(0)) ? 1 : 0;
        }

        @Actor
        public void single(III_Result r) {
            r.r2 = region.take(1) == Slots.NONE ? 0 : 1;
        }

        @Arbiter
        public void end(III_Result r) {
            StingyRegion.SiteCounts counts = new StingyRegion.SiteCounts();
            region.addTo(1, counts);
            r.r3 = counts.live;
        }
    }

    /** One after the other, each of them whole. */
    @JCStressTest
    @Outcome(
            id = {"1, 0, 2", "0, 1, 1"},
            expect = ACCEPTABLE,
            desc = "in time")
    @Outcome(
            id = {"0, 1, 2", "0, 0, 2", "0, 0, 1"},
            expect = ACCEPTABLE_INTERESTING,
            desc = "half a batch")
    @State
    public static class BatchTakeTwin {
        private final AtomicInteger free = new AtomicInteger(2);

        private boolean take() {
            return free.getAndUpdate(left -> Math.max(0, left - 1)) > 0;
        }

        @Actor
        public void batch(III_Result r) {
            int taken = take() ? 1 : 0;
            taken += take() ? 1 : 0;
            r.r1 = taken == 2 ? 1 : 0;
        }

        @Actor
        public void single(III_Result r) {
            r.r2 = take() ? 1 : 0;
        }

        @Arbiter
        public void end(III_Result r) {
            r.r3 = 2 - free.get();
        }
    }
}
