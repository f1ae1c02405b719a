// SPDX-License-Identifier: Apache-2.0
package io.mely;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

// What no promise survives stops the runtime at once and is named; it never leaves a core spinning or a close waiting.
@Timeout(value = 2, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class BreakdownTest {
    /** A close that waits for it runs into the timeout of the test. */
    private static final Duration NEVER = Duration.ofHours(1);

    private final Logger logger = Logger.getLogger("io.mely");

    // Each overflow is logged with a thousand frames, and so it should be, but not here.
    @BeforeEach
    void silence() {
        logger.setUseParentHandlers(false);
    }

    @AfterEach
    void speak() {
        logger.setUseParentHandlers(true);
    }

    private static void assertThreadsEnd(String name) {
        Await.until(
                "the cores' threads are gone",
                () -> Thread.getAllStackTraces().keySet().stream()
                        .noneMatch(thread -> thread.getName().startsWith(name + "-")));
    }

    // ------------------------------------------------------------------ stack overflow

    private Mely deep;
    private Stage<Integer> leaf;

    private int recurse(int depth) {
        leaf.offer(deep.colorAt(depth % 7), depth);
        return depth == Integer.MAX_VALUE ? 0 : recurse(depth + 1) + 1;
    }

    // The overflow strikes in the handler, in a send that holds the lock, or in one that has appended and not made
    // ready. In the first
    // case the runtime goes on, in the others it stops; the close comes back in all.
    @RepeatedTest(20)
    void stackOverflow_anywhereInASend_hangsNobody() {
        AtomicBoolean hasOverflowed = new AtomicBoolean();
        deep = Mely.builder()
                .name("deep")
                .cores(2)
                .pinned(false)
                .errorHandler(
                        failure -> hasOverflowed.compareAndSet(false, failure.cause() instanceof StackOverflowError))
                .build();
        AtomicLong calls = new AtomicLong();
        leaf = deep.stage("leaf", event -> calls.incrementAndGet());
        Stage<Integer> overflows = deep.stage("overflows", event -> {
            calls.incrementAndGet();
            recurse(event);
        });
        deep.start();
        for (int i = 0; i < 20; i++) {
            overflows.offer(deep.colorAt(3), i);
        }
        Await.until("the first one has run", () -> hasOverflowed.get() || !leaf.offer(0));
        deep.close(NEVER);
        assertThreadsEnd("deep");
        assertThat(deep.stats().run()).isEqualTo(calls.get());
    }

    // ------------------------------------------------------------------ a poller with a bug

    /** Parks; throws instead of waking, once, when told to. */
    private static class Moody extends ParkingPoller {
        private final AtomicBoolean isMoody;
        private final CountDownLatch blocks;

        Moody(Seat seat, AtomicBoolean isMoody, CountDownLatch blocks) {
            super(seat);
            this.isMoody = isMoody;
            this.blocks = blocks;
        }

        @Override
        public int block(long timeoutNs) {
            if (seat().core() == 1) {
                blocks.countDown();
            }
            return super.block(timeoutNs);
        }

        @Override
        public void wakeup() {
            if (isMoody.compareAndSet(true, false)) {
                throw new IllegalStateException("planned");
            }
            super.wakeup();
        }
    }

    // The send has counted and published its event when the wake-up throws: nobody knows what is true after that.
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void send_breaksOffHalfWay_stopsTheRuntime(boolean isOutside) throws Exception {
        AtomicBoolean isMoody = new AtomicBoolean();
        CountDownLatch blocks = new CountDownLatch(1);
        AtomicReference<Throwable> thrown = new AtomicReference<>();
        Mely mely = Mely.builder()
                .name("moody")
                .cores(2)
                .pinned(false)
                .policy(Policy.colored(Stealing.off()))
                .pollers(seat -> new Moody(seat, isMoody, blocks))
                .build()
                .start();
        Stage<String> stage = mely.stage("s", event -> {});
        Runnable sending = () -> {
            Await.until("core 1 sleeps", () -> blocks.getCount() == 0);
            isMoody.set(true);
            try {
                for (int i = 0; thrown.get() == null; i++) {
                    stage.offer(mely.colorAt(i % 16), "x");
                }
            } catch (IllegalStateException e) {
                thrown.set(e);
            }
        };
        if (isOutside) {
            sending.run();
        } else {
            mely.colorAt(2).execute(sending);
        }
        Await.until("the send has broken off", () -> thrown.get() != null);
        Await.until("the runtime has stopped", () -> !stage.offer("after"));
        assertThat(mely.close(NEVER).isDrained()).isFalse();
        assertThreadsEnd("moody");
    }

    /** As if a thread of that name had no stack left. */
    private static void overflow() {
        if (Thread.currentThread().getName().equals("overflows")) {
            throw new StackOverflowError("planned");
        }
    }

    private static Handler logInto(List<String> messages) {
        return new Handler() {
            @Override
            public void publish(LogRecord record) {
                overflow();
                messages.add(record.getMessage() + ": " + record.getThrown());
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
    }

    // Who breaks the runtime may be unable to wake a core or to log: the next one to send wakes them, and a core says
    // why.
    @Test
    void stackOverflowOutside_isToldByACore() {
        CountDownLatch blocks = new CountDownLatch(1);
        AtomicReference<Throwable> thrown = new AtomicReference<>();
        List<String> messages = new CopyOnWriteArrayList<>();
        Mely mely = Mely.builder()
                .name("untold")
                .cores(2)
                .pinned(false)
                .policy(Policy.colored(Stealing.off()))
                .pollers(seat -> new Moody(seat, new AtomicBoolean(), blocks) {
                    @Override
                    public void wakeup() {
                        overflow();
                        super.wakeup();
                    }
                })
                .build()
                .start();
        Stage<String> stage = mely.stage("s", event -> {});
        Await.until("core 1 sleeps", () -> blocks.getCount() == 0);
        Runnable sending = () -> {
            try {
                for (int i = 0; stage.offer(mely.colorAt(i % 16), "x"); i++) {}
            } catch (StackOverflowError e) {
                thrown.set(e);
            }
        };
        Handler log = logInto(messages);
        logger.addHandler(log);
        try {
            Thread overflows = new Thread(sending, "overflows");
            overflows.start();
            Await.until("it has overflowed", () -> !overflows.isAlive());
            assertThat(thrown.get()).hasMessage("planned");
            assertThat(stage.offer("after")).isFalse();
            assertThat(mely.isAccepting()).isFalse();
            assertThreadsEnd("untold");
            assertThat(messages)
                    .containsExactly("a call from outside broke off half-way; the runtime stops: " + thrown.get());
            assertThat(mely.close(NEVER).isDrained()).isFalse();
            assertThat(messages)
                    .filteredOn(message -> message.contains("half-way"))
                    .hasSize(1);
        } finally {
            logger.removeHandler(log);
        }
    }

    // Before the start there is nobody to join, and afterwards no start.
    @Test
    void breakdownBeforeTheStart_closesAndDoesNotStart() {
        deep = Mely.builder().name("deep").cores(2).pinned(false).build();
        leaf = deep.stage("leaf", event -> {});
        for (int i = 0; i < 50 && leaf.offer(0); i++) {
            Thread overflows = new Thread(
                    null,
                    () -> assertThatThrownBy(() -> recurse(0)).isInstanceOf(StackOverflowError.class),
                    "deep-sender",
                    200_000 + i);
            overflows.start();
            Await.until("it has overflowed", () -> !overflows.isAlive());
        }
        if (!leaf.offer(0)) { // the overflow struck inside a send
            assertThatIllegalStateException().isThrownBy(deep::start);
        }
        assertThat(deep.close(NEVER).isDrained()).isFalse();
    }

    // A timer from outside wakes its core as a send does.
    @Test
    void schedule_breaksOffHalfWay_stopsTheRuntime() {
        AtomicBoolean isMoody = new AtomicBoolean();
        CountDownLatch blocks = new CountDownLatch(1);
        Mely mely = Mely.builder()
                .name("moody")
                .cores(2)
                .pinned(false)
                .policy(Policy.colored(Stealing.off()))
                .pollers(seat -> new Moody(seat, isMoody, blocks))
                .build()
                .start();
        Stage<String> stage = mely.stage("s", event -> {});
        Await.until("core 1 sleeps", () -> blocks.getCount() == 0);
        isMoody.set(true);
        assertThatThrownBy(() -> {
                    while (true) {
                        for (int i = 0; i < 16; i++) {
                            mely.colorAt(i).schedule(Duration.ofHours(1), stage, "x");
                        }
                    }
                })
                .hasMessage("planned");
        assertThat(stage.offer("after")).isFalse();
        assertThat(mely.close(NEVER).isDrained()).isFalse();
        assertThreadsEnd("moody");
    }
}
