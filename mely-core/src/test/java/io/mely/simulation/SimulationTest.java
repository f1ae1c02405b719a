// SPDX-License-Identifier: Apache-2.0
package io.mely.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mely.Color;
import io.mely.Stage;
import io.mely.StageOptions;
import io.mely.runtime.Hooks;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

// A simulation runs any workload, is decided by its seed alone, and finds what a workload does wrong.
class SimulationTest {
    /** Each event adds one to what the one before left: plain memory. */
    private static Consumer<Simulation.World> counting(int[] total, int events) {
        return world -> {
            Ledger ledger = new Ledger(world);
            Color color = world.mely().colorAt(3);
            Stage<Ledger.Entry> count = world.mely().stage("count", entry -> {
                ledger.begin(entry);
                int before = total[0];
                world.yieldPoint();
                total[0] = before + 1;
                ledger.end(entry);
            });
            int[] left = {events};
            for (String name : new String[] {"a", "b"}) {
                world.outsideThread(name, () -> {
                    Ledger.Entry entry = ledger.sending(name, color.slot());
                    ledger.sent(entry, count.offer(color, entry));
                    return --left[0] > 0;
                });
            }
        };
    }

    @Test
    void run_runsEverythingSent() {
        for (long seed = 0; seed < 200; seed++) {
            int[] total = new int[1];
            Simulation.Result result = Simulation.ofSeed(seed).cores(3).run(counting(total, 40));
            assertThat(total[0]).as("seed %s", seed).isBetween(40, 41); // both threads may send a last one
            assertThat(result.violation()).isNull();
        }
    }

    @Test
    void seed_decidesEverything() {
        for (long seed = 0; seed < 50; seed++) {
            Simulation.Result once = Chaos.run(seed, Simulation::traced);
            Simulation.Result again = Chaos.run(seed, Simulation::traced);
            Simulation.Result replayed = Chaos.replay(seed, once.choices(), Simulation::traced);
            assertThat(again.trace()).isEqualTo(once.trace());
            assertThat(replayed.trace()).isEqualTo(once.trace());
            assertThat(replayed.decisions()).isEqualTo(once.decisions());
        }
    }

    @Test
    void faults_canBeSwitchedOff() {
        for (long seed = 0; seed < 100; seed++) {
            Simulation.Result calm = Chaos.run(seed, simulation -> simulation.faults(EnumSet.noneOf(Fault.class)));
            assertThat(calm.violation()).isNull();
            assertThat(calm.faults()).containsOnly(0);
        }
    }

    @Test
    void closeAfter_cutShort_discardsAndClosesTheBooks() {
        AtomicInteger discarded = new AtomicInteger();
        for (long seed = 0; seed < 100; seed++) {
            int[] total = new int[1];
            Simulation.ofSeed(seed).run(world -> {
                counting(total, 1_000).accept(world);
                world.closeAfter(30, Duration.ZERO);
                world.checkAtEnd(
                        () -> discarded.addAndGet((int) world.closeReport().discardedEvents()));
            });
        }
        assertThat(discarded.get()).isPositive();
    }

    /** Two colors that share state without saying so. */
    private static void overlap(Simulation.World world) {
        int[] shared = new int[2];
        Stage<Integer> add = world.mely().stage("add", unused -> {
            int before = shared[0];
            world.yieldPoint();
            shared[0] = before + 1;
            shared[1]++;
        });
        int[] left = {40};
        world.outsideThread("client", () -> {
            add.offer(world.mely().colorAt(1 + left[0] % 2), 1);
            return --left[0] > 0;
        });
        world.checkAtEnd(() -> world.check(Check.MEMORY, shared[0] == shared[1], "lost " + shared[0]));
    }

    @Test
    void run_findsAnOverlapOfTwoColors_andShrinksIt() {
        Simulation.Result failed = null;
        for (long seed = 0; failed == null; seed++) {
            assertThat(seed).isLessThan(100);
            Simulation.Result result = Simulation.ofSeed(seed).tryRun(SimulationTest::overlap);
            failed = result.violation() == null ? null : result;
        }
        assertThat(failed.violation().check()).isEqualTo(Check.MEMORY);
        Simulation.Result shrunk = Simulation.ofSeed(failed.seed()).shrink(failed, SimulationTest::overlap);
        assertThat(shrunk.violation().check()).isEqualTo(Check.MEMORY);
        assertThat(shrunk.disturbances()).isLessThan(failed.disturbances() / 2);
        assertThat(shrunk.trace()).isNotEmpty();
        Simulation again = Simulation.ofChoices(failed.seed(), shrunk.choicesText());
        assertThat(again.tryRun(SimulationTest::overlap).violation()).isNotNull();
    }

    @Test
    void run_throwsTheViolation() {
        assertThatThrownBy(() -> Simulation.ofSeed(1)
                        .run(world -> world.checkAtEnd(() -> world.check(Check.ORDER, false, "planned"))))
                .isInstanceOf(Violation.class)
                .hasMessageContaining("ORDER: planned")
                .hasMessageEndingWith("repeat it with Simulation.ofSeed(1L)");
    }

    @Test
    void timers_areNotSleptPast() {
        for (long seed = 0; seed < 100; seed++) {
            AtomicInteger fired = new AtomicInteger();
            Simulation.ofSeed(seed).cores(2).run(world -> {
                Stage<Integer> late = world.mely().stage("late", unused -> fired.incrementAndGet());
                for (int i = 1; i <= 5; i++) {
                    world.watch(world.mely().colorAt(i).schedule(Duration.ofMillis(100L * i), late, i));
                }
            });
            assertThat(fired.get()).as("seed %s", seed).isEqualTo(5);
        }
    }

    // Invariant 6, the part that no wake-up covers: short colors behind a handler that does not return are robbed.
    @Test
    void stalledCore_isRelievedOfItsOtherColors() {
        for (long seed = 0; seed < 200; seed++) {
            int[] run = new int[2];
            Simulation.ofSeed(seed)
                    .cores(3)
                    .settings(builder -> Hooks.NONE.withPlacement(slot -> 0).on(builder))
                    .run(world -> {
                        StageOptions brief = StageOptions.defaults().withProcessingTime(Duration.ofNanos(50));
                        Stage<Integer> small = world.mely().stage("small", brief, unused -> run[0]++);
                        Stage<Integer> stuck = world.mely().stage("stuck", unused -> {
                            for (int i = 0; i < 20; i++) {
                                world.stall(Duration.ofMillis(10));
                            }
                            run[1] = run[0];
                        });
                        stuck.offer(world.mely().colorAt(1), 0);
                        for (int color = 2; color < 6; color++) {
                            small.offer(world.mely().colorAt(color), 0);
                        }
                    });
            assertThat(run)
                    .as("seed %s: run at the end, and while the core was stuck", seed)
                    .containsExactly(4, 4);
        }
    }

    // What users of the simulator get: steps and handlers are interleaved, nothing is woven.
    @Test
    void seeds_ofThePlainSimulation_keepTheInvariants() {
        Campaign.Outcome outcome = Campaign.plain(0, 2_000, null);
        assertThat(outcome.check())
                .as(() -> outcome.explain("mely-core", "SimulationTest"))
                .isNull();
        Set<Fault> unused = EnumSet.of(Fault.SLOW_DRAIN);
        for (Fault fault : Fault.values()) {
            assertThat(outcome.faults()[fault.ordinal()] > 0).as(fault.name()).isEqualTo(!unused.contains(fault));
        }
    }

    @Test
    void chaos_isTheSameForAnyOrderOfSeeds() {
        Simulation.Result first = Chaos.run(7, UnaryOperator.identity());
        Chaos.run(8, UnaryOperator.identity());
        assertThat(Chaos.run(7, UnaryOperator.identity()).choices()).isEqualTo(first.choices());
    }
}
