// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import io.mely.Mely.CloseReport;
import io.mely.ModelCheck;
import io.mely.Stealing;
import java.time.Duration;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

// A timer is sent, cancelled or dropped, one of them and once, whatever a core, cancelling threads and a close do at
// the same time.
@Tag("model")
class TimerLincheckTest {
    private static final int SENT = 1;
    private static final int CANCELLED = 2;
    private static final int DROPPED = 3;

    /** One core and two timers. The clock stands still: a timer is due at once or never. */
    public static class Model extends RuntimeModel {
        private static final int TIMERS = 2;

        final Core core = runtime.core(0);
        final TimerEntry[] timers = new TimerEntry[TIMERS];
        private final boolean[] isCancelled = new boolean[TIMERS];
        private final int[] ran = new int[TIMERS];
        private final StageImpl<Integer> stage = stage(1, timer -> ran[timer]++);

        /** No timer yet. */
        public Model() {
            super(1, Stealing.off(), ParkingPoller::new);
        }

        /** Starts a timer from outside. */
        public void start(int timer, int delayNs) {
            timers[timer] = (TimerEntry) runtime.schedule(Duration.ofNanos(delayNs), color(1), stage, timer);
        }

        /** Cancels it. */
        public void cancel(int timer) {
            isCancelled[timer] |= cancel(timers[timer]);
        }

        /** A turn of the core's loop. */
        public void turn() {
            if (!runtime.life().isStopped()) {
                core.step();
            }
        }

        /** A close that looks at the books three times. */
        public void close() {
            runtime.life().closeBegin();
            for (int i = 0; i < 3 && !runtime.life().isStopped(); i++) {
                closeBooks();
            }
        }

        /** A close without patience. */
        public void stop() {
            runtime.life().closeBegin();
            runtime.life().closeStop();
        }

        private void closeBooks() {
            if (runtime.life().closeIsDrained()) {
                runtime.life().closeStop();
            }
        }

        /** Each timer has one end, and the books agree. */
        @Validate
        public void validate() {
            turn();
            turn();
            runtime.life().closeBegin();
            for (int i = 0; i < 10 && !runtime.life().isStopped(); i++) {
                turn();
                closeBooks();
            }
            check(runtime.life().isStopped(), "books that never close");
            core.dropTimersForGood();
            check(core.timers().isEmpty(), "left behind");
            int sent = 0;
            int dropped = 0;
            for (int i = 0; i < TIMERS; i++) {
                TimerEntry timer = timers[i];
                if (timer != null) {
                    int state = timer.get();
                    check(state >= SENT, "a timer without an end");
                    check(isCancelled[i] == (state == CANCELLED), "a cancel that lied");
                    check(ran[i] <= (state == SENT ? 1 : 0), "ran and was not sent, or twice");
                    sent += state == SENT ? 1 - ran[i] : 0;
                    dropped += state == DROPPED ? 1 : 0;
                }
            }
            CloseReport report = runtime.life().closeReport(true, 0);
            check(sent == report.discardedEvents(), "sent = run + discarded");
            check(dropped == report.droppedTimers(), "dropped timers");
        }

        boolean cancel(TimerEntry timer) {
            return timer.cancel();
        }
    }

    /** Nothing is seen before the end. */
    public static class Specification {
        /** Nothing that is seen. */
        public void start(int timer, int delayNs) {}

        /** Nothing that is seen. */
        public void cancel(int timer) {}

        /** Nothing that is seen. */
        public void turn() {}

        /** Nothing that is seen. */
        public void close() {}

        /** Nothing that is seen. */
        public void stop() {}
    }

    private static ModelCheck check(Class<? extends Model> model) {
        return RuntimeModel.check(model, Specification.class)
                .scenario("start 0 0; start 1 0", "turn; turn | cancel 0; cancel 1", "")
                .scenario("start 0 0", "turn | cancel 0 | close", "")
                .scenario("start 0 0; start 1 9; turn", "turn; turn | cancel 1; cancel 1 | stop", "")
                .scenario("", "start 0 0; cancel 0; start 1 0 | turn; turn | stop", "");
    }

    @Test
    void timer_hasOneEnd() {
        check(Model.class).holds();
    }

    /** A cancel that looks and then writes. */
    public static class RacyCancel extends Model {
        @Override
        boolean cancel(TimerEntry timer) {
            if (!timer.isPending()) {
                return false;
            }
            timer.set(CANCELLED);
            core.timers().forget(timer);
            return true;
        }
    }

    @Test
    void racyCancel_isFound() {
        check(RacyCancel.class).isBrokenBy(1);
    }

    /** A core that sends the event before it takes the timer. */
    public static class SendThenTake extends Model {
        @Override
        public void turn() {
            for (TimerEntry timer : timers) {
                if (timer != null && timer.isPending() && timer.deadlineNs <= 1) {
                    core.fire(timer);
                    timer.tryFire();
                }
            }
            super.turn();
        }
    }

    @Test
    void sendThenTake_isFound() {
        check(SendThenTake.class).isBrokenBy(1);
    }

    /** A close that drops the timers of a core that still runs. */
    public static class CloserDrops extends Model {
        @Override
        public void stop() {
            runtime.life().closeBegin();
            core.dropTimersForGood();
            runtime.life().closeStop();
        }
    }

    @Test
    void closerDrops_isFound() {
        check(CloserDrops.class).isBrokenBy(3);
    }
}
