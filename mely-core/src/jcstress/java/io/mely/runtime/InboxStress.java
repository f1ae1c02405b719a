// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE_INTERESTING;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import java.util.concurrent.atomic.AtomicInteger;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;
import org.openjdk.jcstress.infra.results.II_Result;

/** The races of the inbox: its senders with each other, and with the holder of the lock that consumes. */
public final class InboxStress {
    private InboxStress() {}

    /** Consumes all there is: the keys in order, as digits. */
    private static int consumeAll(Inbox inbox) {
        int order = 0;
        for (int key = inbox.peek(); key != 0; key = inbox.peek()) {
            order = order * 10 + key;
            inbox.consume();
        }
        return order;
    }

    /** Two senders. r1, r2: their positions; r3: what is found. */
    @JCStressTest
    @Outcome(id = "0, 1, 12", expect = ACCEPTABLE, desc = "claimed by sender 1 first")
    @Outcome(id = "1, 0, 21", expect = ACCEPTABLE, desc = "claimed by sender 2 first")
    @Outcome(expect = FORBIDDEN, desc = "one position for two, or an entry lost")
    @State
    public static class OfferOffer {
        final Inbox inbox = new Inbox(4);

        @Actor
        public void sender1(III_Result r) {
            r.r1 = (int) inbox.offer(1, null, null, null, 0, null);
        }

        @Actor
        public void sender2(III_Result r) {
            r.r2 = (int) inbox.offer(2, null, null, null, 0, null);
        }

        @Arbiter
        public void consumer(III_Result r) {
            r.r3 = consumeAll(inbox);
        }
    }

    /** Claimed by a load and a store. */
    @JCStressTest
    @Outcome(
            id = {"0, 1, 12", "1, 0, 21"},
            expect = ACCEPTABLE,
            desc = "as if atomic")
    @Outcome(expect = ACCEPTABLE_INTERESTING, desc = "one position for two: an entry is lost")
    @State
    public static class OfferOfferTwin {
        final int[] keys = new int[2];
        volatile int producerIndex;

        private int offer(int key) {
            int position = producerIndex;
            producerIndex = position + 1;
            keys[position] = key;
            return position;
        }

        @Actor
        public void sender1(III_Result r) {
            r.r1 = offer(1);
        }

        @Actor
        public void sender2(III_Result r) {
            r.r2 = offer(2);
        }

        @Arbiter
        public void consumer(III_Result r) {
            r.r3 = keys[0] * 10 + keys[1];
        }
    }

    /** A stage and an event just made are offered while the consumer looks. r1, r2: what it reads in them. */
    @JCStressTest
    @Outcome(id = "7, 8", expect = ACCEPTABLE, desc = "published in time")
    @Outcome(id = "0, 0", expect = ACCEPTABLE, desc = "not there yet")
    @Outcome(expect = FORBIDDEN, desc = "an entry before what it refers to")
    @State
    public static class OfferPeek {
        final Inbox inbox = new Inbox(2);

        @Actor
        public void sender() {
            inbox.offer(1, StressQueues.stage(7, 3), new int[] {8}, null, 0, null);
        }

        @Actor
        public void consumer(II_Result r) {
            if (inbox.peek() == 1) {
                HandlerProfile stage = inbox.stage();
                int[] event = (int[]) inbox.event();
                r.r1 = stage == null ? -1 : stage.weight();
                r.r2 = event == null ? -1 : event[0];
            }
        }
    }

    /** The key before the rest: what a key without release permits, written out, as x86 keeps stores in order. */
    @JCStressTest
    @Outcome(
            id = {"7, 8", "0, 0"},
            expect = ACCEPTABLE,
            desc = "in time")
    @Outcome(expect = ACCEPTABLE_INTERESTING, desc = "an entry before what it refers to")
    @State
    public static class OfferPeekTwin {
        volatile int key;
        int stage = -1;
        int event = -1;

        @Actor
        public void sender() {
            key = 1;
            stage = 7;
            event = 8;
        }

        @Actor
        public void consumer(II_Result r) {
            if (key == 1) {
                r.r1 = stage;
                r.r2 = event;
            }
        }
    }

    /** Two senders, and room for one: one of them puts a larger buffer in place. r1, r2: positions; r3: what is found. */
    @JCStressTest
    @Outcome(id = "1, 2, 912", expect = ACCEPTABLE, desc = "sender 1 first")
    @Outcome(id = "2, 1, 921", expect = ACCEPTABLE, desc = "sender 2 first")
    @Outcome(expect = FORBIDDEN, desc = "an entry lost or out of order")
    @State
    public static class GrowOffer {
        final Inbox inbox = new Inbox(2);

        public GrowOffer() {
            inbox.offer(9, null, null, null, 0, null);
        }

        @Actor
        public void sender1(III_Result r) {
            r.r1 = (int) inbox.offer(1, null, null, null, 0, null);
        }

        @Actor
        public void sender2(III_Result r) {
            r.r2 = (int) inbox.offer(2, null, null, null, 0, null);
        }

        @Arbiter
        public void consumer(III_Result r) {
            r.r3 = consumeAll(inbox);
        }
    }

    /** The index is not made odd, so the other sender does not wait: both put a buffer in place. */
    @JCStressTest
    @Outcome(
            id = {"1, 2, 912", "2, 1, 921"},
            expect = ACCEPTABLE,
            desc = "one after the other")
    @Outcome(expect = ACCEPTABLE_INTERESTING, desc = "an entry lost with its buffer, or a gap")
    @State
    public static class GrowOfferTwin {
        private final AtomicInteger producerIndex = new AtomicInteger(1);
        volatile int[] buffer = {9};

        private int offer(int key) {
            int position = producerIndex.getAndIncrement();
            if (buffer.length == 1) {
                buffer = new int[] {9, 0, 0};
            }
            buffer[position] = key;
            return position;
        }

        @Actor
        public void sender1(III_Result r) {
            r.r1 = offer(1);
        }

        @Actor
        public void sender2(III_Result r) {
            r.r2 = offer(2);
        }

        @Arbiter
        public void consumer(III_Result r) {
            r.r3 = buffer[0] * 100 + buffer[1] * 10 + buffer[2];
        }
    }

    /** A full inbox: a sender puts a larger buffer in place, or the consumer is in time. r1: found at once; r2: later; r3: length - 1. */
    @JCStressTest
    @Outcome(id = "9, 1, 3", expect = ACCEPTABLE, desc = "a larger buffer, found by the next drain")
    @Outcome(id = "91, 0, 3", expect = ACCEPTABLE, desc = "a larger buffer, and the consumer follows the jump")
    @Outcome(
            id = {"9, 1, 1", "91, 0, 1"},
            expect = ACCEPTABLE,
            desc = "the consumer made room in time")
    @Outcome(expect = FORBIDDEN, desc = "lost behind the jump, or an entry before what it refers to")
    @State
    public static class GrowConsume {
        final Inbox inbox = new Inbox(2);

        public GrowConsume() {
            inbox.offer(9, null, null, null, 0, null);
        }

        @Actor
        public void sender() {
            inbox.offer(1, null, new int[] {8}, null, 0, null);
        }

        @Actor
        public void consumer(III_Result r) {
            inbox.consume();
            r.r1 = 9;
            if (inbox.peek() == 1) {
                int[] event = (int[]) inbox.event();
                r.r1 = event != null && event[0] == 8 ? 91 : -1;
                inbox.consume();
            }
        }

        @Arbiter
        public void later(III_Result r) {
            r.r2 = consumeAll(inbox);
            r.r3 = inbox.producerBuffer.mask;
        }
    }

    /** The jump before the buffer it leads to: what a jump without release permits, written out, as x86 keeps stores in order. */
    @JCStressTest
    @Outcome(
            id = {"9, 1, 3", "91, 0, 3"},
            expect = ACCEPTABLE,
            desc = "in time")
    @Outcome(expect = ACCEPTABLE_INTERESTING, desc = "a jump to nowhere")
    @State
    public static class GrowConsumeTwin {
        volatile int jump;
        int next = -1;

        @Actor
        public void sender() {
            jump = 1;
            next = 91;
        }

        @Actor
        public void consumer(III_Result r) {
            r.r1 = jump == 0 ? 9 : next;
        }

        @Arbiter
        public void later(III_Result r) {
            r.r2 = r.r1 == 91 ? 0 : 1;
            r.r3 = 3;
        }
    }

    /**
     * A full inbox: a sender puts a larger buffer in place, or the consumer is in time, and then goes to sleep. r1: the sender sees the sleeper's
     * flag; r2: the sleeper sees the entry.
     */
    @JCStressTest
    @Outcome(
            id = {"1, 0", "0, 1", "1, 1"},
            expect = ACCEPTABLE,
            desc = "one saw the other")
    @Outcome(expect = FORBIDDEN, desc = "nobody wakes it")
    @State
    public static class GrowSleep {
        final Inbox inbox = new Inbox(2);
        volatile int isAsleep;

        public GrowSleep() {
            inbox.offer(9, null, null, null, 0, null);
        }

        @Actor
        public void sender(II_Result r) {
            inbox.offer(1, null, null, null, 0, null);
            r.r1 = isAsleep;
        }

        @Actor
        public void consumer(II_Result r) {
            inbox.consume();
            isAsleep = 1;
            r.r2 = inbox.isEmpty() ? 0 : 1;
        }
    }

    /** The index of a larger buffer by a release store. */
    @JCStressTest
    @Outcome(
            id = {"1, 0", "0, 1", "1, 1"},
            expect = ACCEPTABLE,
            desc = "one saw the other")
    @Outcome(id = "0, 0", expect = ACCEPTABLE_INTERESTING, desc = "nobody wakes it")
    @State
    public static class GrowSleepTwin {
        private final AtomicInteger producerIndex = new AtomicInteger();
        volatile int isAsleep;

        @Actor
        public void sender(II_Result r) {
            producerIndex.setRelease(1);
            r.r1 = isAsleep;
        }

        @Actor
        public void consumer(II_Result r) {
            isAsleep = 1;
            r.r2 = producerIndex.get();
        }
    }

    /** Slots, and the place of a jump, are taken again as soon as they are consumed. r1: what is found; r2: length - 1. */
    @JCStressTest
    @Outcome(id = "123456789, 3", expect = ACCEPTABLE, desc = "room in time: each slot is used twice")
    @Outcome(
            id = {"123456789, 7", "123456789, 15"},
            expect = ACCEPTABLE,
            desc = "a larger buffer, and a larger one still: jumps are where something was")
    @Outcome(expect = FORBIDDEN, desc = "an entry or a jump wiped out by the consumer")
    @State
    public static class Reuse {
        private static final int LOOKS = 500;
        private static final int WAITS = 50; // not for long, so that it grows at times

        final Inbox inbox = new Inbox(4);
        int found;

        @Actor
        public void sender() {
            for (int key = 1; key <= 9; key++) {
                for (int i = 0; i < WAITS && !inbox.isConsumed(key - 4); i++) {
                    Thread.onSpinWait();
                }
                inbox.offer(key, null, null, null, 0, null);
            }
        }

        @Actor
        public void consumer() {
            for (int i = 0; i < LOOKS; i++) {
                int key = inbox.peek();
                if (key != 0) {
                    found = found * 10 + key;
                    inbox.consume();
                }
            }
        }

        @Arbiter
        public void later(II_Result r) {
            for (int key = inbox.peek(); key != 0; key = inbox.peek()) {
                found = found * 10 + key;
                inbox.consume();
            }
            r.r1 = found;
            r.r2 = inbox.producerBuffer.mask;
        }
    }

    /** The index of the consumer before the slot is cleared: what no release permits, written out, as x86 keeps stores in order. */
    @JCStressTest
    @Outcome(
            id = {"123456789, 3", "123456789, 7"},
            expect = ACCEPTABLE,
            desc = "in order, or no room yet")
    @Outcome(id = "12346789, 3", expect = ACCEPTABLE_INTERESTING, desc = "5 is wiped out")
    @State
    public static class ReuseTwin {
        volatile int key = 1;
        volatile int consumerIndex;

        @Actor
        public void sender(II_Result r) {
            r.r2 = 7;
            if (consumerIndex == 1) {
                key = 5;
                r.r2 = 3;
            }
        }

        @Actor
        public void consumer() {
            consumerIndex = 1;
            key = 0;
        }

        @Arbiter
        public void later(II_Result r) {
            r.r1 = r.r2 == 7 || key == 5 ? 123456789 : 12346789;
        }
    }
}
