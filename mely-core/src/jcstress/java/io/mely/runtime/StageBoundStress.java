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

/** The bound of a stage: who frees a place and who begins to wait see each other. */
public final class StageBoundStress {
    private StageBoundStress() {}

    /** One place, taken. r1: who waits was called, or told that there is room; r2: places taken in the end. */
    @JCStressTest
    @Outcome(id = "1, 0", expect = ACCEPTABLE, desc = "told by whoever came second")
    @Outcome(expect = FORBIDDEN, desc = "waits though the stage is empty")
    @State
    public static class LeaveAwait {
        final StageBound bound = new StageBound(1);
        int called;

        /** Full. */
        public LeaveAwait() {
            boolean unused = bound.tryEnter(false);
        }

        @Actor
        public void leaver() {
            bound.leave();
        }

        @Actor
        public void waiter() {
            if (!bound.callForRoom(() -> called++)) {
                called++; // there is room
            }
        }

        @Arbiter
        public void end(II_Result r) {
            r.r1 = called;
            r.r2 = bound.waiting();
        }
    }

    /** The same, with counters that are read and written plainly. */
    @JCStressTest
    @Outcome(id = "1, 0", expect = ACCEPTABLE, desc = "called by whoever came second")
    @Outcome(id = "2, 0", expect = ACCEPTABLE, desc = "called by both: the twin has no list")
    @Outcome(id = "0, 0", expect = ACCEPTABLE_INTERESTING, desc = "waits though there is a place")
    @State
    public static class LeaveAwaitTwin {
        int taken = 1;
        int waiters;
        int calledByLeaver;
        int calledByWaiter;

        @Actor
        public void leaver() {
            taken = 0;
            calledByLeaver = waiters;
        }

        @Actor
        public void waiter() {
            waiters = 1;
            calledByWaiter = 1 - taken;
        }

        @Arbiter
        public void end(II_Result r) {
            r.r1 = calledByLeaver + calledByWaiter;
            r.r2 = taken;
        }
    }
}
