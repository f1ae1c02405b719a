// SPDX-License-Identifier: Apache-2.0
package io.mely;

import static org.assertj.core.api.Assertions.assertThat;

import io.mely.spi.Poller;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

// What no promise survives stops the runtime at once and is named; it never leaves a core spinning or a close waiting.
@Timeout(value = 2, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class BreakdownTest {
    private static final Duration PATIENCE = Duration.ofSeconds(Await.PATIENCE_S);

    private static void assertThreadsEnd(String name) {
        Await.until(
                "the cores' threads are gone",
                () -> Thread.getAllStackTraces().keySet().stream()
                        .noneMatch(thread -> thread.getName().startsWith(name + "-")));
    }

    private static void assertBooksClose(Mely mely) {
        MelyStats stats = mely.stats();
        assertThat(stats.run() + stats.refused() + stats.discarded())
                .as("invariant 3: %s", stats)
                .isEqualTo(stats.sent());
    }

    // ------------------------------------------------------------------ stack overflow

    private Mely deep;
    private Stage<Integer> leaf;

    private int recurse(int depth) {
        leaf.send(deep.colorAt(depth % 7), depth);
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
        leaf = deep.stage("leaf", event -> {});
        Stage<Integer> overflows = deep.stage("overflows", event -> recurse(event));
        deep.start();
        for (int i = 0; i < 20; i++) {
            overflows.send(deep.colorAt(3), i);
        }
        Await.until("the first one has run", () -> hasOverflowed.get() || !leaf.send(0));
        deep.close(PATIENCE);
        assertThreadsEnd("deep");
        assertBooksClose(deep);
    }

    // ------------------------------------------------------------------ a poller with a bug

    /** Parks, and throws when it has been woken, if told to. */
    private static final class Moody implements Poller {
        private final Seat seat;
        private final AtomicBoolean isMoody;
        private volatile Thread owner;
        private final CountDownLatch blocks;

        Moody(Seat seat, AtomicBoolean isMoody, CountDownLatch blocks) {
            this.seat = seat;
            this.isMoody = isMoody;
            this.blocks = blocks;
        }

        @Override
        public void start() {
            owner = Thread.currentThread();
        }

        @Override
        public int poll() {
            return 0;
        }

        @Override
        public int block(long timeoutNs) {
            if (seat.core() == 1) {
                blocks.countDown();
            }
            if (seat.mayBlock()) {
                LockSupport.parkNanos(this, timeoutNs);
            }
            return 0;
        }

        @Override
        public void wakeup() {
            LockSupport.unpark(owner);
            if (isMoody.get()) {
                throw new IllegalStateException("planned");
            }
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
                .stealing(Stealing.off())
                .pollers(seat -> new Moody(seat, isMoody, blocks))
                .build()
                .start();
        Stage<String> stage = mely.stage("s", event -> {});
        Runnable sending = () -> {
            Await.until("core 1 sleeps", () -> blocks.getCount() == 0);
            isMoody.set(true);
            try {
                for (int i = 0; thrown.get() == null; i++) {
                    stage.send(mely.colorAt(i % 16), "x");
                }
            } catch (IllegalStateException e) {
                thrown.set(e);
            }
            isMoody.set(false);
        };
        if (isOutside) {
            sending.run();
        } else {
            mely.colorAt(2).execute(sending);
        }
        Await.until("the send has broken off", () -> thrown.get() != null);
        Await.until("the runtime has stopped", () -> !stage.send("after"));
        assertThat(mely.close(PATIENCE).isDrained()).isFalse();
        assertThreadsEnd("moody");
        assertBooksClose(mely);
    }
}
