// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.mely.Color;
import io.mely.Mely;
import io.mely.MelyBuilder;
import io.mely.Policy;
import io.mely.Stage;
import io.mely.StageOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

// One core, stepped: how much of a color runs before others have their turn.
class SteppedTurnTest {
    private final List<String> ran = Collections.synchronizedList(new ArrayList<>());
    private Stepper stepper = stepper(Mely.builder());

    private Stepper stepper(MelyBuilder builder) {
        return new Stepper(builder.cores(1));
    }

    private void rebuild(MelyBuilder builder) {
        stepper.close();
        stepper = stepper(builder);
    }

    @AfterEach
    void close() {
        stepper.close();
    }

    private Stage<String> recorder(String name) {
        return stepper.mely.stage(name, ran::add);
    }

    static List<String> times(Object... countsAndNames) {
        List<String> list = new ArrayList<>();
        for (int i = 0; i < countsAndNames.length; i += 2) {
            list.addAll(Collections.nCopies((Integer) countsAndNames[i], (String) countsAndNames[i + 1]));
        }
        return list;
    }

    private void send(Stage<String> stage, int color, int events, String name) {
        for (int i = 0; i < events; i++) {
            stage.offer(stepper.mely.colorAt(color), name);
        }
    }

    /** A stage whose events take so long by the clock. */
    private Stage<String> lasting(long timeNs, StageOptions options) {
        return stepper.mely.stage("lasting " + timeNs, options, name -> {
            ran.add(name);
            stepper.clock.advance(timeNs);
        });
    }

    private Stage<String> lasting(long timeNs) {
        return lasting(timeNs, StageOptions.defaults());
    }

    // ------------------------------------------------------------------ order and batches

    // Acceptance check 2.
    @Test
    void batch_twoColorsWith25EventsEach() {
        rebuild(Mely.builder().policy(Policy.colored().withBatchThreshold(Policy.BATCH_THRESHOLD_EVENTS)));
        Stage<String> stage = recorder("s");
        send(stage, 1, 25, "X");
        send(stage, 2, 25, "Y");
        stepper.run(0);
        assertThat(ran).isEqualTo(times(10, "X", 10, "Y", 10, "X", 10, "Y", 5, "X", 5, "Y"));
    }

    @Test
    void batch_thresholdIsASetting() {
        rebuild(Mely.builder().policy(Policy.colored().withBatchThreshold(3)));
        Stage<String> stage = recorder("s");
        send(stage, 1, 4, "X");
        send(stage, 2, 4, "Y");
        stepper.run(0);
        assertThat(ran).isEqualTo(times(3, "X", 3, "Y", 1, "X", 1, "Y"));
    }

    @Test
    void turn_oneColorAlone_runsInOrder() {
        Stage<Integer> stage = stepper.mely.stage("s", i -> ran.add("" + i));
        IntStream.range(0, 100).forEach(i -> stage.offer(stepper.mely.colorAt(1), i));
        assertThat(stepper.step(0)).isEqualTo(100);
        assertThat(ran).isEqualTo(IntStream.range(0, 100).mapToObj(i -> "" + i).toList());
        assertThat(stepper.step(0)).isZero();
    }

    // ------------------------------------------------------------------ turns

    @Test
    void turn_isForAllThatWasPending() {
        Stage<String> stage = recorder("s");
        send(stage, 1, 40, "X");
        send(stage, 2, 15, "Y");
        send(stage, 3, 8, "Z");
        stepper.run(0);
        assertThat(ran).isEqualTo(times(40, "X", 15, "Y", 8, "Z"));
    }

    // Twelve were pending; the 13th came while they ran.
    @Test
    void turn_whatComesMeanwhile_waits() {
        AtomicReference<Stage<String>> again = new AtomicReference<>();
        again.set(stepper.mely.stage("again", name -> {
            ran.add(name);
            if (ran.size() == 1) {
                again.get().offer(Color.current(), "later");
            }
        }));
        send(again.get(), 1, 12, "X");
        send(again.get(), 2, 3, "Y");
        stepper.run(0);
        assertThat(ran).isEqualTo(times(12, "X", 3, "Y", 1, "later"));
    }

    // A flood of one color has a slice, and then the others have theirs.
    @Test
    void turn_isNoLongerThanASlice() {
        Stage<String> stage = lasting(10_000);
        send(stage, 1, 25, "X");
        send(stage, 2, 2, "Y");
        for (int slice = 1; slice <= 2; slice++) {
            assertThat(stepper.step(0)).isEqualTo(10);
            assertThat(stepper.stats(0).polls())
                    .as("a slice is followed by a poll")
                    .isEqualTo(slice);
        }
        stepper.step(0);
        assertThat(ran).isEqualTo(times(10, "X", 2, "Y", 15, "X"));
    }

    @Test
    void turn_cutByThePoll_goesOnAfterTheOthers() {
        Stage<String> stage = lasting(10_000);
        send(stage, 1, 6, "X");
        send(stage, 2, 8, "Y");
        send(stage, 3, 1, "Z");
        assertThat(stepper.step(0)).isEqualTo(10);
        assertThat(ran).isEqualTo(times(6, "X", 4, "Y"));
        stepper.run(0);
        assertThat(ran).isEqualTo(times(6, "X", 4, "Y", 1, "Z", 4, "Y"));
    }

    @Test
    void turn_cutByThePoll_urgentColorComesFirst() {
        Stage<String> stage = lasting(10_000);
        send(stage, 1, 6, "X");
        send(stage, 2, 8, "Y");
        assertThat(stepper.step(0)).isEqualTo(10);
        send(lasting(10_000, StageOptions.defaults().withPriority(6)), 4, 1, "urgent");
        stepper.run(0);
        assertThat(ran).isEqualTo(times(6, "X", 4, "Y", 1, "urgent", 4, "Y"));
    }

    // ------------------------------------------------------------------ time

    @Test
    void turn_eventLongerThanTheSlice_runsAlone() {
        Stage<String> stage = lasting(150_000);
        send(stage, 1, 2, "X");
        send(stage, 2, 1, "Y");
        assertThat(stepper.step(0)).isEqualTo(1);
        stepper.run(0);
        assertThat(ran).isEqualTo(times(1, "X", 1, "Y", 1, "X"));
    }

    // What its stage took before, or is annotated with, does not count: the clock does.
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void slice_ofAStageThatBecomesSlow_endsSoon(boolean isAnnotated) {
        long[] timeNs = {1_000};
        StageOptions options = isAnnotated
                ? StageOptions.defaults().withProcessingTime(Duration.ofNanos(1_000))
                : StageOptions.defaults();
        Stage<String> stage = stepper.mely.stage("turns slow", options, name -> stepper.clock.advance(timeNs[0]));
        send(stage, 1, 200, "X");
        stepper.run(0);
        timeNs[0] = 5_000_000;
        send(stage, 1, 100, "X");
        assertThat(stepper.step(0)).as("then it polls").isEqualTo(1);
    }

    // Of events that are thought to take nothing the clock is read after some.
    @Test
    void slice_ofAStageThatIsAnnotatedFarTooShort_endsAfterSome() {
        StageOptions options = StageOptions.defaults().withProcessingTime(Duration.ofNanos(1));
        Stage<String> stage = lasting(5_000_000, options);
        send(stage, 1, 1_000, "X");
        assertThat(stepper.step(0)).isLessThanOrEqualTo(40);
    }

    // ------------------------------------------------------------------ priorities

    @Test
    void priorities_orderColorsOfACore() {
        Stage<String> low = stepper.mely.stage("low", StageOptions.defaults().withPriority(0), ran::add);
        Stage<String> high = stepper.mely.stage("high", StageOptions.defaults().withPriority(7), ran::add);
        Stage<String> middle = recorder("middle");
        low.offer(stepper.mely.colorAt(1), "low");
        middle.offer(stepper.mely.colorAt(2), "middle");
        high.offer(stepper.mely.colorAt(3), "high");
        stepper.run(0);
        assertThat(ran).containsExactly("high", "middle", "low");
    }

    // Priority orders colors, never the events of one color.
    @Test
    void priorities_doNotReorderAColor() {
        Stage<String> low = stepper.mely.stage("low", StageOptions.defaults().withPriority(0), ran::add);
        Stage<String> high = stepper.mely.stage("high", StageOptions.defaults().withPriority(7), ran::add);
        low.offer(stepper.mely.colorAt(1), "a");
        high.offer(stepper.mely.colorAt(1), "b");
        low.offer(stepper.mely.colorAt(1), "c");
        recorder("other").offer(stepper.mely.colorAt(2), "other");
        stepper.run(0);
        assertThat(ran).containsExactly("a", "b", "c", "other");
    }

    // A level that is never empty does not starve those below.
    @Test
    void priorities_lowLevelDoesNotStarve() {
        int[] rounds = {0};
        boolean[] lowRan = {false};
        AtomicReference<Stage<String>> high = new AtomicReference<>();
        high.set(stepper.mely.stage("high", StageOptions.defaults().withPriority(7), name -> {
            if (rounds[0]++ < 100_000 && !lowRan[0]) {
                high.get().offer(Color.current(), name);
            }
        }));
        Stage<String> low =
                stepper.mely.stage("low", StageOptions.defaults().withPriority(0), name -> lowRan[0] = true);
        low.offer(stepper.mely.colorAt(1), "low");
        high.get().offer(stepper.mely.colorAt(2), "high");
        high.get().offer(stepper.mely.colorAt(3), "high");
        stepper.run(0);
        assertThat(lowRan[0]).isTrue();
        assertThat(rounds[0]).isLessThan(2_000);
    }
}
