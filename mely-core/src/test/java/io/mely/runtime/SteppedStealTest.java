// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.mely.Color;
import io.mely.Mely;
import io.mely.Policy;
import io.mely.Seed;
import io.mely.Stage;
import io.mely.StageOptions;
import io.mely.Stealing;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

// An idle core takes a whole color that pays, runs it at home from then on, and takes nothing else.
class SteppedStealTest extends SteppedCores {
    // ------------------------------------------------------------------ what is taken

    @Test
    void idleCore_stealsAWorthyColor_andKeepsIt() {
        build(2, Stealing.mely());
        Stage<String> stage = recorder(LONG);
        load(stage, 2, 3);

        assertThat(stepper.step(1)).isPositive();
        assertThat(ran).containsExactly("c1@1");
        assertThat(color(1).homeCore()).isEqualTo(1);
        assertThat(color(2).homeCore()).isZero();
        assertThat(stepper.stats(1).steals()).isEqualTo(1);
        assertThat(stepper.stats(1).stolenTimeNs()).isEqualTo(150_000);

        stepper.run(0, 1);
        assertThat(ran).filteredOn(event -> event.startsWith("c1")).containsExactly("c1@1", "c1@1", "c1@1");
        assertThat(color(1).homeCore())
                .as("a color that empties stays with its last owner")
                .isEqualTo(1);

        ran.clear();
        stage.offer(color(1), "later");
        assertThat(stepper.step(0)).isZero();
        assertThat(stepper.step(1)).isEqualTo(1);
        assertThat(ran).containsExactly("later@1");
    }

    static List<Stealing> stealing() {
        return List.of(Stealing.mely(), Stealing.base(), new Stealing(true, false, true, false));
    }

    // Order across a steal: events that were pending before and those sent afterwards come in the order sent.
    @ParameterizedTest
    @MethodSource("stealing")
    void stolenColor_keepsItsOrder(Stealing stealing) {
        build(2, stealing);
        Stage<String> stage = recorder(LONG);
        load(stage, 2, 1);
        for (int i = 0; i < 5; i++) {
            stage.offer(color(1), "n" + i);
        }
        for (int i = 0; i < 6; i++) {
            stage.offer(color(2), "m" + i);
        }
        stepper.step(1);
        for (int i = 5; i < 9; i++) {
            stage.offer(color(1), "n" + i);
        }
        stepper.run(1, 0);
        assertThat(ran.stream().filter(event -> event.startsWith("n")).map(event -> event.substring(0, 2)))
                .containsExactly("n0", "n1", "n2", "n3", "n4", "n5", "n6", "n7", "n8");
        assertThat(stepper.mely.stats().steals()).isPositive();
    }

    // The time-left rule says no to short handlers; the base algorithm takes them all the same; off takes nothing.
    @Test
    void shortColors_areNotStolenByMely() {
        build(2, Stealing.mely());
        load(recorder(SHORT), 4, 2);
        assertThat(stepper.step(1)).isZero();
        assertThat(stepper.stats(1).stealAttempts()).isZero();
        stepper.run(1, 0);
        assertThat(ran).hasSize(8).allMatch(event -> event.endsWith("@0"));
    }

    @Test
    void shortColors_areStolenByBase() {
        build(2, Stealing.base());
        load(recorder(SHORT), 4, 2);
        assertThat(stepper.step(1)).isPositive();
        assertThat(ran).as("half of four").containsExactly("c1@1", "c1@1", "c2@1", "c2@1");
        assertThat(stepper.stats(1).steals()).isEqualTo(2);
    }

    /** Core 0 sends events to three colors in turn. */
    private void pileUp(Stage<String> stage, int events) {
        stepper.on(0, () -> {
            for (int i = 0; i < events; i++) {
                for (int slot = 1; slot <= 3; slot++) {
                    stage.offer(color(slot), slot + "." + i);
                }
            }
            return null;
        });
    }

    @Test
    void shortColors_thatPileUp_becomeWorthy() {
        build(2, Stealing.mely());
        pileUp(recorder(SHORT), 400);
        assertThat(stepper.step(1)).as("400 x 50 ns outlast eight steals").isPositive();
        assertThat(stepper.stats(1).steals()).as("half of three").isEqualTo(2);
    }

    // It would be over in a moment, and all that comes for the color later would come to the thief.
    @Test
    void shortColors_thatAreWorthAStealOrTwo_areNotStolen() {
        build(2, Stealing.mely());
        pileUp(recorder(SHORT), 40);
        assertThat(stepper.core(0).queue().ready.worthyCount()).isZero();
        assertThat(stepper.step(1)).as("40 x 50 ns").isZero();
        assertThat(stepper.stats(1).stealAttempts()).isZero();
    }

    @Test
    void shortColors_thatAreWorthASteal_areStolenAsInTheReport() {
        build(2, Stealing.mely().withColorsMax(1));
        pileUp(recorder(SHORT), 40);
        assertThat(stepper.step(1)).isPositive();
        assertThat(stepper.stats(1).steals()).isEqualTo(1);
    }

    // Of a dozen events of a color one is long: it is stolen for that one's sake, wherever it stands, and no sooner.
    @Test
    void longEventAmongShortOnes_isStolen_notRescued() {
        build(2, Stealing.mely());
        Stage<String> brief = recorder(SHORT);
        pileUp(brief, 6);
        assertThat(stepper.step(1)).isZero();
        Stage<String> lengthy = recorder(Duration.ofNanos(2_000));
        stepper.on(0, () -> lengthy.offer(color(2), "2.long"));
        pileUp(brief, 6);
        assertThat(stepper.step(1))
                .as("all of the color together is less than eight steals")
                .isPositive();
        assertThat(ran).hasSize(13).allMatch(event -> event.startsWith("2.") && event.endsWith("@1"));
        assertThat(ran.get(6)).isEqualTo("2.long@1");
        assertThat(stepper.stats(1).steals()).isEqualTo(1);
        assertThat(stepper.stats(1).rescues()).isZero();
    }

    // Events that were sent before anybody knew how long they take count by a guess that is too low; once one of them
    // has run, the next of
    // its color counts by what is known.
    @Test
    void eventsSentBeforeTheFirstSample_areWorthWhatIsKnownNow() {
        stepper = new Stepper(Hooks.NONE
                .withPlacement(slot -> 0)
                .on(Mely.builder())
                .cores(2)
                .policy(Policy.colored().withBatchThreshold(1).withTimeSlice(LONG)));
        Stage<String> stage =
                stepper.mely.stage("unknown", StageOptions.defaults().withPenalty(10), event -> {
                    stepper.clock.advance(200_000);
                    ran.add(event + "@" + onCore());
                });
        for (int i = 0; i < 3; i++) {
            for (int slot = 1; slot <= 4; slot++) {
                stage.offer(color(slot), "c" + slot);
            }
        }
        stepper.drain(0);
        assertThat(stepper.timeLeft(color(4)))
                .as("3 x 1,000 / 10 / 8, less than a steal")
                .isEqualTo(36);
        stepper.step(0);
        assertThat(stepper.step(1)).isPositive();
        assertThat(stepper.stats(1).steals()).isEqualTo(1);
        assertThat(stepper.stats(1).rescues()).isZero();
    }

    @Test
    void penalty_leavesTheDataAtHome() {
        build(2, Stealing.mely());
        load(recorder(LONG, 1_000), 4, 3);
        assertThat(stepper.step(1)).isZero();
        Stage<String> light = recorder(LONG);
        light.offer(color(5), "light");
        stepper.drain(0);
        assertThat(stepper.step(1)).isPositive();
        assertThat(ran).containsExactly("light@1");
    }

    @Test
    void off_neverSteals() {
        build(2, Stealing.off());
        load(recorder(LONG), 5, 20);
        for (int i = 0; i < 1_000; i++) {
            stepper.clock.advance(10_000_000);
            assertThat(stepper.step(1)).isZero();
        }
        stepper.run(0, 1);
        assertThat(ran).hasSize(100).allMatch(event -> event.endsWith("@0"));
        assertThat(stepper.stats(1).stealAttempts()).isZero();
        assertThat(color(3).homeCore()).isZero();
    }

    // The only color of a core that has nothing else to do stays, however long.
    @ParameterizedTest
    @ValueSource(ints = {1, 50})
    void onlyColorOfAnIdleCore_isLeftThere(int events) {
        build(2, Stealing.mely());
        Stage<String> stage = recorder(LONG);
        for (int i = 0; i < events; i++) {
            stage.offer(color(1), "only");
        }
        stepper.step(1);
        stepper.step(0);
        stepper.step(1);
        stepper.run(1, 0);
        assertThat(ran).hasSize(events).allMatch(event -> event.endsWith("@0"));
    }

    // ... also when what the core ran before ended exactly with its time slice.
    @Test
    void onlyColorOfACoreWhoseSliceEndedWithItsLastEvent_isLeftThere() {
        build(2, Stealing.mely());
        Stage<String> stage = recorder(LONG);
        stage.offer(color(1), "first");
        assertThat(stepper.step(0)).isEqualTo(1);
        assertThat(stepper.isIdle(color(1))).isTrue();

        stage.offer(color(2), "only");
        stepper.clock.advance(20_000); // time enough for a thief to look into the inbox
        stepper.step(1);
        stepper.clock.advance(20_000);
        stepper.step(1);
        stepper.run(0, 1);
        assertThat(ran).containsExactly("first@0", "only@0");
    }

    // ------------------------------------------------------------------ failures, sends, chance

    @Test
    void failureOfAStolenEvent_namesTheThief() {
        build(2, Stealing.mely());
        Stage<String> stage =
                stepper.mely.stage("breaks", StageOptions.defaults().withProcessingTime(LONG), event -> {
                    throw new IllegalStateException("planned");
                });
        load(stage, 2, 1);
        stepper.step(1);
        assertThat(failures).singleElement().satisfies(failure -> {
            assertThat(failure.core()).isEqualTo(1);
            assertThat(failure.color()).isSameAs(color(1));
        });
    }

    // A handler that runs on the thief sends to a color that lives with the victim, and back.
    @Test
    void sends_crossCoresBothWays() {
        build(2, Stealing.mely());
        Stage<String> pong = recorder(SHORT);
        Stage<String> ping = stepper.mely.stage(
                "ping", StageOptions.defaults().withProcessingTime(LONG), event -> pong.offer(color(50), "pong"));
        load(ping, 2, 1);
        stepper.step(1);
        assertThat(stepper.stats(1).sent()).isEqualTo(1);
        stepper.run(0, 1);
        assertThat(ran).containsExactly("pong@0", "pong@0");
    }

    /** One event: the so-many-th of a sender to a color; 0 is the test, else the color whose handler sends. */
    private record Numbered(int sender, int number) {}

    // Any order of steps, over any number of cores, under each setting: every event runs once, in its color, those of a
    // sender in order, and a color that sends is one sender wherever it runs.
    @Test
    void randomSteps_keepTheInvariants() {
        Random random = new Random(Seed.of("SteppedStealTest"));
        long steals = 0;
        for (int round = 0; round < 12; round++) {
            randomSteps(random);
            steals += stepper.mely.stats().steals();
            stepper.close();
        }
        assertThat(steals).as("the walk reaches steals").isPositive();
    }

    private void randomSteps(Random random) {
        int cores = 2 + random.nextInt(3);
        List<Stealing> settings = List.of(Stealing.mely(), Stealing.base(), new Stealing(true, true, false, true));
        build(cores, settings.get(random.nextInt(3)));
        int colors = 6;
        int[][] sentTo = new int[colors + 1][colors + 1];
        int[][] seen = new int[colors + 1][colors + 1];
        List<Stage<Numbered>> stages = new ArrayList<>();
        for (Duration time : List.of(SHORT, Duration.ofNanos(2_000), LONG)) {
            StageOptions options = StageOptions.defaults()
                    .withProcessingTime(time)
                    .withPriority(random.nextInt(8))
                    .withPenalty(1 + random.nextInt(3));
            stages.add(stepper.mely.stage("r" + time, options, event -> {
                int slot = Color.current().slot();
                assertThat(event.number).isEqualTo(seen[slot][event.sender]++);
                assertThat(Color.current().homeCore()).isEqualTo(onCore());
                int target = 1 + random.nextInt(colors);
                if (random.nextInt(5) < 2) {
                    stages.get(random.nextInt(3)).offer(color(target), new Numbered(slot, sentTo[target][slot]++));
                }
            }));
        }
        for (int i = 0; i < 3_000; i++) {
            if (random.nextInt(3) == 0) {
                int target = 1 + random.nextInt(colors);
                stages.get(random.nextInt(3)).offer(color(target), new Numbered(0, sentTo[target][0]++));
            }
            stepper.step(random.nextInt(cores));
            stepper.clock.advance(random.nextInt(100_000));
        }
        int[] all = new int[cores];
        for (int core = 0; core < cores; core++) {
            all[core] = core;
        }
        stepper.run(all);
        assertThat(failures).isEmpty();
        assertThat(seen).isEqualTo(sentTo);
        for (int slot = 1; slot <= colors; slot++) {
            assertThat(stepper.isIdle(color(slot))).isTrue();
        }
    }
}
