// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

// A bound lets in no more than it says. An event that leaves calls one who waits, the last one all.
class StageBoundTest {
    private final StageBound bound = new StageBound(2);
    private final List<String> called = new ArrayList<>();

    private void fill() {
        assertThat(bound.tryEnter(false)).isTrue();
        assertThat(bound.tryEnter(false)).isTrue();
        assertThat(bound.tryEnter(false)).isFalse();
    }

    private void waits(String name) {
        assertThat(bound.callForRoom(() -> called.add(name))).isTrue();
    }

    @Test
    void withRoom_nobodyIsKept() {
        assertThat(bound.callForRoom(() -> called.add("a"))).isFalse();
        bound.end();
        assertThat(called).isEmpty();
    }

    @Test
    void leave_callsOne_inOrder_andTheLastAll() {
        fill();
        for (String name : List.of("a", "b", "c", "d")) {
            waits(name);
        }
        assertThat(called).isEmpty();
        bound.leave();
        assertThat(called).containsExactly("a");
        bound.leave();
        assertThat(called).containsExactly("a", "b", "c", "d");
    }

    @Test
    void whoIsCalledAndSends_keepsTheNextWaiting() {
        fill();
        assertThat(bound.callForRoom(() -> called.add("a" + bound.tryEnter(false))))
                .isTrue();
        waits("b");
        bound.leave();
        assertThat(called).containsExactly("atrue");
        bound.leave();
        assertThat(called).containsExactly("atrue", "b");
        assertThat(bound.waiting()).isEqualTo(1);
    }

    @Test
    void whoIsCalledAndRefused_mayWaitAgain() {
        fill();
        AtomicInteger calls = new AtomicInteger();
        Runnable action = new Runnable() {
            @Override
            public void run() {
                calls.incrementAndGet();
                assertThat(bound.tryEnter(false)).isTrue(); // a faster sender
                assertThat(bound.callForRoom(this)).isTrue();
            }
        };
        assertThat(bound.callForRoom(action)).isTrue();
        for (int i = 1; i <= 5; i++) {
            bound.leave();
            assertThat(calls).hasValue(i);
        }
    }

    @Test
    void actionThatThrows_isNotTheOthersMatter() {
        fill();
        assertThat(bound.callForRoom(() -> {
                    throw new IllegalStateException("planned");
                }))
                .isTrue();
        waits("b");
        bound.leave();
        bound.leave();
        assertThat(called).containsExactly("b");
    }

    @Test
    void dueEvents_areNoRoom() {
        fill();
        assertThat(bound.tryEnter(true)).isTrue();
        waits("a");
        bound.leave();
        assertThat(called).as("three places of two were taken").isEmpty();
        bound.leave();
        assertThat(called).containsExactly("a");
    }

    @Test
    void end_callsAll_andKeepsNobody() {
        fill();
        waits("a");
        waits("b");
        bound.end();
        assertThat(called).containsExactly("a", "b");
        assertThat(bound.callForRoom(() -> called.add("c"))).isFalse();
    }

    // Two threads send, two run what was sent, and two wait, half the time to send nothing: all who wait are called.
    @Test
    void stress_nobodyWaitsForGood() throws Exception {
        int rounds = 20_000;
        AtomicInteger inside = new AtomicInteger();
        AtomicBoolean isExceeded = new AtomicBoolean();
        CountDownLatch senders = new CountDownLatch(4);
        List<Thread> threads = new ArrayList<>();
        for (int t = 0; t < 4; t++) {
            boolean isWaiting = t >= 2;
            threads.add(new Thread(() -> {
                for (int i = 0; i < rounds; i++) {
                    boolean isSending = i % 2 == 0;
                    AtomicBoolean isCalled = new AtomicBoolean();
                    if (isWaiting && bound.callForRoom(() -> isCalled.set(true))) {
                        while (!isCalled.get()) {
                            Thread.onSpinWait();
                            Thread.yield();
                        }
                    }
                    if (isSending && bound.tryEnter(false)) {
                        inside.incrementAndGet();
                    }
                }
                senders.countDown();
            }));
        }
        for (int t = 0; t < 2; t++) {
            threads.add(new Thread(() -> {
                while (senders.getCount() != 0 || inside.get() != 0) {
                    int known = inside.get();
                    if (known == 0) {
                        Thread.yield();
                    } else if (inside.compareAndSet(known, known - 1)) {
                        isExceeded.compareAndSet(false, bound.waiting() > 2);
                        bound.leave();
                    }
                }
            }));
        }
        threads.forEach(Thread::start);
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(isExceeded).isFalse();
        assertThat(bound.waiting()).isZero();
    }
}
