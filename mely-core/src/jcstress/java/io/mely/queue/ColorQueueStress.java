// SPDX-License-Identifier: Apache-2.0
package io.mely.queue;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE_INTERESTING;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;
import org.openjdk.jcstress.infra.results.II_Result;

/** The races of the color-queue: its senders with each other, and with its runner. */
public final class ColorQueueStress {
    private ColorQueueStress() {}

    /** Two senders, an idle color: one opens it, and nothing is lost. r1, r2: opened it; r3: order found. */
    @JCStressTest
    @Outcome(id = "1, 0, 12", expect = ACCEPTABLE, desc = "first exchange by sender 1")
    @Outcome(id = "0, 1, 21", expect = ACCEPTABLE, desc = "first exchange by sender 2")
    @Outcome(expect = FORBIDDEN, desc = "two openers, none, or an event lost")
    @State
    public static class AppendAppend {
        final StressColor color = new StressColor(0);
        final EventRecord one = color.record(1);
        final EventRecord two = color.record(2);

        @Actor
        public void sender1(III_Result r) {
            r.r1 = color.append(one) ? 1 : 0;
        }

        @Actor
        public void sender2(III_Result r) {
            r.r2 = color.append(two) ? 1 : 0;
        }

        @Arbiter
        public void run(III_Result r) {
            for (EventRecord next = color.head(); next != null; next = color.advance(next)) {
                r.r3 = r.r3 * 10 + next.weight();
            }
        }
    }

    /** One sender has the color's own record, the other one of its own. r1, r2: opened it; r3: order found. */
    @JCStressTest
    @Outcome(id = "1, 0, 12", expect = ACCEPTABLE, desc = "opened with the color's record")
    @Outcome(id = "0, 1, 21", expect = ACCEPTABLE, desc = "opened with the sender's record")
    @Outcome(expect = FORBIDDEN, desc = "two openers, none, or an event lost")
    @State
    public static class OpenAppend {
        final StressColor color = new StressColor(0);
        final EventRecord one = color.record(1);
        final EventRecord two = color.record(2);

        @Actor
        public void sender1(III_Result r) {
            if (color.tryOpen()) {
                color.fill(1);
                r.r1 = 1;
            } else {
                r.r1 = color.append(one) ? 1 : 0;
            }
        }

        @Actor
        public void sender2(III_Result r) {
            r.r2 = color.append(two) ? 1 : 0;
        }

        @Arbiter
        public void run(III_Result r) {
            for (EventRecord next = color.head(); next != null; ) {
                r.r3 = r.r3 * 10 + next.weight();
                next = color.advance(next);
            }
        }
    }

    /** The color is opened by a load and a store. */
    @JCStressTest
    @Outcome(
            id = {"1, 0", "0, 1"},
            expect = ACCEPTABLE,
            desc = "as if atomic")
    @Outcome(expect = ACCEPTABLE_INTERESTING, desc = "two openers")
    @State
    public static class OpenAppendTwin {
        private static final AtomicIntegerFieldUpdater<OpenAppendTwin> TAIL =
                AtomicIntegerFieldUpdater.newUpdater(OpenAppendTwin.class, "tail");

        volatile int tail;

        @Actor
        public void sender1(II_Result r) {
            if (tail == 0) {
                tail = -1;
                r.r1 = 1;
            } else {
                r.r1 = TAIL.getAndSet(this, 1) == 0 ? 1 : 0;
            }
        }

        @Actor
        public void sender2(II_Result r) {
            r.r2 = TAIL.getAndSet(this, 2) == 0 ? 1 : 0;
        }
    }

    /** A color whose own record runs, and is let go of while the next sender may take it. */
    abstract static class OwnRuns {
        final StressColor color = new StressColor(0);
        final EventRecord two = color.record(2);

        OwnRuns() {
            color.tryOpen();
            color.fill(1);
        }

        void send(III_Result r) {
            if (color.tryOpen()) {
                color.fill(2);
                r.r2 = 1;
            } else {
                r.r2 = color.append(two) ? 2 : 0;
            }
        }
    }

    /** r1: the runner goes on; r2: opened, by the color's record or the sender's; r3: the head. */
    @JCStressTest
    @Outcome(
            id = {"0, 1, 2", "0, 2, 2"},
            expect = ACCEPTABLE,
            desc = "idle in between")
    @Outcome(id = "1, 0, 2", expect = ACCEPTABLE, desc = "appended while it ran")
    @Outcome(expect = FORBIDDEN, desc = "the next event is lost, or cleared")
    @State
    public static class OwnAgain extends OwnRuns {
        @Actor
        public void runner(III_Result r) {
            r.r1 = color.advanceFully(color) == null ? 0 : 1;
        }

        @Actor
        public void sender(III_Result r) {
            send(r);
        }

        @Arbiter
        public void look(III_Result r) {
            r.r3 = color.head().weight();
        }
    }

    /** The runner clears the record after it has let go of the color. */
    @JCStressTest
    @Outcome(
            id = {"0, 1, 2", "0, 2, 2", "1, 0, 2"},
            expect = ACCEPTABLE,
            desc = "as if in order")
    @Outcome(expect = ACCEPTABLE_INTERESTING, desc = "the next event is cleared")
    @State
    public static class OwnAgainTwin extends OwnRuns {
        @Actor
        public void runner(III_Result r) {
            r.r1 = color.advanceFully(color) == null ? 0 : 1;
            color.consume();
        }

        @Actor
        public void sender(III_Result r) {
            send(r);
        }

        @Arbiter
        public void look(III_Result r) {
            r.r3 = color.head().weight();
        }
    }

    /** The exchange as a load and a store. */
    @JCStressTest
    @Outcome(
            id = {"1, 0, 12", "0, 1, 21"},
            expect = ACCEPTABLE,
            desc = "as if atomic")
    @Outcome(expect = ACCEPTABLE_INTERESTING, desc = "two openers")
    @State
    public static class AppendAppendTwin {
        final RecordIndex records = new RecordIndex();
        final EventRecord one = StressColor.record(records, 1);
        final EventRecord two = StressColor.record(records, 2);
        volatile EventRecord tail;
        EventRecord head;

        private boolean append(EventRecord record) {
            EventRecord before = tail;
            tail = record;
            if (before == null) {
                head = record;
                return true;
            }
            before.nextRelease(record);
            return false;
        }

        @Actor
        public void sender1(III_Result r) {
            r.r1 = append(one) ? 1 : 0;
        }

        @Actor
        public void sender2(III_Result r) {
            r.r2 = append(two) ? 1 : 0;
        }

        @Arbiter
        public void run(III_Result r) {
            for (int next = head.id;
                    next != EventRecord.NONE;
                    next = records.at(next).nextPlain()) {
                r.r3 = r.r3 * 10 + records.at(next).weight();
            }
        }
    }

    /** A sender meets the runner that takes off the last event. r1: opened; r2: what the runner goes on with, 0 for idle. */
    @JCStressTest
    @Outcome(id = "1, 0", expect = ACCEPTABLE, desc = "idle first: the sender opens the color")
    @Outcome(
            id = "0, 2",
            expect = ACCEPTABLE,
            desc = "appended first: the runner goes on, and reads what was filled in")
    @Outcome(expect = FORBIDDEN, desc = "two owners, none, or a record not filled")
    @State
    public static class AppendIdle {
        final StressColor color = new StressColor(0);
        final EventRecord running = color.record(1);
        final EventRecord record = color.record(0);

        public AppendIdle() {
            color.append(running);
        }

        @Actor
        public void sender(II_Result r) {
            record.set(null, null, 2);
            r.r1 = color.append(record) ? 1 : 0;
        }

        @Actor
        public void runner(II_Result r) {
            EventRecord next = color.advanceFully(running);
            r.r2 = next == null ? 0 : next.weight() == 0 ? -1 : next.weight();
        }
    }

    /** The CAS to idle as a compare and a store. */
    @JCStressTest
    @Outcome(
            id = {"1, 0", "0, 2"},
            expect = ACCEPTABLE,
            desc = "as if atomic")
    @Outcome(id = "0, 0", expect = ACCEPTABLE_INTERESTING, desc = "nobody makes the color ready: the event is lost")
    @State
    public static class AppendIdleTwin {
        final RecordIndex records = new RecordIndex();
        final EventRecord running = StressColor.record(records, 1);
        final EventRecord record = StressColor.record(records, 2);
        final java.util.concurrent.atomic.AtomicReference<EventRecord> tail =
                new java.util.concurrent.atomic.AtomicReference<>(running);

        @Actor
        public void sender(II_Result r) {
            EventRecord before = tail.getAndSet(record);
            if (before == null) {
                r.r1 = 1;
            } else {
                before.nextRelease(record);
            }
        }

        @Actor
        public void runner(II_Result r) {
            if (tail.get() == running) {
                tail.set(null);
                return;
            }
            int next = running.nextAcquire();
            while (next == EventRecord.NONE) {
                next = running.nextAcquire();
            }
            r.r2 = records.at(next).weight();
        }
    }

    /** A sender stands between its exchange and its link. r1: what the runner finds at once, 1 for LINKING; r2: in the end. */
    @JCStressTest
    @Outcome(id = "2, 2", expect = ACCEPTABLE, desc = "linked in time")
    @Outcome(id = "1, 2", expect = ACCEPTABLE, desc = "LINKING: found at the next try, behind the consumed head")
    @Outcome(expect = FORBIDDEN, desc = "taken for idle, or linked before it was filled")
    @State
    public static class AppendLinking {
        final StressColor color = new StressColor(0);
        final EventRecord running = color.record(1);
        final EventRecord record = color.record(0);

        public AppendLinking() {
            color.append(running);
            color.append(record);
            running.nextPlain(EventRecord.NONE); // back to before the link
        }

        @Actor
        public void sender(II_Result r) {
            record.set(null, null, 2);
            running.nextRelease(record);
        }

        @Actor
        public void runner(II_Result r) {
            EventRecord next = color.advance(running);
            r.r1 = next == null ? 0 : next == ColorQueue.LINKING ? 1 : next.weight() == 0 ? -1 : next.weight();
        }

        @Arbiter
        public void end(II_Result r) {
            EventRecord next = color.head() == running ? color.advance(running) : color.head();
            r.r2 = next == null ? 0 : next.weight();
        }
    }

    /** The link before the record is filled: what a link without release permits, written out, as x86 keeps stores in order. */
    @JCStressTest
    @Outcome(
            id = {"2, 2", "1, 2"},
            expect = ACCEPTABLE,
            desc = "in time")
    @Outcome(id = "-1, 2", expect = ACCEPTABLE_INTERESTING, desc = "a record that is not filled")
    @State
    public static class AppendLinkingTwin {
        final RecordIndex records = new RecordIndex();
        final EventRecord running = StressColor.record(records, 1);
        final EventRecord record = StressColor.record(records, 0);

        @Actor
        public void sender(II_Result r) {
            running.nextRelease(record);
            record.set(null, null, 2);
        }

        @Actor
        public void runner(II_Result r) {
            int next = running.nextAcquire();
            int weight = next == EventRecord.NONE ? 1 : records.at(next).weight();
            r.r1 = weight == 0 ? -1 : weight;
        }

        @Arbiter
        public void end(II_Result r) {
            r.r2 = records.at(running.nextPlain()).weight();
        }
    }
}
