// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import io.mely.ModelCheck;
import io.mely.Stealing;
import io.mely.spi.Poller;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

// Invariant 3: whatever is sent while the runtime closes is refused and never runs, or is accepted and runs once before
// the books
// close, or, if the close does not wait, is counted as discarded.
@Tag("model")
class CloseLincheckTest {
    /** One core, outside senders and a closing thread. */
    public static class Model extends RuntimeModel {
        private static final int EVENTS = 8;
        private static final int CHILD = 4;

        final Core core = runtime.core(0);
        final ColorImpl color = color(1);
        private final boolean[] isAccepted = new boolean[EVENTS];
        private final int[] ran = new int[EVENTS];
        private volatile boolean areBooksClosed;
        private volatile long reported = -1;
        final StageImpl<Integer> stage = stage(1, this::handle);
        private final StageImpl<Integer> parent = stage(1, this::handleParent);

        /** Sends are accepted. */
        public Model() {
            super(1, Stealing.off(), Sending::new);
            ((Sending) core.poller()).model = this;
        }

        /** A thread that is no core sends. */
        public boolean send(int event) {
            isAccepted[event] = sendOutside(stage, event);
            return isAccepted[event];
        }

        /** The same; the handler sends one more. */
        public boolean sendParent(int event) {
            isAccepted[event] = runtime.sends().sendOutside(color.number(), parent, event);
            return isAccepted[event];
        }

        private void handle(int event) {
            check(!areBooksClosed, "runs after the books were closed");
            ran[event]++;
        }

        private void handleParent(int event) {
            handle(event);
            int child = event + CHILD;
            isAccepted[child] = core.runtime().sends().send(core.worker(), color(2).number(), stage, child, false);
        }

        /** A turn of the core's loop. */
        public void turn() {
            if (!runtime.life().isStopped()) {
                core.step();
            }
        }

        /** The poller has something to send, once. */
        public void arrive(int event) {
            ((Sending) core.poller()).arrived = event;
        }

        private void pollerSends(int event) {
            isAccepted[event] = core.runtime().sends().send(core.worker(), color(3).number(), stage, event, false);
        }

        /** A close that looks at the books three times, and leaves the rest to the end of the scenario. */
        public void close() {
            runtime.life().closeBegin();
            for (int i = 0; i < 3 && !areBooksClosed; i++) {
                closeBooks();
            }
        }

        private void closeBooks() {
            if (isDrained()) {
                areBooksClosed = true;
                runtime.life().closeStop();
            }
        }

        /** A close without patience. */
        public void stop() {
            runtime.life().closeBegin();
            runtime.life().closeStop();
        }

        /** The same, and its report, if all is decided by then; for scenarios without a core. */
        public void report() {
            stop();
            if (isDecided()) {
                reported = runtime.life().closeReport(true, 0).discardedEvents();
            }
        }

        /** The books close, and agree with what was seen. */
        @Validate
        public void validate() {
            runtime.life().closeBegin();
            for (int i = 0; i < 10 && !runtime.life().isStopped(); i++) {
                turn();
                closeBooks();
            }
            check(thrown == null, "thrown: " + thrown);
            check(runtime.life().isStopped(), "books that never close");
            int pending = 0;
            for (int event = 0; event < EVENTS; event++) {
                check(ran[event] <= (isAccepted[event] ? 1 : 0), "ran twice, or though it was refused");
                pending += isAccepted[event] ? 1 - ran[event] : 0;
            }
            check(pending == 0 || !areBooksClosed, "the books were closed over a pending event");
            check(pending == runtime.life().closeReport(true, 0).discardedEvents(), "accepted = run + discarded");
            check(reported < 0 || reported == pending, "reported before all was decided");
        }

        boolean sendOutside(StageImpl<Integer> to, int event) {
            return runtime.sends().sendOutside(color.number(), to, event);
        }

        boolean isDrained() {
            return runtime.life().closeIsDrained();
        }

        boolean isDecided() {
            return runtime.life().closeIsDecided();
        }
    }

    /** A poller that sends what has arrived. */
    private static final class Sending implements Poller {
        private Model model;
        private int arrived;

        Sending(Seat seat) {}

        @Override
        public int poll() {
            int event = arrived;
            arrived = 0;
            if (event != 0) {
                model.pollerSends(event);
            }
            return event == 0 ? 0 : 1;
        }

        @Override
        public int block(long timeoutNs) {
            throw new AssertionError("the model does not rest");
        }

        @Override
        public void wakeup() {}
    }

    /** A close that comes first refuses what comes after. */
    public static class Specification {
        private boolean isClosing;

        /** Accepted before the close. */
        public boolean send(int event) {
            return !isClosing;
        }

        /** Accepted before the close. */
        public boolean sendParent(int event) {
            return !isClosing;
        }

        /** Nothing that is seen. */
        public void turn() {}

        /** Nothing that is seen: a core may send while the runtime drains. */
        public void arrive(int event) {}

        /** From here on everything is refused. */
        public void close() {
            isClosing = true;
        }

        /** From here on everything is refused. */
        public void stop() {
            isClosing = true;
        }

        /** From here on everything is refused. */
        public void report() {
            isClosing = true;
        }
    }

    private static ModelCheck check(Class<? extends Model> model) {
        return RuntimeModel.check(model, Specification.class)
                .scenario("sendParent 1", "turn; turn; turn | close", "")
                .scenario("arrive 3", "turn; turn; turn | close", "")
                .scenario("", "send 1 | turn | close", "")
                .scenario("", "sendParent 1; send 2 | turn; turn | close", "")
                .scenario("", "sendParent 1; send 2 | turn; turn | stop", "")
                .scenario("", "send 1; send 2 | report", "");
    }

    @Test
    void books_close() {
        check(Model.class).holds();
    }

    /** A sender that does not look at the phase again after it has counted. */
    public static class NoSecondLook extends Model {
        @Override
        boolean sendOutside(StageImpl<Integer> to, int event) {
            if (runtime.life().isDraining()) {
                return false;
            }
            Sender sender = runtime.outside().own();
            check(sender.pool.takeCredit(), "no credit");
            sender.countAccepted();
            core.queue().inbox.offer(color.number(), to, event, null, 0, null);
            return true;
        }
    }

    @Test
    void noSecondLook_isFound() {
        check(NoSecondLook.class).isBrokenBy(3);
    }

    /** A close that reads what was accepted before it reads what has run. */
    public static class AcceptedFirst extends Model {
        @Override
        boolean isDrained() {
            long accepted = runtime.outside().accepted() + core.worker().sender.acceptedAcquire();
            return accepted == core.worker().runAcquire();
        }
    }

    @Test
    void acceptedFirst_isFound() {
        check(AcceptedFirst.class).isBrokenBy(1);
    }

    /** A close that reads in the right order, and does not wait until the pollers know. */
    public static class NoSeal extends Model {
        @Override
        boolean isDrained() {
            long ran = core.worker().runAcquire();
            return ran == runtime.outside().accepted() + core.worker().sender.acceptedAcquire();
        }
    }

    @Test
    void noSeal_isFound() {
        check(NoSeal.class).isBrokenBy(2);
    }

    /** A close that reports at once. */
    public static class Undecided extends Model {
        @Override
        boolean isDecided() {
            return true;
        }
    }

    @Test
    void undecided_isFound() {
        check(Undecided.class).isBrokenBy(6);
    }
}
