// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mely.Color;
import io.mely.Mely;
import io.mely.MelyStats;
import io.mely.Stage;
import io.mely.StageOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

// A full runtime says so to the sender, keeps what it accepted, takes more as soon as there is room, and its books
// close.
class SteppedLimitTest {
    private static final int LIMIT = 4_096;
    private static final int TOLERANCE = 640; // "to within a few hundred per sending thread"

    private final AtomicInteger ran = new AtomicInteger();
    private final Stepper stepper = new Stepper(Mely.builder().cores(2).pendingEventsMax(LIMIT));
    private final Stage<Integer> stage = stepper.mely.stage("s", event -> ran.incrementAndGet());

    @AfterEach
    void close() {
        stepper.close();
    }

    private int fill(int colors) {
        int sent = 0;
        while (stage.offer(stepper.mely.colorAt(1 + sent % colors), sent)) {
            sent++;
        }
        return sent;
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 500})
    void outsideSender_isRefusedAtTheLimit(int colors) {
        int sent = fill(colors);
        assertThat(sent).isBetween(LIMIT - TOLERANCE, LIMIT + TOLERANCE);
        MelyStats stats = stepper.mely.stats();
        assertThat(stats.sentOutside()).isEqualTo(sent + 1);
        assertThat(stats.refusedOutside()).isEqualTo(1);
        assertThat(stats.pending()).isEqualTo(sent);
        assertThatThrownBy(() -> stepper.mely.colorAt(1).execute(() -> {}))
                .isInstanceOf(RejectedExecutionException.class)
                .hasMessageContaining("color=1");

        stepper.run(0, 1);
        assertThat(ran).hasValue(sent);
        assertThat(stepper.mely.stats().pending()).isZero();
    }

    // A fused event takes the place of another, and its credit.
    @Test
    void fusedShortEvents_leaveTheLimitWhereItIs() {
        StageOptions options = StageOptions.defaults().withProcessingTime(Duration.ofNanos(100));
        List<Stage<Integer>> chain = new ArrayList<>();
        chain.add(stepper.mely.stage("chain", options, left -> {
            if (left > 0) {
                chain.get(0).offer(Color.current(), left - 1);
            }
        }));
        chain.get(0).offer(stepper.mely.colorAt(1), 10 * LIMIT);
        stepper.run(0, 1);
        assertThat(stepper.mely.stats().run()).isEqualTo(10 * LIMIT + 1);
        assertThat(fill(7)).isBetween(LIMIT - TOLERANCE, LIMIT + TOLERANCE);
        stepper.run(0, 1);
    }

    // No record is lost on its way from the core back to the sender: it works as often as one likes.
    @Test
    void outsideSender_fillsAgainAndAgain() {
        int total = 0;
        for (int i = 0; i < 50; i++) {
            int sent = fill(7);
            assertThat(sent).isBetween(LIMIT - TOLERANCE, LIMIT + TOLERANCE);
            total += sent;
            stepper.run(i % 2, 1 - i % 2);
        }
        assertThat(ran).hasValue(total);
        assertThat(stepper.mely.stats().refused()).isEqualTo(50);
    }

    @Test
    void handler_isRefusedAtTheLimit() {
        AtomicInteger sent = new AtomicInteger();
        stepper.mely.colorAt(1).execute(() -> {
            while (stage.offer(stepper.mely.colorAt(2), 0)) {
                sent.incrementAndGet();
            }
        });
        stepper.run(0, 1);
        assertThat(sent.get()).isBetween(LIMIT - TOLERANCE, LIMIT + TOLERANCE);
        assertThat(ran).hasValue(sent.get());
        MelyStats stats = stepper.mely.stats();
        assertThat(stats.refused()).isEqualTo(1);
        assertThat(stats.sent()).isEqualTo(stats.run() + stats.refused());
    }

    @Test
    void close_countsWhatDidNotRun() {
        int sent = fill(3);
        Mely.CloseReport report = stepper.mely.close(java.time.Duration.ofSeconds(1));
        assertThat(report).isEqualTo(new Mely.CloseReport(false, sent, 0, 0));
        assertThat(stepper.mely.stats().discarded()).isEqualTo(sent);
        assertThat(stepper.mely.stats().pending()).isZero();
        assertThat(stage.offer(1)).isFalse();
        assertThat(ran).hasValue(0);
    }
}
