// SPDX-License-Identifier: Apache-2.0
package io.mely.admission;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.mely.Await;
import io.mely.FakeClock;
import io.mely.Mely;
import io.mely.MelyStats;
import io.mely.Policy;
import io.mely.Stage;
import io.mely.StageOptions;
import io.mely.runtime.Hooks;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

// Admission at a stage, under a colored, a central and no queue.
@Timeout(value = 2, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class AdmittedStageTest {
    private final FakeClock clock = new FakeClock();
    private final List<String> ran = Collections.synchronizedList(new ArrayList<>());

    private Mely build() {
        return Hooks.NONE
                .withClock(clock)
                .on(Mely.builder())
                .cores(1)
                .policy("central", Policy.centralQueue())
                .policy("called", Policy.passThrough())
                .build();
    }

    private static StageOptions options(String group, Admission.Factory admission) {
        return StageOptions.defaults().withGroup(group).withAdmission(admission);
    }

    private static void runs(Mely mely) {
        mely.start();
        closes(mely);
    }

    private static void closes(Mely mely) {
        assertThat(mely.close(Duration.ofSeconds(Await.PATIENCE_S)).isDrained()).isTrue();
        MelyStats stats = mely.stats();
        assertThat(stats.sent()).isEqualTo(stats.run() + stats.refused());
    }

    @ParameterizedTest
    @ValueSource(strings = {"main", "central", "called"})
    void rate_refusesWhatIsTooMuch_fromOutsideAndFromHandlers(String group) {
        Mely mely = build();
        Stage<String> stage = mely.stage("limited", options(group, Admission.rate(1, 3)), ran::add);
        for (int i = 0; i < 5; i++) {
            assertThat(stage.offer("outside")).isEqualTo(i < 3);
        }
        Stage<String> sender = mely.stage("sender", event -> {
            clock.advance(2_000_000_000);
            for (int i = 0; i < 4; i++) {
                ran.add("sent " + stage.offer(event));
            }
        });
        sender.offer("handler");
        runs(mely);
        assertThat(ran).filteredOn("sent true"::equals).hasSize(2);
        assertThat(ran).filteredOn("sent false"::equals).hasSize(2);
        assertThat(ran).filteredOn("handler"::equals).hasSize(2);
        assertThat(ran).filteredOn("outside"::equals).hasSize(3);
        assertThat(stage.stats().refused()).isEqualTo(4);
        assertThat(mely.stats().refused()).isEqualTo(4);
    }

    // Also with a refusal after the admission: the stage of the second event is full.
    @ParameterizedTest
    @ValueSource(strings = {"main", "central"})
    void howManyWait_isTold_alsoAfterARefusal_andWithTimers(String group) {
        Mely mely = build();
        List<Integer> told = Collections.synchronizedList(new ArrayList<>());
        StageOptions options = options(group, of -> (event, waiting, nowNs) -> told.add(waiting));
        Stage<String> stage = mely.stage("s", options.withCapacity(2), ran::add);
        for (int i = 0; i < 4; i++) {
            assertThat(stage.offer("x")).isEqualTo(i < 2);
        }
        mely.start();
        Await.until("they run", () -> ran.size() == 2);
        mely.color(3).schedule(Duration.ZERO, stage, "due");
        Await.until("it runs", () -> ran.size() == 3);
        assertThat(stage.offer("x")).isTrue();
        closes(mely);
        assertThat(told).containsExactly(0, 1, 2, 2, 0);
    }

    // A request of 200 ms: 1 ms at each of two stages of one core, the rest is the wait before each.
    @ParameterizedTest
    @ValueSource(strings = {"main", "central"})
    void requestsThroughTwoStages_areBoundedByTheTimeUntilTheExit(String group) {
        Mely mely = build();
        RequestTime time =
                RequestTime.of(ResponseTime.bound(Duration.ofMillis(100)), event -> 0); // all began when the clock did
        StageOptions options = options(group, time.exit());
        Stage<String> exit = mely.stage("exit", options, event -> {
            clock.advance(1_000_000);
            ran.add(event);
        });
        Stage<String> entrance = mely.stage("entrance", options(group, time.entrance()), event -> {
            clock.advance(1_000_000);
            exit.send(event);
        });
        for (int i = 0; i < 200; i++) {
            assertThat(entrance.offer(i, "x")).isTrue();
        }
        mely.start();
        Await.until("all have run", () -> ran.size() == 200);
        Stage<String> last = mely.stage("last", options(group, of -> (event, waiting, nowNs) -> true), event -> {
            boolean isIn = true;
            for (int i = 0; i < 200 && isIn; i++) {
                isIn = entrance.offer(i, "y");
                ran.add(isIn ? "in" : "refused");
            }
        });
        last.send("z");
        closes(mely);
        assertThat(ran).contains("in", "refused");
    }

    // A fast entrance before a slow exit: what waits there is what a bound has to know.
    @Test
    void whatWaitsBehindTheEntrance_counts() {
        Mely mely = build();
        List<Integer> told = new ArrayList<>();
        RequestTime time = RequestTime.of(of -> (event, waiting, nowNs) -> told.add(waiting), event -> 0);
        Stage<String> exit = mely.stage("exit", options("main", time.exit()).asSingleThreaded(), ran::add);
        Stage<String> middle = mely.stage("middle", options("central", time.between()), exit::send);
        Stage<String> entrance = mely.stage("entrance", options("main", time.entrance()), middle::send);
        exit.send("x");
        exit.send("y");
        middle.send("z");
        entrance.send("a");
        entrance.send("b");
        assertThat(exit.waiting()).isEqualTo(2);
        runs(mely);
        assertThat(told).containsExactly(3, 4);
        assertThat(exit.waiting()).isZero();
        assertThat(ran).hasSize(5);
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 1_000})
    void calledStage_isTimedForItsAdmission_howeverOftenItWasCalled(long annotatedNs) {
        Mely mely = build();
        List<Long> told = new ArrayList<>();
        Admission noting = new Admission() {
            @Override
            public boolean admits(@Nullable Object event, int waiting, long nowNs) {
                return true;
            }

            @Override
            public void ran(@Nullable Object event, long sojournNs, long nowNs) {
                told.add(sojournNs);
            }
        };
        StageOptions options = options("called", of -> noting);
        Stage<String> stage = mely.stage(
                "s",
                annotatedNs == 0 ? options : options.withProcessingTime(Duration.ofNanos(annotatedNs)),
                event -> clock.advance(5));
        for (int i = 0; i < 100; i++) {
            stage.send("x");
        }
        runs(mely);
        assertThat(told).hasSize(100).containsOnly(5L);
    }

    /** Notes what it is told. */
    private final class Noting implements Admission {
        final List<String> told = new ArrayList<>();

        @Override
        public boolean admits(@Nullable Object event, int waiting, long nowNs) {
            return true;
        }

        @Override
        public void ran(@Nullable Object event, long sojournNs, long nowNs) {
            told.add(event + " " + sojournNs);
            throw new IllegalStateException("planned");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"main", "central"})
    void eachEventsTime_isTold_howeverShortItIs(String group) {
        Mely mely = build();
        Noting noting = new Noting();
        Stage<String> stage = mely.stage("s", options(group, of -> noting), event -> clock.advance(5));
        for (int i = 0; i < 3; i++) {
            stage.offer(mely.color(1), "e" + i);
        }
        clock.advance(100);
        runs(mely);
        assertThat(noting.told).containsExactly("e0 105", "e1 110", "e2 115");
    }

    @ParameterizedTest
    @ValueSource(strings = {"main", "central", "called"})
    void admissionThatThrows_isItsSendersError_andNothingIsKept(String group) {
        Mely mely = build();
        Stage<String> stage = mely.stage(
                "s",
                options(group, of -> (event, waiting, nowNs) -> {
                            throw new IllegalStateException("planned");
                        })
                        .withCapacity(1),
                ran::add);
        for (int i = 0; i < 3; i++) {
            assertThatIllegalStateException().isThrownBy(() -> stage.offer("x"));
        }
        runs(mely);
        assertThat(ran).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"main", "central"})
    void timersThatAreDue_areNotAsked(String group) {
        Mely mely = build();
        Stage<String> stage = mely.stage("s", options(group, of -> (event, waiting, nowNs) -> false), ran::add);
        mely.start();
        mely.color(3).schedule(Duration.ZERO, stage, "due");
        Await.until("it runs", () -> !ran.isEmpty());
        closes(mely);
    }
}
