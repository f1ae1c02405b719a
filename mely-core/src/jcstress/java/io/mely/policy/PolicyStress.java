// SPDX-License-Identifier: Apache-2.0
package io.mely.policy;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE_INTERESTING;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.mely.Stage;
import io.mely.spi.Lane;
import io.mely.spi.NanoClock;
import io.mely.spi.Worker;
import io.mely.spi.Workers;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
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

    /** A lane that is nothing but its number and its link. */
    private static final class Numbered implements Lane {
        private final int id;
        private int link;

        Numbered(int id) {
            this.id = id;
        }

        @Override
        public int laneId() {
            return id;
        }

        @Override
        public int link() {
            return link;
        }

        @Override
        public void link(int lane) {
            link = lane;
        }

        @Override
        public int color() {
            return -1;
        }
    }

    /** Knows lanes 1 and 2. */
    private static final class Two implements Workers {
        final Lane[] lanes = {null, new Numbered(1), new Numbered(2)};

        @Override
        public boolean isInColor() {
            return false;
        }

        @Override
        public long expectedNs(Lane lane) {
            return 0;
        }

        @Override
        public Lane lane(int id) {
            return lanes[id];
        }

        @Override
        public int cores() {
            return 2;
        }

        @Override
        public int handlerCore() {
            return -1;
        }

        @Override
        public Stage<?> stage(Lane lane) {
            throw new IllegalStateException();
        }

        @Override
        public @Nullable Object event(Lane lane) {
            throw new IllegalStateException();
        }

        @Override
        public boolean wake(int core) {
            return false;
        }

        @Override
        public boolean wakeOne(int first, int end) {
            return false;
        }

        @Override
        public boolean startThread(String name, Consumer<Worker> body) {
            return false;
        }

        @Override
        public NanoClock clock() {
            return NanoClock.SYSTEM;
        }
    }

    private static int idOf(@Nullable Lane lane) {
        return lane == null ? 0 : lane.laneId();
    }

    /** One adds two lanes, the other takes twice. r1, r2: what it took; r3: what is left, in order. */
    @JCStressTest
    @Outcome(
            id = {"0, 0, 12", "1, 0, 2", "0, 1, 2", "1, 2, 0"},
            expect = ACCEPTABLE,
            desc = "each lane once, the first one first")
    @Outcome(expect = FORBIDDEN, desc = "lost, twice, or out of order")
    @State
    public static class AddTake {
        final Two workers = new Two();
        final LaneList lanes = new LaneList(workers);

        @Actor
        public void adder() {
            lanes.add(workers.lanes[1]);
            lanes.add(workers.lanes[2]);
        }

        @Actor
        public void taker(III_Result r) {
            r.r1 = idOf(lanes.poll());
            r.r2 = idOf(lanes.poll());
        }

        @Arbiter
        public void end(III_Result r) {
            for (Lane lane = lanes.poll(); lane != null; lane = lanes.poll()) {
                r.r3 = r.r3 * 10 + idOf(lane);
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
        final Two workers = new Two();
        final LaneChain lanes = new LaneChain(workers);

        @Actor
        public void adder() {
            lanes.addLast(workers.lanes[1]);
            lanes.addLast(workers.lanes[2]);
        }

        @Actor
        public void taker(III_Result r) {
            r.r1 = idOf(lanes.poll());
            r.r2 = idOf(lanes.poll());
        }

        @Arbiter
        public void end(III_Result r) {
            for (int i = 0; i < 3; i++) { // a broken list may have no end
                int id = idOf(lanes.poll());
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
