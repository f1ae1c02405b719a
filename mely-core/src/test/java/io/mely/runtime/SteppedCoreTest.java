// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mely.Color;
import io.mely.ErrorHandler;
import io.mely.Mely;
import io.mely.MelyBuilder;
import io.mely.Stage;
import io.mely.StageOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

// One core, stepped: which event runs next, in which color, and what becomes of a handler that throws.
class SteppedCoreTest {
    private final List<String> ran = Collections.synchronizedList(new ArrayList<>());
    private final List<ErrorHandler.Failure> failures = Collections.synchronizedList(new ArrayList<>());
    private Stepper stepper = stepper(Mely.builder());

    private Stepper stepper(MelyBuilder builder) {
        return new Stepper(builder.cores(1).errorHandler(failures::add));
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

    private static List<String> times(Object... countsAndNames) {
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
        rebuild(Mely.builder().timeSlice(Duration.ofNanos(100_000)));
        Stage<String> after = recorder("after");
        StageOptions options = StageOptions.defaults();
        Stage<String> heavy =
                stepper.mely.stage("heavy", options.withProcessingTime(Duration.ofNanos(100_000)), name -> {
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
        rebuild(Mely.builder().timeSlice(Duration.ofNanos(10_000)).gatedTurns(false));
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
        rebuild(Mely.builder().timeSlice(Duration.ofNanos(100_000)).gatedTurns(false));
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

    // ------------------------------------------------------------------ colors

    @Test
    void noColor_isTheDefaultColor() {
        List<Color> seen = new ArrayList<>();
        Stage<String> stage = stepper.mely.stage("s", name -> seen.add(Color.current()));
        stage.send("a");
        stage.send(stepper.mely.colorAt(0), "b");
        stepper.run(0);
        assertThat(seen).containsExactly(stepper.mely.defaultColor(), stepper.mely.defaultColor());
        assertThat(stage.color()).isSameAs(stepper.mely.defaultColor());
        assertThat(stepper.mely.defaultColor().slot()).isZero();
    }

    // Colors are not inherited: what a colored handler sends without a color runs in the default color.
    @Test
    void colors_areNotInherited() {
        Stage<String> inner = stepper.mely.stage(
                "inner", name -> ran.add(name + Color.current().slot()));
        Stage<String> outer = stepper.mely.stage("outer", name -> {
            inner.send("none ");
            inner.send(Color.current(), "passed on ");
        });
        outer.send(stepper.mely.colorAt(5), "go");
        stepper.run(0);
        assertThat(ran).containsExactlyInAnyOrder("none 0", "passed on 5");
    }

    @Test
    void current_outsideAHandler_throws() {
        assertThatIllegalStateException()
                .isThrownBy(Color::current)
                .withMessageContaining("thread=" + Thread.currentThread().getName());
        assertThatThrownBy(() -> stepper.on(0, Color::current)).hasCauseInstanceOf(IllegalStateException.class);
        assertThatIllegalStateException().isThrownBy(() -> stepper.mely.blocking(() -> 1));
    }

    @Test
    void isCurrent_onlyInTheColorsOwnHandlers() {
        Color own = stepper.mely.colorAt(3);
        Color other = stepper.mely.colorAt(4);
        own.execute(() -> ran.add(own.isCurrent() + " " + other.isCurrent()));
        stepper.run(0);
        assertThat(ran).containsExactly("true false");
        assertThat(own.isCurrent()).isFalse();
    }

    @Test
    void singleThreadedStage_usesAColorOfItsOwn() {
        StageOptions single = StageOptions.defaults().asSingleThreaded();
        Stage<String> a = stepper.mely.stage(
                "a", single, name -> ran.add(name + Color.current().slot()));
        Stage<String> b = stepper.mely.stage(
                "b", single, name -> ran.add(name + Color.current().slot()));
        assertThat(a.color()).isNotEqualTo(b.color()).isNotEqualTo(stepper.mely.defaultColor());
        assertThat(a.color().slot())
                .as("outside the table, so that no key shares it")
                .isGreaterThanOrEqualTo(65_536);
        a.send(stepper.mely.colorAt(7), "given ");
        a.send("none ");
        stepper.run(0);
        int slot = a.color().slot();
        assertThat(ran).containsExactly("given " + slot, "none " + slot);
    }

    @Test
    void color_isTheSameForTheSameKey_andNeverTheDefault() {
        rebuild(Mely.builder().colors(2).hashSeed(42));
        for (long key = 0; key < 100; key++) {
            assertThat(stepper.mely.color(key).slot()).isEqualTo(1);
        }
        rebuild(Mely.builder().hashSeed(42));
        List<Color> colors = new ArrayList<>();
        for (long key = 0; key < 1_000; key++) {
            assertThat(stepper.mely.color(key)).isSameAs(stepper.mely.color(key));
            assertThat(stepper.mely.color(key).slot()).isBetween(1, 65_535);
            colors.add(stepper.mely.color(key));
        }
        assertThat(colors.stream().distinct().count())
                .as("spread over 65,535 slots")
                .isGreaterThan(970);
        Mely same = Mely.builder().cores(1).pinned(false).hashSeed(42).build();
        Mely other = Mely.builder().cores(1).pinned(false).hashSeed(43).build();
        assertThat(colors)
                .allSatisfy(
                        color -> assertThat(stepper.mely.colorAt(color.slot())).isSameAs(color));
        assertThat(LongSlots.of(same)).isEqualTo(LongSlots.of(stepper.mely)).isNotEqualTo(LongSlots.of(other));
        same.close();
        other.close();
    }

    private record LongSlots(List<Integer> slots) {
        static LongSlots of(Mely mely) {
            return new LongSlots(IntStream.range(0, 50)
                    .mapToObj(key -> mely.color(key).slot())
                    .toList());
        }
    }

    // ------------------------------------------------------------------ sends from a handler into its own color

    @Test
    void fused_sendsOfAHandler_keepTheirOrder() {
        Stage<String> stage = recorder("s");
        Stage<String> sender = stepper.mely.stage("sender", name -> {
            ran.add("sender");
            stage.send(Color.current(), "a");
            stage.send(Color.current(), "b");
            stage.send(Color.current(), "c");
        });
        sender.send(stepper.mely.colorAt(1), "go");
        stepper.run(0);
        assertThat(ran).containsExactly("sender", "a", "b", "c");
    }

    @Test
    void fused_othersPending_keepTheirPlace() {
        Stage<String> stage = recorder("s");
        Stage<String> sender = stepper.mely.stage("sender", name -> {
            stage.send(Color.current(), "a");
            stage.send(Color.current(), "b");
        });
        sender.send(stepper.mely.colorAt(1), "go");
        stage.send(stepper.mely.colorAt(1), "pending");
        sender.send(stepper.mely.colorAt(1), "go");
        stepper.run(0);
        assertThat(ran).containsExactly("pending", "a", "b", "a", "b");
    }

    // A send by another thread while the handler runs: whatever comes first, both are run, and the handler's own two in
    // order.
    @Test
    void fused_outsideSendInBetween_isNotLost() {
        Stage<String> stage = recorder("s");
        Stage<String> sender = stepper.mely.stage("sender", name -> {
            Color own = Color.current();
            stage.send(own, "a");
            Thread outside = new Thread(() -> stage.send(own, "outside"));
            outside.start();
            outside.join();
            stage.send(own, "b");
        });
        sender.send(stepper.mely.colorAt(1), "go");
        stepper.run(0);
        assertThat(ran).hasSize(3).contains("outside").containsSubsequence("a", "b");
    }

    @Test
    void fused_toAnotherColor_isAnOrdinarySend() {
        Stage<String> stage = recorder("s");
        Stage<String> sender = stepper.mely.stage("sender", name -> {
            stage.send(stepper.mely.colorAt(2), "other");
            stage.send(Color.current(), "own");
        });
        sender.send(stepper.mely.colorAt(1), "go");
        stepper.run(0);
        assertThat(ran).containsExactly("own", "other");
    }

    // A chain of sends into the own color respects the batch threshold, so that it does not lock out the others.
    @Test
    void fused_chain_respectsTheBatchThreshold() {
        int[] left = {24};
        AtomicReference<Stage<String>> chain = new AtomicReference<>();
        chain.set(stepper.mely.stage("chain", name -> {
            ran.add(name);
            if (left[0]-- > 0) {
                chain.get().send(Color.current(), name);
            }
        }));
        chain.get().send(stepper.mely.colorAt(1), "X");
        Stage<String> stage = recorder("s");
        for (int i = 0; i < 15; i++) {
            stage.send(stepper.mely.colorAt(2), "Y");
        }
        stepper.run(0);
        assertThat(ran).isEqualTo(times(10, "X", 10, "Y", 10, "X", 5, "Y", 5, "X"));
        assertThat(stepper.timeLeft(stepper.mely.colorAt(1))).isZero();
    }

    @Test
    void fused_thrownAfterwards_runsAllTheSame() {
        Stage<String> stage = recorder("s");
        Stage<String> sender = stepper.mely.stage("sender", name -> {
            stage.send(Color.current(), "a");
            throw new IllegalStateException("after the send");
        });
        sender.send(stepper.mely.colorAt(1), "event");
        stepper.run(0);
        assertThat(ran).containsExactly("a");
        assertThat(failures).hasSize(1);
        assertThat(failures.get(0).stage()).isSameAs(sender);
        assertThat(failures.get(0).event()).isEqualTo("event");
    }

    @Test
    void fused_intoTheOwnSingleThreadedStage() {
        int[] left = {3};
        AtomicReference<Stage<String>> single = new AtomicReference<>();
        single.set(stepper.mely.stage("single", StageOptions.defaults().asSingleThreaded(), name -> {
            ran.add(name);
            if (left[0]-- > 0) {
                single.get().send(name + left[0]);
            }
        }));
        single.get().send("s");
        stepper.run(0);
        assertThat(ran).containsExactly("s", "s2", "s21", "s210");
    }

    @Test
    void timeLeft_ofAnEmptiedColor_isZero() {
        Stage<String> stage = recorder("s");
        for (int i = 0; i < 35; i++) {
            stage.send(stepper.mely.colorAt(1), "X");
        }
        Color color = stepper.mely.colorAt(1);
        stepper.drain(0);
        assertThat(stepper.timeLeft(color)).isEqualTo(35_000);
        stepper.run(0);
        assertThat(stepper.timeLeft(color)).isZero();
        stage.send(color, "X");
        stepper.drain(0);
        assertThat(stepper.timeLeft(color)).isEqualTo(stage.processingTimeNs());
    }

    // ------------------------------------------------------------------ executor

    @Test
    void execute_keepsTheOrder() {
        Executor color = stepper.mely.colorAt(1);
        for (int i = 0; i < 30; i++) {
            int number = i;
            color.execute(() -> ran.add("" + number));
        }
        stepper.run(0);
        assertThat(ran).isEqualTo(IntStream.range(0, 30).mapToObj(i -> "" + i).toList());
    }

    // ------------------------------------------------------------------ handlers that throw

    @Test
    void handlerThrows_isReportedOnceWithEverything_andTheColorGoesOn() {
        RuntimeException cause = new RuntimeException("planned");
        Stage<String> stage = stepper.mely.stage("breaks", event -> {
            if (event.equals("bad")) {
                throw cause;
            }
            ran.add(event);
        });
        for (String event : List.of("a", "bad", "b")) {
            stage.send(stepper.mely.colorAt(9), event);
        }
        stepper.run(0);

        assertThat(ran).containsExactly("a", "b");
        assertThat(failures).containsExactly(new ErrorHandler.Failure(0, stepper.mely.colorAt(9), stage, "bad", cause));
        assertThat(stepper.stats(0).failed()).isEqualTo(1);
        assertThat(stepper.stats(0).run()).as("a failed event has run").isEqualTo(3);
    }

    @Test
    void handlerThrows_anErrorOrACheckedException_isReportedToo() {
        Stage<Throwable> stage = stepper.mely.stage("breaks", event -> {
            if (event instanceof Error error) {
                throw error;
            }
            throw (Exception) event;
        });
        stage.send(new StackOverflowError());
        stage.send(new java.io.IOException());
        stage.send(new AssertionError());
        stepper.run(0);
        assertThat(failures)
                .extracting(failure -> failure.cause().getClass().getSimpleName())
                .containsExactly("StackOverflowError", "IOException", "AssertionError");
        assertThat(stepper.stats(0).failed()).isEqualTo(3);
    }

    @Test
    void errorHandler_runsInTheColor_andMaySend() {
        stepper.close();
        AtomicReference<Stage<String>> rescue = new AtomicReference<>();
        stepper = new Stepper(Mely.builder().cores(1).errorHandler(failure -> {
            ran.add("in " + Color.current().slot());
            rescue.get().send(failure.color(), "again");
        }));
        rescue.set(recorder("rescue"));
        stepper.mely
                .<String>stage("breaks", event -> {
                    throw new RuntimeException();
                })
                .send(stepper.mely.colorAt(3), "x");
        stepper.run(0);
        assertThat(ran).containsExactly("in 3", "again");
    }

    // The runtime outlives an error handler that is broken itself.
    @Test
    void errorHandler_throws_isLoggedAndTheColorGoesOn() {
        stepper.close();
        stepper = new Stepper(Mely.builder().cores(1).errorHandler(failure -> {
            throw new IllegalStateException("the error handler itself");
        }));
        Stage<String> stage = stepper.mely.stage("breaks", event -> {
            ran.add(event);
            throw new RuntimeException("the handler");
        });
        try (Logged logged = new Logged("io.mely")) {
            stage.send("a");
            stage.send("b");
            stepper.run(0);
            assertThat(ran).containsExactly("a", "b");
            assertThat(logged.messages()).hasSize(2).allMatch(message -> message.contains("the error handler threw"));
            assertThat(logged.causes())
                    .allSatisfy(cause -> assertThat(cause.getSuppressed()).hasSize(1));
        }
    }

    // A logger that cannot open its file throws, or worse; the handler's failure is then lost, and nothing else.
    @Test
    void logger_throws_theColorGoesOn() {
        stepper.close();
        stepper = new Stepper(Mely.builder().cores(1).errorHandler(failure -> {
            throw new IllegalStateException("the error handler itself");
        }));
        Stage<String> stage = stepper.mely.stage("breaks", event -> {
            ran.add(event);
            throw new RuntimeException("the handler");
        });
        java.util.logging.Logger logger = java.util.logging.Logger.getLogger("io.mely");
        java.util.logging.Filter broken = record -> {
            throw new ExceptionInInitializerError("the logger too");
        };
        logger.setFilter(broken);
        try {
            stage.send("a");
            stage.send("b");
            stepper.run(0);
        } finally {
            logger.setFilter(null);
        }
        assertThat(ran).containsExactly("a", "b");
        assertThat(stepper.stats(0).failed()).isEqualTo(2);
    }

    @Test
    void noErrorHandler_isLogged() {
        stepper.close();
        stepper = new Stepper(Mely.builder().cores(1));
        try (Logged logged = new Logged("io.mely")) {
            stepper.mely
                    .<String>stage("breaks", event -> {
                        throw new RuntimeException("planned");
                    })
                    .send(stepper.mely.colorAt(12), "x");
            stepper.run(0);
            assertThat(logged.messages()).singleElement().asString().contains("stage=breaks", "color=12", "core=0");
        }
    }
}
