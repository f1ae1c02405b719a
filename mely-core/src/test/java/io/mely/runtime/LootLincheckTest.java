// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import io.mely.ModelCheck;
import io.mely.Stealing;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

// Loot that pays behind a handler that does not return, and anything behind one known to be long, is not left there: a
// thief is awake or is woken.
@Tag("model")
class LootLincheckTest {
    /**
     * Core 0 runs a handler that sends long events into other colors and returns only when all of them have run. The thieves sleep
     * without a timeout: loot that nobody is woken for is a deadlock, which Lincheck reports.
     */
    public static class Model extends RuntimeModel {
        private static final long LONG_NS = 1_000_000;

        final Core victim = runtime.core(0);
        private final StageImpl<Integer> stuck;
        final StageImpl<Integer> loot = stage(LONG_NS, event -> handleLoot());
        private volatile int left;
        private volatile Thread stuckThread;

        /** One victim, two thieves. */
        public Model() {
            this(3, 1);
        }

        Model(int cores, long stuckNs) {
            super(cores, Stealing.mely(), DeepSleep::new);
            stuck = stage(stuckNs, this::handleStuck);
        }

        /** Core 0: runs the handler. */
        public void victim(int events) {
            stuckThread = Thread.currentThread();
            victim.runtime().sends().send(victim.worker(), color(0).number(), stuck, events, false);
            do {
                victim.step(); // which does nothing while another thread is inside its offer
            } while (left > 0);
        }

        private void handleStuck(int events) {
            for (int i = 1; i <= events; i++) {
                sendLoot(color(i));
            }
            while (left > 0) {
                LockSupport.park();
            }
        }

        /** Sends a long event into a color of the victim's. */
        void sendLoot(ColorImpl color) {
            victim.runtime().sends().send(victim.worker(), color.number(), loot, 0, false);
        }

        final void link(ColorImpl color) {
            RecordPool pool = victim.worker().sender.pool;
            check(pool.hasRecord() && pool.takeCredit(), "full");
            victim.queue().lock();
            victim.queue().send(victim.queue().owner, color.number(), loot, 0, pool);
            victim.queue().unlock();
        }

        final synchronized void handleLoot() {
            left--;
            if (left == 0) {
                LockSupport.unpark(stuckThread);
                for (int core = 1; core < runtime.cores(); core++) {
                    runtime.core(core).poller().wakeup();
                }
            }
        }

        /** Before the threads: so many events will be sent. */
        public void expect(int events) {
            left = events;
        }

        /** A thief, until everything has run. */
        public void thief(int me) {
            Core core = runtime.core(me);
            core.poller().start();
            while (left > 0) {
                if (core.step() == 0) {
                    rest(core);
                }
            }
        }

        void rest(Core core) {
            core.rest();
        }
    }

    /** Everybody comes back. */
    public static class Specification {
        /** Nothing that is seen. */
        public void expect(int events) {}

        /** Comes back. */
        public void victim(int events) {}

        /** Comes back. */
        public void thief(int me) {}

        /** Comes back. */
        public void sender(int slot) {}
    }

    private static ModelCheck check(Class<? extends Model> model) {
        return RuntimeModel.check(model, Specification.class)
                .scenario("expect 2", "victim 2 | thief 1", "")
                .scenario("expect 2", "victim 2 | thief 1 | thief 2", "");
    }

    @Test
    void lootIsNotLeft() {
        check(Model.class).holds();
    }

    /** So many cores that a thief sees some of them at a time: core 1 has 16 others before the victim. */
    public static class Far extends Model {
        /** One victim; one thief is stepped. */
        public Far() {
            super(20, 1);
        }
    }

    private static ModelCheck checkFar(Class<? extends Model> model) {
        return RuntimeModel.check(model, Specification.class).scenario("expect 1", "victim 1 | thief 1", "");
    }

    @Test
    void farLootIsNotLeft() {
        checkFar(Far.class).holds();
    }

    /** A thief whose last look before it sleeps is at a part of the victims, as the others are. */
    public static class LooksAtAPart extends Far {
        @Override
        void rest(Core core) {
            runtime.wakeups().announce(core, false);
            if (core.step() == 0) {
                core.poller().block(Long.MAX_VALUE);
            }
            runtime.wakeups().retract(core);
        }
    }

    @Test
    void looksAtAPart_isFound() {
        checkFar(LooksAtAPart.class).isBrokenBy(1);
    }

    /** A thief that looks for loot before it announces its sleep, and not after. */
    public static class LookThenAnnounce extends Model {
        @Override
        void rest(Core core) {
            if (!core.thief().seesLoot()) {
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

    /** A victim that tells nobody. */
    public static class Silent extends Model {
        @Override
        void sendLoot(ColorImpl color) {
            link(color);
        }
    }

    @Test
    void silent_isFound() {
        check(Silent.class).isBrokenBy(1);
    }

    /** A victim that hands in to itself, as for a color that settles elsewhere, and tells nobody that it is long. */
    public static class SilentInbox extends Model {
        @Override
        void sendLoot(ColorImpl color) {
            victim.queue().inbox.offer(color.number(), loot, 0, null, 0, null);
            runtime.wakeups().handedIn(0, 0);
        }
    }

    @Test
    void silentInbox_isFound() {
        check(SilentInbox.class).isBrokenBy(1);
    }

    /** The handler that does not return is known to be long; it sends nothing, and another thread something short. */
    public static class Engaged extends Model {
        private final StageImpl<Integer> brief = stage(1, event -> handleLoot());

        /** Known to be long, just so. */
        public Engaged() {
            this(2 * Core.ENGAGED_NS);
        }

        Engaged(long stuckNs) {
            super(3, stuckNs);
        }

        /** A thread outside: sends into a color of core 0. */
        public void sender(int slot) {
            check(runtime.sends().sendOutside(color(slot).number(), brief, 0), "refused");
        }
    }

    /** The same of a handler that is not known to be long. */
    public static class NotKnown extends Engaged {
        /** Not quite. */
        public NotKnown() {
            super(2 * Core.ENGAGED_NS - 2);
        }
    }

    private static ModelCheck checkBrief(Class<? extends Engaged> model) {
        return RuntimeModel.check(model, Specification.class)
                .scenario("expect 1", "victim 0 | sender 1 | thief 1", "")
                .scenario("expect 2", "victim 0 | sender 1 | sender 2 | thief 1", "");
    }

    @Test
    void whatIsShort_behindALongHandler_isNotLeft() {
        checkBrief(Engaged.class).holds();
    }

    @Test
    void whatIsShort_behindAHandlerNotKnownToBeLong_isFound() {
        checkBrief(NotKnown.class).isBrokenBy(1);
    }

    /** A victim that announces its loot before it links it. */
    public static class AnnounceThenLink extends Model {
        @Override
        void sendLoot(ColorImpl color) {
            runtime.wakeups().lootLinked(victim);
            link(color);
        }
    }

    @Test
    void announceThenLink_isFound() {
        check(AnnounceThenLink.class).isBrokenBy(1);
    }
}
