// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mely.Seed;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

// What is offered comes out once and in the order of the positions, however often the ring has to grow; an entry that
// was taken off
// keeps nothing alive.
class InboxTest {
    private static final int SMALL = 4;

    private final HandlerProfile stage = Lane.handler(1);
    private final HandlerProfile other = Lane.handler(2);

    private static long size(Inbox inbox) {
        return inbox.claimed() - inbox.position();
    }

    /** Checks the first entry, and takes it off. */
    private static void take(Inbox inbox, int key, HandlerProfile stage, Object event) {
        assertThat(inbox.peek()).isEqualTo(key);
        assertThat(inbox.peek()).as("a peek is only a peek").isEqualTo(key);
        assertThat(inbox.stage()).isSameAs(stage);
        assertThat(inbox.event()).isEqualTo(event);
        inbox.consume();
    }

    // ------------------------------------------------------------------ entries

    @Test
    void offer_comesOutAsItWentIn_inOrder() {
        Inbox inbox = new Inbox();
        assertThat(inbox.offer(7, stage, "a", null, 0, null)).isZero();
        assertThat(inbox.offer(Integer.MAX_VALUE, other, null, null, 0, null)).isEqualTo(1);
        assertThat(inbox.offer(1 << 30, null, null, null, 0, null)).isEqualTo(2);
        assertThat(inbox.position()).isZero();
        take(inbox, 7, stage, "a");
        assertThat(inbox.position()).isEqualTo(1);
        take(inbox, Integer.MAX_VALUE, other, null);
        take(inbox, 1 << 30, null, null);
        assertThat(inbox.peek()).isZero();
    }

    @Test
    void offer_keyOfNothing_isABug() {
        Inbox inbox = new Inbox();
        assertThatThrownBy(() -> inbox.offer(0, stage, null, null, 0, null)).isInstanceOf(AssertionError.class);
        assertThatThrownBy(() -> inbox.offer(-1, stage, null, null, 0, null)).isInstanceOf(AssertionError.class);
        assertThat(inbox.isEmpty()).isTrue();
    }

    @Test
    void sizeAndIsConsumed_followBothEnds() {
        Inbox inbox = new Inbox();
        assertThat(inbox.isEmpty()).isTrue();
        assertThat(size(inbox)).isZero();
        assertThat(inbox.isConsumed(-1)).as("before the first").isTrue();
        for (int i = 1; i <= 5; i++) {
            inbox.offer(i, stage, i, null, 0, null);
            assertThat(size(inbox)).isEqualTo(i);
        }
        assertThat(inbox.isEmpty()).isFalse();
        for (int i = 1; i <= 5; i++) {
            assertThat(inbox.isConsumed(i - 1)).isFalse();
            take(inbox, i, stage, i);
            assertThat(inbox.isConsumed(i - 1)).isTrue();
            assertThat(size(inbox)).isEqualTo(5 - i);
        }
        assertThat(inbox.isEmpty()).isTrue();
    }

    // A sender that lost its CPU between claim and publication: the entry counts, but there is nothing to be taken off
    // yet.
    @Test
    void claimedEntry_notPublished_isNotEmpty_andNotSeen() {
        Inbox inbox = new Inbox();
        inbox.producerIndex += 2; // as if the sender stood there
        assertThat(inbox.isEmpty()).isFalse();
        assertThat(size(inbox)).isEqualTo(1);
        assertThat(inbox.peek()).isZero();
        inbox.offer(2, stage, "behind it", null, 0, null);
        assertThat(inbox.peek()).as("nor what is behind it").isZero();
        assertThat(size(inbox)).isEqualTo(2);
    }

    // ... or while it grows the ring.
    @Test
    void growingSender_countsWhatWasClaimedBefore() {
        Inbox inbox = new Inbox();
        inbox.producerIndex |= 1;
        assertThat(inbox.isEmpty()).isTrue();
        inbox.producerIndex = 2 | 1;
        assertThat(inbox.isEmpty()).isFalse();
        assertThat(size(inbox)).isEqualTo(1);
    }

    // ------------------------------------------------------------------ the ring

    @Test
    void consumerKeepsUp_ringIsUsedAgain_andDoesNotGrow() {
        Inbox inbox = new Inbox(SMALL);
        Inbox.Buffer first = inbox.producerBuffer;
        for (int i = 0; i < 100; i += 3) {
            for (int j = i; j < i + 3; j++) {
                assertThat(inbox.offer(j + 1, stage, j, null, 0, null)).isEqualTo(j);
            }
            for (int j = i; j < i + 3; j++) {
                take(inbox, j + 1, stage, j);
            }
        }
        assertThat(inbox.producerBuffer).isSameAs(first);
        assertThat(inbox.consumerBuffer).isSameAs(first);
    }

    @Test
    void full_doubles_andTheConsumerFollowsTheJump() {
        Inbox inbox = new Inbox(SMALL);
        Inbox.Buffer first = inbox.producerBuffer;
        for (int i = 0; i < SMALL - 1; i++) {
            inbox.offer(i + 1, stage, i, null, 0, null);
        }
        assertThat(inbox.producerBuffer).as("one slot is for the jump").isSameAs(first);
        assertThat(inbox.offer(SMALL, other, SMALL - 1, null, 0, null)).isEqualTo(SMALL - 1);
        assertThat(inbox.producerBuffer).isNotSameAs(first);
        assertThat(inbox.producerBuffer.mask).isEqualTo(2 * SMALL - 1);
        assertThat(size(inbox)).isEqualTo(SMALL);

        for (int i = 0; i < SMALL - 1; i++) {
            take(inbox, i + 1, stage, i);
        }
        assertThat(inbox.consumerBuffer).isSameAs(first);
        take(inbox, SMALL, other, SMALL - 1);
        assertThat(inbox.consumerBuffer).isSameAs(inbox.producerBuffer);
        assertThat(inbox.isEmpty()).isTrue();
        assertThat(inbox.peek()).isZero();
    }

    // The jump is not always in the last slot.
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 4, 5, 6, 7, 8})
    void full_wherever_keepsTheOrder(int before) {
        Inbox inbox = new Inbox(SMALL);
        for (int i = 0; i < before; i++) {
            inbox.offer(1, stage, i, null, 0, null);
            take(inbox, 1, stage, i);
        }
        for (int i = 0; i < 5 * SMALL; i++) {
            assertThat(inbox.offer(i + 1, i % 2 == 0 ? stage : other, i, null, 0, null))
                    .isEqualTo(before + i);
        }
        for (int i = 0; i < 5 * SMALL; i++) {
            take(inbox, i + 1, i % 2 == 0 ? stage : other, i);
        }
        assertThat(inbox.isEmpty()).isTrue();
    }

    // Far beyond the largest buffer: more of them, one behind the other.
    @ParameterizedTest
    @ValueSource(ints = {SMALL, Inbox.LENGTH_MIN, Inbox.LENGTH_MAX})
    void farAhead_severalJumps_keepTheOrder(int length) {
        Inbox inbox = new Inbox(length);
        int count = 4 * Inbox.LENGTH_MAX;
        for (int i = 0; i < count; i++) {
            inbox.offer(i + 1, stage, i, null, 0, null);
        }
        assertThat(inbox.producerBuffer.mask).isEqualTo(Inbox.LENGTH_MAX - 1);
        assertThat(size(inbox)).isEqualTo(count);
        int wrong = 0;
        for (int i = 0; i < count; i++) {
            wrong += inbox.peek() == i + 1 && inbox.event().equals(i) && inbox.stage() == stage ? 0 : 1;
            inbox.consume();
        }
        assertThat(wrong).isZero();
        assertThat(inbox.isEmpty()).isTrue();
        Inbox.Buffer last = inbox.producerBuffer;
        assertThat(inbox.consumerBuffer).isSameAs(last);
        for (int i = 0; i < 2 * (last.mask + 1); i++) {
            inbox.offer(1, stage, null, null, 0, null);
            take(inbox, 1, stage, null);
        }
        assertThat(inbox.producerBuffer).as("it does not grow again").isSameAs(last);
    }

    @Test
    void consume_letsGoOfTheEvent() {
        Inbox inbox = new Inbox(SMALL);
        for (int i = 0; i < 3 * SMALL; i++) {
            inbox.offer(1, stage, "event", null, 0, null);
        }
        List<Inbox.Buffer> buffers = new ArrayList<>();
        for (int i = 0; i < 3 * SMALL; i++) {
            inbox.peek();
            if (!buffers.contains(inbox.consumerBuffer)) {
                buffers.add(inbox.consumerBuffer);
            }
            inbox.consume();
        }
        assertThat(buffers).hasSize(3);
        for (Inbox.Buffer buffer : buffers) {
            for (int slot = 0; slot <= buffer.mask; slot++) {
                assertThat(buffer.event(slot)).isNull();
            }
        }
        for (int slot = 0; slot <= inbox.producerBuffer.mask; slot++) {
            assertThat(inbox.producerBuffer.key(slot)).isZero();
        }
    }

    @Test
    void randomOffersAndTakes_areAQueue() {
        Random random = new Random(Seed.of("InboxTest"));
        for (int round = 0; round < 200; round++) {
            Inbox inbox = new Inbox(1 << 1 + random.nextInt(4));
            int in = 0;
            int out = 0;
            for (int i = 0; i < 500; i++) {
                if (random.nextInt(100) < 20 + round % 60) {
                    Object event = random.nextInt(3) == 0 ? null : in;
                    assertThat(inbox.offer(in + 1, in % 3 == 0 ? stage : other, event, null, 0, null))
                            .isEqualTo(in);
                    in++;
                } else if (out < in) {
                    assertThat(inbox.peek()).isEqualTo(out + 1);
                    assertThat(inbox.stage()).isSameAs(out % 3 == 0 ? stage : other);
                    assertThat(inbox.event()).isIn(null, out);
                    inbox.consume();
                    out++;
                } else {
                    assertThat(inbox.peek()).isZero();
                }
                assertThat(size(inbox)).isEqualTo(in - out);
                assertThat(inbox.isEmpty()).isEqualTo(in == out);
            }
        }
    }

    // ------------------------------------------------------------------ threads

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 4})
    @Timeout(value = 120, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void manySenders_nothingIsLost_eachInItsOrder(int senders) throws InterruptedException {
        int each = 2_000_000 / senders;
        Inbox inbox = new Inbox(SMALL);
        AtomicReference<String> wrong = new AtomicReference<>();
        List<Thread> threads = new ArrayList<>();
        for (int sender = 1; sender <= senders; sender++) {
            int key = sender;
            HandlerProfile own = Lane.handler(sender);
            Thread thread = new Thread(() -> {
                long before = -1;
                for (int i = 0; i < each; i++) {
                    long position = inbox.offer(key, own, i, null, 0, null);
                    if (position <= before) {
                        wrong.set("positions of sender " + key + ": " + position + " after " + before);
                    }
                    before = position;
                }
            });
            threads.add(thread);
            thread.start();
        }
        int[] next = new int[senders + 1];
        HandlerProfile[] stages = new HandlerProfile[senders + 1];
        for (long taken = 0; taken < (long) senders * each; taken++) {
            int key = inbox.peek();
            while (key == 0) {
                Thread.onSpinWait();
                key = inbox.peek();
            }
            stages[key] = stages[key] == null ? inbox.stage() : stages[key];
            if (!inbox.event().equals(next[key]++) || inbox.stage() != stages[key]) {
                wrong.compareAndSet(null, "entry " + taken + " of sender " + key + ": " + inbox.event());
            }
            inbox.consume();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(wrong.get()).isNull();
        assertThat(inbox.isEmpty()).isTrue();
        assertThat(inbox.peek()).isZero();
        for (int sender = 1; sender <= senders; sender++) {
            assertThat(next[sender]).isEqualTo(each);
        }
    }
}
