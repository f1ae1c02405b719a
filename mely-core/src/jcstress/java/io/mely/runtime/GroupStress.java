// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE_INTERESTING;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.mely.policy.CentralQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/** A color is handed to a group, and runs on a core where it does not live. */
public final class GroupStress {
    private static final int STEPS = 8;

    private GroupStress() {}

    /** One core moves events into the color, hands it over and runs what is its own, while the other core runs what is the group's. r1: what ran, in order. */
    @JCStressTest
    @Outcome(id = "1234", expect = ACCEPTABLE, desc = "each event once, and in order")
    @Outcome(expect = FORBIDDEN, desc = "lost, twice, out of order, or without what the handler before has written")
    @State
    public static class HandOver {
        final MelyRuntime runtime = StressParts.runtime();
        final Core[] cores = {runtime.core(0), runtime.core(1)};
        final ColorImpl color = (ColorImpl) runtime.colorAt(0);
        final StageImpl<Runnable> ofGroup = StressParts.stage(1);
        final StageImpl<Runnable> ofCores = StressParts.stage(1);
        final RecordPool pool = new RecordPool(runtime.depot());
        int order;

        public HandOver() {
            CentralQueue group = new CentralQueue(new GroupWorkers(
                    runtime, cores, runtime.index(), runtime.depot().index()));
            ofGroup.join(group);
            for (Core core : cores) {
                core.visit(group.visitor(core.core()));
            }
            runtime.sends().send(cores[0].worker(), color.number(), ofGroup, (Runnable) () -> ran(1), false);
        }

        private void ran(int event) {
            order = order * 10 + event;
        }

        private void send(StageImpl<?> stage, Runnable event) {
            pool.takeCredit();
            runtime.sends().handIn(color.number(), stage, event, pool, null, null);
        }

        @Actor
        public void home() {
            send(ofGroup, () -> ran(2));
            send(ofCores, () -> ran(3));
            cores[0].step();
            send(ofGroup, () -> ran(4));
        }

        @Actor
        public void other() {
            cores[1].step();
        }

        @Arbiter
        public void end(I_Result r) {
            for (int i = 0; i < STEPS; i++) {
                cores[0].step();
                cores[1].step();
            }
            r.r1 = order;
        }
    }

    /** Who runs the color looks whether more has come, and then says that it is idle, without a lock. */
    @JCStressTest
    @Outcome(id = "12", expect = ACCEPTABLE, desc = "in time")
    @Outcome(id = "1", expect = ACCEPTABLE_INTERESTING, desc = "an event in a color that nobody runs any more: lost")
    @State
    public static class HandOverTwin {
        final AtomicInteger pending = new AtomicInteger();
        volatile boolean isRunning = true;
        int order = 1;

        @Actor
        public void sender() {
            pending.set(2);
            if (!isRunning) {
                run();
            }
        }

        @Actor
        public void other() {
            run();
            isRunning = false;
        }

        private void run() {
            int more = pending.getAndSet(0);
            order = more == 0 ? order : order * 10 + more;
        }

        @Arbiter
        public void end(I_Result r) {
            r.r1 = order;
        }
    }
}
