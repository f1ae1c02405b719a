// SPDX-License-Identifier: Apache-2.0
package io.mely.sws;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.mely.sws.files.NativeMemory;
import io.mely.sws.http.HeadFields;
import io.mely.sws.http.HeadLimits;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

// Each thread has a state, no two living ones the same, and what a thread leaves is taken over.
@Timeout(value = 2, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ThreadStatesTest {
    private final NativeMemory memory = new NativeMemory(1 << 20);
    private ThreadStates states = states(2, TimeUnit.MINUTES.toNanos(1));

    private ThreadStates states(int most, long patienceNs) {
        InputMemory inputs = InputMemory.of(1 << 20, 2);
        return new ThreadStates(
                most,
                index -> new ThreadState(
                        new ExchangePool(
                                new HeadLimits(100, 1_000, 10),
                                new HeadFields(false, false, false),
                                0,
                                memory,
                                inputs,
                                1),
                        index,
                        null,
                        null, // no files are asked for
                        100,
                        null,
                        null,
                        memory,
                        false,
                        null),
                patienceNs);
    }

    @AfterEach
    void close() {
        states.all().forEach(ThreadState::close);
        assertThat(memory.usedBytes()).isZero();
    }

    private ThreadState ofThreadThatEnds() throws Exception {
        CompletableFuture<ThreadState> found = new CompletableFuture<>();
        Thread thread = new Thread(() -> found.complete(states.own()));
        thread.start();
        thread.join();
        return found.get();
    }

    @Test
    void threadsAtOnce_haveTheirOwn_andWhoEndsLeavesItsTo_theNext() throws Exception {
        ThreadState mine = states.own();
        assertThat(states.own()).isSameAs(mine);
        ThreadState first = ofThreadThatEnds();
        assertThat(first).isNotSameAs(mine);
        first.counters.accepted();
        for (int i = 0; i < 10; i++) {
            assertThat(ofThreadThatEnds()).isSameAs(first);
        }
        assertThat(states.all()).containsExactly(mine, first);
    }

    // A pool counts a thread as gone a little before it has ended.
    @Test
    void successor_waitsForTheEndOfWhoHasLeft() throws Exception {
        ThreadState mine = states.own();
        CountDownLatch hasState = new CountDownLatch(1);
        CountDownLatch mayEnd = new CountDownLatch(1);
        Thread leaving = new Thread(() -> {
            states.own();
            hasState.countDown();
            await(mayEnd);
        });
        leaving.start();
        await(hasState);
        CompletableFuture<ThreadState> found = new CompletableFuture<>();
        Thread successor = new Thread(() -> found.complete(states.own()));
        successor.start();
        SwsServerHarness.await(() -> successor.getState() == Thread.State.TIMED_WAITING);
        assertThat(found).isNotDone();
        mayEnd.countDown();
        assertThat(found.get(1, TimeUnit.MINUTES)).isNotSameAs(mine);
        successor.join();
        leaving.join();
    }

    @Test
    void moreThreadsThanAnnounced_areAnError() {
        states = states(1, 0);
        states.own();
        CompletableFuture<Void> other = CompletableFuture.runAsync(
                () -> assertThatIllegalStateException().isThrownBy(states::own).withMessageContaining("threads=1"),
                task -> new Thread(task).start());
        other.join();
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(1, TimeUnit.MINUTES)).isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
