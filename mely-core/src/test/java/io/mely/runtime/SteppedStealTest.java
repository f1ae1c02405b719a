// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.mely.Color;
import io.mely.ErrorHandler;
import io.mely.Mely;
import io.mely.MelyBuilder;
import io.mely.Seed;
import io.mely.Stage;
import io.mely.StageOptions;
import io.mely.Stealing;
import io.mely.queue.CoreQueue;
import io.mely.steal.Thief;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

// Several cores, stepped by hand: an idle core takes a whole color that pays, runs it at home from then on, and takes
// nothing else.
class SteppedStealTest {
    private static final Duration SHORT = Duration.ofNanos(50);
    private static final Duration LONG = Duration.ofNanos(50_000);

    /** Cores, of which a thief sees a part at a time. */
    private static final int MANY = 32;

    private final List<String> ran = new ArrayList<>();
    private final List<ErrorHandler.Failure> failures = new ArrayList<>();
    private Stepper stepper;

    private Stepper build(int cores, Stealing stealing) {
        return build(cores, stealing, true);
    }

    private Stepper build(int cores, Stealing stealing, boolean hasShortQueue) {
        MelyBuilder builder = Mely.builder()
                .cores(cores)
                .stealing(stealing)
                .placement(slot -> 0)
                .timeSlice(LONG)
                .shortQueue(hasShortQueue)
                .errorHandler(failures::add);
        stepper = new Stepper(builder);
        return stepper;
    }

    @AfterEach
    void close() {
        stepper.close();
    }

    /** A stage that notes event and core. */
    private Stage<String> recorder(Duration time) {
        return recorder(time, 1);
    }

    private Stage<String> recorder(Duration time, int penalty) {
        StageOptions options = StageOptions.defaults().withProcessingTime(time).withPenalty(penalty);
        return stepper.mely.stage("s" + time, options, event -> ran.add(event + "@" + onCore()));
    }

    private static int onCore() {
        EngineCore core = ((CoreThread) Thread.currentThread()).core;
        return core == null ? -1 : core.core();
    }

    private Color color(int slot) {
        return stepper.mely.colorAt(slot);
    }

    /** Leaves the given colors ready on core 0, behind a first one that used up its time slice. */
    private void load(Stage<String> stage, int colors, int eventsEach) {
        StageOptions options =
                StageOptions.defaults().withProcessingTime(LONG).withPriority(7); // else brief ones go first
        Stage<String> first = stepper.mely.stage("first", options, ran::add);
        first.send(color(100), "first");
        for (int i = 0; i < eventsEach; i++) {
            for (int slot = 1; slot <= colors; slot++) {
                stage.send(color(slot), "c" + slot);
            }
        }
        stepper.step(0);
        ran.clear();
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
        CountDownLatch isInside = new CountDownLatch(1);
        CountDownLatch mayEnd = new CountDownLatch(1);
        Stage<String> sticks = stepper.mely.stage("sticks", event -> {
            wakeups.announce(sleeper, false);
            if (!isFromOutside) {
                stage.send(color(2), "loot");
            }
            isInside.countDown();
            mayEnd.await(60, TimeUnit.SECONDS);
        });
        sticks.send(color(1), "stuck");
        try (Stepper.Other other = stepper.other()) {
            other.start(0);
            assertThat(isInside.await(60, TimeUnit.SECONDS)).isTrue();
            if (isFromOutside) {
                stage.send(color(2), "loot");
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
    @CsvSource({"true, 50, true", "false, 50, true", "true, 49, false", "false, 49, false"})
    void shortEvent_behindAHandler_wakesAThiefIfThatIsLong(boolean isThereBefore, int us, boolean isWoken)
            throws Exception {
        build(2, Stealing.mely());
        Stage<String> stage = recorder(SHORT);
        Wakeups wakeups = stepper.core(0).runtime().wakeups();
        Core sleeper = stepper.core(1);
        CountDownLatch isInside = new CountDownLatch(1);
        CountDownLatch mayEnd = new CountDownLatch(1);
        StageOptions options = StageOptions.defaults()
                .withProcessingTime(Duration.ofNanos(us * 1_000L))
                .withPriority(7); // else the brief one goes first
        Stage<String> sticks = stepper.mely.stage("sticks", options, event -> {
            isInside.countDown();
            mayEnd.await(60, TimeUnit.SECONDS);
            throw new IllegalStateException("a failure ends it, too");
        });
        wakeups.announce(sleeper, false);
        sticks.send(color(1), "stuck");
        if (isThereBefore) {
            stage.send(color(2), "brief");
        }
        try (Stepper.Other other = stepper.other()) {
            other.start(0);
            assertThat(isInside.await(60, TimeUnit.SECONDS)).isTrue();
            assertThat(wakeups.isEngaged(0)).isEqualTo(isWoken);
            if (!isThereBefore) {
                stage.send(color(2), "brief");
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

    // Of several idle cores one looks after the loot; the others sleep, and are called for what it leaves.
    @Test
    void loot_isLeftToASearcher_whoCallsASuccessor() {
        build(MANY, Stealing.mely());
        load(recorder(LONG), 3, 1);
        Wakeups wakeups = stepper.core(0).runtime().wakeups();
        Core searcher = stepper.core(1);
        Core sleeper = stepper.core(2);

        assertThat(stepper.on(1, searcher::restBegin))
                .as("it sees loot, and stays")
                .isFalse();
        assertThat(wakeups.searchers()).isEqualTo(1);
        assertThat(stepper.on(2, sleeper::restBegin)).as("the searcher's").isTrue();
        stepper.on(1, () -> {
            searcher.restEnd();
            return null;
        });
        assertThat(wakeups.searchers()).isEqualTo(1);
        assertThat(stepper.step(1)).isPositive();
        assertThat(ran).containsExactly("c1@1");
        assertThat(sleeper.sleepFlag.get()).as("called, to core 0").isEqualTo(Wakeups.CALLED);
        assertThat(wakeups.searchers()).as("it counts as one").isEqualTo(1);
        stepper.on(2, () -> {
            sleeper.restEnd();
            return null;
        });
        assertThat(stepper.step(2)).isPositive();
        assertThat(ran).containsExactly("c1@1", "c2@2");
        assertThat(wakeups.searchers()).isZero();
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
        assertThat(wakeups.searchers()).as("by itself, and by the call").isEqualTo(2);
        stepper.on(1, () -> {
            thief.restEnd();
            return null;
        });
        assertThat(wakeups.searchers()).isEqualTo(1);
        assertThat(stepper.step(1)).isPositive();
        assertThat(wakeups.searchers()).isZero();
    }

    // Far away on a machine of which a thief sees a part at a time.
    @Test
    void farLoot_isSeenBeforeASleep_andGot() {
        build(MANY, Stealing.mely());
        load(recorder(LONG), 3, 1);
        Core thief = stepper.core(8); // core 0 is behind 23 others, of which it looks at 8
        assertThat(stepper.step(8)).as("the first look is not there").isZero();
        assertThat(stepper.on(8, thief::restBegin)).isFalse();
        stepper.on(8, () -> {
            thief.restEnd();
            return null;
        });
        assertThat(stepper.step(8)).as("the next is").isPositive();
        assertThat(ran).containsExactly("c1@8");
    }

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
        stage.send(color(1), "later");
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
            stage.send(color(1), "n" + i);
        }
        for (int i = 0; i < 6; i++) {
            stage.send(color(2), "m" + i);
        }
        stepper.step(1);
        for (int i = 5; i < 9; i++) {
            stage.send(color(1), "n" + i);
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
        assertThat(ran).containsExactly("c1@1", "c1@1");
        assertThat(stepper.stats(1).steals()).isEqualTo(1);
    }

    /** Core 0 sends events to three colors in turn. */
    private void pileUp(Stage<String> stage, int events) {
        stepper.on(0, () -> {
            for (int i = 0; i < events; i++) {
                for (int slot = 1; slot <= 3; slot++) {
                    stage.send(color(slot), slot + "." + i);
                }
            }
            return null;
        });
    }

    @Test
    void shortColors_thatPileUp_becomeWorthy() {
        build(2, Stealing.mely(), false);
        pileUp(recorder(SHORT), 400);
        assertThat(stepper.step(1)).as("400 x 50 ns outlast eight steals").isPositive();
        assertThat(stepper.stats(1).steals()).isEqualTo(1);
    }

    // It would be over in a moment, and all that comes for the color later would come to the thief.
    @Test
    void shortColors_thatAreWorthAStealOrTwo_areNotStolen() {
        build(2, Stealing.mely(), false);
        pileUp(recorder(SHORT), 40);
        assertThat(stepper.core(0).queue().hasWorthy()).isFalse();
        assertThat(stepper.step(1)).as("40 x 50 ns").isZero();
        assertThat(stepper.stats(1).stealAttempts()).isZero();
    }

    @Test
    void shortColors_thatAreWorthASteal_areStolenAsInTheReport() {
        build(2, Stealing.mely().withColorsMax(1), false);
        pileUp(recorder(SHORT), 40);
        assertThat(stepper.step(1)).isPositive();
        assertThat(stepper.stats(1).steals()).isEqualTo(1);
    }

    // Of a dozen events of a color one is long: it is stolen for that one's sake, wherever it stands, and no sooner.
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void longEventAmongShortOnes_isStolen_notRescued(boolean hasShortQueue) {
        build(2, Stealing.mely(), hasShortQueue);
        Stage<String> brief = recorder(SHORT);
        pileUp(brief, 6);
        assertThat(stepper.step(1)).isZero();
        Stage<String> lengthy = recorder(Duration.ofNanos(2_000));
        stepper.on(0, () -> lengthy.send(color(2), "2.long"));
        pileUp(brief, 6);
        assertThat(stepper.step(1))
                .as("all of the color together is less than eight steals")
                .isPositive();
        assertThat(ran).hasSize(13).allMatch(event -> event.startsWith("2.") && event.endsWith("@1"));
        assertThat(ran.get(6)).isEqualTo("2.long@1");
        assertThat(stepper.stats(1).steals()).isEqualTo(1);
        assertThat(stepper.stats(1).rescues()).isZero();
    }

    // The first of each are in the short-queue, and a thief moves them to the others, which wait behind them.
    @Test
    void shortColors_thatPileUpBehindTheShortQueue_becomeWorthy() {
        build(2, Stealing.mely());
        pileUp(recorder(SHORT), 400);
        assertThat(stepper.core(0).queue().readyCount()).isZero();
        assertThat(stepper.step(1)).as("400 x 50 ns outlast eight steals").isPositive();
        assertThat(stepper.stats(1).steals()).isEqualTo(1);
        assertThat(ran)
                .allMatch(event -> event.endsWith("@1"))
                .first()
                .asString()
                .contains(".0@");
        stepper.run(0, 1);
        for (int slot = 1; slot <= 3; slot++) {
            String color = slot + ".";
            assertThat(ran.stream().filter(event -> event.startsWith(color)).map(event -> event.replaceAll("@.", "")))
                    .containsExactlyElementsOf(
                            IntStream.range(0, 400).mapToObj(i -> color + i).toList());
        }
    }

    // A thief that is called for less would mostly find nothing that pays, and take the lines of who works.
    @ParameterizedTest
    @CsvSource({"10, 1024, false", "10, 8192, true", "1000, 256, true"})
    void backlogOfShortEvents_callsAThief_onceItIsWorthAFewWakeups(long timeNs, int events, boolean isHinted) {
        build(2, Stealing.mely());
        Stage<String> stage = recorder(Duration.ofNanos(timeNs));
        for (int i = 0; i <= events; i++) {
            stage.send(color(1 + i % 100), "");
        }
        assertThat(stepper.core(0).queue().hasLongInbox()).isEqualTo(isHinted);
    }

    // Each look in vain makes it take twice as much.
    @Test
    void backlogThatThievesFoundNothingIn_callsThemLater() {
        build(2, Stealing.mely());
        CoreQueue queue = stepper.core(0).queue();
        queue.hintPaid(false);
        queue.hintPaid(false);
        Stage<String> stage = recorder(Duration.ofNanos(10));
        for (int i = 0; i <= 16_384; i++) {
            stage.send(color(1 + i % 100), "");
        }
        assertThat(queue.hasLongInbox()).isFalse();
        for (int i = 0; i <= 8_192; i++) {
            stage.send(color(1 + i % 100), "");
        }
        assertThat(queue.hasLongInbox()).isTrue();
    }

    // Events that were sent before anybody knew how long they take count by a guess that is too low; once one of them
    // has run, the next of
    // its color counts by what is known.
    @Test
    void eventsSentBeforeTheFirstSample_areWorthWhatIsKnownNow() {
        stepper = new Stepper(Mely.builder()
                .cores(2)
                .placement(slot -> 0)
                .batchThresholdEvents(1)
                .timeSlice(LONG));
        Stage<String> stage =
                stepper.mely.stage("unknown", StageOptions.defaults().withPenalty(10), event -> {
                    stepper.clock.advance(200_000);
                    ran.add(event + "@" + onCore());
                });
        for (int i = 0; i < 3; i++) {
            for (int slot = 1; slot <= 4; slot++) {
                stage.send(color(slot), "c" + slot);
            }
        }
        stepper.drain(0);
        assertThat(stepper.timeLeft(color(4)))
                .as("3 x 1,000 / 10, less than a steal")
                .isEqualTo(300);
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
        light.send(color(5), "light");
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
            stage.send(color(1), "only");
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
        stage.send(color(1), "first");
        assertThat(stepper.step(0)).isEqualTo(1);
        assertThat(stepper.isIdle(color(1))).isTrue();

        stage.send(color(2), "only");
        stepper.clock.advance(20_000); // time enough for a thief to look into the inbox
        stepper.step(1);
        stepper.clock.advance(20_000);
        stepper.step(1);
        stepper.run(0, 1);
        assertThat(ran).containsExactly("first@0", "only@0");
    }

    // ------------------------------------------------------------------ a stuck core

    // Its other colors are taken, worthy or not, and what is sent to it meanwhile is visible at once.
    @Test
    void stuckCore_isRescued() throws Exception {
        build(2, Stealing.mely());
        CountDownLatch isInside = new CountDownLatch(1);
        CountDownLatch mayEnd = new CountDownLatch(1);
        Stage<String> sticks =
                stepper.mely.stage("sticks", StageOptions.defaults().withProcessingTime(SHORT), event -> {
                    isInside.countDown();
                    mayEnd.await(60, TimeUnit.SECONDS);
                });
        Stage<String> stage = recorder(SHORT);
        sticks.send(color(1), "stuck");
        stage.send(color(2), "behind");
        try (Stepper.Other other = stepper.other()) {
            other.start(0);
            assertThat(isInside.await(60, TimeUnit.SECONDS)).isTrue();
            stage.send(color(3), "inbox");
            assertThat(stepper.step(1)).isZero();
            stepper.clock.advance(Thief.STALL_NS - 1);
            assertThat(stepper.step(1)).isZero();
            assertThat(ran).isEmpty();
            stepper.clock.advance(1);
            for (int i = 0; i < 40; i++) { // a thief that spins looks each so-many-th step
                stepper.step(1);
            }
            assertThat(ran).containsExactly("behind@1", "inbox@1");
            assertThat(stepper.stats(1).rescues()).isEqualTo(2);
            mayEnd.countDown();
        }
        stepper.run(0, 1);
        assertThat(color(1).homeCore()).as("never the color that runs").isZero();
    }

    // After an event of its own a core looks at others only some steps later; events that come sooner than that put it
    // off no further.
    @Test
    void trickleOfEvents_keepsNoCoreFromLooking() {
        stepper = new Stepper(Mely.builder()
                .cores(2)
                .placement(slot -> slot / 200)
                .timeSlice(LONG)
                .spin(LONG)
                .errorHandler(failures::add));
        Stage<String> trickle = recorder(SHORT);
        stepper.step(1); // looks
        trickle.send(color(200), "own");
        stepper.step(1);
        load(recorder(LONG), 2, 1);
        for (int i = 0; i < 5; i++) {
            trickle.send(color(200), "own");
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
        CountDownLatch isInside = new CountDownLatch(1);
        CountDownLatch mayEnd = new CountDownLatch(1);
        Stage<String> sticks =
                stepper.mely.stage("sticks", StageOptions.defaults().withProcessingTime(SHORT), event -> {
                    isInside.countDown();
                    mayEnd.await(60, TimeUnit.SECONDS);
                });
        Stage<String> stage = recorder(LONG);
        sticks.send(color(1), "stuck");
        try (Stepper.Other other = stepper.other()) {
            other.start(0);
            assertThat(isInside.await(60, TimeUnit.SECONDS)).isTrue();
            stage.send(color(2), "long");
            stepper.step(1); // sees that the victim is in a turn
            stepper.rest(1); // and does not sleep
            stepper.step(1);
            assertThat(ran).containsExactly("long@1");
            mayEnd.countDown();
        }
        stepper.run(0, 1);
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
                "ping", StageOptions.defaults().withProcessingTime(LONG), event -> pong.send(color(50), "pong"));
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
                    stages.get(random.nextInt(3)).send(color(target), new Numbered(slot, sentTo[target][slot]++));
                }
            }));
        }
        for (int i = 0; i < 3_000; i++) {
            if (random.nextInt(3) == 0) {
                int target = 1 + random.nextInt(colors);
                stages.get(random.nextInt(3)).send(color(target), new Numbered(0, sentTo[target][0]++));
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
