// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.mely.Mely;
import io.mely.Policy;
import io.mely.Stage;
import io.mely.StageOptions;
import io.mely.Stealing;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

// A core that sleeps is called for what is worth it, and one that goes to sleep looks before.
class SteppedThiefTest extends SteppedCores {
    /** Cores, of which a thief sees a part at a time. */
    private static final int MANY = 32;

    // of the handler that core 0 is stuck in
    private final CountDownLatch isInside = new CountDownLatch(1);
    private final CountDownLatch mayEnd = new CountDownLatch(1);

    /** A stage that nobody knows to be long. */
    private Stage<String> sticks() {
        return stepper.mely.stage("sticks", StageOptions.defaults().withProcessingTime(SHORT), event -> {
            isInside.countDown();
            mayEnd.await(60, TimeUnit.SECONDS);
        });
    }

    // ------------------------------------------------------------------ who is woken

    // Whoever sends it, and whether it goes into the queue or into the inbox of the core that is stuck.
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void longEvent_sentToARunningCore_wakesAThief(boolean isFromOutside) throws Exception {
        build(2, Stealing.mely());
        Stage<String> stage = recorder(LONG);
        Wakeups wakeups = stepper.core(0).runtime().wakeups();
        Core sleeper = stepper.core(1);
        Stage<String> sticks = stepper.mely.stage("sticks", event -> {
            wakeups.announce(sleeper, false);
            if (!isFromOutside) {
                stage.offer(color(2), "loot");
            }
            isInside.countDown();
            mayEnd.await(60, TimeUnit.SECONDS);
        });
        sticks.offer(color(1), "stuck");
        try (Stepper.Other other = stepper.other()) {
            other.start(0);
            assertThat(isInside.await(60, TimeUnit.SECONDS)).isTrue();
            if (isFromOutside) {
                stage.offer(color(2), "loot");
            }
            assertThat(wakeups.retract(sleeper)).isEqualTo(Wakeups.CALLED);
            stepper.step(1);
            stepper.rest(1);
            stepper.step(1);
            assertThat(ran).containsExactly("loot@1");
            mayEnd.countDown();
        }
        assertThat(failures).isEmpty();
    }

    // However short, and whether it was there before: what waits behind a handler known to be long is run by a core
    // that slept.
    @ParameterizedTest
    @CsvSource({"true, 40, true", "false, 40, true", "true, 39, false", "false, 39, false"})
    void shortEvent_behindAHandler_wakesAThiefIfThatIsLong(boolean isThereBefore, int us, boolean isWoken)
            throws Exception {
        build(2, Stealing.mely());
        Stage<String> stage = recorder(SHORT);
        Wakeups wakeups = stepper.core(0).runtime().wakeups();
        Core sleeper = stepper.core(1);
        StageOptions options = StageOptions.defaults()
                .withProcessingTime(Duration.ofNanos(us * 1_000L))
                .withPriority(7); // else the brief one goes first
        Stage<String> sticks = stepper.mely.stage("sticks", options, event -> {
            isInside.countDown();
            mayEnd.await(60, TimeUnit.SECONDS);
            throw new IllegalStateException("a failure ends it, too");
        });
        wakeups.announce(sleeper, false);
        sticks.offer(color(1), "stuck");
        if (isThereBefore) {
            stage.offer(color(2), "brief");
        }
        try (Stepper.Other other = stepper.other()) {
            other.start(0);
            assertThat(isInside.await(60, TimeUnit.SECONDS)).isTrue();
            assertThat(wakeups.isEngaged(0)).isEqualTo(isWoken);
            if (!isThereBefore) {
                stage.offer(color(2), "brief");
            }
            assertThat(wakeups.retract(sleeper)).isEqualTo(isWoken ? Wakeups.CALLED : Wakeups.SLEEPING);
            if (isWoken) {
                assertThat(stepper.step(1)).isEqualTo(1);
                assertThat(ran).containsExactly("brief@1");
            }
            mayEnd.countDown();
        }
        stepper.run(0);
        assertThat(ran).containsExactly(isWoken ? "brief@1" : "brief@0");
        assertThat(wakeups.isEngaged(0)).isFalse();
        assertThat(failures).hasSize(1);
    }

    // ------------------------------------------------------------------ who looks before it sleeps

    private void restEnd(int core) {
        stepper.on(core, () -> {
            stepper.core(core).restEnd();
            return null;
        });
    }

    // Of several idle cores one looks after the loot; the others sleep, and are called for what it leaves.
    @Test
    void loot_isLeftToASearcher_whoCallsASuccessor() {
        build(MANY, Stealing.mely());
        load(recorder(LONG), 5, 1);
        Wakeups wakeups = stepper.core(0).runtime().wakeups();
        Core searcher = stepper.core(1);
        Core sleeper = stepper.core(2);

        assertThat(stepper.on(1, searcher::restBegin))
                .as("it sees loot, and stays")
                .isFalse();
        assertThat(wakeups.searchers.get()).isEqualTo(1);
        assertThat(stepper.on(2, sleeper::restBegin)).as("the searcher's").isTrue();
        restEnd(1);
        assertThat(wakeups.searchers.get()).isEqualTo(1);
        assertThat(stepper.step(1)).isPositive();
        assertThat(ran).containsExactly("c1@1");
        assertThat(sleeper.sleepFlag.get()).as("called, to core 0").isEqualTo(Wakeups.CALLED);
        assertThat(wakeups.searchers.get()).as("it counts as one").isEqualTo(1);
        restEnd(2);
        assertThat(stepper.step(2)).isPositive();
        assertThat(ran).containsExactly("c1@1", "c4@2");
        assertThat(wakeups.searchers.get()).isZero();
    }

    // A call that meets a thief which has just seen the loot by itself: one searcher, counted once.
    @Test
    void callOfAThiefThatSawTheLoot_isOneSearch() {
        build(MANY, Stealing.mely());
        load(recorder(LONG), 3, 1);
        Wakeups wakeups = stepper.core(0).runtime().wakeups();
        Core thief = stepper.core(1);
        assertThat(stepper.on(1, thief::restBegin)).isFalse();
        wakeups.endSearch();
        assertThat(thief.sleepFlag.get()).as("called").isEqualTo(Wakeups.CALLED);
        wakeups.beginSearch();
        assertThat(wakeups.searchers.get()).as("by itself, and by the call").isEqualTo(2);
        restEnd(1);
        assertThat(wakeups.searchers.get()).isEqualTo(1);
        assertThat(stepper.step(1)).isPositive();
        assertThat(wakeups.searchers.get()).isZero();
    }

    // Far away on a machine of which a thief sees a part at a time.
    @Test
    void farLoot_isSeenBeforeASleep_andGot() {
        build(MANY, Stealing.mely());
        load(recorder(LONG), 3, 1);
        Core thief = stepper.core(8); // core 0 is behind 23 others, of which it looks at 8
        assertThat(stepper.step(8)).as("the first look is not there").isZero();
        assertThat(stepper.on(8, thief::restBegin)).isFalse();
        restEnd(8);
        assertThat(stepper.step(8)).as("the next is").isPositive();
        assertThat(ran).containsExactly("c1@8");
    }

    // ------------------------------------------------------------------ looks

    // After an event of its own a core looks at others only some steps later; events that come sooner than that put it
    // off no further.
    @Test
    void trickleOfEvents_keepsNoCoreFromLooking() {
        stepper = new Stepper(Hooks.NONE
                .withPlacement(slot -> slot / 200)
                .on(Mely.builder())
                .cores(2)
                .policy(Policy.colored().withTimeSlice(LONG).withSpin(LONG))
                .errorHandler(failures::add));
        Stage<String> trickle = recorder(SHORT);
        stepper.step(1); // looks
        trickle.offer(color(200), "own");
        stepper.step(1);
        load(recorder(LONG), 2, 1);
        for (int i = 0; i < 5; i++) {
            trickle.offer(color(200), "own");
            for (int step = 0; step < 3; step++) {
                stepper.step(1);
                stepper.rest(1);
            }
        }
        assertThat(ran).contains("own@1", "c1@1");
    }

    // No time has to pass: what is long is worth the thief's look.
    @Test
    void longEventForABusyCore_isStolenAtOnce() throws Exception {
        build(2, Stealing.mely());
        Stage<String> sticks = sticks();
        Stage<String> stage = recorder(LONG);
        sticks.offer(color(1), "stuck");
        try (Stepper.Other other = stepper.other()) {
            other.start(0);
            assertThat(isInside.await(60, TimeUnit.SECONDS)).isTrue();
            stage.offer(color(2), "long");
            stepper.step(1); // sees that the victim is in a turn
            stepper.rest(1); // and does not sleep
            stepper.step(1);
            assertThat(ran).containsExactly("long@1");
            mayEnd.countDown();
        }
        stepper.run(0, 1);
    }
}
