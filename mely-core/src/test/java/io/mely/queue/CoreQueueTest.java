// SPDX-License-Identifier: Apache-2.0
package io.mely.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mely.profile.HandlerProfile;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

// The owner gets ready colors by priority and first in first out; a thief gets what the rules of the papers allow, and
// nothing else.
// A section for each part of the queue, which share what is set up here.
// How a color moves while senders know its old home only is in ColorMoveTest.
class CoreQueueTest {
    private static final int COST = 1_000;

    private final TimeLeftIntervals intervals = new TimeLeftIntervals(COST);
    private final Cores cores = new Cores(2, intervals); // core 1 is the thief
    private final CoreQueue queue = cores.queues[0];
    private final HandlerProfile normal = Lane.handler(100);

    @AfterEach
    void validate() {
        cores.validate();
    }

    private Lane ready(HandlerProfile handler, int events) {
        return cores.ready(0, handler, events);
    }

    private Lane pick() {
        return cores.pick(0);
    }

    private Lane runNext() {
        return cores.runNext(0);
    }

    private boolean drain() {
        return cores.drain(0);
    }

    /** Steals by a rule, and runs what was stolen. */
    private Lane take(Function<CoreQueue, ColorQueue> rule) {
        ColorQueue color = cores.locked(0, rule);
        if (color != null) {
            cores.runStolen(1, color, false);
        }
        return cores.of(color);
    }

    private Lane takeWorthy(long minLeft) {
        return take(victim -> victim.takeWorthy(cores.queues[1], minLeft, 1));
    }

    private Lane takeBase() {
        return take(victim -> victim.takeBase(cores.queues[1]));
    }

    private Lane takeNext() {
        return take(victim -> victim.takeNext(cores.queues[1], 1));
    }

    private static List<Object> events(int from, int to) {
        return IntStream.range(from, to).<Object>mapToObj(event -> event).toList();
    }

    // ------------------------------------------------------------------ the life of a color

    @Test
    void color_idle_queued_running_idle() {
        Lane color = ready(normal, 1);
        ColorQueue events = color.queue();
        assertThat(events.place).isEqualTo(ColorQueue.QUEUED);
        assertThat(queue.readyCount()).isEqualTo(1);
        assertThat(queue.hasWork()).isTrue();

        assertThat(pick()).isSameAs(color);
        assertThat(events.place).isEqualTo(ColorQueue.RUNNING);
        assertThat(queue.isRunning(color.number())).isTrue();
        assertThat(queue.hasWork()).isFalse();
        assertThat(cores.runAll(0)).isEqualTo(events(0, 1));
        assertThat(events.isIdle()).as("until it has ended").isFalse();

        assertThat(cores.end(0)).isFalse();
        assertThat(events.isIdle()).isTrue();
        assertThat(color.timeLeft()).isZero();
        assertThat(pick()).isNull();
        assertThat(queue.running()).isZero();
    }

    @Test
    void color_neverSentTo_hasNoQueue() {
        Lane color = cores.lane(0);
        assertThat(color.queue()).isNull();
        color.send(normal, 1);
        assertThat(color.queue().home()).isZero();
    }

    // What comes while a color runs waits behind what was picked, and does not make it ready twice.
    @Test
    void send_toTheRunningColor_waitsForItsEnd() {
        Lane color = ready(normal, 2);
        pick();
        assertThat(cores.runOne(0)).isEqualTo(0);
        color.send(normal, 1);
        color.sendOutside(normal, 1);
        drain();
        assertThat(queue.readyCount()).isZero();
        assertThat(cores.runAll(0)).as("what was picked").isEqualTo(events(1, 2));

        cores.end(0);
        assertThat(queue.readyCount()).isEqualTo(1);
        assertThat(pick()).isSameAs(color);
        assertThat(cores.runAll(0)).isEqualTo(events(2, 4));
        cores.end(0);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 4})
    void end_batchCutShort_putsTheRestInFront_inOrder(int ran) {
        Lane color = ready(normal, 4);
        pick();
        for (int i = 0; i < ran; i++) {
            assertThat(cores.runOne(0)).isEqualTo(i);
        }
        color.send(normal, 2);
        cores.end(0);
        assertThat(queue.runFirst()).isNull();
        assertThat(color.timeLeft()).isEqualTo((6L - ran) * 100);
        assertThat(cores.runRest(0)).isEqualTo(events(ran, 6));
    }

    @Test
    void end_restAlone_isLinkedBehindTheOthers() {
        Lane color = ready(normal, 2);
        Lane other = ready(normal, 1);
        pick();
        cores.runOne(0);
        cores.end(0);
        assertThat(runNext()).isSameAs(other);
        assertThat(runNext()).isSameAs(color);
    }

    // The record within the color is for the event that finds it idle, and is free again when that has run.
    @Test
    void ownRecord_holdsTheFirstEventOnly() {
        Lane color = ready(normal, 2);
        ColorQueue events = color.queue();
        for (int round = 0; round < 3; round++) {
            pick();
            assertThat(queue.runFirst()).isSameAs(events);
            cores.runOne(0);
            assertThat(events.event()).as("let go of").isNull();
            color.send(normal, 1);
            assertThat(queue.runFirst()).as("free, but the color is not idle").isNotSameAs(events);
            cores.runOne(0);
            assertThat(events.isEmpty()).isFalse();
            assertThat(events.at(events.head(), cores.records).isOwn()).isFalse();
            cores.end(0);
            assertThat(cores.runRest(0)).hasSize(1);
            color.sendOutside(normal, 2);
            drain();
        }
        cores.runRest(0);
    }

    @Test
    void send_whileAnEventOfTheOwnersIsInItsInbox_goesAway() {
        Lane color = cores.lane(0);
        queue.handedInByOwner(color.offer(color.where(), normal, null));
        Lane other = cores.lane(0);
        assertThat(color.trySend(normal)).isEqualTo(CoreQueue.AWAY);
        assertThat(other.trySend(normal)).as("whatever its color").isEqualTo(CoreQueue.AWAY);
        drain();
        assertThat(color.trySend(normal)).isEqualTo(CoreQueue.IN);
        assertThat(cores.runRest(0)).isEqualTo(events(0, 2));
    }

    @Test
    void sendBehindInbox_whatIsInThere_comesFirst() {
        Lane color = cores.lane(0).sendOutside(normal, 2);
        queue.sendBehindInbox();
        assertThat(color.trySend(normal)).isEqualTo(CoreQueue.AWAY);
        color.sendOutside(normal, 1);
        drain();
        assertThat(color.trySend(normal)).isEqualTo(CoreQueue.IN);
        color.sendOutside(normal, 1);
        assertThat(color.trySend(normal)).as("that came later").isEqualTo(CoreQueue.IN);
        drain();
        assertThat(cores.runRest(0)).isEqualTo(List.of(0, 1, 2, 3, 5, 4));
    }

    @Test
    void looksReady_asHasWork() {
        assertThat(queue.looksReady()).isFalse();
        cores.lane(0).sendOutside(normal, 1);
        assertThat(queue.looksReady()).as("in the inbox").isTrue();
        drain();
        assertThat(queue.looksReady()).as("ready").isTrue();
        runNext();
        assertThat(queue.looksReady()).isFalse();
    }

    @Test
    void send_eventsOfOthersInTheInbox_doNotMatter() {
        Lane color = cores.lane(0).sendOutside(normal, 3);
        assertThat(color.trySend(normal)).isEqualTo(CoreQueue.IN);
        assertThat(pick()).isSameAs(color);
        assertThat(cores.runAll(0)).isEqualTo(events(3, 4));
        cores.end(0);
        drain();
        assertThat(cores.runRest(0)).isEqualTo(events(0, 3));
    }

    @Test
    void send_toAColorThatLivesElsewhere_goesAway() {
        Lane color = cores.lane(1);
        assertThat(color.trySend(0, normal)).isEqualTo(CoreQueue.AWAY);
        assertThat(queue.readyCount()).isZero();
    }

    @Test
    void send_colorBecomesWorthy_saysSo() {
        Lane color = cores.lane(0);
        assertThat(color.trySend(Lane.handler(600))).isEqualTo(CoreQueue.IN);
        assertThat(color.trySend(Lane.handler(600))).isEqualTo(CoreQueue.IN_WORTHIER);
        assertThat(color.trySend(Lane.handler(600))).as("the same interval").isEqualTo(CoreQueue.IN);
        assertThat(cores.lane(0).trySend(Lane.handler(50_000))).isEqualTo(CoreQueue.IN_WORTHIER);
    }

    // ------------------------------------------------------------------ fusing

    @Test
    void runsAlone_onlyIfNothingOfTheColorWaitsAnywhere() {
        Lane color = ready(normal, 2);
        pick();
        assertThat(queue.runsAlone()).as("another one was picked").isFalse();
        cores.runOne(0);
        assertThat(queue.runsAlone()).isTrue();
        color.sendOutside(normal, 1);
        assertThat(queue.runsAlone()).as("from another sender").isTrue();
        drain();
        assertThat(queue.runsAlone()).as("one is pending").isFalse();
        cores.runAll(0);
        cores.end(0);
        pick();
        Lane own = cores.lane(0);
        queue.handedInByOwner(own.offer(own.where(), normal, null));
        assertThat(queue.runsAlone()).as("its own is on its way").isFalse();
        drain();
        assertThat(queue.runsAlone()).isTrue();
        cores.runAll(0);
        cores.end(0);
    }

    @Test
    void end_afterAFusedEvent_countsWhatRan() {
        ready(normal, 1);
        pick();
        queue.runFirst().set(normal, "fused", normal.weight());
        queue.raiseUrgency(6);
        assertThat(cores.runAll(0)).containsExactly("fused");
        assertThat(cores.end(0)).isFalse();
    }

    // ------------------------------------------------------------------ the order of colors

    @Test
    void pick_sameLevel_isFirstInFirstOut() {
        Lane a = ready(normal, 2);
        Lane b = ready(normal, 2);
        Lane c = ready(normal, 1);

        assertThat(queue.readyCount()).isEqualTo(3);
        assertThat(pick()).isSameAs(a);
        cores.runOne(0);
        cores.end(0);
        assertThat(runNext()).isSameAs(b);
        assertThat(runNext()).isSameAs(c);
        assertThat(runNext()).isSameAs(a);
        assertThat(runNext()).isNull();
        assertThat(queue.readyCount()).isZero();
    }

    @Test
    void pick_highestLevelFirst() {
        Lane low = ready(Lane.handler(100, 1, 0), 1);
        Lane middle = ready(Lane.handler(100, 1, 3), 1);
        Lane high = ready(Lane.handler(100, 1, 7), 1);

        assertThat(runNext()).isSameAs(high);
        assertThat(runNext()).isSameAs(middle);
        assertThat(runNext()).isSameAs(low);
    }

    @Test
    void pick_fromBelow_takesTheLowestLevelsFirst() {
        Lane low = ready(Lane.handler(100, 1, 1), 1);
        Lane high = ready(Lane.handler(100, 1, 6), 1);

        for (Lane expected : new Lane[] {low, high}) {
            assertThat(cores.pick(0, true)).isSameAs(expected);
            cores.runAll(0);
            cores.end(0);
        }
        assertThat(cores.pick(0, true)).isNull();
    }

    // A color is as urgent as its most urgent event.
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void moreUrgentEvent_movesTheColorUp(boolean isThroughInbox) {
        Lane a = ready(normal, 1);
        Lane b = ready(normal, 1);
        Lane c = ready(normal, 1);
        HandlerProfile urgent = Lane.handler(100, 1, 5);
        if (isThroughInbox) {
            b.sendOutside(urgent, 1);
            drain();
        } else {
            b.send(urgent, 1);
        }
        b.send(Lane.handler(100, 1, 4), 1);

        assertThat(runNext()).isSameAs(b);
        assertThat(runNext()).isSameAs(a);
        assertThat(runNext()).isSameAs(c);
        b.send(normal, 1);
        assertThat(b.queue().level).as("anew with each burst").isEqualTo((byte) 3);
    }

    @Test
    void urgentEventWhileItRuns_isSeenAtTheEnd() {
        Lane a = ready(normal, 2);
        Lane b = ready(normal, 1);
        pick();
        cores.runOne(0);
        a.send(Lane.handler(100, 1, 5), 1);
        cores.end(0);
        assertThat(runNext()).isSameAs(a);
        assertThat(runNext()).isSameAs(b);
    }

    // ------------------------------------------------------------------ turns, peeks, the lock

    @Test
    void pick_beginsATurn_andNotesWhatRuns() {
        long before = queue.turn();
        assertThat(queue.looksBusy()).isFalse();
        ready(normal, 1);
        assertThat(queue.looksBusy()).as("one color ready: nobody waits").isFalse();
        pick();
        assertThat(queue.turn()).isEqualTo(before + 1);
        assertThat(queue.looksBusy()).isTrue();
        assertThat(cores.locked(0, CoreQueue::isBusy)).isTrue();
        cores.runAll(0);
        cores.end(0);
        assertThat(pick()).isNull();
        assertThat(queue.looksBusy()).isFalse();
        assertThat(cores.locked(0, CoreQueue::isBusy)).isFalse();
        queue.beginTurn();
        assertThat(queue.turn()).isEqualTo(before + 3);
    }

    @Test
    void endTurn_nothingRuns() {
        ready(normal, 1);
        pick();
        cores.runAll(0);
        cores.end(0);
        long before = queue.turn();
        queue.endTurn();
        assertThat(queue.turn()).isEqualTo(before + 1);
        assertThat(queue.looksBusy()).isFalse();
    }

    @Test
    void isBusy_twoReady_evenIfNothingRuns() {
        ready(normal, 1);
        ready(normal, 1);
        assertThat(cores.locked(0, CoreQueue::isBusy)).isTrue();
        assertThat(queue.looksBusy()).isTrue();
    }

    @Test
    void lock_isExclusive() {
        assertThat(queue.tryLock()).isTrue();
        assertThat(queue.tryLock()).isFalse();
        queue.unlock();
        assertThat(queue.tryLock()).isTrue();
        queue.unlock();
    }

    // A thief does not wait for a holder that has lost its CPU.
    @Test
    void tryLockSoon_heldForLong_givesUp() {
        assertThat(queue.tryLockSoon()).isTrue();
        assertThat(queue.tryLockSoon()).isFalse();
        queue.unlock();
        assertThat(queue.tryLockSoon()).isTrue();
        queue.unlock();
    }

    @Test
    void withoutTheLock_isABug() {
        Lane color = ready(normal, 1);
        assertThatThrownBy(() -> queue.pick(false)).isInstanceOf(AssertionError.class);
        assertThatThrownBy(() -> queue.drain(cores.pool(0))).isInstanceOf(AssertionError.class);
        assertThatThrownBy(() -> queue.send(color.number(), normal, 0, cores.pool(0)))
                .isInstanceOf(AssertionError.class);
        assertThatThrownBy(queue::unlock).isInstanceOf(AssertionError.class);
    }

    @Test
    void pick_beforeTheLastHasEnded_isABug() {
        ready(normal, 1);
        ready(normal, 1);
        pick();
        queue.lock();
        assertThatThrownBy(() -> queue.pick(false)).isInstanceOf(AssertionError.class);
        queue.unlock();
        cores.runAll(0);
        cores.end(0);
    }

    // ------------------------------------------------------------------ worthiness and intervals (acceptance checks 4
    // and 5)

    @Test
    void worthiness_acceptanceVector4() {
        Lane color = ready(Lane.handler(400), 1);
        assertThat(queue.hasWorthy()).isFalse();
        color.send(Lane.handler(400), 1);
        assertThat(color.timeLeft()).isEqualTo(800);
        assertThat(queue.hasWorthy()).isFalse();
        color.send(Lane.handler(400), 1);
        assertThat(color.timeLeft()).isEqualTo(1_200);
        assertThat(queue.hasWorthy()).isTrue();

        assertThat(pick()).isSameAs(color); // leaves the stealing-queue when one runs
        assertThat(queue.hasWorthy()).isFalse();
        cores.runOne(0);
        assertThat(cores.end(0)).isFalse();
        assertThat(color.timeLeft()).isEqualTo(800);
        assertThat(queue.hasWorthy()).isFalse();
    }

    @Test
    void worthiness_penalty1000_takes2501Events() {
        HandlerProfile handler = Lane.handler(400, 1_000, 3);
        HandlerProfile doubled = Lane.handler(2_000, 1_000, 3);
        // 400 / 1000 of a unit per event is below the resolution of a weight, which is 1: the vector is checked at the
        // same ratio
        // (time / penalty : cost) with whole weights.
        assertThat(handler.weight()).isEqualTo(1);
        Cores scaled = new Cores(1, new TimeLeftIntervals(5_000));
        Lane color = scaled.ready(0, doubled, 2_500);
        assertThat(color.timeLeft()).isEqualTo(5_000);
        assertThat(scaled.queues[0].hasWorthy()).isFalse();
        color.send(doubled, 1);
        assertThat(scaled.queues[0].hasWorthy()).isTrue();
    }

    @ParameterizedTest
    @CsvSource({"0, 0", "1000, 0", "1001, 1", "15000, 1", "15001, 2", "30000, 2", "30001, 3", "9000000000000, 3"})
    void intervalOf_acceptanceVector5(long timeLeft, int interval) {
        assertThat(intervals.intervalOf(timeLeft)).isEqualTo(interval);
    }

    @Test
    void interval_movesOnIncreaseAndDecrease() {
        Lane color = ready(Lane.handler(1_001), 1);
        assertThat(counts()).isEqualTo("1/0/0");
        color.send(Lane.handler(14_000), 1);
        assertThat(color.timeLeft()).isEqualTo(15_001);
        assertThat(counts()).isEqualTo("0/1/0");
        color.sendOutside(Lane.handler(15_000), 1);
        assertThat(drain()).isTrue();
        assertThat(color.timeLeft()).isEqualTo(30_001);
        assertThat(counts()).isEqualTo("0/0/1");

        pick();
        assertThat(counts()).isEqualTo("0/0/0");
        cores.runOne(0);
        assertThat(cores.end(0)).as("worthy").isTrue();
        assertThat(color.timeLeft()).isEqualTo(29_000);
        assertThat(counts()).isEqualTo("0/1/0");
        pick();
        cores.runOne(0);
        cores.end(0);
        assertThat(color.timeLeft()).isEqualTo(15_000);
        assertThat(counts()).isEqualTo("1/0/0");
    }

    @Test
    void setBound_isSeenWhenAColorGetsItsNextEvent() {
        Lane color = ready(Lane.handler(900), 1);
        assertThat(queue.hasWorthy()).isFalse();
        intervals.setBound(100);
        assertThat(queue.hasWorthy()).isFalse();
        assertThat(color.trySend(Lane.handler(1))).isEqualTo(CoreQueue.IN_WORTHIER);
        assertThat(color.trySend(Lane.handler(1))).as("nothing changed").isEqualTo(CoreQueue.IN);
        assertThat(queue.hasWorthy()).isTrue();
    }

    @Test
    void worthyFloor_isALowerBoundOfTheLoot() {
        ready(Lane.handler(1_500), 1);
        ready(Lane.handler(20_000), 1);
        ready(Lane.handler(50_000), 1);
        ready(normal, 1);
        assertThat(counts()).isEqualTo("1/1/1");
        assertThat(queue.worthyFloor()).isEqualTo(1_000 + 15_000 + 30_000);
    }

    // What ran was longer than it was thought to be; what is left counts at least its first event.
    @Test
    void end_moreThanWasThoughtHasRun_leavesTheNextEventsWeight() {
        Lane color = ready(normal, 3);
        pick();
        cores.runOne(0);
        cores.locked(0, queue -> queue.end(1_000_000));
        assertThat(color.timeLeft()).isEqualTo(100);
    }

    private String counts() {
        return queue.worthyShort + "/" + queue.worthyMedium + "/" + queue.worthyLong;
    }

    // ------------------------------------------------------------------ thief

    @Test
    void takeWorthy_longestIntervalFirst() {
        Lane low = ready(Lane.handler(2_000), 1);
        Lane high = ready(Lane.handler(40_000), 1);
        Lane medium = ready(Lane.handler(20_000), 1);

        assertThat(takeWorthy(COST)).isSameAs(high);
        assertThat(takeWorthy(COST)).isSameAs(medium);
        assertThat(takeWorthy(COST)).isSameAs(low);
        assertThat(takeWorthy(COST)).isNull();
        assertThat(high.home()).as("home is the thief's now").isEqualTo(1);
        assertThat(high.queue().home()).isEqualTo(1);
    }

    @Test
    void take_neverTheRunningColor() {
        Lane running = ready(Lane.handler(50_000), 10);
        assertThat(pick()).isSameAs(running);
        assertThat(takeWorthy(COST)).isNull();
        assertThat(takeBase()).isNull();
        assertThat(takeNext()).isNull();
        running.send(Lane.handler(50_000), 1);
        assertThat(takeNext()).as("nor what is pending behind it").isNull();
    }

    // A far thief needs more than the bound, which is that of the nearest one.
    @Test
    void takeWorthy_belowTheThiefsOwnCost_isPassedOver() {
        Lane small = ready(Lane.handler(1_100), 1);
        Lane large = ready(Lane.handler(1_900), 1);
        assertThat(takeWorthy(1_500)).isSameAs(large);
        assertThat(takeWorthy(1_500)).isNull();
        assertThat(takeWorthy(1_100)).as("strictly more").isNull();
        assertThat(takeWorthy(1_099)).isSameAs(small);
    }

    @ParameterizedTest
    @CsvSource({
        "5000, 1, 7, 16, 3, no more than half of what is ready",
        "5000, 1, 40, 4, 4, no more than asked for",
        "10000, 1, 40, 16, 3, no more than 32 steals are worth",
        "50000, 1, 40, 16, 1, one of any length",
        "4000, 1, 40, 16, 1, not with events that are short beside a steal",
        "1500, 4, 40, 16, 1, however many of them",
        "5000, 1, 1, 16, 1, the only one",
    })
    void takeWorthy_several(int timeNs, int events, int ready, int most, int expected, String why) {
        for (int i = 0; i < ready; i++) {
            ready(Lane.handler(timeNs), events);
        }
        ColorQueue stolen = cores.locked(0, victim -> victim.takeWorthy(cores.queues[1], COST, most));
        assertThat(queue.countWithRest(stolen)).as(why).isEqualTo(expected);
        assertThat(queue.timeLeftWithRest(stolen)).isEqualTo((long) expected * events * timeNs);
        assertThat(queue.readyCount()).isEqualTo(ready - expected);

        cores.runStolen(1, stolen, false);
        assertThat(cores.queues[1].readyCount()).as("linked behind the first").isEqualTo(expected - 1);
        cores.validate();
    }

    @ParameterizedTest
    @CsvSource({
        "5000, 1, 3, 3, like the first",
        "5000, 1, 2, 3, less urgent",
        "5000, 1, 4, 1, more urgent: it would wait for the first",
        "500000, 100, 3, 1, with data that is dear to move",
    })
    void takeWorthy_several_areFreeToMove(int timeNs, int penalty, int priority, int expected, String why) {
        ready(Lane.handler(20_000), 1);
        for (int i = 0; i < 10; i++) {
            ready(Lane.handler(timeNs, penalty, priority), 1);
        }
        ColorQueue stolen = cores.locked(0, victim -> victim.takeWorthy(cores.queues[1], COST, 3));
        assertThat(queue.countWithRest(stolen)).as(why).isEqualTo(expected);
        cores.validate();
    }

    @Test
    void takeWorthy_looksAtAFewColorsOnly() {
        for (int i = 0; i < 4; i++) {
            ready(Lane.handler(1_100), 1);
        }
        ready(Lane.handler(1_900), 1);
        assertThat(takeWorthy(1_500)).isNull();
    }

    // Acceptance check 3: queue A A A A B C C with A running: B, as 1 < 3.5.
    @Test
    void takeBase_acceptanceVector3() {
        HandlerProfile one = Lane.handler(1_000);
        Lane a = ready(one, 4);
        Lane b = ready(one, 1);
        Lane c = ready(one, 2);
        assertThat(pick()).isSameAs(a);

        assertThat(takeBase()).isSameAs(b);
        assertThat(b.home()).isEqualTo(1);
        assertThat(takeBase()).as("A A A A C C: 2 < 3").isSameAs(c);
        assertThat(takeBase()).isNull();
    }

    @Test
    void takeBase_halfIsNotLessThanHalf() {
        Lane a = ready(Lane.handler(1_000), 2);
        ready(Lane.handler(1_000), 2);
        assertThat(pick()).isSameAs(a);
        assertThat(takeBase()).isNull();
    }

    @Test
    void takeBase_oneColor_nothing() {
        ready(Lane.handler(1_000), 5);
        assertThat(takeBase()).isNull();
    }

    @Test
    void takeBase_skipsTheLargeOne() {
        ready(Lane.handler(1_000), 9);
        Lane small = ready(Lane.handler(1_000), 2);
        assertThat(takeBase()).isSameAs(small);
    }

    @Test
    void takeBase_scansFromTheHighestLevel() {
        ready(Lane.handler(1_000, 1, 0), 1);
        Lane high = ready(Lane.handler(1_000, 1, 7), 1);
        ready(Lane.handler(1_000, 1, 3), 1);
        assertThat(takeBase()).isSameAs(high);
    }

    @Test
    void takeNext_takesWhatTheOwnerWouldRunNext_worthyOrNot() {
        Lane other = ready(normal, 1);
        Lane urgent = ready(Lane.handler(1, 1, 7), 1);
        assertThat(takeNext()).isSameAs(urgent);
        assertThat(takeNext()).isSameAs(other);
        assertThat(takeNext()).isNull();
    }

    @Test
    void takeNext_several_hangBehindTheFirst_untilTheThiefLinksThem() {
        List<Lane> lanes = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            lanes.add(ready(Lane.handler(100 * (i + 1)), 1));
        }
        ColorQueue first = cores.locked(0, victim -> victim.takeNext(cores.queues[1], 3));
        assertThat(cores.of(first)).isSameAs(lanes.get(0));
        cores.validate();
        assertThat(queue.readyCount()).isEqualTo(1);
        assertThat(queue.timeLeftWithRest(first)).isEqualTo(100 + 200 + 300);
        assertThat(lanes.get(2).home()).isEqualTo(1);
        assertThat(lanes.get(2).queue().place).isEqualTo(ColorQueue.MOVING);

        assertThat(cores.adopt(1, first, false)).as("none is worthy").isFalse();
        assertThat(cores.queues[1].isRunning(lanes.get(0).number())).isTrue();
        assertThat(cores.queues[1].readyCount()).isEqualTo(2);
        assertThat(cores.runAll(1)).hasSize(1);
        cores.end(1);
        assertThat(cores.runNext(1)).isSameAs(lanes.get(1));
        assertThat(cores.runNext(1)).isSameAs(lanes.get(2));
        assertThat(cores.runNext(1)).isNull();
        assertThat(runNext()).isSameAs(lanes.get(3));
    }

    @Test
    void adopt_worthyOnesAmongTheRest_saysSo() {
        ready(normal, 1);
        ready(Lane.handler(5_000), 1);
        ColorQueue first = cores.locked(0, victim -> victim.takeNext(cores.queues[1], 2));
        assertThat(cores.adopt(1, first, false)).isTrue();
        assertThat(cores.queues[1].hasWorthy()).isTrue();
    }

    // Acceptance check 7. Every pending event points back to the first, and the colors behind the fifth to themselves:
    // whoever walks
    // along events or colors never comes to an end.
    @ParameterizedTest
    @ValueSource(ints = {10, 100_000})
    @Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void takeWorthy_touchesNoEventAndFewColors(int pending) {
        Cores many = new Cores(2, new TimeLeftIntervals(COST));
        Lane color = many.ready(0, Lane.handler(2_000), pending);
        tieEventsTogether(color, many.records);
        Lane[] others = new Lane[pending];
        for (int i = 0; i < pending; i++) {
            others[i] = many.ready(0, Lane.handler(2_000), 1);
        }
        for (int i = 5; i < pending; i++) {
            others[i].queue().nextReady = others[i].number();
            others[i].queue().nextWorthy = others[i].number();
        }
        CoreQueue thief = many.queues[1];
        many.locked(0, victim -> {
            assertThat(victim.takeWorthy(thief, COST, 1)).isSameAs(color.queue());
            assertThat(victim.mark(color.queue())).isFalse();
            assertThat(victim.takeWorthy(thief, COST, 1)).isSameAs(others[0].queue());
            return assertThat(victim.takeNext(thief, 1)).isSameAs(others[1].queue());
        });
        assertThat(many.queues[0].readyCount()).isEqualTo(pending - 2);
    }

    // The base algorithm adds up colors until the answer is certain, and never walks along events.
    @ParameterizedTest
    @ValueSource(ints = {10, 100_000})
    @Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void takeBase_touchesNoEvent(int pending) {
        Cores many = new Cores(2, new TimeLeftIntervals(COST));
        HandlerProfile one = Lane.handler(1_000);
        Lane color = many.ready(0, one, pending);
        Lane other = many.ready(0, one, 2 * pending);
        tieEventsTogether(color, many.records);
        tieEventsTogether(other, many.records);
        many.locked(0, victim -> assertThat(victim.takeBase(many.queues[1])).isSameAs(color.queue()));
    }

    /** Makes every pending event point back to the first. */
    private static void tieEventsTogether(Lane lane, RecordIndex records) {
        ColorQueue color = lane.queue();
        int first = color.head();
        for (int id = first, next; id != EventRecord.NONE; id = next) {
            next = color.at(id, records).nextPlain();
            color.at(id, records).nextPlain(first);
        }
    }

    // ------------------------------------------------------------------ inbox

    @Test
    void drain_eventOfAnIdleColor_makesItReady() {
        Lane color = cores.lane(0).sendOutside(normal, 1);
        assertThat(queue.hasInbox()).isTrue();
        assertThat(queue.hasWork()).isTrue();
        assertThat(queue.readyCount()).isZero();
        assertThat(drain()).as("not worthy").isFalse();
        assertThat(queue.hasInbox()).isFalse();
        assertThat(runNext()).isSameAs(color);
        assertThat(queue.hasWork()).isFalse();
    }

    @Test
    void drain_anotherEvent_classifiesAnew() {
        Lane color = cores.lane(0).sendOutside(Lane.handler(600), 1);
        assertThat(drain()).isFalse();
        assertThat(queue.hasWorthy()).isFalse();
        color.sendOutside(Lane.handler(600), 1);
        assertThat(drain()).as("became worthy").isTrue();
        assertThat(queue.hasWorthy()).isTrue();
        assertThat(queue.readyCount()).isEqualTo(1);
    }

    @Test
    void drain_severalEvents_linkOnce_andKeepTheirOrder() {
        Lane color = cores.lane(0).sendOutside(normal, 3);
        Lane other = cores.lane(0).sendOutside(normal, 1);
        color.sendOutside(normal, 2);
        drain();
        assertThat(queue.readyCount()).isEqualTo(2);
        assertThat(pick()).isSameAs(color);
        assertThat(cores.runAll(0)).isEqualTo(events(0, 5));
        cores.end(0);
        assertThat(runNext()).isSameAs(other);
        assertThat(runNext()).isNull();
    }

    @Test
    void drain_movesABoundedNumberAtATime() {
        for (int i = 0; i < CoreQueue.DRAIN_MAX + 10; i++) {
            cores.lane(0).sendOutside(normal, 1);
        }
        drain();
        assertThat(queue.readyCount()).isEqualTo(CoreQueue.DRAIN_MAX);
        assertThat(queue.hasInbox()).isTrue();
        drain();
        assertThat(queue.readyCount()).isEqualTo(CoreQueue.DRAIN_MAX + 10);
        assertThat(queue.hasInbox()).isFalse();
    }

    @Test
    void hasLongInbox_fromTheHintUntilTheDrain() {
        assertThat(queue.hasLongInbox()).isFalse();
        queue.hintLongInbox();
        assertThat(queue.hasLongInbox()).as("nothing is in there").isFalse();
        cores.lane(0).sendOutside(normal, 1);
        assertThat(queue.hasLongInbox()).isTrue();
        drain();
        cores.lane(0).sendOutside(normal, 1);
        assertThat(queue.hasLongInbox()).as("a hint is for what was in there").isFalse();
        drain();
    }

    // What was hinted at may be what did not fit into the drain.
    @Test
    void hasLongInbox_drainLeavesSomething_stays() {
        cores.lane(0).sendOutside(normal, CoreQueue.DRAIN_MAX + 1);
        queue.hintLongInbox();
        drain();
        assertThat(queue.hasLongInbox()).isTrue();
        drain();
        assertThat(queue.hasLongInbox()).isFalse();
    }

    // ------------------------------------------------------------------ validate itself can fail

    @Test
    void validate_findsABrokenLink() {
        Cores broken = new Cores(1, intervals);
        CoreQueue wrong = broken.queues[0];
        ColorQueue a = broken.ready(0, normal, 1).queue();
        ColorQueue b = broken.ready(0, normal, 1).queue();
        b.previousReady = ColorIndex.NONE;
        assertThatThrownBy(broken::validate).isInstanceOf(AssertionError.class).hasMessageContaining("links");
        b.previousReady = a.number();
        broken.validate();
        wrong.readyCount++;
        assertThatThrownBy(broken::validate).isInstanceOf(AssertionError.class).hasMessageContaining("readyCount");
        wrong.readyCount--;
        wrong.worthyShort++;
        assertThatThrownBy(broken::validate).isInstanceOf(AssertionError.class).hasMessageContaining("worthy");
        wrong.worthyShort--;
        b.place = ColorQueue.IDLE;
        assertThatThrownBy(broken::validate).isInstanceOf(AssertionError.class).hasMessageContaining("not queued");
        b.place = ColorQueue.QUEUED;
        b.home(1);
        assertThatThrownBy(broken::validate).isInstanceOf(AssertionError.class).hasMessageContaining("away from home");
        assertThat(wrong.toString()).contains("core=0", "ready=2");
    }
}
