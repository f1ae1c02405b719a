// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.mely.Color;
import io.mely.Engine;
import io.mely.Mely;
import io.mely.MelyBuilder;
import io.mely.MelyStats;
import io.mely.Stage;
import io.mely.StageOptions;
import io.mely.Stealing;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

// One turn of one core at a time: where libasync's engines put an event, what they run next, and what the base
// algorithm steals.
class LibasyncSteppedTest {
    private final List<Object> ran = new ArrayList<>();

    private static MelyBuilder builder(Engine engine, int cores) {
        return Mely.builder().engine(engine).cores(cores).colors(64).spin(Duration.ZERO);
    }

    private static LibasyncSmp smp(Stepper stepper) {
        return (LibasyncSmp) stepper.mely;
    }

    // ------------------------------------------------------------------ the builder

    @Test
    void builder_refusesWhatTheEngineDoesNotHave() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder(Engine.LIBASYNC_SMP, 2)
                        .stealing(Stealing.mely())
                        .build())
                .withMessageContaining("LIBASYNC_SMP")
                .withMessageContaining("stealing=Stealing[enabled=true, locality=true");
        assertThatIllegalArgumentException()
                .isThrownBy(() ->
                        builder(Engine.LIBASYNC_MP, 2).stealing(Stealing.base()).build())
                .withMessageContaining("LIBASYNC_MP")
                .withMessageContaining("stealing=Stealing[enabled=true");
    }

    @ParameterizedTest
    @EnumSource(Engine.class)
    void builder_hasADefaultForEachEngine(Engine engine) {
        try (Mely mely = builder(engine, 2).pinned(false).build()) {
            assertThat(mely.cores()).isEqualTo(2);
        }
    }

    // ------------------------------------------------------------------ what runs next

    // Batching: a core goes on with the color it ran last, up to the batch threshold, then takes the leftmost.
    @Test
    void smp_runsABatchOfOneColor() {
        try (Stepper stepper = new Stepper(
                builder(Engine.LIBASYNC_SMP, 1).batchThresholdEvents(3).timeSlice(Duration.ofSeconds(1)))) {
            Stage<String> stage = stepper.mely.stage("s", ran::add);
            for (int i = 0; i < 4; i++) {
                stage.send(stepper.mely.colorAt(1), "a" + i);
                stage.send(stepper.mely.colorAt(2), "b" + i);
            }
            stepper.run(0);
            assertThat(ran).containsExactly("a0", "a1", "a2", "b0", "b1", "b2", "a3", "b3");
        }
    }

    // The running color of one core is not run by another, and what is behind it is.
    @Test
    void mp_skipsTheColorsThatRun() {
        try (Stepper stepper = new Stepper(builder(Engine.LIBASYNC_MP, 2))) {
            Stage<String> inner = stepper.mely.stage("inner", ran::add);
            Stage<String> outer = stepper.mely.stage("outer", event -> {
                ran.add("begin");
                try (Stepper.Other other = stepper.other()) {
                    other.start(1);
                }
                ran.add("end");
            });
            outer.send(stepper.mely.colorAt(1), "x");
            inner.send(stepper.mely.colorAt(1), "same color");
            inner.send(stepper.mely.colorAt(2), "other color");
            stepper.run(0);
            assertThat(ran).containsExactly("begin", "other color", "end", "same color");
        }
    }

    // Check 7: a core does not block while an event could run, and does when all that waits is behind running ones.
    @Test
    void mp_blocksOnlyWhenNothingIsEligible() {
        try (Stepper stepper = new Stepper(builder(Engine.LIBASYNC_MP, 2))) {
            Stage<String> waits = stepper.mely.stage("waits", ran::add);
            waits.send(stepper.mely.colorAt(1), "a");
            stepper.rest(1);
            assertThat(stepper.stats(1).sleeps()).as("an event is eligible").isZero();
            assertThat(stepper.step(1)).isEqualTo(1);
            assertThat(ran).containsExactly("a");
        }
    }

    // ------------------------------------------------------------------ base stealing

    private static void send(Stepper stepper, Stage<String> stage, int slot, int count) {
        for (int i = 0; i < count; i++) {
            assertThat(stage.send(stepper.mely.colorAt(slot), slot + "." + i)).isTrue();
        }
    }

    @Test
    void smp_anIdleCoreTakesTheFirstColorWithFewerThanHalf() {
        try (Stepper stepper =
                new Stepper(builder(Engine.LIBASYNC_SMP, 2).placement(slot -> 0).stealing(Stealing.base()))) {
            Stage<String> stage = stepper.mely.stage(
                    "s", event -> ran.add(event + "@" + Color.current().homeCore()));
            send(stepper, stage, 1, 5);
            send(stepper, stage, 2, 2);
            send(stepper, stage, 3, 2);
            assertThat(stepper.step(1)).isEqualTo(2);
            assertThat(ran).containsExactly("2.0@1", "2.1@1");
            assertThat(stepper.mely.colorAt(2).homeCore()).isEqualTo(1);
            MelyStats.CoreStats thief = stepper.stats(1);
            assertThat(thief.steals()).isEqualTo(1);
            assertThat(thief.stealAttempts()).isEqualTo(1);
            assertThat(thief.stolenTimeNs()).isPositive();
            // What is sent now goes where the color lives.
            send(stepper, stage, 2, 1);
            assertThat(smp(stepper).smpCore(1).list().size()).isEqualTo(1);
            stepper.run(0, 1);
            assertThat(ran).hasSize(10);
        }
    }

    @Test
    void smp_withoutStealing_aColorStays() {
        try (Stepper stepper =
                new Stepper(builder(Engine.LIBASYNC_SMP, 2).placement(slot -> 0).stealing(Stealing.off()))) {
            Stage<String> stage = stepper.mely.stage("s", ran::add);
            send(stepper, stage, 1, 3);
            send(stepper, stage, 2, 3);
            assertThat(stepper.step(1)).isZero();
            stepper.run(0);
            assertThat(ran).hasSize(6);
            assertThat(stepper.mely.stats().steals()).isZero();
        }
    }

    // The paper's example has core 6 most loaded: 6, 7, 0, 1, ... The thief is core 1, and core 2 has nothing it may
    // take.
    @Test
    void smp_beginsWithTheMostLoadedCore_andGoesRound() {
        try (Stepper stepper = new Stepper(
                builder(Engine.LIBASYNC_SMP, 4).placement(slot -> slot % 4).stealing(Stealing.base()))) {
            Stage<String> stage = stepper.mely.stage("s", ran::add);
            send(stepper, stage, 2, 9); // core 2: most events, all of one color
            send(stepper, stage, 3, 1); // core 3: a single event
            send(stepper, stage, 4, 1); // core 0: three colors
            send(stepper, stage, 8, 1);
            send(stepper, stage, 12, 1);
            assertThat(stepper.step(1)).isEqualTo(1);
            assertThat(ran).containsExactly("4.0");
            assertThat(stepper.stats(1).stealAttempts())
                    .as("core 2 was locked in vain, core 3 cannot have two colors")
                    .isEqualTo(2);
        }
    }

    // The running color is not stolen, though its events are the first in the list.
    @Test
    void smp_leavesTheRunningColor() {
        try (Stepper stepper =
                new Stepper(builder(Engine.LIBASYNC_SMP, 2).placement(slot -> 0).stealing(Stealing.base()))) {
            Stage<String> stage = stepper.mely.stage("s", ran::add);
            Stage<String> outer = stepper.mely.stage("outer", StageOptions.defaults(), event -> {
                try (Stepper.Other other = stepper.other()) {
                    other.start(1);
                }
                ran.add("end");
            });
            outer.send(stepper.mely.colorAt(1), "x");
            send(stepper, stage, 1, 1);
            send(stepper, stage, 2, 1);
            send(stepper, stage, 3, 2);
            stepper.run(0);
            assertThat(ran.subList(0, 2)).containsExactly("2.0", "end");
            assertThat(ran).hasSize(5);
        }
    }

    // O(n), counted: the victim's links that one steal follows grow with what is pending there.
    @ParameterizedTest
    @ValueSource(ints = {10, 1_000, 100_000})
    void smp_aStealFollowsEveryLink(int pending) {
        try (Stepper stepper =
                new Stepper(builder(Engine.LIBASYNC_SMP, 2).placement(slot -> 0).stealing(Stealing.base()))) {
            Stage<String> stage = stepper.mely.stage("s", ran::add);
            send(stepper, stage, 1, 1);
            send(stepper, stage, 2, pending - 2);
            send(stepper, stage, 1, 1);
            long before = smp(stepper).smpCore(0).scanned();
            assertThat(stepper.step(1)).isEqualTo(2);
            assertThat(smp(stepper).smpCore(0).scanned() - before).isEqualTo(pending + 1);
            assertThat(ran).containsExactly("1.0", "1.0");
        }
    }
}
