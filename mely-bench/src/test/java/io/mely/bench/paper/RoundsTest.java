// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.paper;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Property: what the harness does between two rounds is in no figure of the contender. */
class RoundsTest {
    private static final long HOMING_NS = 1_000_000;

    /** Brings each key home at length. */
    private static final class Slow implements KeyedExecutor {
        private final OneThread thread = new OneThread();
        private long homingNs;

        @Override
        public void execute(int key, int kind, Runnable event) {
            thread.execute(key, kind, event);
        }

        @Override
        public boolean leavesKeysAway() {
            return true;
        }

        @Override
        public Homing rehome(int key) {
            long startNs = System.nanoTime();
            while (System.nanoTime() - startNs < HOMING_NS) {
                Thread.onSpinWait();
            }
            homingNs += System.nanoTime() - startNs;
            return Homing.BROUGHT;
        }

        @Override
        public void close() {
            thread.close();
        }
    }

    @Test
    void homing_isNotMeasured() {
        Workload workload = new Unbalanced(Unbalanced.Options.paper().withColors(20));
        long startNs = System.nanoTime();
        Slow slow = new Slow();
        Workload.Measured measured;
        try (slow) {
            measured = workload.run(
                    slow,
                    0,
                    Duration.ofMillis(100).toNanos(),
                    Duration.ofSeconds(20).toNanos());
        }
        long wallNs = System.nanoTime() - startNs;
        assertThat(slow.homingNs).isGreaterThan(2 * HOMING_NS);
        assertThat(measured.broughtHome()).isPositive();
        assertThat(measured.elapsedNs() + slow.homingNs)
                .as("measured, and spent between the rounds: more than there was, if one is in the other")
                .isLessThanOrEqualTo(wallNs);
    }
}
