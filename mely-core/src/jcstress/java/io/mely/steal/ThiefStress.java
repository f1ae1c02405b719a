// SPDX-License-Identifier: Apache-2.0
package io.mely.steal;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE_INTERESTING;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.mely.Stealing;
import io.mely.queue.ColorIndex;
import io.mely.queue.ColorQueue;
import io.mely.queue.CoreQueue;
import io.mely.queue.StressColor;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/** The owner picks, and a thief steals, the only ready color. r1, r2: owner, thief has it; r3: where it lives. */
public final class ThiefStress {
    private ThiefStress() {}

    /** The production thief. */
    @JCStressTest
    @Outcome(id = "1, 0, 0", expect = ACCEPTABLE, desc = "picked")
    @Outcome(id = "0, 1, 1", expect = ACCEPTABLE, desc = "stolen")
    @Outcome(expect = FORBIDDEN, desc = "run twice, not at all, or away from home")
    @State
    public static class PickSteal {
        final StealCosts costs = new StealCosts(new int[] {0}, true);
        final ColorIndex index = new ColorIndex();
        final CoreQueue[] queues = {
            new CoreQueue(0, costs.intervals(), index), new CoreQueue(1, costs.intervals(), index)
        };
        final Thief thief = new Thief(1, queues, new int[2][2], Stealing.mely(), costs, () -> 0);
        final StressColor color = new StressColor(0).queuedAt(queues[0], 1_000_000);

        public PickSteal() {
            queues[0].lock();
            queues[0].runs(new StressColor(1, 0)); // a core with nothing else to do keeps its color
            queues[0].unlock();
        }

        @Actor
        public void owner(III_Result r) {
            queues[0].lock();
            ColorQueue picked = queues[0].pick(false);
            queues[0].unlock();
            r.r1 = picked == color && picked.home() == 0 ? 1 : 0;
        }

        @Actor
        public void thief(III_Result r) {
            ColorQueue stolen = thief.steal();
            r.r2 = stolen == color && stolen.home() == 1 ? 1 : 0;
        }

        @Arbiter
        public void end(III_Result r) {
            queues[0].lock();
            queues[0].validate();
            queues[0].unlock();
            r.r3 = color.home();
        }
    }

    /** Both take without the lock. */
    @JCStressTest
    @Outcome(
            id = {"1, 0, 0", "0, 1, 1"},
            expect = ACCEPTABLE,
            desc = "as if locked")
    @Outcome(expect = ACCEPTABLE_INTERESTING, desc = "run twice")
    @State
    public static class PickStealTwin {
        volatile Object first = new Object();
        volatile int home;

        private int take() {
            Object color = first;
            first = null;
            return color == null ? 0 : 1;
        }

        @Actor
        public void owner(III_Result r) {
            r.r1 = take();
        }

        @Actor
        public void thief(III_Result r) {
            r.r2 = take();
            if (r.r2 == 1) {
                home = 1;
            }
        }

        @Arbiter
        public void end(III_Result r) {
            r.r3 = home;
        }
    }
}
