// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE_INTERESTING;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.mely.Stealing;
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
        final StealCosts costs = new StealCosts(new int[] {0}, Stealing.mely());
        final StressQueues queues = new StressQueues(costs.intervals());
        final CoreQueue core = queues.cores()[0];
        final Thief thief = new Thief(1, queues.cores(), core -> false, new int[2][2], Stealing.mely(), costs, () -> 0);
        final int color = StressQueues.color(0);

        public PickSteal() {
            queues.send(0, StressQueues.color(1), StressQueues.LIGHT, 1);
            queues.pick(0);
            queues.runPicked(0); // seems to run still: a core with nothing else to do keeps its color
            queues.send(0, color, StressQueues.HEAVY, 2);
        }

        @Actor
        public void owner(III_Result r) {
            boolean isPicked = queues.pick(0);
            r.r1 = isPicked
                            && QueueLook.isRunning(core, color)
                            && queues.homes().coreOfColor(color) == 0
                    ? 1
                    : 0;
        }

        @Actor
        public void thief(III_Result r) {
            ColorQueue stolen = thief.steal(queues.pool(1));
            r.r2 = stolen != null && queues.homes().coreOfColor(color) == 1 ? 1 : 0;
        }

        @Arbiter
        public void end(III_Result r) {
            core.lock();
            core.ready.validate();
            core.unlock();
            r.r3 = queues.homes().coreOfColor(color);
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
