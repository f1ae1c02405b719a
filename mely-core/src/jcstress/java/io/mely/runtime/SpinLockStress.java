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
import org.openjdk.jcstress.infra.results.III_Result;

/** The lock of a core: one holder, who sees what the holders before wrote. */
public final class SpinLockStress {
    private SpinLockStress() {}

    /** Owner and thief change plain memory. r1, r2: as each left it, 0 for a thief turned away; r3: in the end. */
    @JCStressTest
    @Outcome(id = "11, 22, 22", expect = ACCEPTABLE, desc = "the owner first")
    @Outcome(id = "22, 11, 22", expect = ACCEPTABLE, desc = "the thief first")
    @Outcome(id = "11, 0, 11", expect = ACCEPTABLE, desc = "the thief met the owner and went on")
    @Outcome(expect = FORBIDDEN, desc = "two holders, or writes of the one before not visible")
    @State
    public static class OwnerThief {
        final CoreQueue queue = new StressQueues().core(0);
        int first;
        int second;

        private int change() {
            first++;
            second++;
            return first * 10 + second;
        }

        @Actor
        public void owner(III_Result r) {
            queue.lock();
            r.r1 = change();
            queue.unlock();
        }

        @Actor
        public void thief(III_Result r) {
            if (queue.lock.tryLock()) {
                r.r2 = change();
                queue.unlock();
            }
        }

        @Arbiter
        public void end(III_Result r) {
            r.r3 = first * 10 + second;
        }
    }

    /** The CAS as a compare and a store. */
    @JCStressTest
    @Outcome(
            id = {"11, 22, 22", "22, 11, 22", "11, 0, 11", "0, 11, 11"},
            expect = ACCEPTABLE,
            desc = "as if atomic")
    @Outcome(expect = ACCEPTABLE_INTERESTING, desc = "two holders")
    @State
    public static class OwnerThiefTwin {
        volatile int lock;
        int first;
        int second;

        private int change() {
            first++;
            second++;
            return first * 10 + second;
        }

        private boolean tryLock() {
            if (lock != 0) {
                return false;
            }
            lock = 1;
            return true;
        }

        @Actor
        public void owner(III_Result r) {
            if (tryLock()) {
                r.r1 = change();
                lock = 0;
            }
        }

        @Actor
        public void thief(III_Result r) {
            if (tryLock()) {
                r.r2 = change();
                lock = 0;
            }
        }

        @Arbiter
        public void end(III_Result r) {
            r.r3 = first * 10 + second;
        }
    }
}
