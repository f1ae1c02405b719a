// SPDX-License-Identifier: Apache-2.0
package io.mely.queue;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE_INTERESTING;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** The races of the inbox: a sender that opened a color meets a lock holder that drains. */
public final class InboxStress {
    private InboxStress() {}

    /** An opened color is handed in while the owner drains. r1: head picked by the owner; r2: by a later drain. */
    @JCStressTest
    @Outcome(id = "7, 0", expect = ACCEPTABLE, desc = "in time")
    @Outcome(id = "0, 7", expect = ACCEPTABLE, desc = "too late for this drain, found by the next")
    @Outcome(expect = FORBIDDEN, desc = "lost, picked twice, or its head not visible")
    @State
    public static class HandInDrain {
        final CoreQueue queue = StressColor.queues()[0];
        final StressColor color = new StressColor(0);

        @Actor
        public void sender() {
            color.sendTo(queue, color.record(7));
        }

        @Actor
        public void owner(II_Result r) {
            r.r1 = StressColor.headOf(StressColor.pickFrom(queue));
        }

        @Arbiter
        public void later(II_Result r) {
            r.r2 = StressColor.headOf(StressColor.pickFrom(queue));
        }
    }

    /** An inbox of one place, taken by a load and a store. */
    @JCStressTest
    @Outcome(
            id = {"7, 0", "0, 7"},
            expect = ACCEPTABLE,
            desc = "as if atomic")
    @Outcome(id = "0, 0", expect = ACCEPTABLE_INTERESTING, desc = "lost")
    @State
    public static class HandInDrainTwin {
        final RecordIndex records = new RecordIndex();
        volatile EventRecord place;

        @Actor
        public void sender() {
            place = StressColor.record(records, 7);
        }

        @Actor
        public void owner(II_Result r) {
            r.r1 = take();
        }

        @Arbiter
        public void later(II_Result r) {
            r.r2 = take();
        }

        private int take() {
            EventRecord record = place;
            place = null;
            return record == null ? 0 : record.weight();
        }
    }

    /** The same, with a late entry of the color in the inbox already, which meets whatever place the opener has got to. */
    @JCStressTest
    @Outcome(id = "7, 0", expect = ACCEPTABLE, desc = "linked by the late entry or by its own")
    @Outcome(id = "0, 7", expect = ACCEPTABLE, desc = "the late entry found it not opened yet")
    @Outcome(expect = FORBIDDEN, desc = "lost, linked twice, or linked before its head was visible")
    @State
    public static class OpenedDrain {
        final CoreQueue queue = StressColor.queues()[0];
        final StressColor color = new StressColor(0);

        public OpenedDrain() {
            queue.handIn(color);
        }

        @Actor
        public void sender() {
            color.sendTo(queue, color.record(7));
        }

        @Actor
        public void owner(II_Result r) {
            r.r1 = StressColor.headOf(StressColor.pickFrom(queue));
        }

        @Arbiter
        public void later(II_Result r) {
            r.r2 = StressColor.headOf(StressColor.pickFrom(queue));
        }
    }

    /** Opened before the append: what a place without release permits, written out, as x86 keeps stores in order. */
    @JCStressTest
    @Outcome(
            id = {"7, 0", "0, 7"},
            expect = ACCEPTABLE,
            desc = "in time")
    @Outcome(
            id = {"-1, 0", "0, 0"},
            expect = ACCEPTABLE_INTERESTING,
            desc = "linked before its head was visible, or before that was filled")
    @State
    public static class OpenedDrainTwin {
        final RecordIndex records = new RecordIndex();
        static final int OPENED = 1;
        volatile int place;
        EventRecord head;

        @Actor
        public void sender() {
            place = OPENED;
            head = StressColor.record(records, 7);
        }

        @Actor
        public void owner(II_Result r) {
            r.r1 = take();
        }

        @Arbiter
        public void later(II_Result r) {
            r.r2 = take();
        }

        private int take() {
            if (place != OPENED) {
                return 0;
            }
            place = 0;
            return head == null ? -1 : head.weight();
        }
    }
}
