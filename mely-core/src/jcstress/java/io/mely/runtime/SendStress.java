// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE_INTERESTING;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import java.util.concurrent.atomic.AtomicInteger;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** The whole of a send by another thread meets the whole of a steal. */
public final class SendStress {
    private static final int STEPS = 8;

    private SendStress() {}

    /** A thread that is no core sends, and sends again, while a core steals the color. r1: what ran, in order; r2: where it lives. */
    @JCStressTest
    @Outcome(id = "123, 1", expect = ACCEPTABLE, desc = "each event once, and in order, on the thief")
    @Outcome(expect = FORBIDDEN, desc = "lost, twice, out of order, or without what the handler before has written")
    @State
    public static class SendSteal {
        final MelyRuntime runtime = StressParts.runtime();
        final Core[] cores = {runtime.core(0), runtime.core(1)};
        final ColorImpl color = (ColorImpl) runtime.colorAt(0);
        final StageImpl<Runnable> stage = StressParts.stage(StressParts.HEAVY);
        final RecordPool pool = new RecordPool(runtime.depot());
        int order;

        public SendSteal() {
            cores[0].runtime().sends().send(cores[0].worker(), color.number(), stage, (Runnable) () -> ran(1), false);
            ColorImpl other = (ColorImpl) runtime.colorAt(2);
            cores[0].runtime()
                    .sends()
                    .send(
                            cores[0].worker(),
                            other.number(),
                            StressParts.stage(1),
                            (Runnable) () -> {},
                            false); // else the core would keep its only color
        }

        private void ran(int event) {
            order = order * 10 + event;
        }

        private void send(Runnable event) {
            pool.takeCredit();
            runtime.sends().handIn(color.number(), stage, event, pool, null, null);
        }

        @Actor
        public void sender() {
            send(() -> ran(2));
            send(() -> ran(3));
        }

        @Actor
        public void thief() {
            cores[1].step();
        }

        @Arbiter
        public void end(II_Result r) {
            for (int i = 0; i < STEPS; i++) {
                cores[0].step();
                cores[1].step();
            }
            r.r1 = order;
            r.r2 = color.homeCore();
        }
    }

    /** The sender does not look at the home again. */
    @JCStressTest
    @Outcome(id = "123, 1", expect = ACCEPTABLE, desc = "in time")
    @Outcome(
            id = {"1, 1", "12, 1", "13, 1"},
            expect = ACCEPTABLE_INTERESTING,
            desc = "an event in an inbox where its color does not live: lost")
    @State
    public static class SendStealTwin {
        private final AtomicInteger[] inboxes = {new AtomicInteger(), new AtomicInteger()};
        volatile int home;
        int order = 1;

        private void run(int core) {
            for (int events = inboxes[core].getAndSet(0); events != 0; events /= 10) {
                order = events % 10 == 0 ? order : order * 10 + events % 10;
            }
        }

        @Actor
        public void sender() {
            inboxes[home].addAndGet(2);
            inboxes[home].addAndGet(30);
        }

        @Actor
        public void thief() {
            run(0);
            home = 1;
        }

        @Arbiter
        public void end(II_Result r) {
            run(1);
            r.r1 = order;
            r.r2 = home;
        }
    }
}
