// SPDX-License-Identifier: Apache-2.0
package io.mely.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.mely.StageOptions;
import io.mely.Stealing;
import io.mely.profile.HandlerProfile;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

// Of the colors of one level, those that begin with a brief event go before those that begin with a lengthy one.
class CoreQueueBriefTest {
    private static final long NS = CoreQueue.LENGTHY_NS;

    private final Cores cores = new Cores(2, new TimeLeftIntervals(1_000), true); // core 1 is the thief
    private final CoreQueue queue = cores.queues[0];
    private final HandlerProfile brief = Lane.handler(NS - 1);
    private final HandlerProfile lengthy = Lane.handler(NS);

    @AfterEach
    void validate() {
        cores.validate();
    }

    private Lane ready(HandlerProfile handler) {
        return cores.ready(0, handler, 1);
    }

    private Lane pick() {
        return cores.pick(0);
    }

    private Lane runNext() {
        Lane lane = pick();
        if (lane != null) {
            cores.runAll(0);
            cores.end(0);
        }
        return lane;
    }

    private boolean hasBriefNext() {
        return cores.locked(0, CoreQueue::hasBriefNext);
    }

    private List<Lane> runRest() {
        List<Lane> ran = new ArrayList<>();
        for (Lane lane = runNext(); lane != null; lane = runNext()) {
            ran.add(lane);
        }
        return ran;
    }

    @Test
    void briefOnes_goFirst_eachKindInItsOrder() {
        Lane a = ready(lengthy);
        Lane b = ready(brief);
        Lane c = ready(lengthy);
        Lane d = ready(brief);
        assertThat(runRest()).containsExactly(b, d, a, c);
    }

    @Test
    void urgentOne_goesFirst_howeverLengthy() {
        Lane less = ready(brief);
        Lane urgent = ready(Lane.handler(NS, 1, 4));
        assertThat(runRest()).containsExactly(urgent, less);
    }

    // By its time: with a penalty it weighs next to nothing.
    @Test
    void eventWithAPenalty_isAsLengthyAsItIs() {
        Lane a = ready(Lane.handler(NS, 1_000, 3));
        Lane b = ready(brief);
        assertThat(runRest()).containsExactly(b, a);
    }

    @Test
    void nextEvent_says_howTheColorGoesOn() {
        Lane mixed = ready(brief).send(lengthy, 1);
        Lane other = ready(brief);
        assertThat(pick()).isSameAs(mixed);
        cores.runOne(0);
        cores.end(0);
        assertThat(hasBriefNext()).isTrue();
        assertThat(runNext()).isSameAs(other);
        assertThat(hasBriefNext()).as("the lengthy one is ready").isFalse();
        assertThat(runNext()).isSameAs(mixed);
    }

    // Its turn is for as much as the others have pending (ADR 0017); else a popular color would have one lengthy event
    // a round.
    @Test
    void turnOfALengthyOne_isInterruptedByBriefOnes_andGoesOn() {
        Lane a = ready(lengthy).send(lengthy, 3);
        Lane b = ready(lengthy).send(lengthy, 1);
        pauseAfterOne(a);
        assertThat(queue.isLengthyTurn()).isTrue();
        Lane c = ready(brief);
        assertThat(runNext()).isSameAs(c);
        assertThat(queue.isLengthyTurn()).isFalse();
        pauseAfterOne(a);
        assertThat(queue.isLengthyTurn()).isTrue();
        assertThat(pick()).isSameAs(a);
        assertThat(queue.turnLeft()).as("two, as b had, and two have run").isZero();
        cores.runOne(0);
        cores.end(0);
        assertThat(runRest()).containsExactly(b, a);
    }

    private void pauseAfterOne(Lane lane) {
        assertThat(pick()).isSameAs(lane);
        cores.runOne(0);
        cores.pause(0);
    }

    @Test
    void turnOfABriefOne_isPausedInBetween_isOver() {
        Lane a = ready(lengthy).send(lengthy, 1);
        ready(lengthy).send(lengthy, 1);
        pauseAfterOne(a);
        Lane b = ready(brief).send(brief, 2);
        Lane c = ready(brief);
        pauseAfterOne(b);
        assertThat(pick()).as("b is behind it").isSameAs(c);
        cores.runAll(0);
        cores.end(0);
        assertThat(runNext()).isSameAs(b);
        assertThat(runNext()).as("its turn goes on").isSameAs(a);
        runRest();
    }

    // Else no brief turn would be paused until the core has something lengthy again.
    @Test
    void turnOfALengthyOne_isStolen_briefOnesArePausedAgain() {
        Lane a = ready(lengthy).send(lengthy, 1);
        Lane other = ready(lengthy).send(lengthy, 1);
        pauseAfterOne(a);
        ColorQueue stolen = cores.locked(0, own -> own.takeNext(cores.queues[1], 2));
        cores.runStolen(1, stolen, false);
        Lane b = ready(brief).send(brief, 2);
        ready(brief).send(brief, 2);
        pauseAfterOne(b);
        assertThat(pick()).as("its turn goes on").isSameAs(b);
        cores.end(0);
        runRest();
        assertThat(other.home()).isEqualTo(1);
        cores.runRest(1);
    }

    @Test
    void turnOfALengthyOne_aMoreUrgentLengthyOneComes_isOver() {
        Lane a = ready(lengthy).send(lengthy, 2);
        Lane b = ready(lengthy);
        pauseAfterOne(a);
        Lane urgent = ready(Lane.handler(NS, 1, 5));
        assertThat(runRest()).containsExactly(urgent, b, a);
    }

    // Else brief ones that never end would let it wait for ever.
    @Test
    void lengthyOne_hasItsTurnWhenBriefOnesHaveRunFourTimesAsLong() {
        Lane waits = ready(lengthy);
        Lane behind = ready(lengthy);
        cores.ranNs = 1_000_000;
        Lane b = ready(brief);
        assertThat(runNext()).as("nobody has looked since it began to wait").isSameAs(b);
        runsUntilDue(b, waits);
        cores.ranNs += NS;
        assertThat(runNext()).as("what it took itself does not count").isSameAs(b);
        runsUntilDue(b, behind);
        assertThat(runNext()).isSameAs(b);
    }

    private void runsUntilDue(Lane runs, Lane waits) {
        cores.ranNs += 4 * NS - 1;
        runs.send(brief, 1);
        assertThat(runNext()).as("not yet").isSameAs(runs);
        cores.ranNs++;
        runs.send(brief, 1);
        assertThat(runNext()).isSameAs(waits);
    }

    // Else those of other levels that come and go would let it wait for ever.
    @Test
    void lengthyOne_ofAnotherLevelComes_theFirstWaitsNoLonger() {
        Lane waits = ready(lengthy);
        Lane b = ready(brief).send(brief, 1);
        pick();
        cores.runOne(0);
        cores.end(0);
        cores.ranNs += 4 * NS;
        ready(Lane.handler(NS, 1, 2));
        assertThat(runNext()).isSameAs(waits);
        assertThat(runNext()).isSameAs(b);
    }

    // What ran while none waited is nothing to it.
    @Test
    void lengthyOne_waitsAnew() {
        Lane lane = ready(lengthy);
        Lane b = ready(brief);
        assertThat(runNext()).isSameAs(b);
        assertThat(runNext()).isSameAs(lane);
        cores.ranNs += 100 * NS;
        lane.send(lengthy, 1);
        b.send(brief, 1);
        assertThat(runNext()).isSameAs(b);
        assertThat(runNext()).isSameAs(lane);
    }

    // A turn from below is a level's, and changes nothing within it.
    @Test
    void turnsFromBelow_goToEachLevel_theBriefOnesFirst() {
        Lane lengthyLow = cores.ready(0, Lane.handler(NS, 1, 1), 1);
        Lane low = cores.ready(0, Lane.handler(NS - 1, 1, 1), 1);
        Lane high = cores.ready(0, Lane.handler(NS - 1, 1, 6), 1);
        List<Lane> picked = new ArrayList<>();
        for (int i = 0; i < StageOptions.PRIORITIES; i++) {
            picked.add(cores.pick(0, true));
            cores.end(0);
        }
        assertThat(picked).containsExactly(low, low, high, high, high, high, high, low);
        cores.ranNs += 4 * NS;
        assertThat(cores.pick(0, true)).as("it is due").isSameAs(lengthyLow);
        cores.end(0);
    }

    // One level has all turns from below.
    @Test
    void turnFromBelow_oneLevel_lengthyOnesWaitAsElse() {
        ready(lengthy);
        Lane b = ready(brief);
        assertThat(cores.pick(0, true)).isSameAs(b);
        cores.end(0);
        runRest();
        ready(lengthy);
        cores.lane(0).sendOrShort();
        boolean isClaimed = cores.locked(0, own -> own.claimShorts(true, true, true, cores.ranNs));
        assertThat(isClaimed).isTrue();
        cores.runShorts(0);
        cores.endShorts(0);
    }

    // What a busy higher level runs is not what made the lengthy ones wait.
    @Test
    void briefOnes_besideABusyHigherLevel_goBeforeLengthyOnes() {
        Lane low = cores.ready(0, Lane.handler(NS, 1, 1), 1);
        Lane lowToo = cores.ready(0, Lane.handler(NS, 1, 1), 1);
        Lane b = cores.ready(0, Lane.handler(NS - 1, 1, 1), 1);
        for (int i = 0; i < 3; i++) {
            Lane high = cores.ready(0, Lane.handler(NS - 1, 1, 6), 1);
            assertThat(runNext()).isSameAs(high);
            cores.ranNs += 100 * NS;
        }
        assertThat(runRest()).containsExactly(b, low, lowToo);
    }

    // Lengthy ones of another level are no reason to be early.
    @Test
    void lengthyOne_besideOneOfALowerLevel_waitsAnew() {
        Lane low = cores.ready(0, Lane.handler(NS, 1, 0), 1);
        Lane a = ready(lengthy);
        Lane b = ready(brief);
        assertThat(runNext()).isSameAs(b);
        assertThat(runNext()).isSameAs(a);
        cores.ranNs += 100 * NS;
        a.send(lengthy, 1);
        b.send(brief, 1);
        assertThat(runRest()).containsExactly(b, a, low);
    }

    // It was thought so when it was linked; those that came later would overtake it.
    @Test
    void lengthyOne_isBriefByNow_isDue() {
        HandlerProfile measured = new HandlerProfile("measured", StageOptions.defaults(), Stealing.mely());
        for (int i = 0; i < 100; i++) {
            measured.sample(NS);
        }
        Lane was = ready(measured);
        Lane b = ready(brief);
        for (int i = 0; i < 100; i++) {
            measured.sample(NS / 2);
        }
        assertThat(runRest()).containsExactly(was, b);
    }

    @Test
    void eventOfForEver_waitsForSecondsOnly() {
        Lane waits = ready(Lane.handler(Long.MAX_VALUE));
        Lane b = ready(brief);
        assertThat(runNext()).isSameAs(b);
        cores.ranNs += 4_000_000_000L - 1;
        b.send(brief, 1);
        assertThat(runNext()).isSameAs(b);
        cores.ranNs++;
        b.send(brief, 1);
        assertThat(runRest()).containsExactly(waits, b);
    }

    @Test
    void shortEvents_goBeforeLengthyOnes_butNotForEver() {
        Lane waits = ready(lengthy);
        for (int slice = 0; slice < 3; slice++) { // whatever begins a slice
            assertThat(claims()).isTrue();
        }
        cores.ranNs += 4 * NS - 1;
        assertThat(claims()).isTrue();
        cores.ranNs++;
        assertThat(claims()).isFalse();
        assertThat(runNext()).isSameAs(waits);
        cores.ranNs += NS;
        assertThat(claims()).isTrue();
    }

    /** Whether a short event is claimed where a slice begins; it runs. */
    private boolean claims() {
        cores.lane(0).sendOrShort();
        boolean isClaimed = cores.locked(0, own -> own.claimShorts(true, true, false, cores.ranNs));
        if (isClaimed) {
            cores.runShorts(0);
            cores.endShorts(0);
        }
        return isClaimed;
    }

    @Test
    void rescue_takesTheBriefOnesFirst() {
        ready(lengthy);
        Lane b = ready(brief);
        ColorQueue taken = cores.locked(0, own -> own.takeNext(cores.queues[1], 1));
        assertThat(cores.of(taken)).isSameAs(b);
        cores.runStolen(1, taken, false);
    }

    @Test
    void withoutABound_theyGoAsTheyCame() {
        Cores inOrder = new Cores(1, new TimeLeftIntervals(1_000), false, Long.MAX_VALUE);
        Lane a = inOrder.ready(0, Lane.handler(1_000_000_000), 1);
        Lane b = inOrder.ready(0, brief, 1);
        assertThat(inOrder.locked(0, CoreQueue::hasBriefNext)).isTrue();
        assertThat(inOrder.runNext(0)).isSameAs(a);
        assertThat(inOrder.runNext(0)).isSameAs(b);
        inOrder.validate();
    }
}
