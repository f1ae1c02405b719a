// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.mely.Color;
import io.mely.Mely;
import io.mely.MelyBuilder;
import io.mely.Stage;
import io.mely.StageOptions;
import io.mely.Stealing;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

// Cores that mostly send to each other run on one of them, if that is faster. Time passes in handlers only, and takes
// what a test says.
//
// Long, as each rule of the policy has its case on the same balls that go from color to color: who is tried, how a
// trial and a hold end, what is owed, what idle cores do meanwhile, who of several.
@Tag("virtual-time")
class GatheringTest {
    private static final int COLORS = 48;
    private static final int BALLS = 96;
    private static final long MS = 1_000_000;

    private int cores = 2;
    private Stepper stepper = stepper(Mely.builder(), cores);
    private final SplittableRandom random = new SplittableRandom(1);
    private final List<Stage<Integer>> stage = new ArrayList<>();
    private boolean isOver;
    private long sameCoreNs = 100; // an event whose handler sends to its own core
    private long otherCoreNs = 900; // or to another
    private int balls = BALLS;
    private int colors = COLORS;

    private static Stepper stepper(MelyBuilder builder, int cores) {
        return new Stepper(builder.cores(cores).colors(1 << 15));
    }

    private void rebuild(MelyBuilder builder, int cores) {
        stepper.close();
        this.cores = cores;
        stepper = stepper(builder, cores);
    }

    @AfterEach
    void close() {
        isOver = true;
        stepper.run(IntStream.range(0, cores).toArray());
        stepper.close();
        assertThat(stepper.mely.stats().sent()).isEqualTo(stepper.mely.stats().run());
    }

    private Color color(int i) {
        return stepper.mely.colorAt(2 + i);
    }

    private int colorsOf(int core) {
        int count = 0;
        for (int i = 0; i < COLORS; i++) {
            count += color(i).homeCore() == core ? 1 : 0;
        }
        return count;
    }

    private static StageOptions time(long ns) {
        return StageOptions.defaults().withProcessingTime(Duration.ofNanos(ns));
    }

    /** Balls go from color to color at random. */
    private void talk() {
        stage.add(stepper.mely.stage("talker", time(50), ball -> {
            Color to = color(random.nextInt(colors));
            stepper.clock.advance(to.homeCore() == Color.current().homeCore() ? sameCoreNs : otherCoreNs);
            if (!isOver) {
                stage.get(0).send(to, ball);
            }
        }));
        for (int ball = 0; ball < balls; ball++) {
            stage.get(0).send(color(ball % colors), ball);
        }
    }

    private void talkUntilGathered() {
        talk();
        runFor(20 * MS);
        assertThat(colorsOf(0)).isEqualTo(COLORS);
    }

    /** Steps the cores in turn for so long. */
    private void runFor(long ns, int... cores) {
        long endNs = stepper.clock.nanoTime() + ns;
        for (int i = 0; stepper.clock.nanoTime() - endNs < 0; i++) {
            if (stepper.step(cores[i % cores.length]) == 0) {
                stepper.clock.advance(100);
            }
        }
    }

    private void runFor(long ns) {
        runFor(ns, 0, 1);
    }

    private int owedByCore0() {
        return stepper.core(0).gathering().owedTo(1);
    }

    private long runOf(int core) {
        return stepper.stats(core).run();
    }

    @Test
    void coresThatAreFasterTogether_runOnTheFirstOfThem() {
        talk();
        runFor(1 * MS);
        assertThat(colorsOf(1)).as("until it is known that they talk").isEqualTo(COLORS / 2);
        runFor(14 * MS);
        assertThat(colorsOf(0)).isEqualTo(COLORS);
        long other = runOf(1);
        runFor(Gathering.HOLD_NS_MIN - 20 * MS);
        assertThat(colorsOf(0)).as("kept").isEqualTo(COLORS);
        assertThat(runOf(1)).isEqualTo(other);
    }

    @Test
    void coresThatAreNotFasterTogether_goOnApart_andAreTriedLessAndLessOften() {
        otherCoreNs = sameCoreNs;
        talk();
        runFor(20 * MS);
        long trial = stepper.stats(0).gathered();
        assertThat(trial).as("it was tried").isPositive();
        assertThat(colorsOf(1)).as("and what was taken has been given back").isBetween(COLORS / 3, COLORS - COLORS / 3);
        runFor(Gathering.BACKOFF_NS_MIN - 30 * MS);
        assertThat(stepper.stats(0).gathered()).as("not again so soon").isEqualTo(trial);
        runFor(40 * MS);
        long second = stepper.stats(0).gathered();
        assertThat(second).as("but once more").isGreaterThan(trial);
        runFor(2 * Gathering.BACKOFF_NS_MIN - 30 * MS);
        assertThat(stepper.stats(0).gathered()).as("twice as late").isEqualTo(second);
    }

    // Some windows say nothing, as what moves delays what runs; the next two say enough.
    @Test
    void trialThatIsALoss_endsBeforeOneThatIsNoGain() {
        sameCoreNs = 400;
        otherCoreNs = 100;
        talk();
        runFor(14 * MS);
        assertThat(stepper.stats(0).gathered()).isPositive();
        assertThat(owedByCore0()).isZero();
        assertThat(colorsOf(1)).isEqualTo(COLORS / 2);
    }

    // One direction is a pipeline, whose stages run at once.
    @Test
    void coreThatIsOnlySentTo_keepsItsColors() {
        Stage<Integer> sink = stepper.mely.stage("sink", time(50), ball -> stepper.clock.advance(otherCoreNs));
        stage.add(stepper.mely.stage("source", time(50), ball -> {
            stepper.clock.advance(otherCoreNs);
            if (!isOver) {
                sink.send(stepper.mely.colorAt(3), ball);
                stage.get(0).send(Color.current(), ball);
            }
        }));
        stage.get(0).send(stepper.mely.colorAt(2), 0);
        runFor(50 * MS);
        assertThat(runOf(1)).isGreaterThan(1_000);
        assertThat(stepper.mely.colorAt(3).homeCore()).isEqualTo(1);
        assertThat(stepper.stats(0).steals()).isZero();
    }

    // Nor does it wait for what it sends: the other does as much for itself.
    @Test
    void coreThatHardlyAnswers_keepsItsColors() {
        Stage<Integer> end = stepper.mely.stage("end", time(50), ball -> stepper.clock.advance(100));
        Stage<Integer> sink = stepper.mely.stage("sink", time(50), ball -> {
            stepper.clock.advance(100);
            end.send(stepper.mely.colorAt(5 + 2 * (ball % 8)), ball);
        });
        stage.add(stepper.mely.stage("source", time(50), ball -> {
            stepper.clock.advance(100);
            if (!isOver) {
                sink.send(stepper.mely.colorAt(3), ball);
                stage.get(0).send(stepper.mely.colorAt(2 + 2 * random.nextInt(8)), ball);
            }
        }));
        for (int ball = 0; ball < 8; ball++) {
            stage.get(0).send(stepper.mely.colorAt(2), ball);
        }
        runFor(50 * MS);
        assertThat(runOf(1)).isGreaterThan(10_000);
        assertThat(stepper.stats(0).gathered()).isZero();
        assertThat(stepper.mely.colorAt(3).homeCore()).isEqualTo(1);
    }

    // It answers much, but most of what it runs comes from outside.
    @Test
    void coreWithClientsOfItsOwn_keepsItsColors() {
        stage.add(stepper.mely.stage("pong", time(50), ball -> {
            stepper.clock.advance(100);
            stage.get(1).send(stepper.mely.colorAt(3), ball);
        }));
        stage.add(stepper.mely.stage("ping", time(50), ball -> {
            stepper.clock.advance(100);
            if (random.nextInt(10) < 4) {
                stage.get(0).send(stepper.mely.colorAt(2), ball);
            }
        }));
        long endNs = stepper.clock.nanoTime() + 50 * MS;
        while (stepper.clock.nanoTime() - endNs < 0) {
            for (int i = 0; i < 12; i++) {
                stage.get(1).send(stepper.mely.colorAt(5 + 2 * i), i);
            }
            stepper.step(1);
            stepper.step(0);
        }
        assertThat(runOf(0)).isGreaterThan(10_000);
        assertThat(stepper.stats(0).gathered()).isZero();
    }

    // What takes longer than all its cache lines gains nothing.
    @Test
    void coresWhoseEventsAreFew_keepTheirColors() {
        balls = 24; // so that windows are short enough to say something
        sameCoreNs = 2 * Talk.EVENT_NS_MAX;
        otherCoreNs = 8 * Talk.EVENT_NS_MAX;
        talk();
        runFor(100 * MS);
        assertThat(colorsOf(1)).isEqualTo(COLORS / 2);
        assertThat(stepper.stats(0).gathered()).isZero();
    }

    @Test
    void switchedOff_orWithoutStealing_nothingMoves() {
        rebuild(Mely.builder().gathering(false), 2);
        talk();
        runFor(20 * MS);
        assertThat(colorsOf(1)).isEqualTo(COLORS / 2);
        isOver = true;
        stepper.run(0, 1);

        isOver = false;
        stage.clear();
        rebuild(Mely.builder().stealing(Stealing.off()), 2);
        talk();
        runFor(20 * MS);
        assertThat(colorsOf(1)).isEqualTo(COLORS / 2);
    }

    // What was right once may have been chance, or is no longer.
    @Test
    void whatWasGathered_isTriedAgain_andThenLater() {
        talk();
        runFor(14 * MS);
        long other = runOf(1);
        runFor(Gathering.HOLD_NS_MIN - 10 * MS);
        assertThat(runOf(1)).as("kept").isEqualTo(other);
        runFor(40 * MS);
        assertThat(runOf(1)).as("has run in between").isGreaterThan(other);
        assertThat(colorsOf(0)).as("as good as ever").isEqualTo(COLORS);
        other = runOf(1);
        runFor(3 * Gathering.HOLD_NS_MIN);
        assertThat(runOf(1)).as("four times as late").isEqualTo(other);
        runFor(2 * Gathering.HOLD_NS_MIN);
        assertThat(runOf(1)).isGreaterThan(other);
    }

    // They do something else now, of which two might run more.
    @Test
    void whatHasBecomeMuchFaster_isTriedAgainSoon() {
        talk();
        runFor(Gathering.HOLD_NS_MIN + 80 * MS); // in the next hold, which is long
        long other = runOf(1);
        sameCoreNs /= 2;
        otherCoreNs = 50;
        runFor(60 * MS);
        assertThat(runOf(1)).isGreaterThan(other);
        assertThat(colorsOf(1)).isBetween(COLORS / 3, COLORS - COLORS / 3);
    }

    @Test
    void whatHasBecomeSlowerTogether_isGivenBackSoon() {
        talkUntilGathered();
        sameCoreNs = 600; // more than the two took apart
        runFor(40 * MS);
        assertThat(colorsOf(1)).isBetween(COLORS / 3, COLORS - COLORS / 3);
    }

    // They talk no more: all comes from outside, and the other core has time.
    @Test
    void whatIsSentFromElsewhere_isGivenBack() {
        talkUntilGathered();
        isOver = true;
        stepper.run(0, 1);
        Stage<Integer> sink = stepper.mely.stage("sink", time(50), ball -> stepper.clock.advance(200));
        for (int i = 0; i < 1_000; i++) {
            for (int ball = 0; ball < 4 * COLORS; ball++) {
                sink.send(color(ball % COLORS), ball);
            }
            stepper.step(1);
            stepper.step(0);
        }
        assertThat(colorsOf(1)).isBetween(COLORS / 3, COLORS - COLORS / 3);
    }

    // The same by their own pollers and timers.
    @Test
    void whatIsSentBetweenTurns_isGivenBack() {
        talkUntilGathered();
        isOver = true;
        stepper.run(0, 1);
        Stage<Integer> sink = stepper.mely.stage("sink", time(50), ball -> stepper.clock.advance(200));
        for (int i = 0; i < 500; i++) {
            for (int core = 0; core < 2; core++) {
                stepper.on(core, () -> {
                    for (int ball = 0; ball < 2 * COLORS; ball++) {
                        sink.send(color(ball % COLORS), ball);
                    }
                    return null;
                });
            }
            stepper.step(1);
            stepper.step(0);
        }
        assertThat(colorsOf(1)).isBetween(COLORS / 3, COLORS - COLORS / 3);
    }

    // As fast as ever, and no color has much, but one core is not enough: more waits than did.
    @Test
    void whatPilesUp_isGivenBackSoon() {
        talkUntilGathered();
        runFor(40 * MS); // until it knows how much waits
        assertThat(colorsOf(0)).as("kept").isEqualTo(COLORS);
        List<Stage<Integer>> local = new ArrayList<>();
        local.add(stepper.mely.stage("local", time(50), ball -> {
            stepper.clock.advance(100);
            if (!isOver) {
                local.get(0).send(ofCore0(), ball);
            }
        }));
        stepper.on(0, () -> {
            for (int ball = 0; ball < 15_000; ball++) {
                local.get(0).send(ofCore0(), ball);
            }
            return null;
        });
        int owed = owedByCore0();
        runFor(30 * MS);
        assertThat(owedByCore0()).as("of %s, whichever were ready", owed).isZero();
    }

    private Color ofCore0() {
        return color(COLORS + 2 * random.nextInt(10_000));
    }

    // A trial that failed leaves nothing behind, however little is ready when it ends: else colors would gather by
    // chance.
    @ParameterizedTest
    @ValueSource(ints = {6, 12, BALLS})
    void whatATrialTook_isBackBeforeTheNext_toTheLastColor(int balls) {
        this.balls = balls;
        otherCoreNs = sameCoreNs;
        talk();
        runFor(40 * MS);
        assertThat(stepper.stats(0).gathered()).isPositive();
        assertThat(owedByCore0()).isZero();
        assertThat(colorsOf(1)).isEqualTo(COLORS / 2);
        runFor(Gathering.BACKOFF_NS_MIN);
        assertThat(owedByCore0()).isZero();
    }

    // Half of the colors are first used while the others are kept: they gather, too, and must not stay.
    @Test
    void whatIsFirstTakenWhileOthersAreKept_isGivenBack() {
        colors = COLORS / 2;
        talk();
        runFor(20 * MS);
        long kept = stepper.stats(0).gathered();
        assertThat(kept).isPositive();
        colors = COLORS;
        runFor(20 * MS);
        assertThat(stepper.stats(0).gathered()).as("they stray").isGreaterThan(kept);
        assertThat(colorsOf(0)).isEqualTo(COLORS);
        sameCoreNs = 600;
        runFor(40 * MS);
        assertThat(owedByCore0()).isZero();
        assertThat(colorsOf(1)).isEqualTo(COLORS / 2);
    }

    // One ball, and one core waits for the other: that says how much there is to do, and not how much they can.
    @Test
    void coresWithTimeToSpare_keepTheirColors() {
        balls = 1;
        talk();
        runFor(100 * MS, 0, 0, 1, 1); // each finds nothing every second time
        assertThat(runOf(0)).isGreaterThan(10_000);
        assertThat(stepper.stats(0).gathered()).isZero();
        assertThat(colorsOf(1)).isEqualTo(COLORS / 2);
    }

    // The hold was chance: apart they are as fast as one was.
    @Test
    void whatWasNotFaster_isNotTriedAgainForLong() {
        talkUntilGathered();
        otherCoreNs = sameCoreNs;
        runFor(Gathering.HOLD_NS_MIN + 10 * MS);
        assertThat(colorsOf(1)).as("given back").isEqualTo(COLORS / 2);
        long gathered = stepper.stats(0).gathered();
        runFor(Gathering.BACKOFF_NS_MIN - 20 * MS);
        assertThat(stepper.stats(0).gathered()).isEqualTo(gathered);
    }

    // Loot is no loan. What the other core stole, and the heir took again as a stray, is none of its.
    @Test
    void whatIsStolenAndTakenAgain_isNotOwed() {
        talk();
        runFor(14 * MS);
        int owed = owedByCore0();
        assertThat(owed).isBetween(COLORS / 2, 2 * COLORS);
        Stage<Integer> lengthy = stepper.mely.stage("lengthy", time(100_000), ball -> stepper.clock.advance(100_000));
        long steals = stepper.stats(1).steals();
        long gathered = stepper.stats(0).gathered();
        for (int round = 0; round < 40; round++) {
            for (int i = 0; i < 8; i++) {
                lengthy.send(color(i), i);
            }
            for (int i = 0; i < 8; i++) {
                stepper.step(0);
                for (int look = 0; look < 40; look++) {
                    stepper.step(1);
                }
            }
        }
        assertThat(stepper.stats(1).steals()).isGreaterThan(steals);
        assertThat(stepper.stats(0).gathered()).as("some strayed").isGreaterThan(gathered);
        assertThat(owedByCore0()).isLessThanOrEqualTo(owed);
    }

    // A core that is not told would find what it is owed at the end of a nap.
    @Test
    void coreThatSleeps_isWokenToTakeBack() {
        talkUntilGathered();
        Core other = stepper.core(1);
        assertThat(stepper.on(1, other::restBegin)).as("it may sleep").isTrue();
        sameCoreNs = 600;
        runFor(40 * MS, 0);
        assertThat(stepper.on(1, other::mayBlock)).as("no longer").isFalse();
        stepper.on(1, () -> {
            other.restEnd();
            return null;
        });
        assertThat(stepper.stats(1).wakeups()).isPositive();
        assertThat(stepper.on(1, other::restBegin)).as("until it has all back").isFalse();
        stepper.on(1, () -> {
            other.restEnd();
            return null;
        });
        runFor(5 * MS);
        assertThat(colorsOf(1)).isBetween(COLORS / 3, COLORS - COLORS / 3);
    }

    // While it is kept nobody takes back what is ready there, though much is.
    @Test
    void idleCore_leavesWhatWasGathered() {
        talkUntilGathered();
        long beganNs = stepper.clock.nanoTime();
        for (int i = 0; i < 100; i++) {
            for (int look = 0; look < 40; look++) {
                assertThat(stepper.step(1)).isZero();
            }
            stepper.step(0);
        }
        assertThat(stepper.clock.nanoTime() - beganNs)
                .as("many times as long as it waits")
                .isGreaterThan(5 * MS);
        assertThat(colorsOf(0)).isEqualTo(COLORS);
    }

    // It is worth a steal, and goes where there is time for it.
    @Test
    void lengthyEvent_isStolenAllTheSame() {
        talkUntilGathered();
        Stage<Integer> lengthy = stepper.mely.stage("lengthy", time(100_000), ball -> stepper.clock.advance(100_000));
        long other = runOf(1);
        for (int i = 0; i < 8; i++) {
            lengthy.send(color(i), i);
        }
        for (int i = 0; i < 8; i++) {
            stepper.step(0);
            for (int look = 0; look < 40; look++) {
                stepper.step(1); // it is idle, and looks now and then
            }
        }
        assertThat(runOf(1)).isGreaterThan(other);
    }

    @Test
    void takeIn_leavesLootToThieves() {
        Stage<Integer> lengthy = stepper.mely.stage("lengthy", time(100_000), ball -> {});
        Stage<Integer> brief = stepper.mely.stage("brief", time(50), ball -> {});
        lengthy.send(stepper.mely.colorAt(3), 0);
        lengthy.send(stepper.mely.colorAt(5), 0);
        brief.send(stepper.mely.colorAt(7), 0);
        assertThat(stepper.on(0, () -> stepper.core(0).gathering().takeIn(1, 100)))
                .isZero();
        stepper.run(1);
        for (int i = 0; i < 40; i++) {
            brief.send(stepper.mely.colorAt(3 + 2 * i), i);
        }
        assertThat(stepper.on(0, () -> stepper.core(0).gathering().takeIn(1, 20)))
                .as("more than one rescue, and no more than asked for")
                .isEqualTo(20);
        assertThat(owedByCore0()).isEqualTo(20);
    }

    // ------------------------------------------------------------------ who, of several

    // Of two that meet the others would only wait for the two.
    @Test
    void coresThatTalkWithMany_keepTheirColors() {
        rebuild(Mely.builder(), 4);
        sameCoreNs = 50;
        otherCoreNs = 400;
        talk();
        runFor(60 * MS, 0, 1, 2, 3);
        for (int core = 0; core < 4; core++) {
            assertThat(stepper.stats(core).gathered()).as("core %s", core).isZero();
            assertThat(runOf(core)).isGreaterThan(10_000);
        }
    }

    // The pairs' own traffic decides, not that of the whole runtime.
    @Test
    void ofFourCores_thoseThatTalkMeet() {
        otherCoreNs = 400;
        talkInPairs(50);
        boolean hasMet = false;
        for (int i = 0; i < 200 && !hasMet; i++) {
            runFor(MS, 0, 1, 2, 3);
            hasMet = IntStream.range(4, 52)
                    .allMatch(slot -> stepper.mely.colorAt(slot).homeCore() == slot % 2);
        }
        assertThat(hasMet).isTrue();
    }

    // Else a large machine would be in some trial all the time.
    @Test
    void afterATrialThatFailed_noPairIsTriedForAWhile() {
        otherCoreNs = 100;
        talkInPairs(800);
        runFor(Gathering.BACKOFF_NS_MIN - 20 * MS, 0, 1, 2, 3);
        long zero = stepper.stats(0).gathered();
        long one = stepper.stats(1).gathered();
        assertThat(Math.min(zero, one)).isZero();
        assertThat(Math.max(zero, one)).isPositive();
        runFor(60 * MS, 0, 1, 2, 3);
        assertThat(Math.min(stepper.stats(0).gathered(), stepper.stats(1).gathered()))
                .isPositive();
    }

    /** Of four cores 0 and 2 talk, and 1 and 3. */
    private void talkInPairs(long onOneCoreNs) {
        rebuild(Mely.builder(), 4);
        sameCoreNs = onOneCoreNs;
        stage.add(stepper.mely.stage("talker", time(50), core -> {
            int to = random.nextInt(2) == 0 ? core : core ^ 2;
            Color color = stepper.mely.colorAt(4 + to + 4 * random.nextInt(12));
            stepper.clock.advance(color.homeCore() == Color.current().homeCore() ? sameCoreNs : otherCoreNs);
            if (!isOver) {
                stage.get(0).send(color, to);
            }
        }));
        for (int i = 0; i < BALLS; i++) {
            stage.get(0).send(stepper.mely.colorAt(4 + i % 48), i % 4);
        }
    }
}
