// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import io.mely.ModelCheck;
import io.mely.Stealing;
import io.mely.queue.EventRecord;
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
        private static final int EVENTS = 32;
        private static final int CHILD = 16;

        final Core core = runtime.core(0);
        final ColorImpl color = color(1);
        private final boolean[] isAccepted = new boolean[EVENTS];
        private final int[] ran = new int[EVENTS];
        private volatile boolean areBooksClosed;
        final StageImpl<Integer> stage = stage(1, this::handle);
        private final StageImpl<Integer> parent = stage(1, this::handleParent);

        /** Built and not started: nobody is refused yet. */
        public Model() {
            super(1, Stealing.off(), ParkingPoller::new);
        }

        /** A thread that is no core sends. */
        public boolean send(int event) {
            isAccepted[event] = sendOutside(stage, event);
            return isAccepted[event];
        }

        /** The same; the handler sends one more. */
        public boolean sendParent(int event) {
            isAccepted[event] = runtime.sendOutside(color, parent, event);
            return isAccepted[event];
        }

        private void handle(int event) {
            check(!areBooksClosed, "runs after the books were closed");
            ran[event]++;
        }

        private void handleParent(int event) {
            handle(event);
            int child = event + CHILD;
            isAccepted[child] = core.send(color(2), stage, child);
        }

        /** A turn of the core's loop. */
        public void turn() {
            if (!runtime.isStopped()) {
                core.step();
            }
        }

        /** A close that looks at the books twice, and leaves the rest to the end of the scenario. */
        public void close() {
            runtime.enter(MelyRuntime.DRAINING);
            for (int i = 0; i < 2 && !areBooksClosed; i++) {
                closeBooks();
            }
        }

        private void closeBooks() {
            if (isQuiescent()) {
                areBooksClosed = true;
                runtime.enter(MelyRuntime.STOPPED);
            }
        }

        /** A close without patience. */
        public void stop() {
            runtime.enter(MelyRuntime.DRAINING);
            runtime.enter(MelyRuntime.STOPPED);
        }

        /** The books close, and agree with what was seen. */
        @Validate
        public void validate() {
            runtime.enter(MelyRuntime.DRAINING);
            for (int i = 0; i < 10 && !runtime.isStopped(); i++) {
                turn();
                closeBooks();
            }
            check(runtime.isStopped(), "books that never close");
            int pending = 0;
            for (int event = 0; event < EVENTS; event++) {
                check(ran[event] <= (isAccepted[event] ? 1 : 0), "ran twice, or though it was refused");
                pending += isAccepted[event] ? 1 - ran[event] : 0;
            }
            check(pending == 0 || !areBooksClosed, "the books were closed over a pending event");
            check(pending == runtime.stats().discarded(), "accepted = run + discarded");
        }

        boolean sendOutside(StageImpl<Integer> to, int event) {
            return runtime.sendOutside(color, to, event);
        }

        boolean isQuiescent() {
            return runtime.isQuiescent();
        }
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

        /** From here on everything is refused. */
        public void close() {
            isClosing = true;
        }

        /** From here on everything is refused. */
        public void stop() {
            isClosing = true;
        }
    }

    private static ModelCheck check(Class<? extends Model> model) {
        return RuntimeModel.check(model, Specification.class)
                .scenario("", "send 1; send 2 | close", "")
                .scenario("sendParent 1", "turn; turn | close", "")
                .scenario("", "sendParent 1; send 2 | turn; turn | close", "")
                .scenario("", "sendParent 1; send 2 | turn; turn | stop", "");
    }

    @Test
    void books_close() {
        check(Model.class).holds();
    }

    /** A sender that does not look at the phase again after it has counted. */
    public static class NoSecondLook extends Model {
        @Override
        boolean sendOutside(StageImpl<Integer> to, int event) {
            if (runtime.isDraining()) {
                return false;
            }
            EventRecord record = core.sender().pool.take();
            record.set(to, event, to.weight());
            core.sender().countAcceptedFenced(); // nobody else writes it while the handlers send nothing
            if (color.append(record)) {
                color.opened(1, 3);
                color.markOpened();
                core.queue().handIn(color);
            }
            return true;
        }
    }

    @Test
    void noSecondLook_isFound() {
        check(NoSecondLook.class).isBroken();
    }

    /** A close that reads what was accepted before it reads what has run. */
    public static class AcceptedFirst extends Model {
        @Override
        boolean isQuiescent() {
            long accepted = 1 + core.sender().acceptedAcquire(); // one from outside, in the scenario that breaks
            return accepted == core.runAcquire();
        }
    }

    @Test
    void acceptedFirst_isFound() {
        RuntimeModel.check(AcceptedFirst.class, Specification.class)
                .scenario("sendParent 1", "turn; turn | close", "")
                .isBroken();
    }

    // ------------------------------------------------------------------ phases

    /** A close while a core breaks. */
    public static class Breaking extends RuntimeModel {
        /** Not started. */
        public Breaking() {
            super(1, Stealing.off(), ParkingPoller::new);
        }

        /** A closing thread goes on to draining. */
        public void drain() {
            runtime.enter(MelyRuntime.DRAINING);
        }

        /** A core breaks. */
        public void breaks() {
            runtime.enter(MelyRuntime.STOPPED);
        }

        /** Stopped, for good. */
        public boolean isStopped() {
            return runtime.isStopped();
        }
    }

    /** Forward only. */
    public static class BreakingSpecification {
        private boolean isStopped;

        /** Does not undo a stop. */
        public void drain() {}

        /** Stops. */
        public void breaks() {
            isStopped = true;
        }

        /** Stopped, for good. */
        public boolean isStopped() {
            return isStopped;
        }
    }

    @Test
    void phase_goesForwardOnly() {
        RuntimeModel.check(Breaking.class, BreakingSpecification.class)
                .scenario("", "drain | breaks", "isStopped")
                .holds();
    }
}
