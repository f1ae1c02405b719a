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
import org.openjdk.jcstress.infra.results.III_Result;
import org.openjdk.jcstress.infra.results.II_Result;

/** The races of the short-queue: a core with the thief that takes back the rest of a group, and held entries with the sender that wants their slots. */
public final class ShortEventsStress {
    private ShortEventsStress() {}

    /**
     * A core in the first of a group of three goes on, while a thief takes the rest back. r1: what the core runs, as digits; r2: what the thief takes back, the last first.
     */
    @JCStressTest
    @Outcome(
            id = {"123, 0", "12, 3", "1, 32"},
            expect = ACCEPTABLE,
            desc = "each event once")
    @Outcome(expect = FORBIDDEN, desc = "run by the core and moved by the thief, or by neither")
    @State
    public static class RunRevoke {
        final CoreQueue queue = new CoreQueue(
                0,
                new TimeLeftIntervals(1_000),
                new ColorIndex(new ColorHomes(8, slot -> 0)),
                new RecordDepot(2).index(),
                true,
                CoreQueue.LENGTHY_NS);
        final ShortEvents shorts = queue.shorts;

        public RunRevoke() {
            for (int number = 1; number <= 3; number++) {
                if (!shorts.join(number, StressQueues.stage(7, 3), null)) {
                    throw new AssertionError("a short event must join");
                }
            }
            shorts.claim();
            shorts.next();
        }

        @Actor
        public void owner(II_Result r) {
            int ran = 1;
            for (int number = shorts.next(); number != 0; number = shorts.next()) {
                ran = ran * 10 + number;
            }
            r.r1 = ran;
            queue.lock();
            shorts.endGroup(queue.inbox(), new int[ShortEvents.GROUP_MAX]);
            queue.unlock();
        }

        @Actor
        public void thief(II_Result r) {
            int moved = 0;
            queue.lock();
            for (int i = shorts.revoke(); i > 0; i--) {
                moved = moved * 10 + shorts.lastNumber();
                shorts.removeLast();
            }
            queue.unlock();
            r.r2 = moved;
        }
    }

    /** Neither of them compares. */
    @JCStressTest
    @Outcome(
            id = {"123, 0", "12, 3", "1, 32"},
            expect = ACCEPTABLE,
            desc = "in time")
    @Outcome(expect = ACCEPTABLE_INTERESTING, desc = "an event for both")
    @State
    public static class RunRevokeTwin {
        volatile int next = 2;

        @Actor
        public void owner(II_Result r) {
            int ran = 1;
            for (int number = next; number <= 3; number = next) {
                next = number + 1;
                ran = ran * 10 + number;
            }
            r.r1 = ran;
        }

        @Actor
        public void thief(II_Result r) {
            int first = next;
            next = 4;
            int moved = 0;
            for (int number = 3; number >= first; number--) {
                moved = moved * 10 + number;
            }
            r.r2 = moved;
        }
    }

    /** A sender wants a slot while the consumer runs the entry in it. r1: that entry's event before, r2: after; r3: what is found at the end. */
    @JCStressTest
    @Outcome(id = "1, 1, 2", expect = ACCEPTABLE, desc = "it stays until it has run")
    @Outcome(expect = FORBIDDEN, desc = "overwritten while it runs, or the next one lost")
    @State
    public static class HoldOffer {
        final Inbox inbox = new Inbox(2);

        public HoldOffer() {
            inbox.offer(1, null, new int[] {1});
        }

        @Actor
        public void consumer(III_Result r) {
            inbox.peek();
            Inbox.Buffer buffer = inbox.buffer();
            inbox.hold(1);
            r.r1 = ((int[]) buffer.event(0))[0];
            r.r2 = ((int[]) buffer.event(0))[0];
            buffer.clear(0);
            buffer.key(0, 0);
            inbox.release();
        }

        @Actor
        public void sender() {
            inbox.offer(2, null, new int[] {2});
            inbox.offer(3, null, new int[] {3}); // in the slot of the first, or a larger buffer
        }

        @Arbiter
        public void rest(III_Result r) {
            r.r3 = inbox.peek() == 2 && ((int[]) inbox.event())[0] == 2 ? 2 : -1;
            inbox.consume();
            if (inbox.peek() != 3 || ((int[]) inbox.event())[0] != 3) {
                r.r3 = -1;
            }
        }
    }

    /** The slots are given back with the claim. */
    @JCStressTest
    @Outcome(id = "1, 1, 2", expect = ACCEPTABLE, desc = "in time")
    @Outcome(expect = ACCEPTABLE_INTERESTING, desc = "another event where one runs, or taken for it and lost")
    @State
    public static class HoldOfferTwin {
        volatile int slot = 1;
        volatile boolean isFree;

        @Actor
        public void consumer(III_Result r) {
            isFree = true;
            r.r1 = slot;
            r.r2 = slot;
            slot = 0;
        }

        @Actor
        public void sender() {
            if (isFree) {
                slot = 2;
            }
        }

        @Arbiter
        public void rest(III_Result r) {
            r.r3 = isFree && slot == 0 ? 2 : slot;
        }
    }
}
