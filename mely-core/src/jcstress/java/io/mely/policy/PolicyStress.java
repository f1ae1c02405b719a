// SPDX-License-Identifier: Apache-2.0
package io.mely.policy;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE_INTERESTING;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.mely.spi.Lane;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;
import org.openjdk.jcstress.infra.results.II_Result;

/** What several cores do at once to the queues and counters that policies share. */
public final class PolicyStress {
    private PolicyStress() {}

    /** One adds two lanes, the other takes twice. r1, r2: what it took; r3: what is left, in order. */
    @JCStressTest
    @Outcome(
            id = {"0, 0, 12", "1, 0, 2", "0, 1, 2", "1, 2, 0"},
            expect = ACCEPTABLE,
            desc = "each lane once, the first one first")
    @Outcome(expect = FORBIDDEN, desc = "lost, twice, or out of order")
    @State
    public static class AddTake {
        final TwoLanes workers = new TwoLanes();
        final LaneList lanes = new LaneList(workers);

        @Actor
        public void adder() {
            lanes.add(workers.lanes[1]);
            lanes.add(workers.lanes[2]);
        }

        @Actor
        public void taker(III_Result r) {
            r.r1 = TwoLanes.idOf(lanes.poll());
            r.r2 = TwoLanes.idOf(lanes.poll());
        }

        @Arbiter
        public void end(III_Result r) {
            for (Lane lane = lanes.poll(); lane != null; lane = lanes.poll()) {
                r.r3 = r.r3 * 10 + TwoLanes.idOf(lane);
            }
        }
    }

    /** The same without the lock. */
    @JCStressTest
    @Outcome(
            id = {"0, 0, 12", "1, 0, 2", "0, 1, 2", "1, 2, 0"},
            expect = ACCEPTABLE,
            desc = "as if locked")
    @Outcome(expect = ACCEPTABLE_INTERESTING, desc = "lost or twice")
    @State
    public static class AddTakeTwin {
        final TwoLanes workers = new TwoLanes();
        final LaneChain lanes = new LaneChain(workers);

        @Actor
        public void adder() {
            lanes.addLast(workers.lanes[1]);
            lanes.addLast(workers.lanes[2]);
        }

        @Actor
        public void taker(III_Result r) {
            r.r1 = TwoLanes.idOf(lanes.poll());
            r.r2 = TwoLanes.idOf(lanes.poll());
        }

        @Arbiter
        public void end(III_Result r) {
            for (int i = 0; i < 3; i++) { // a broken list may have no end
                int id = TwoLanes.idOf(lanes.poll());
                r.r3 = id == 0 ? r.r3 : r.r3 * 10 + id;
            }
        }
    }

    /** One adds a large lane and then a small one, the other takes twice. r1, r2: what it took; r3: what is left, the smallest first. */
    @JCStressTest
    @Outcome(
            id = {"0, 0, 21", "1, 0, 2", "0, 1, 2", "1, 2, 0", "2, 1, 0", "0, 2, 1"},
            expect = ACCEPTABLE,
            desc = "each lane once, the smallest of those that are there")
    @Outcome(expect = FORBIDDEN, desc = "lost, twice, or a large one before a small one")
    @State
    public static class AddTakeBySize {
        final TwoLanes workers = new TwoLanes();
        final SizeClasses lanes = new SizeClasses(workers, lane -> lane.laneId() == 1 ? 1_000 : 10);

        @Actor
        public void adder() {
            lanes.add(workers.lanes[1]);
            lanes.add(workers.lanes[2]);
        }

        @Actor
        public void taker(III_Result r) {
            r.r1 = TwoLanes.idOf(lanes.poll());
            r.r2 = TwoLanes.idOf(lanes.poll());
        }

        @Arbiter
        public void end(III_Result r) {
            for (Lane lane = lanes.poll(); lane != null; lane = lanes.poll()) {
                r.r3 = r.r3 * 10 + TwoLanes.idOf(lane);
            }
        }
    }

    /** The same without the lock. */
    @JCStressTest
    @Outcome(
            id = {"0, 0, 21", "1, 0, 2", "0, 1, 2", "1, 2, 0", "2, 1, 0", "0, 2, 1"},
            expect = ACCEPTABLE,
            desc = "as if locked")
    @Outcome(expect = ACCEPTABLE_INTERESTING, desc = "lost or twice")
    @State
    public static class AddTakeBySizeTwin {
        final TwoLanes workers = new TwoLanes();
        final SizeClasses lanes = new SizeClasses(workers, lane -> 10);

        @Actor
        public void adder() {
            lanes.put(workers.lanes[1], 12);
            lanes.put(workers.lanes[2], 4);
        }

        @Actor
        public void taker(III_Result r) {
            r.r1 = TwoLanes.idOf(lanes.take());
            r.r2 = TwoLanes.idOf(lanes.take());
        }

        @Arbiter
        public void end(III_Result r) {
            for (int i = 0; i < 3; i++) { // a broken list may have no end
                int id = TwoLanes.idOf(lanes.take());
                r.r3 = id == 0 ? r.r3 : r.r3 * 10 + id;
            }
        }
    }

    /** Two see too much waiting at once. r1: who added a core; r2: cores at the end. */
    @JCStressTest
    @Outcome(id = "1, 2", expect = ACCEPTABLE, desc = "one core more")
    @Outcome(
            id = "2, 3",
            expect = ACCEPTABLE,
            desc = "one after the other: the second saw two cores, too few for what it has")
    @Outcome(expect = FORBIDDEN, desc = "two cores by one look, or none")
    @State
    public static class Grow {
        final Demand demand = new Demand(4, 100);
        volatile int firstGrew;
        volatile int secondGrew;

        @Actor
        public void first() {
            firstGrew = demand.waits(1000, 1) ? 1 : 0;
        }

        @Actor
        public void second() {
            secondGrew = demand.waits(1000, 1) ? 1 : 0;
        }

        @Arbiter
        public void end(II_Result r) {
            r.r1 = firstGrew + secondGrew;
            r.r2 = demand.active();
        }
    }

    /** The same as a read and a write. */
    @JCStressTest
    @Outcome(
            id = {"1, 2", "2, 3"},
            expect = ACCEPTABLE,
            desc = "as if locked")
    @Outcome(id = "2, 2", expect = ACCEPTABLE_INTERESTING, desc = "both say that they added a core, and there is one")
    @State
    public static class GrowTwin {
        volatile int active = 1;

        private void grow() {
            int before = active;
            active = before + 1;
        }

        @Actor
        public void first() {
            grow();
        }

        @Actor
        public void second() {
            grow();
        }

        @Arbiter
        public void end(II_Result r) {
            r.r1 = 2;
            r.r2 = active;
        }
    }
}
