// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.mely.Color;
import io.mely.Mely;
import io.mely.MelyStats;
import io.mely.Stage;
import io.mely.StageOptions;
import io.mely.StageStats;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

// The figures of a stage, and its bound.
class SteppedStageTest {
    private final Stepper stepper = new Stepper(Mely.builder().cores(2).errorHandler(failure -> {}));
    private final List<String> ran = new ArrayList<>();

    @AfterEach
    void close() {
        stepper.close();
    }

    private Color color(int slot) {
        return stepper.mely.colorAt(slot);
    }

    private Stage<String> bounded(int capacity) {
        return stepper.mely.stage("bounded", StageOptions.defaults().withCapacity(capacity), ran::add);
    }

    @Test
    void counts_areOfTheStage() {
        Stage<Integer> stage = stepper.mely.stage("counted", event -> {
            if (event % 10 == 0) {
                throw new IllegalStateException("planned");
            }
        });
        Stage<String> other = stepper.mely.stage("other", ran::add);
        for (int i = 0; i < 100; i++) {
            assertThat(stage.offer(color(1 + i % 4), i)).isTrue();
        }
        other.send("x");
        assertThat(stage.stats().pending()).isEqualTo(100);
        stepper.clock.advance(1_000_000_000);
        stepper.run(0);
        stepper.run(1);
        StageStats stats = stage.stats();
        assertThat(stats.stage()).isEqualTo("counted");
        assertThat(stats.sent()).isEqualTo(100);
        assertThat(stats.run()).isEqualTo(100);
        assertThat(stats.failed()).isEqualTo(10);
        assertThat(stats.pending()).isZero();
        assertThat(stats.runPerS()).isEqualTo(100e9 / stats.spanNs());
        assertThat(other.stats().run()).isEqualTo(1);
        MelyStats all = stepper.mely.stats();
        assertThat(all.stages()).extracting(StageStats::stage).containsExactly("execute", "counted", "other");
        assertThat(all.stages().stream().mapToLong(StageStats::run).sum()).isEqualTo(all.run());
        assertThat(all.stages().stream().mapToLong(StageStats::sent).sum()).isEqualTo(all.sent());
    }

    // An event that waits 100 us and takes 20 us: every one of them is timed, as it takes so long.
    @Test
    void times_areOfTheHandler_andFromTheSendOn() {
        Stage<String> stage = stepper.mely.stage(
                "slow",
                StageOptions.defaults().withProcessingTime(Duration.ofNanos(20_000)),
                event -> stepper.clock.advance(20_000));
        for (int i = 0; i < 50; i++) {
            stage.send(color(1), "x");
            stepper.clock.advance(100_000);
            stepper.run(1);
        }
        StageStats before = stage.stats();
        assertThat(before.service().count()).isEqualTo(50);
        assertThat(before.service().percentileNs(50)).isBetween(20_000L, 22_500L);
        assertThat(before.sojourn().percentileNs(0)).isBetween(120_000L, 135_000L);
        assertThat(before.sojourn().percentileNs(100)).isBetween(120_000L, 135_000L);

        stage.send(color(1), "x");
        stepper.clock.advance(1_000_000);
        stepper.run(1);
        StageStats since = stage.stats().since(before);
        assertThat(since.run()).isEqualTo(1);
        assertThat(since.sojourn().count()).isEqualTo(1);
        assertThat(since.sojourn().percentileNs(50)).isBetween(1_020_000L, 1_147_500L);
        assertThat(since.spanNs()).isEqualTo(1_020_000);
    }

    // Of short events some are timed, however many wait.
    @Test
    void times_ofShortEvents_areSampled() {
        Stage<Integer> stage = stepper.mely.stage(
                "short", StageOptions.defaults().withProcessingTime(Duration.ofNanos(100)), event -> {});
        for (int i = 0; i < 61 * 100; i++) {
            stage.send(color(1), i);
        }
        stepper.run(1);
        assertThat(stage.stats().sojourn().count()).isEqualTo(100);
        assertThat(stage.stats().run()).isEqualTo(6_100);
    }

    @Test
    void bound_isExact_andFreedAsEventsBegin() {
        Stage<String> stage = bounded(3);
        for (int i = 0; i < 5; i++) {
            assertThat(stage.offer(color(1 + i), "event " + i)).isEqualTo(i < 3);
        }
        assertThat(stage.stats().refused()).isEqualTo(2);
        stepper.run(0);
        stepper.run(1);
        assertThat(ran).hasSize(3);
        assertThat(stage.offer(color(1), "later")).isTrue();
        assertThat(stepper.mely.stats().refused()).isEqualTo(2);
    }

    // A handler may send to its own stage, as its own place is free: in its own color, where events are fused, and in
    // another.
    @Test
    void bound_ofOne_letsAHandlerSendOn() {
        List<Integer> left = new ArrayList<>();
        AtomicReference<Stage<Integer>> stage = new AtomicReference<>();
        stage.set(stepper.mely.stage("chain", StageOptions.defaults().withCapacity(1), number -> {
            left.add(number);
            if (number > 0) {
                assertThat(stage.get().offer(number % 2 == 0 ? Color.current() : color(number), number - 1))
                        .isTrue();
                assertThat(stage.get().offer(Color.current(), number - 1)).isFalse();
            }
        }));
        assertThat(stage.get().offer(color(1), 6)).isTrue();
        for (int i = 0; i < 10; i++) {
            stepper.run(i % 2);
        }
        assertThat(left).containsExactly(6, 5, 4, 3, 2, 1, 0);
    }

    // Timers were promised a run.
    @Test
    void timers_thatAreDue_enterAFullStage() {
        Stage<String> stage = bounded(1);
        stage.send(color(2), "event");
        color(2).schedule(Duration.ZERO, stage, "timer");
        stepper.run(0);
        stepper.run(0);
        assertThat(ran).containsExactlyInAnyOrder("event", "timer");
        assertThat(stage.offer(color(2), "later")).isTrue();
    }
}
