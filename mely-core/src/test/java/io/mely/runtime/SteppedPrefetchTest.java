// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.within;

import io.mely.Await;
import io.mely.Color;
import io.mely.Handler;
import io.mely.Prefetcher;
import io.mely.Stage;
import io.mely.StageOptions;
import io.mely.Stealing;
import io.mely.steal.Thief;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What the handlers of a group of short events will read is loaded before the first of them runs. */
class SteppedPrefetchTest extends SteppedCores {
    private static final int GROUP = 16;
    /** More than what the cheapest steal is guessed to cost, 400 to 1,500 ns by the machine, and less than four times as much. */
    private static final int ALONE_NS = 1_560;

    @BeforeEach
    void build() {
        build(2, Stealing.off());
    }

    private Stage<String> stage(Duration time, Prefetcher<String> prefetcher) {
        StageOptions options = StageOptions.defaults().withProcessingTime(time);
        return stepper.mely.stage("prefetching", options, (Handler<String>) ran::add, prefetcher);
    }

    private long note(String event) {
        ran.add("load " + event);
        return event.length();
    }

    @Test
    void group_isLoaded_beforeItsFirstEventRuns() {
        Stage<String> stage = stage(SHORT, this::note);
        for (int slot = 1; slot <= 3; slot++) {
            stage.send(color(slot), "c" + slot);
        }
        stepper.run(0);
        assertThat(ran).containsExactly("load c1", "load c2", "load c3", "c1", "c2", "c3");
    }

    @Test
    void group_ofOwnSends_isLoaded() {
        Stage<String> stage = stage(SHORT, this::note);
        Stage<String> sender = stepper.mely.stage("sender", name -> {
            stage.send(color(2), "a");
            stage.send(color(3), "b");
        });
        sender.send(color(1), "go");
        stepper.run(0);
        assertThat(ran).containsExactly("load a", "load b", "a", "b");
    }

    @Test
    void backlog_isLoadedGroupByGroup() {
        Stage<String> stage = stage(SHORT, this::note);
        List<String> expected = new ArrayList<>();
        for (int first = 0; first < 2 * GROUP; first += GROUP) {
            IntStream.range(first, first + GROUP).forEach(i -> expected.add("load " + i));
            IntStream.range(first, first + GROUP).forEach(i -> expected.add("" + i));
        }
        for (int i = 0; i < 2 * GROUP; i++) {
            stage.send(color(1 + i), "" + i);
        }
        stepper.run(0);
        assertThat(ran).containsExactlyElementsOf(expected);
    }

    @Test
    void eventsAlone_longOnes_andNull_areNotLoaded() {
        Stage<String> stage = stage(SHORT, this::note);
        stage.send(color(1), "alone");
        stepper.run(0);
        Stage<String> longs = stage(LONG, this::note);
        longs.send(color(1), "long");
        longs.send(color(2), "long");
        stepper.run(0);
        stage.send(color(1), null);
        stage.send(color(2), "beside null");
        stepper.run(0);
        assertThat(ran).containsExactly("alone", "long", "long", "load beside null", null, "beside null");
    }

    // Others go on; its events run all the same.
    @ParameterizedTest
    @MethodSource("causes")
    void prefetcherThatThrows_isLogged_andNotCalledAgain(Throwable cause) {
        Stage<String> failing = stage(SHORT, event -> {
            ran.add("fails " + event);
            throw SteppedPrefetchTest.<RuntimeException>unchecked(cause);
        });
        Stage<String> good = stage(SHORT, this::note);
        try (Logged logged = new Logged("io.mely")) {
            for (int i = 0; i < 2; i++) {
                failing.send(color(1), "a");
                failing.send(color(2), "b");
                good.send(color(3), "c");
                stepper.run(0);
            }
            assertThat(logged.messages())
                    .containsExactly("SEVERE prefetcher failed, and is not called again: stage=prefetching");
            assertThat(logged.causes()).containsExactly(cause);
        }
        assertThat(ran).containsExactly("fails a", "load c", "a", "b", "c", "load c", "a", "b", "c");
        assertThat(failures).isEmpty();
        assertThat(stepper.stats(0).failed()).isZero();
    }

    static List<Throwable> causes() {
        return List.of(new IllegalStateException("no such book"), new StackOverflowError(), new OutOfMemoryError());
    }

    @SuppressWarnings("unchecked") // so that any may be thrown
    private static <T extends Throwable> T unchecked(Throwable cause) throws T {
        throw (T) cause;
    }

    // The event must say itself whose it is.
    @Test
    void prefetcher_isNotInTheColor() {
        List<Class<?>> thrown = new ArrayList<>();
        Stage<String> stage = stage(SHORT, event -> {
            try {
                return Color.current().slot();
            } catch (IllegalStateException e) {
                thrown.add(e.getClass());
                return 0;
            }
        });
        stage.send(color(1), "a");
        stage.send(color(2), "b");
        stepper.run(0);
        assertThat(thrown).hasSize(2);
        assertThat(ran).containsExactly("a", "b");
    }

    // It is not to send. Who does it all the same loses nothing.
    @Test
    void prefetcherThatSends_losesNothing() {
        Stage<String> other = recorder(SHORT);
        Stage<String> stage = stage(SHORT, event -> other.send(color(1), "of " + event) ? 1 : 0);
        stage.send(color(1), "a");
        stage.send(color(2), "b");
        stepper.run(0);
        assertThat(ran).containsExactly("a", "b", "of a@0", "of b@0");
    }

    // A thief takes the group back, but for its first event, and runs the rest meanwhile; from the inbox or from the
    // ring of own sends.
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void coreStuckInAPrefetcher_isRescued(boolean isOwn) throws Exception {
        rebuild(Stealing.mely());
        CountDownLatch isInside = new CountDownLatch(1);
        CountDownLatch mayEnd = new CountDownLatch(1);
        Stage<String> stage = stepper.mely.stage(
                "prefetching",
                StageOptions.defaults().withProcessingTime(SHORT),
                event -> ran.add(event + "@" + onCore()),
                event -> {
                    isInside.countDown();
                    Await.until("it may end", () -> mayEnd.getCount() == 0);
                    return 0;
                });
        Runnable sends = () -> {
            for (int slot = 1; slot <= 3; slot++) {
                stage.send(color(slot), "c" + slot);
            }
        };
        if (isOwn) {
            stepper.on(0, Executors.callable(sends));
        } else {
            sends.run();
        }
        try (Stepper.Other other = stepper.other()) {
            other.start(0);
            assertThat(isInside.await(60, TimeUnit.SECONDS)).isTrue();
            for (int i = 0; i < 40; i++) {
                stepper.step(1);
                stepper.clock.advance(Thief.STALL_NS);
            }
            assertThat(ran).containsExactlyInAnyOrder("c2@1", "c3@1");
            mayEnd.countDown();
        }
        stepper.run(0, 1);
        assertThat(ran).containsExactlyInAnyOrder("c1@0", "c2@1", "c3@1");
    }

    private void rebuild(Stealing stealing) {
        close();
        build(2, stealing);
    }

    // ------------------------------------------------------------------ time

    /** Sends one event to each of two groups of colors, and lets them run. */
    private void round(Stage<String> stage) {
        for (int slot = 1; slot <= 2 * GROUP; slot++) {
            stage.send(color(slot), "c");
        }
        stepper.run(0);
    }

    // Else what waits would be taken for less work than it is.
    @ParameterizedTest
    @ValueSource(ints = {0, 400})
    void timeOfPrefetching_isPartOfTheHandlers(int prefetchNs) {
        Stage<String> stage = takes(100, prefetchNs);
        for (int i = 0; i < 100; i++) {
            round(stage);
        }
        assertThat(stage.processingTimeNs()).isCloseTo(100 + prefetchNs, within(40L));
    }

    private Stage<String> takes(int handlerNs, int prefetchNs) {
        return stepper.mely.stage(
                "timed", StageOptions.defaults(), event -> stepper.clock.advance(handlerNs), event -> {
                    stepper.clock.advance(prefetchNs);
                    return 0;
                });
    }

    // Whatever the stage of the first event of a group.
    @Test
    void timeOfPrefetching_isPartOfNoOtherStages() {
        Stage<String> prefetching = takes(100, 800);
        Stage<String> known = stage(SHORT, event -> 0);
        Stage<String> other = stepper.mely.stage("other", event -> stepper.clock.advance(100));
        for (int i = 0; i < 400; i++) {
            for (int slot = 1; slot <= GROUP; slot += 3) {
                known.send(color(slot), "c");
                other.send(color(slot + 1), "c");
                prefetching.send(color(slot + 2), "c");
            }
            stepper.run(0);
        }
        assertThat(other.processingTimeNs()).isCloseTo(100, within(40L));
        // That of the group by the events that were prefetched, of which two in each round of sixteen sends took none.
        assertThat(prefetching.processingTimeNs()).isBetween(400L, 940L);
    }

    // Alone an event takes as long as its misses do, one after the other; by that it would never come into a group,
    // where it takes less.
    @Test
    void handlerThatIsLongWhileItIsAlone_comesIntoGroups() {
        rebuild(Stealing.mely());
        int[] loaded = {0};
        Stage<String> stage = stepper.mely.stage(
                "waits",
                StageOptions.defaults(),
                event -> stepper.clock.advance(--loaded[0] >= 0 ? 100 : ALONE_NS),
                event -> ++loaded[0]);
        for (int i = 0; i < 100; i++) {
            loaded[0] = 0;
            round(stage);
        }
        assertThat(loaded[0]).as("each event was loaded").isZero();
        assertThat(stage.processingTimeNs()).isCloseTo(100, within(40L));
    }

    @ParameterizedTest
    @CsvSource({ALONE_NS + ", true", "2100, false"})
    void events_areLoaded_upToFourTimesWhatAStealCosts(int timeNs, boolean areLoaded) {
        rebuild(Stealing.mely());
        Stage<String> stage = stage(Duration.ofNanos(timeNs), this::note);
        stage.send(color(1), "a");
        stage.send(color(2), "b");
        stepper.run(0);
        assertThat(ran).hasSize(areLoaded ? 4 : 2);
    }

    // One that lost its CPU in there, for long: its events are taken for long ones meanwhile, which run without, and
    // not for good.
    @Test
    void prefetchThatIsHeldUp_isForgotten() {
        boolean[] isHeldUp = {true};
        int[] loads = {0};
        Stage<String> stage =
                stepper.mely.stage("timed", StageOptions.defaults(), event -> stepper.clock.advance(100), event -> {
                    stepper.clock.advance(isHeldUp[0] ? 100_000 : 0);
                    return ++loads[0];
                });
        for (int i = 0; i < 100; i++) {
            loads[0] = 0;
            round(stage);
        }
        assertThat(loads[0]).as("it is too long for a group").isZero();
        isHeldUp[0] = false;
        for (int i = 0; i < 100; i++) {
            loads[0] = 0;
            round(stage);
        }
        assertThat(loads[0]).isEqualTo(2 * GROUP);
        assertThat(stage.processingTimeNs()).isCloseTo(100, within(40L));
    }

    @Test
    void prefetcher_isNotNull() {
        assertThatNullPointerException().isThrownBy(() -> stage(SHORT, null)).withMessage("prefetcher");
    }
}
