// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.within;

import io.mely.Await;
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
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the handlers of a group of short events will read is loaded before the first of them runs. */
class SteppedPrefetchTest extends SteppedCores {
    private static final int GROUP = 16;

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
    @Test
    void prefetcherThatThrows_isLogged_andNotCalledAgain() {
        RuntimeException cause = new IllegalStateException("no such book");
        Stage<String> failing = stage(SHORT, event -> {
            ran.add("fails " + event);
            throw cause;
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

    // A thief takes the group back, but for its first event, and runs the rest meanwhile.
    @Test
    void coreStuckInAPrefetcher_isRescued() throws Exception {
        close();
        build(2, Stealing.mely());
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
        for (int slot = 1; slot <= 3; slot++) {
            stage.send(color(slot), "c" + slot);
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

    // Else what waits would be taken for less work than it is.
    @ParameterizedTest
    @ValueSource(ints = {0, 400})
    void timeOfPrefetching_isPartOfTheHandlers(int prefetchNs) {
        Stage<String> stage =
                stepper.mely.stage("timed", StageOptions.defaults(), event -> stepper.clock.advance(100), event -> {
                    stepper.clock.advance(prefetchNs);
                    return 0;
                });
        for (int i = 0; i < 100; i++) {
            for (int slot = 1; slot <= 2 * GROUP; slot++) {
                stage.send(color(slot), "c");
            }
            stepper.run(0);
        }
        assertThat(stage.processingTimeNs()).isCloseTo(100 + prefetchNs, within(40L));
    }

    // One that lost its CPU in there: its events must not be taken for long ones for good, which run without.
    @Test
    void prefetchThatIsHeldUp_isForgotten() {
        int[] round = {0};
        int[] loads = {0};
        Stage<String> stage =
                stepper.mely.stage("timed", StageOptions.defaults(), event -> stepper.clock.advance(100), event -> {
                    stepper.clock.advance(round[0] == 10 ? 40_000 : 0);
                    return ++loads[0];
                });
        for (; round[0] < 200; round[0]++) {
            loads[0] = 0;
            for (int slot = 1; slot <= 2 * GROUP; slot++) {
                stage.send(color(slot), "c");
            }
            stepper.run(0);
        }
        assertThat(loads[0]).isEqualTo(2 * GROUP);
        assertThat(stage.processingTimeNs()).isCloseTo(100, within(40L));
    }

    @Test
    void prefetcher_isNotNull() {
        assertThatNullPointerException().isThrownBy(() -> stage(SHORT, null)).withMessage("prefetcher");
    }
}
