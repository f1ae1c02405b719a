// SPDX-License-Identifier: Apache-2.0
package io.mely;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mely.spi.StageGroup;
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
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

// What no promise survives, an error of a poller or of a group in the middle of a send, stops the runtime at once and
// is named; it
// never leaves a core spinning or a close waiting.
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
        boolean unused = leaf.offer(deep.colorAt(depth % 7), depth);
        return depth == Integer.MAX_VALUE ? 0 : recurse(depth + 1) + 1;
    }

    // Wherever the overflow strikes, the runtime goes on: see StackEndTest.
    @RepeatedTest(20)
    void stackOverflow_anywhereInAHandlerThatSends_isItsOwnFailure() {
        AtomicLong overflows = new AtomicLong();
        deep = Mely.builder()
                .name("deep")
                .cores(2)
                .pinned(false)
                .errorHandler(failure -> {
                    if (failure.cause() instanceof StackOverflowError) {
                        overflows.incrementAndGet();
                    }
                })
                .build();
        AtomicLong calls = new AtomicLong();
        leaf = deep.stage("leaf", event -> calls.incrementAndGet());
        Stage<Integer> overflowing = deep.stage("overflows", event -> {
            calls.incrementAndGet();
            recurse(event);
        });
        deep.start();
        for (int i = 0; i < 20; i++) {
            overflowing.send(deep.colorAt(3), i);
        }
        Await.until("all have overflowed", () -> overflows.get() == 20);
        assertThat(leaf.offer(0)).isTrue();
        assertThat(deep.close(NEVER).isDrained()).isTrue();
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

    private static Handler logInto(List<String> messages) {
        return new Handler() {
            @Override
            public void publish(LogRecord record) {
                messages.add(record.getMessage() + ": " + record.getThrown());
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
    }

    // A poller that takes more stack than there is has a bug as any other: it is logged, and every thread ends.
    @Test
    void wakeupThatOverflows_stopsTheRuntime_andIsLogged() {
        CountDownLatch blocks = new CountDownLatch(1);
        AtomicReference<Throwable> thrown = new AtomicReference<>();
        List<String> messages = new CopyOnWriteArrayList<>();
        Mely mely = Mely.builder()
                .name("greedy")
                .cores(2)
                .pinned(false)
                .policy(Policy.colored(Stealing.off()))
                .pollers(seat -> new Moody(seat, new AtomicBoolean(), blocks) {
                    @Override
                    public void wakeup() {
                        if (Thread.currentThread().getName().equals("overflows") && thrown.get() == null) {
                            throw new StackOverflowError("planned");
                        }
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
            assertThat(mely.close(NEVER).isDrained()).isFalse();
            assertThreadsEnd("greedy");
            assertThat(messages).contains("a send broke off half-way; the runtime stops: " + thrown.get());
        } finally {
            logger.removeHandler(log);
        }
    }

    // Before the start there is nobody to join, and afterwards no start.
    @Test
    void breakdownBeforeTheStart_closesAndDoesNotStart() {
        StageGroup.Sink broken = lane -> {
            throw new IllegalStateException("planned");
        };
        deep = Mely.builder()
                .name("deep")
                .cores(2)
                .pinned(false)
                .policy("broken", Policy.of("broken", workers -> groupOf(broken)))
                .build();
        leaf = deep.stage("leaf", StageOptions.defaults().withGroup("broken"), event -> {});
        assertThatThrownBy(() -> leaf.send(0)).hasMessage("planned");
        assertThatIllegalStateException().isThrownBy(deep::start);
        assertThat(deep.close(NEVER).isDrained()).isFalse();
    }

    private static StageGroup groupOf(StageGroup.Sink sink) {
        return new StageGroup() {
            @Override
            public Sink sink(Stage<?> stage) {
                return sink;
            }

            @Override
            public @Nullable Visitor visitor(int core) {
                return null;
            }
        };
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
