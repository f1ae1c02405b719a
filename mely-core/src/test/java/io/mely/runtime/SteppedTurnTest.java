// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.mely.Color;
import io.mely.Mely;
import io.mely.MelyBuilder;
import io.mely.Stage;
import io.mely.StageOptions;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

// One core, stepped: how much of a color runs before others have their turn.
class SteppedTurnTest {
    private final List<String> ran = Collections.synchronizedList(new ArrayList<>());
    private Stepper stepper = stepper(Mely.builder());

    private Stepper stepper(MelyBuilder builder) {
        return new Stepper(builder.cores(1).shortQueue(false)); // each event in its color
    }

    private void rebuild(MelyBuilder builder) {
        stepper.close();
        stepper = stepper(builder);
    }

    /** Turns of a batch each, as the report has them. */
    private void rebuildWithBatches(Duration timeSlice) {
        rebuild(Mely.builder().timeSlice(timeSlice).gatedTurns(false));
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

    // ------------------------------------------------------------------ order and batches

    // Acceptance check 2.
    @Test
    void batch_twoColorsWith25EventsEach() {
        rebuild(Mely.builder().gatedTurns(false));
        Stage<String> stage = recorder("s");
        for (int i = 0; i < 25; i++) {
            stage.send(stepper.mely.colorAt(1), "X");
            stage.send(stepper.mely.colorAt(2), "Y");
        }
        stepper.run(0);
        assertThat(ran).isEqualTo(times(10, "X", 10, "Y", 10, "X", 10, "Y", 5, "X", 5, "Y"));
    }

    @Test
    void batch_thresholdIsASetting() {
        rebuild(Mely.builder().batchThresholdEvents(3).gatedTurns(false));
        Stage<String> stage = recorder("s");
        for (int i = 0; i < 4; i++) {
            stage.send(stepper.mely.colorAt(1), "X");
            stage.send(stepper.mely.colorAt(2), "Y");
        }
        stepper.run(0);
        assertThat(ran).isEqualTo(times(3, "X", 3, "Y", 1, "X", 1, "Y"));
    }

    // A color alone runs on without being put back and picked again.
    @Test
    void batch_oneColorAlone_runsInOrder() {
        Stage<Integer> stage = stepper.mely.stage("s", i -> ran.add("" + i));
        IntStream.range(0, 100).forEach(i -> stage.send(stepper.mely.colorAt(1), i));
        assertThat(stepper.step(0)).isEqualTo(100);
        assertThat(ran).isEqualTo(IntStream.range(0, 100).mapToObj(i -> "" + i).toList());
        assertThat(stepper.step(0)).isZero();
    }

    // Its data is in the cache now, and would be pushed out by another color's.
    @Test
    void batch_ofEventsWithAPenalty_goesOn() {
        rebuild(Mely.builder().batchThresholdEvents(3).gatedTurns(false));
        Stage<String> dear = stepper.mely.stage("dear", StageOptions.defaults().withPenalty(4), ran::add);
        Stage<String> stage = recorder("s");
        for (int i = 0; i < 13; i++) {
            dear.send(stepper.mely.colorAt(1), "X");
        }
        for (int i = 0; i < 4; i++) {
            stage.send(stepper.mely.colorAt(2), "Y");
        }
        stepper.run(0);
        assertThat(ran).isEqualTo(times(12, "X", 3, "Y", 1, "X", 1, "Y"));
    }

    @Test
    void batch_ofEventsWithAPenalty_thatDoesNotCount_endsAtTheThreshold() {
        rebuild(Mely.builder().batchThresholdEvents(3).gatedTurns(false).penaltyInBatches(false));
        Stage<String> dear = stepper.mely.stage("dear", StageOptions.defaults().withPenalty(1_000), ran::add);
        for (int i = 0; i < 4; i++) {
            dear.send(stepper.mely.colorAt(1), "X");
            dear.send(stepper.mely.colorAt(2), "Y");
        }
        stepper.run(0);
        assertThat(ran).isEqualTo(times(3, "X", 3, "Y", 1, "X", 1, "Y"));
    }

    @Test
    void batch_ofEventsWithAPenalty_endsWithTheTimeSlice() {
        rebuild(Mely.builder().timeSlice(Duration.ofNanos(10_000)));
        StageOptions options = StageOptions.defaults().withPenalty(1_000).withProcessingTime(Duration.ofNanos(5_000));
        Stage<String> dear = stepper.mely.stage("dear", options, ran::add);
        for (int i = 0; i < 4; i++) {
            dear.send(stepper.mely.colorAt(1), "X");
            dear.send(stepper.mely.colorAt(2), "Y");
        }
        stepper.step(0);
        assertThat(ran).isEqualTo(times(2, "X"));
    }

    // ------------------------------------------------------------------ gated turns

    private void send(Stage<String> stage, int color, int events, String name) {
        for (int i = 0; i < events; i++) {
            stage.send(stepper.mely.colorAt(color), name);
        }
    }

    @Test
    void turn_isForAllThatWasPending() {
        Stage<String> stage = recorder("s");
        send(stage, 1, 25, "X");
        send(stage, 2, 25, "Y");
        stepper.run(0);
        assertThat(ran).isEqualTo(times(25, "X", 25, "Y"));
    }

    // A color that is flooded has half of its core: no more of its events run than the others have pending.
    @Test
    void turn_isNoLongerThanWhatTheOthersHavePending() {
        Stage<String> stage = recorder("s");
        send(stage, 1, 40, "X");
        send(stage, 2, 15, "Y");
        send(stage, 3, 8, "Z");
        stepper.run(0);
        assertThat(ran).isEqualTo(times(23, "X", 15, "Y", 8, "Z", 17, "X"));
    }

    @Test
    void turn_othersHaveLittle_isABatch() {
        Stage<String> stage = recorder("s");
        send(stage, 1, 25, "X");
        send(stage, 2, 1, "Y");
        stepper.run(0);
        assertThat(ran).isEqualTo(times(10, "X", 1, "Y", 15, "X"));
    }

    // Twelve were pending; the 13th came while they ran.
    @Test
    void turn_whatComesMeanwhile_waits() {
        AtomicReference<Stage<String>> again = new AtomicReference<>();
        again.set(stepper.mely.stage("again", name -> {
            ran.add(name);
            if (ran.size() == 1) {
                again.get().send(Color.current(), "later");
            }
        }));
        send(again.get(), 1, 12, "X");
        send(again.get(), 2, 30, "Y");
        stepper.run(0);
        assertThat(ran).isEqualTo(times(12, "X", 10, "Y", 1, "later", 20, "Y"));
    }

    private Stage<String> longStage(int priority) {
        StageOptions options = StageOptions.defaults()
                .withProcessingTime(Duration.ofNanos(50_000))
                .withPriority(priority);
        return stepper.mely.stage("long" + priority, options, ran::add);
    }

    @Test
    void turn_ofLongEvents_isPausedForThePoller() {
        rebuild(Mely.builder().timeSlice(Duration.ofNanos(100_000)));
        Stage<String> stage = longStage(3);
        send(stage, 1, 5, "X");
        send(stage, 2, 7, "Y");
        for (int slice = 1; slice <= 2; slice++) {
            assertThat(stepper.step(0)).isEqualTo(2);
            assertThat(stepper.stats(0).polls()).isEqualTo(slice);
        }
        send(stage, 1, 1, "late");
        stepper.run(0);
        assertThat(ran).isEqualTo(times(5, "X", 1, "late", 7, "Y"));
    }

    // The poll was due to what ran before it: its batch, and a time slice, are still its own.
    @Test
    void batch_cutByThePoller_goesOn() {
        rebuildWithBatches(Duration.ofNanos(100_000));
        Stage<String> stage = stageOf10Us();
        send(stage, 1, 6, "X");
        send(stage, 2, 8, "Y");
        send(stage, 3, 1, "Z");
        assertThat(stepper.step(0)).isEqualTo(10);
        assertThat(ran).isEqualTo(times(6, "X", 4, "Y"));
        stepper.run(0);
        assertThat(ran).isEqualTo(times(6, "X", 8, "Y", 1, "Z"));
    }

    @Test
    void batch_cutByThePoller_endsAtTheThreshold() {
        rebuildWithBatches(Duration.ofNanos(100_000));
        Stage<String> stage = stageOf10Us();
        send(stage, 1, 6, "X");
        send(stage, 2, 12, "Y");
        send(stage, 3, 1, "Z");
        stepper.run(0);
        assertThat(ran).isEqualTo(times(6, "X", 10, "Y", 1, "Z", 2, "Y"));
    }

    // A chain of events with a penalty has room for thousands, but no more time than others.
    @Test
    void batch_cutByThePoller_endsWithATimeSliceOfItsOwn() {
        rebuild(Mely.builder().timeSlice(Duration.ofNanos(100_000)));
        int[] left = {20};
        AtomicReference<Stage<String>> chain = new AtomicReference<>();
        chain.set(stepper.mely.stage("chain", optionsOf10Us(1_000), name -> {
            ran.add(name);
            if (left[0]-- > 1) {
                chain.get().send(Color.current(), name);
            }
        }));
        send(stageOf10Us(), 1, 6, "X");
        send(chain.get(), 2, 1, "Y");
        send(stageOf10Us(), 3, 1, "Z");
        stepper.run(0);
        assertThat(ran).isEqualTo(times(6, "X", 10, "Y", 1, "Z", 10, "Y"));
    }

    // What its last event sends is no part of the batch that was cut.
    @Test
    void batch_hasRunAllThatWasPicked_isNotCut() {
        rebuildWithBatches(Duration.ofNanos(100_000));
        Stage<String> stage = stageOf10Us();
        Stage<String> first = stepper.mely.stage("first", optionsOf10Us(1), name -> {
            ran.add(name);
            stage.send(Color.current(), "later");
        });
        send(stage, 1, 8, "A");
        send(first, 2, 1, "X");
        send(stage, 2, 1, "X");
        send(stage, 3, 1, "Y");
        assertThat(stepper.step(0)).isEqualTo(10);
        stepper.run(0);
        assertThat(ran).isEqualTo(times(8, "A", 2, "X", 1, "Y", 1, "later"));
    }

    @Test
    void batch_cutByThePoller_urgentColorComesFirst_isAnother() {
        rebuildWithBatches(Duration.ofNanos(100_000));
        Stage<String> stage = stageOf10Us();
        send(stage, 1, 6, "X");
        send(stage, 2, 16, "Y");
        send(stage, 3, 1, "Z");
        assertThat(stepper.step(0)).isEqualTo(10);
        send(longStage(6), 4, 1, "urgent");
        stepper.run(0);
        assertThat(ran).isEqualTo(times(6, "X", 4, "Y", 1, "urgent", 1, "Z", 10, "Y", 2, "Y"));
    }

    @Test
    void batch_timeSliceWithoutEnd_isOfTheThreshold() {
        rebuildWithBatches(ChronoUnit.FOREVER.getDuration());
        Stage<String> stage = stageOf10Us();
        send(stage, 1, 25, "X");
        send(stage, 2, 25, "Y");
        stepper.run(0);
        assertThat(ran).isEqualTo(times(10, "X", 10, "Y", 10, "X", 10, "Y", 5, "X", 5, "Y"));
    }

    private static StageOptions optionsOf10Us(int penalty) {
        return StageOptions.defaults()
                .withProcessingTime(Duration.ofNanos(10_000))
                .withPenalty(penalty);
    }

    private Stage<String> stageOf10Us() {
        return stepper.mely.stage("10 us", optionsOf10Us(1), ran::add);
    }

    @Test
    void turn_urgentEventComes_endsWithTheSlice() {
        rebuild(Mely.builder().timeSlice(Duration.ofNanos(100_000)));
        Stage<String> stage = longStage(3);
        Stage<String> urgent = longStage(6);
        send(stage, 1, 5, "X");
        send(stage, 2, 3, "Y");
        stepper.step(0);
        send(urgent, 3, 1, "urgent");
        stepper.run(0);
        assertThat(ran).isEqualTo(times(2, "X", 1, "urgent", 3, "Y", 3, "X"));
    }

    // It sends to itself, so that one event is pending at a time, as in a large download.
    @Test
    void turn_ofAColorThatSendsToItself_isABatch() {
        rebuild(Mely.builder().batchThresholdEvents(2));
        int[] left = {6};
        AtomicReference<Stage<String>> chain = new AtomicReference<>();
        chain.set(stepper.mely.stage("chain", name -> {
            ran.add(name);
            if (left[0]-- > 1) {
                chain.get().send(Color.current(), name);
            }
        }));
        send(chain.get(), 1, 1, "X");
        send(recorder("s"), 2, 6, "Y");
        stepper.run(0);
        assertThat(ran).isEqualTo(times(2, "X", 2, "Y", 2, "X", 2, "Y", 2, "X", 2, "Y"));
    }

    // A fused event weighs what it weighs: more than the one whose place it takes, so that less seems to have run than
    // was pending.
    @Test
    void turn_fusedIntoSomethingLonger_isOver() {
        rebuild(Mely.builder().timeSlice(Duration.ofNanos(40_000)));
        Stage<String> after = recorder("after");
        StageOptions options = StageOptions.defaults();
        Stage<String> heavy =
                stepper.mely.stage("heavy", options.withProcessingTime(Duration.ofNanos(40_000)), name -> {
                    ran.add("heavy");
                    after.send(Color.current(), name);
                });
        Stage<String> light = stepper.mely.stage("light", options.withProcessingTime(Duration.ofNanos(1_000)), name -> {
            ran.add("light");
            heavy.send(Color.current(), name);
        });
        light.send(stepper.mely.colorAt(1), "X");
        send(after, 2, 1, "Y");
        stepper.run(0);
        assertThat(ran).containsExactly("light", "heavy", "Y", "X");
    }

    @Test
    void step_endsWithTheTimeSlice() {
        rebuildWithBatches(Duration.ofNanos(10_000));
        StageOptions options = StageOptions.defaults().withProcessingTime(Duration.ofNanos(1_000));
        Stage<String> stage = stepper.mely.stage("s", options, ran::add);
        for (int i = 0; i < 20; i++) {
            stage.send(stepper.mely.colorAt(1), "X");
            stage.send(stepper.mely.colorAt(2), "Y");
        }
        long polls = stepper.stats(0).polls();
        assertThat(stepper.step(0)).isEqualTo(10);
        assertThat(stepper.stats(0).polls())
                .as("a used up slice is followed by a poll")
                .isEqualTo(polls + 1);
        assertThat(ran).isEqualTo(times(10, "X"));
        stepper.step(0);
        assertThat(ran).isEqualTo(times(10, "X", 10, "Y"));
    }

    // Long events: the core polls after each time slice, not after ten of them; the color goes behind the others as
    // after a full batch.
    @Test
    void batch_endsWithTheTimeSlice() {
        rebuildWithBatches(Duration.ofNanos(100_000));
        StageOptions options = StageOptions.defaults().withProcessingTime(Duration.ofNanos(50_000));
        Stage<String> stage = stepper.mely.stage("long", options, ran::add);
        for (int i = 0; i < 4; i++) {
            stage.send(stepper.mely.colorAt(1), "X");
            stage.send(stepper.mely.colorAt(2), "Y");
        }
        assertThat(stepper.step(0)).isEqualTo(2);
        assertThat(stepper.stats(0).polls()).isEqualTo(1);
        stepper.run(0);
        assertThat(ran).isEqualTo(times(2, "X", 2, "Y", 2, "X", 2, "Y"));
    }

    // An event longer than the slice runs all the same.
    @Test
    void batch_eventLongerThanTheTimeSlice_runsAlone() {
        rebuild(Mely.builder().timeSlice(Duration.ofNanos(1)));
        Stage<String> stage = recorder("s");
        stage.send(stepper.mely.colorAt(1), "X");
        stage.send(stepper.mely.colorAt(1), "X");
        assertThat(stepper.step(0)).isEqualTo(1);
        assertThat(stepper.step(0)).isEqualTo(1);
        assertThat(stepper.step(0)).isZero();
    }

    @Test
    void priorities_orderColorsOfACore() {
        Stage<String> low = stepper.mely.stage("low", StageOptions.defaults().withPriority(0), ran::add);
        Stage<String> high = stepper.mely.stage("high", StageOptions.defaults().withPriority(7), ran::add);
        Stage<String> middle = recorder("middle");
        low.send(stepper.mely.colorAt(1), "low");
        middle.send(stepper.mely.colorAt(2), "middle");
        high.send(stepper.mely.colorAt(3), "high");
        stepper.run(0);
        assertThat(ran).containsExactly("high", "middle", "low");
    }

    // Priority orders colors, never the events of one color.
    @Test
    void priorities_doNotReorderAColor() {
        Stage<String> low = stepper.mely.stage("low", StageOptions.defaults().withPriority(0), ran::add);
        Stage<String> high = stepper.mely.stage("high", StageOptions.defaults().withPriority(7), ran::add);
        low.send(stepper.mely.colorAt(1), "a");
        high.send(stepper.mely.colorAt(1), "b");
        low.send(stepper.mely.colorAt(1), "c");
        recorder("other").send(stepper.mely.colorAt(2), "other");
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
                high.get().send(Color.current(), name);
            }
        }));
        Stage<String> low =
                stepper.mely.stage("low", StageOptions.defaults().withPriority(0), name -> lowRan[0] = true);
        low.send(stepper.mely.colorAt(1), "low");
        high.get().send(stepper.mely.colorAt(2), "high");
        high.get().send(stepper.mely.colorAt(3), "high");
        stepper.run(0);
        assertThat(lowRan[0]).isTrue();
        assertThat(rounds[0]).isLessThan(2_000);
    }
}
