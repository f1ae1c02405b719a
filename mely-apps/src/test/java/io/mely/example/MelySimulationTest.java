// SPDX-License-Identifier: Apache-2.0
package io.mely.example;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import io.mely.simulation.MelySimulation;
import io.mely.simulation.Simulation;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.platform.testkit.engine.EngineExecutionResults;
import org.junit.platform.testkit.engine.EngineTestKit;
import org.junit.platform.testkit.engine.Event;

// The annotation from outside: what it finds, what it says, what it refuses.
class MelySimulationTest {
    /** Not run by the build: these tests fail. */
    static class Buggy {
        static int calls;

        @MelySimulation(seeds = 2_000)
        void theGoodbyeComesLast(Simulation.World world) {
            calls++;
            ChatRoomTest.check(world, new ChatRoom(world.mely()));
        }
    }

    static class Misused {
        @MelySimulation(seeds = 0)
        void noSeeds(Simulation.World world) {}
    }

    static class WithoutWorld {
        @MelySimulation
        void noWorld() {}
    }

    static class BrokenSetUp {
        @MelySimulation(seeds = 1)
        void throwsWhileSettingUp(Simulation.World world) {
            throw new UnsupportedOperationException("planned");
        }
    }

    @AfterEach
    void clear() {
        System.clearProperty("mely.simulation.seed");
        System.clearProperty("mely.simulation.seeds");
    }

    private static EngineExecutionResults run(Class<?> test) {
        return EngineTestKit.engine("junit-jupiter")
                .selectors(selectClass(test))
                .execute();
    }

    private static String failure(Class<?> test) {
        Event failed = run(test).allEvents().failed().stream().findFirst().orElseThrow();
        return failed.getRequiredPayload(org.junit.platform.engine.TestExecutionResult.class)
                .getThrowable()
                .orElseThrow()
                .toString();
    }

    @Test
    void findsTheBug_andTheSeedRepeatsIt() {
        String message = failure(Buggy.class);
        assertThat(message).contains("bye");
        Matcher seed = Pattern.compile("-Dmely\\.simulation\\.seed=(\\d+)").matcher(message);
        assertThat(seed.find()).as(message).isTrue();

        System.setProperty("mely.simulation.seed", seed.group(1));
        Buggy.calls = 0;
        assertThat(failure(Buggy.class)).contains("bye", "schedule 1 of 1");
        assertThat(Buggy.calls).isOne();
    }

    @Test
    void seeds_canBeSetFromOutside() {
        System.setProperty("mely.simulation.seeds", "x");
        assertThat(failure(Buggy.class))
                .contains("mely.simulation.seeds must be a whole number: mely.simulation.seeds=x");
    }

    @Test
    void wrongUse_isNamed() {
        assertThat(failure(Misused.class)).contains("seeds must be > 0: seeds=0");
        assertThat(failure(WithoutWorld.class)).contains("one parameter, Simulation.World", "noWorld");
        assertThat(failure(BrokenSetUp.class)).contains("could not be set up");
    }
}
