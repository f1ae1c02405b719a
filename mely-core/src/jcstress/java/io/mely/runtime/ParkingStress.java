// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE_INTERESTING;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.mely.StageOptions;
import io.mely.simulation.Stock;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** Lanes that wait for their stage's supply: no core sleeps while one is parked on it. */
public final class ParkingStress {
    private ParkingStress() {}

    /** A worker that has lost its core parks a lane there, while the new one goes to sleep. r1: it blocks; r2: calls. */
    @JCStressTest
    @Outcome(id = "0, 0", expect = ACCEPTABLE, desc = "parked before the sleep was announced")
    @Outcome(id = "0, 1", expect = ACCEPTABLE, desc = "both saw each other")
    @Outcome(id = "1, 1", expect = ACCEPTABLE, desc = "blocks, and is called")
    @Outcome(expect = FORBIDDEN, desc = "sleeps on a lane, or called twice")
    @State
    public static class ParkSleep {
        final MelyRuntime runtime = StressParts.runtime();
        final Core core = runtime.core(0);
        final StageImpl<String> stage = (StageImpl<String>)
                runtime.<String>stage("s", StageOptions.defaults().withSupply(new Stock(2, 0, 1)), event -> {});
        final EventRecord lane = new EventRecord(1);

        @Actor
        public void parker() {
            core.parking().park(lane, stage, false);
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

    /** Without the two fences. */
    @JCStressTest
    @Outcome(
            id = {"0, 0", "0, 1", "1, 1"},
            expect = ACCEPTABLE,
            desc = "in order")
    @Outcome(id = "1, 0", expect = ACCEPTABLE_INTERESTING, desc = "sleeps on a lane")
    @State
    public static class ParkSleepTwin {
        int parked;
        int flag;

        @Actor
        public void parker(II_Result r) {
            parked = 1;
            r.r2 = flag;
        }

        @Actor
        public void sleeper(II_Result r) {
            flag = 1;
            r.r1 = parked == 0 ? 1 : 0;
        }
    }
}
