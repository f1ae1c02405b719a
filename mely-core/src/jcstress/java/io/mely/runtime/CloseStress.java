// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE_INTERESTING;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import java.time.Duration;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import org.openjdk.jcstress.infra.results.I_Result;

/** The close and the books: an accepted event is run or reported, and a pending one is never overlooked. */
public final class CloseStress {
    private CloseStress() {}

    /** A send from outside meets a close. r1: accepted; r2: discarded, as the close reports it. */
    @JCStressTest
    @Outcome(id = "1, 1", expect = ACCEPTABLE, desc = "accepted before the close, which counts it")
    @Outcome(id = "0, 0", expect = ACCEPTABLE, desc = "refused")
    @Outcome(id = "0, 1", expect = FORBIDDEN, desc = "refused, and yet reported")
    @Outcome(expect = FORBIDDEN, desc = "accepted, and nobody knows")
    @State
    public static class SendClose {
        final MelyRuntime runtime = StressParts.runtime();
        final ColorImpl color = (ColorImpl) runtime.defaultColor();
        final StageImpl<Runnable> stage = runtime.executeStage();
        final Runnable event = () -> {};

        @Actor
        public void sender(II_Result r) {
            r.r1 = runtime.sends().send(color.number(), stage, event) ? 1 : 0;
        }

        @Actor
        public void closer(II_Result r) {
            r.r2 = (int) runtime.close(Duration.ZERO).discardedEvents();
        }
    }

    /** Without the two fences. */
    @JCStressTest
    @Outcome(
            id = {"1, 1", "0, 0", "0, 1"},
            expect = ACCEPTABLE,
            desc = "in order")
    @Outcome(id = "1, 0", expect = ACCEPTABLE_INTERESTING, desc = "accepted, and nobody knows")
    @State
    public static class SendCloseTwin {
        int accepted;
        int phase;

        @Actor
        public void sender(II_Result r) {
            accepted = 1;
            r.r1 = phase == 0 ? 1 : 0;
        }

        @Actor
        public void closer(II_Result r) {
            phase = 1;
            r.r2 = accepted;
        }
    }

    /** A handler sends one more event while the close looks whether all have run. r1: it thinks so. */
    @JCStressTest
    @Outcome(id = "0", expect = ACCEPTABLE, desc = "something is pending all the time")
    @Outcome(expect = FORBIDDEN, desc = "a pending event overlooked")
    @State
    public static class Quiescent {
        final MelyRuntime runtime = StressParts.runtime();
        final Core core = runtime.core(0);

        public Quiescent() {
            ColorImpl here = (ColorImpl) runtime.colorAt(0);
            ColorImpl there = (ColorImpl) runtime.colorAt(1);
            StageImpl<Runnable> stage = runtime.executeStage();
            core.runtime()
                    .sends()
                    .send(
                            core.worker(),
                            here.number(),
                            stage,
                            (Runnable) () ->
                                    core.runtime().sends().send(core.worker(), there.number(), stage, null, false),
                            false);
        }

        @Actor
        public void core() {
            core.step();
        }

        @Actor
        public void closer(I_Result r) {
            r.r1 = runtime.books().areClosed() ? 1 : 0;
        }
    }

    /** The close reads what was accepted before what has run. */
    @JCStressTest
    @Outcome(id = "0", expect = ACCEPTABLE, desc = "in order")
    @Outcome(id = "1", expect = ACCEPTABLE_INTERESTING, desc = "a pending event overlooked")
    @State
    public static class QuiescentTwin {
        volatile int accepted = 1;
        volatile int run;

        @Actor
        public void core() {
            accepted = 2;
            run = 1;
        }

        @Actor
        public void closer(I_Result r) {
            int begun = accepted;
            r.r1 = begun == run ? 1 : 0;
        }
    }

    /** The books of one sender, read by another thread: what has run was accepted before. r1: run; r2: accepted. */
    @JCStressTest
    @Outcome(id = "0, 0", expect = ACCEPTABLE, desc = "before the send")
    @Outcome(id = "0, 1", expect = ACCEPTABLE, desc = "pending, or run after the first look")
    @Outcome(id = "1, 1", expect = ACCEPTABLE, desc = "run")
    @Outcome(expect = FORBIDDEN, desc = "run and not accepted")
    @State
    public static class Books {
        final Core core = StressParts.cores(1, false)[0];
        final ColorImpl color = StressParts.color(core);
        final StageImpl<Runnable> stage = StressParts.stage(1);
        final Runnable event = () -> {};

        @Actor
        public void core() {
            core.runtime().sends().send(core.worker(), color.number(), stage, event, false);
            core.step();
        }

        @Actor
        public void reader(II_Result r) {
            r.r1 = (int) core.worker().runAcquire();
            r.r2 = (int) core.worker().sender.acceptedAcquire();
        }
    }

    /** Counted after the event was published. */
    @JCStressTest
    @Outcome(
            id = {"0, 0", "0, 1", "1, 1"},
            expect = ACCEPTABLE,
            desc = "in order")
    @Outcome(id = "1, 0", expect = ACCEPTABLE_INTERESTING, desc = "run and not accepted")
    @State
    public static class BooksTwin {
        volatile int accepted;
        volatile int run;

        @Actor
        public void core() {
            run = 1;
            accepted = 1;
        }

        @Actor
        public void reader(II_Result r) {
            r.r1 = run;
            r.r2 = accepted;
        }
    }
}
