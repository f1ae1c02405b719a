// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE_INTERESTING;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** Timers: a cancel from outside meets the core that fires. */
public final class TimerStress {
    private TimerStress() {}

    /** A timer that is due, and a cancel. r1: cancelled; r2: how often its event ran. */
    @JCStressTest
    @Outcome(id = "1, 0", expect = ACCEPTABLE, desc = "cancelled")
    @Outcome(id = "0, 1", expect = ACCEPTABLE, desc = "too late: it runs")
    @Outcome(expect = FORBIDDEN, desc = "cancelled and run, or neither")
    @State
    public static class FireCancel {
        final Core core = StressParts.cores(1, false)[0];
        final ColorImpl color = StressParts.color(core);
        int ran;
        final Runnable event = () -> ran++;
        final TimerEntry timer = new TimerEntry(core, color, StressParts.stage(1), event, 0);

        public FireCancel() {
            core.addTimer(timer);
        }

        @Actor
        public void core() {
            core.step();
        }

        @Actor
        public void cancel(II_Result r) {
            r.r1 = timer.cancel() ? 1 : 0;
        }

        @Arbiter
        public void end(II_Result r) {
            core.step();
            core.step();
            r.r2 = ran;
        }
    }

    /** The state is compared and set, without a CAS. */
    @JCStressTest
    @Outcome(
            id = {"1, 0", "0, 1"},
            expect = ACCEPTABLE,
            desc = "as if atomic")
    @Outcome(id = "1, 1", expect = ACCEPTABLE_INTERESTING, desc = "cancelled and run")
    @State
    public static class FireCancelTwin {
        volatile int state;

        private int win(int next) {
            if (state != 0) {
                return 0;
            }
            state = next;
            return 1;
        }

        @Actor
        public void core(II_Result r) {
            r.r2 = win(1);
        }

        @Actor
        public void cancel(II_Result r) {
            r.r1 = win(2);
        }
    }
}
