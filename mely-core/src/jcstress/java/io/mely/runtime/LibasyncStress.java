// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE_INTERESTING;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** The fences of the libasync engines: a send beside a close, beside a core that goes to sleep, and beside a thief that does. */
public final class LibasyncStress {
    private LibasyncStress() {}

    static LibasyncSmp smp() {
        return new LibasyncSmp(StressParts.CONFIG, StressParts.MACHINE);
    }

    /** Hands in, as a sender from outside does once it has counted the event. Its books would keep each runtime that is not closed. */
    static void handIn(LibasyncRuntime runtime, int slot, RecordPool pool) {
        pool.hasRecord();
        runtime.sendUndecided(
                () -> true, pool, (LibasyncColor) runtime.colorAt(slot), slot, runtime.executeStage(), null, false);
    }

    static RecordPool pool(LibasyncRuntime runtime) {
        return new RecordPool(new RecordDepot(2, runtime.recordIndex()));
    }

    /** A send from outside meets a close. r1: accepted; r2: discarded, as the close reports it. */
    @JCStressTest
    @Outcome(id = "1, 1", expect = ACCEPTABLE, desc = "accepted before the close, which counts it")
    @Outcome(id = "0, 0", expect = ACCEPTABLE, desc = "refused")
    @Outcome(expect = FORBIDDEN, desc = "accepted, and nobody knows; or refused, and yet reported")
    @State
    public static class SendClose {
        final LibasyncSmp runtime = smp();

        @Actor
        public void sender(II_Result r) {
            r.r1 = ((LibasyncColor) runtime.defaultColor()).sendEvent(runtime.executeStage(), null) ? 1 : 0;
        }

        @Actor
        public void closer(II_Result r) {
            r.r2 = (int) runtime.close(Duration.ZERO).discardedEvents();
        }
    }

    /** The count is released, and no fence follows. */
    @JCStressTest
    @Outcome(
            id = {"1, 1", "0, 0", "0, 1"},
            expect = ACCEPTABLE,
            desc = "in order")
    @Outcome(id = "1, 0", expect = ACCEPTABLE_INTERESTING, desc = "accepted, and nobody knows")
    @State
    public static class SendCloseTwin extends Flags {
        @Actor
        public void sender(II_Result r) {
            HERE.setRelease(this, 1);
            r.r1 = (int) THERE.getVolatile(this) == 0 ? 1 : 0;
        }

        @Actor
        public void closer(II_Result r) {
            THERE.setVolatile(this, 1);
            VarHandle.fullFence();
            r.r2 = (int) HERE.getAcquire(this);
        }
    }

    /** An event comes while its core goes to sleep. r1: it blocks; r2: calls. */
    @JCStressTest
    @Outcome(id = "0, 0", expect = ACCEPTABLE, desc = "came before the sleep was announced")
    @Outcome(id = "0, 1", expect = ACCEPTABLE, desc = "both saw each other")
    @Outcome(id = "1, 1", expect = ACCEPTABLE, desc = "blocks, and is called")
    @Outcome(expect = FORBIDDEN, desc = "sleeps on work, or called twice")
    @State
    public static class Sleep {
        final LibasyncSmp runtime = smp();
        final RecordPool pool = pool(runtime);
        final SmpCore core = runtime.smpCore(runtime.colorAt(0).homeCore());

        @Actor
        public void sender() {
            handIn(runtime, 0, pool);
        }

        @Actor
        public void sleeper(II_Result r) {
            core.restAnnounce();
            r.r1 = core.mayBlock() ? 1 : 0;
        }

        @Arbiter
        public void end(II_Result r) {
            r.r2 = StressParts.poller(core).wakeups();
        }
    }

    /** The event is in the list by a release, and no fence follows. */
    @JCStressTest
    @Outcome(
            id = {"0, 0", "0, 1", "1, 1"},
            expect = ACCEPTABLE,
            desc = "in order")
    @Outcome(id = "1, 0", expect = ACCEPTABLE_INTERESTING, desc = "sleeps on work")
    @State
    public static class SleepTwin extends Flags {
        @Actor
        public void sender(II_Result r) {
            HERE.setRelease(this, 1);
            r.r2 = (int) THERE.getVolatile(this);
        }

        @Actor
        public void sleeper(II_Result r) {
            THERE.setVolatile(this, 1);
            VarHandle.fullFence();
            r.r1 = (int) HERE.getAcquire(this) == 0 ? 1 : 0;
        }
    }

    /** An event comes to the list that all cores share while one of them goes to sleep. r1: it blocks; r2: calls. */
    @JCStressTest
    @Outcome(id = "0, 0", expect = ACCEPTABLE, desc = "came before the sleep was announced")
    @Outcome(id = "0, 1", expect = ACCEPTABLE, desc = "both saw each other")
    @Outcome(id = "1, 1", expect = ACCEPTABLE, desc = "blocks, and is called")
    @Outcome(expect = FORBIDDEN, desc = "sleeps on work, or called twice")
    @State
    public static class SharedSleep {
        final LibasyncMp runtime = new LibasyncMp(StressParts.CONFIG, StressParts.MACHINE);
        final RecordPool pool = pool(runtime);
        final LibasyncCore core = runtime.engineCore(0);

        @Actor
        public void sender() {
            handIn(runtime, 0, pool);
        }

        @Actor
        public void sleeper(II_Result r) {
            core.restAnnounce();
            r.r1 = core.mayBlock() ? 1 : 0;
        }

        @Arbiter
        public void end(II_Result r) {
            r.r2 = StressParts.poller(core).wakeups();
        }
    }

    /** The core looks before it announces its sleep. */
    @JCStressTest
    @Outcome(
            id = {"0, 0", "0, 1", "1, 1"},
            expect = ACCEPTABLE,
            desc = "in order")
    @Outcome(id = "1, 0", expect = ACCEPTABLE_INTERESTING, desc = "sleeps on work")
    @State
    public static class SharedSleepTwin extends Flags {
        @Actor
        public void sender(II_Result r) {
            HERE.setVolatile(this, 1);
            r.r2 = (int) THERE.getVolatile(this);
        }

        @Actor
        public void sleeper(II_Result r) {
            r.r1 = (int) HERE.getVolatile(this) == 0 ? 1 : 0;
            THERE.setVolatile(this, 1);
        }
    }

    /** A second color becomes ready at a busy core while the thief goes to sleep. r1: it blocks; r2: calls. */
    @JCStressTest
    @Outcome(id = "0, 0", expect = ACCEPTABLE, desc = "came before the sleep was announced")
    @Outcome(id = "0, 1", expect = ACCEPTABLE, desc = "both saw each other")
    @Outcome(id = "1, 1", expect = ACCEPTABLE, desc = "blocks, and is called")
    @Outcome(expect = FORBIDDEN, desc = "sleeps on loot, or called twice")
    @State
    public static class Loot {
        final LibasyncSmp runtime = smp();
        final int home = runtime.colorAt(0).homeCore();
        final RecordPool pool = pool(runtime);
        final SmpCore thief = runtime.smpCore(1 - home);

        public Loot() {
            handIn(runtime, 0, pool);
        }

        @Actor
        public void sender() {
            handIn(runtime, runtime.colorAt(1).homeCore() == home ? 1 : 2, pool);
        }

        @Actor
        public void sleeper(II_Result r) {
            thief.restAnnounce();
            r.r1 = thief.mayBlock() && !thief.seesLoot() ? 1 : 0;
        }

        @Arbiter
        public void end(II_Result r) {
            r.r2 = StressParts.poller(thief).wakeups();
        }
    }

    /** The sender looks who sleeps before its event is there. */
    @JCStressTest
    @Outcome(
            id = {"0, 0", "0, 1", "1, 1"},
            expect = ACCEPTABLE,
            desc = "in order")
    @Outcome(id = "1, 0", expect = ACCEPTABLE_INTERESTING, desc = "sleeps on loot")
    @State
    public static class LootTwin extends Flags {
        @Actor
        public void sender(II_Result r) {
            r.r2 = (int) THERE.getVolatile(this);
            HERE.setVolatile(this, 1);
        }

        @Actor
        public void sleeper(II_Result r) {
            THERE.setVolatile(this, 1);
            r.r1 = (int) HERE.getVolatile(this) == 0 ? 1 : 0;
        }
    }

    /** What the twins write and read. */
    static class Flags {
        static final VarHandle HERE;
        static final VarHandle THERE;

        static {
            try {
                MethodHandles.Lookup lookup = MethodHandles.lookup();
                HERE = lookup.findVarHandle(Flags.class, "here", int.class);
                THERE = lookup.findVarHandle(Flags.class, "there", int.class);
            } catch (ReflectiveOperationException e) {
                throw new ExceptionInInitializerError(e);
            }
        }

        int here;
        int there;
    }
}
