// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import io.mely.ModelCheck;
import io.mely.Stealing;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

// A core is given to another worker while a handler runs: in no schedule do two workers have it, does an event get lost
// or
// run twice, or do events of one color and one sender change their order.
@Tag("model")
class ReliefLincheckTest {
    private static final int EVENTS = 5;

    /** Color 1 gets the events 0 and 2, color 2 gets 1; the handler of 0 sends 3 to color 1 and 4 to color 2. */
    public static class Model extends RuntimeModel {
        final Core core = runtime.core(0);
        private final StageImpl<Integer> stage = stage(1, this::handle);
        private final int[] order = new int[EVENTS];
        private volatile int ran;
        private volatile Thread second;

        /** Nothing pending. */
        public Model() {
            super(1, Stealing.off(), ParkingPoller::new);
        }

        /** From outside: color 1, color 2, color 1. */
        public void send() {
            for (int event = 0; event < 3; event++) {
                check(runtime.sends().sendOutside(color(1 + event % 2).number(), stage, event), "refused");
            }
        }

        /** The first worker, until it has lost the core or everything has run. */
        public void work() {
            CoreWorker me = core.worker();
            while (me.hasCore() && ran < EVENTS) {
                core.step();
            }
        }

        /** Looks twice; then it is the second worker if the first stood still in between. */
        public void relieve() {
            second = Thread.currentThread();
            look();
            look();
            CoreWorker me = core.crew().all()[core.crew().all().length - 1];
            while (me != core.crew().all()[0] && me.hasCore() && ran < EVENTS) {
                core.step();
            }
        }

        void look() {
            runtime.watch().look(0);
        }

        private void handle(int event) {
            note(event);
            if (event == 0) {
                CoreWorker[] workers = core.crew().all();
                CoreWorker me = workers[Thread.currentThread() == second ? workers.length - 1 : 0];
                core.runtime().sends().send(me, color(1).number(), stage, 3, false);
                core.runtime().sends().send(me, color(2).number(), stage, 4, false);
            }
        }

        private synchronized void note(int event) {
            order[ran] = event;
            ran = ran + 1;
        }

        /** Everything has run, in order. */
        @Validate
        public void validate() {
            while (ran < EVENTS && core.step() > 0) {
                check(ran <= EVENTS, "twice");
            }
            check(thrown == null, "thrown: " + thrown);
            if (runtime.stats().sent() == 0) {
                return;
            }
            check(runtime.books().areClosed(), "books");
            check(ran == EVENTS, "lost: " + ran);
            check(at(0) < at(2) && at(0) < at(3) && at(0) < at(4), "effect before cause");
            core.queue().lock();
            core.queue().ready.validate();
            core.queue().unlock();
        }

        private int at(int event) {
            for (int i = 0; i < EVENTS; i++) {
                if (order[i] == event) {
                    return i;
                }
            }
            throw new AssertionError("did not run: " + event);
        }
    }

    /** Everybody comes back. */
    public static class Specification {
        /** Comes back. */
        public void send() {}

        /** Comes back. */
        public void work() {}

        /** Comes back. */
        public void relieve() {}
    }

    private static ModelCheck check(Class<? extends Model> model) {
        return RuntimeModel.check(model, Specification.class).scenario("send", "work | relieve", "");
    }

    @Test
    void relief_losesNothing() {
        check(Model.class).holds();
    }

    /** A watch that does not take the lock. */
    public static class NoLock extends Model {
        @Override
        void look() {
            if (core.queue().isInHandlers()) {
                CoreWorker next = core.crew().take();
                if (next != null && core.worker().loseCore()) {
                    core.queue().own(next.turn);
                    core.worker = next;
                    next.giveCore();
                }
            }
        }
    }

    @Test
    void reliefWithoutTheLock_isFound() {
        check(NoLock.class).isBrokenBy(1);
    }
}
