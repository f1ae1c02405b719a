// SPDX-License-Identifier: Apache-2.0
package io.mely.admission;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE_INTERESTING;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** What several senders do at once to the tokens of a stage. */
public final class AdmissionStress {
    private AdmissionStress() {}

    /** Two want the one token. */
    @JCStressTest
    @Outcome(
            id = {"1, 0", "0, 1"},
            expect = ACCEPTABLE,
            desc = "one has it")
    @Outcome(expect = FORBIDDEN, desc = "both, or none")
    @State
    public static class OneToken {
        final TokenBucket tokens = new TokenBucket(1, 1);

        @Actor
        public void first(II_Result r) {
            r.r1 = tokens.tryTake(0) ? 1 : 0;
        }

        @Actor
        public void second(II_Result r) {
            r.r2 = tokens.tryTake(0) ? 1 : 0;
        }
    }

    /** The same as a look and a take. */
    @JCStressTest
    @Outcome(
            id = {"1, 0", "0, 1"},
            expect = ACCEPTABLE,
            desc = "as if locked")
    @Outcome(id = "1, 1", expect = ACCEPTABLE_INTERESTING, desc = "both have the one token")
    @State
    public static class OneTokenTwin {
        volatile int tokens = 1;

        private int take() {
            int left = tokens;
            if (left == 0) {
                return 0;
            }
            tokens = left - 1;
            return 1;
        }

        @Actor
        public void first(II_Result r) {
            r.r1 = take();
        }

        @Actor
        public void second(II_Result r) {
            r.r2 = take();
        }
    }
}
