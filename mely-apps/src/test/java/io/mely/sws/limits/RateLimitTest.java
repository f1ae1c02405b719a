// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.limits;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RateLimitTest {
    private static final long MS = TimeUnit.MILLISECONDS.toNanos(1);

    // A burst passes, then one for each interval; what was not used is saved up to the burst and no further. Also where
    // the clock
    // overflows.
    @ParameterizedTest
    @ValueSource(longs = {0, -5, Long.MAX_VALUE - 20 * 1_000_000})
    void take_burstThenRate(long startNs) {
        RateLimit limit = new RateLimit(100, 3, startNs);
        assertThat(taken(limit, 10, startNs)).isEqualTo(3);
        assertThat(limit.isFull(startNs)).isFalse();
        assertThat(taken(limit, 10, startNs + 9 * MS)).isZero();
        assertThat(taken(limit, 10, startNs + 10 * MS)).isEqualTo(1);
        assertThat(taken(limit, 10, startNs + 30 * MS)).isEqualTo(2);
        assertThat(limit.isFull(startNs + 60 * MS)).isTrue();
        assertThat(taken(limit, 10, startNs + 5_000 * MS)).isEqualTo(3);
    }

    // In the long run the rate, whatever the pattern, and refused tries cost nothing.
    @Test
    void take_floodForTenSeconds_isTheRate() {
        RateLimit limit = new RateLimit(1_000, 50, 0);
        int taken = 0;
        for (long nowNs = 0; nowNs < 10_000 * MS; nowNs += MS / 10) {
            taken += limit.take(nowNs) ? 1 : 0;
        }
        assertThat(taken).isBetween(10_000, 10_051);
    }

    // Cores that take at once get no token twice.
    @Test
    void take_byTwoThreads_isExact() throws Exception {
        RateLimit limit = new RateLimit(1, 100_000, 0);
        AtomicInteger taken = new AtomicInteger();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            threads.add(new Thread(() -> taken.addAndGet(taken(limit, 80_000, 0))));
        }
        threads.forEach(Thread::start);
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(taken).hasValue(100_000);
    }

    private static int taken(RateLimit limit, int tries, long nowNs) {
        int taken = 0;
        for (int i = 0; i < tries; i++) {
            taken += limit.take(nowNs) ? 1 : 0;
        }
        return taken;
    }
}
