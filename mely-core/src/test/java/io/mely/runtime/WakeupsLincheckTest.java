// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import io.mely.ModelCheck;
import io.mely.Stealing;
import io.mely.spi.Poller;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

// Invariant 6: a core that sleeps is woken by whatever is sent to it. In no schedule does it stay parked while it has
// work.
@Tag("model")
class WakeupsLincheckTest {
    /** One core that cannot steal, so that it parks without a timeout: a lost wake-up is a deadlock, which Lincheck reports. */
    public static class Model extends RuntimeModel {
        final Core core = runtime.core(0);
        final ColorImpl color = color(1);
        private int ran;
        final StageImpl<Integer> stage = stage(1, event -> ran++);

        /** With a poller that keeps an early wake-up, as parking does. */
        public Model() {
            this(DeepSleep::new);
        }

        Model(Poller.Factory pollers) {
            super(1, Stealing.off(), pollers);
        }

        /** A thread that is no core sends. */
        public void send(int event) {
            check(runtime.sends().sendOutside(color.number(), stage, event), "refused");
        }

        /** The core's thread, until so many events have run. */
        public int runUntil(int events) {
            core.poller().start();
            while (ran < events) {
                if (core.step() == 0) {
                    rest();
                }
            }
            return ran;
        }

        void rest() {
            core.rest();
        }
    }

    /** The runner comes back, with everything run. */
    public static class Specification {
        /** Nothing that is seen. */
        public void send(int event) {}

        /** All of them. */
        public int runUntil(int events) {
            return events;
        }
    }

    private static ModelCheck check(Class<? extends Model> model) {
        return RuntimeModel.check(model, Specification.class)
                .scenario("", "send 1; send 2 | runUntil 2", "")
                .scenario("", "send 1 | send 2 | runUntil 2", "");
    }

    @Test
    void coreWithWork_doesNotSleep() {
        check(Model.class).holds();
    }

    /** A sender that reads the flag before its work is visible. */
    public static class LookThenSend extends Model {
        @Override
        public void send(int event) {
            boolean isAsleep = core.sleepFlag.get() == Wakeups.SLEEPING;
            core.queue().inbox.offer(color.number(), stage, event, null, 0, null);
            if (isAsleep) {
                runtime.wakeups().wake(core);
            }
        }
    }

    @Test
    void lookThenSend_isFound() {
        check(LookThenSend.class).isBrokenBy(1);
    }

    /** A sleeper that looks for work before it announces its sleep, and not after. */
    public static class LookThenAnnounce extends Model {
        /** With a poller that asks nothing. */
        public LookThenAnnounce() {
            super(seat -> new DeepSleep(new Poller.Seat() {
                @Override
                public int core() {
                    return 0;
                }

                @Override
                public boolean mayBlock() {
                    return true;
                }
            }));
        }

        @Override
        void rest() {
            if (!core.queue().hasWork()) {
                runtime.wakeups().announce(core, false);
                core.poller().block(Long.MAX_VALUE);
                runtime.wakeups().retract(core);
            }
        }
    }

    @Test
    void lookThenAnnounce_isFound() {
        check(LookThenAnnounce.class).isBrokenBy(1);
    }

    /** A poller that forgets a wake-up that comes before its own announcement, as one over epoll may. */
    static class ForgetfulPoller implements Poller {
        final Seat seat;
        private volatile @Nullable Thread blocked;

        ForgetfulPoller(Seat seat) {
            this.seat = seat;
        }

        @Override
        public int poll() {
            return 0;
        }

        @Override
        public int block(long timeoutNs) {
            blocked = Thread.currentThread();
            if (mayBlock()) {
                while (blocked != null) {
                    LockSupport.park();
                }
            }
            blocked = null;
            return 0;
        }

        boolean mayBlock() {
            return seat.mayBlock();
        }

        @Override
        public void wakeup() {
            Thread thread = blocked;
            if (thread != null) {
                blocked = null;
                LockSupport.unpark(thread);
            }
        }
    }

    /** It asks the core after its announcement, so that nothing is lost. */
    public static class Asking extends Model {
        /** With such a poller. */
        public Asking() {
            super(ForgetfulPoller::new);
        }
    }

    @Test
    void askingPoller_doesNotSleep() {
        check(Asking.class).invocations(150).holds();
    }

    /** It does not ask. */
    public static class NotAsking extends Model {
        /** With such a poller. */
        public NotAsking() {
            super(seat -> new ForgetfulPoller(seat) {
                @Override
                boolean mayBlock() {
                    return true;
                }
            });
        }
    }

    @Test
    void notAskingPoller_isFound() {
        check(NotAsking.class).isBrokenBy(1);
    }
}
