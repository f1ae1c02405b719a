// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

// The owner gets ready colors by priority and first in first out. A section for each part of the queue, which share
// what is set up here.
// What a thief may take is in CoreQueueLootTest.
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

    private static List<Object> events(int from, int to) {
        return IntStream.range(from, to).<Object>mapToObj(event -> event).toList();
    }

    // ------------------------------------------------------------------ the life of a color

    @Test
    void color_idle_queued_running_idle() {
        Lane color = ready(normal, 1);
        ColorQueue events = color.queue();
        assertThat(events.place).isEqualTo(ColorQueue.QUEUED);
        assertThat(queue.ready.count()).isEqualTo(1);
        assertThat(queue.hasWork()).isTrue();

        assertThat(pick()).isSameAs(color);
        assertThat(events.place).isEqualTo(ColorQueue.RUNNING);
        assertThat(QueueLook.isRunning(queue, color.number())).isTrue();
        assertThat(queue.hasWork()).isFalse();
        assertThat(cores.runAll(0)).isEqualTo(events(0, 1));
        assertThat(events.place).as("until it has ended").isNotEqualTo(ColorQueue.IDLE);

        assertThat(cores.end(0)).isFalse();
        assertThat(events.place).isEqualTo(ColorQueue.IDLE);
        assertThat(color.timeLeft()).isZero();
        assertThat(pick()).isNull();
        assertThat(queue.running).isZero();
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
        assertThat(queue.ready.count()).isZero();
        assertThat(cores.runAll(0)).as("what was picked").isEqualTo(events(1, 2));

        cores.end(0);
        assertThat(queue.ready.count()).isEqualTo(1);
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
        assertThat(queue.owner.first()).isNull();
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
            assertThat(queue.owner.first()).isSameAs(events);
            cores.runOne(0);
            assertThat(events.event()).as("let go of").isNull();
            color.send(normal, 1);
            assertThat(queue.owner.first())
                    .as("free, but the color is not idle")
                    .isNotSameAs(events);
            cores.runOne(0);
            assertThat(events.isEmpty()).isFalse();
            assertThat(events.at(events.head, cores.records).isOwn()).isFalse();
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
        queue.owner.sendsBehind = color.offer(color.where(), normal, null) + 1;
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
        assertThat(queue.ready.count()).isZero();
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
        assertThat(queue.runsAlone(queue.owner)).as("another one was picked").isFalse();
        cores.runOne(0);
        assertThat(queue.runsAlone(queue.owner)).isTrue();
        color.sendOutside(normal, 1);
        assertThat(queue.runsAlone(queue.owner)).as("from another sender").isTrue();
        drain();
        assertThat(queue.runsAlone(queue.owner)).as("one is pending").isFalse();
        cores.runAll(0);
        cores.end(0);
        pick();
        Lane own = cores.lane(0);
        queue.owner.sendsBehind = own.offer(own.where(), normal, null) + 1;
        assertThat(queue.runsAlone(queue.owner)).as("its own is on its way").isFalse();
        drain();
        assertThat(queue.runsAlone(queue.owner)).isTrue();
        cores.runAll(0);
        cores.end(0);
    }

    @Test
    void end_afterAFusedEvent_countsWhatRan() {
        ready(normal, 1);
        pick();
        queue.owner.first().set(normal, "fused", normal.weight());
        queue.owner.color().raiseUrgency(6);
        assertThat(cores.runAll(0)).containsExactly("fused");
        assertThat(cores.end(0)).isFalse();
    }

    // ------------------------------------------------------------------ the order of colors

    @Test
    void pick_sameLevel_isFirstInFirstOut() {
        Lane a = ready(normal, 2);
        Lane b = ready(normal, 2);
        Lane c = ready(normal, 1);

        assertThat(queue.ready.count()).isEqualTo(3);
        assertThat(pick()).isSameAs(a);
        cores.runOne(0);
        cores.end(0);
        assertThat(runNext()).isSameAs(b);
        assertThat(runNext()).isSameAs(c);
        assertThat(runNext()).isSameAs(a);
        assertThat(runNext()).isNull();
        assertThat(queue.ready.count()).isZero();
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
        assertThat((int) b.queue().level).as("anew with each burst").isEqualTo(3);
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
        cores.runAll(0);
        cores.end(0);
        assertThat(pick()).isNull();
        assertThat(queue.looksBusy()).isFalse();
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
    void looksBusy_twoReady_evenIfNothingRuns() {
        ready(normal, 1);
        ready(normal, 1);
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

    @Test
    void withoutTheLock_isABug() {
        Lane color = ready(normal, 1);
        assertThatThrownBy(() -> queue.pick(false)).isInstanceOf(AssertionError.class);
        assertThatThrownBy(() -> queue.arrivals.drain(cores.pool(0))).isInstanceOf(AssertionError.class);
        assertThatThrownBy(() -> queue.send(queue.owner, color.number(), normal, 0, cores.pool(0)))
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

    // ------------------------------------------------------------------ inbox

    @Test
    void drain_eventOfAnIdleColor_makesItReady() {
        Lane color = cores.lane(0).sendOutside(normal, 1);
        assertThat(queue.inbox.isEmpty()).isFalse();
        assertThat(queue.hasWork()).isTrue();
        assertThat(queue.ready.count()).isZero();
        assertThat(drain()).as("not worthy").isFalse();
        assertThat(queue.inbox.isEmpty()).isTrue();
        assertThat(runNext()).isSameAs(color);
        assertThat(queue.hasWork()).isFalse();
    }

    @Test
    void drain_anotherEvent_classifiesAnew() {
        Lane color = cores.lane(0).sendOutside(Lane.handler(600), 1);
        assertThat(drain()).isFalse();
        assertThat(queue.ready.worthyCount()).isZero();
        color.sendOutside(Lane.handler(600), 1);
        assertThat(drain()).as("became worthy").isTrue();
        assertThat(queue.ready.worthyCount()).isPositive();
        assertThat(queue.ready.count()).isEqualTo(1);
    }

    @Test
    void drain_severalEvents_linkOnce_andKeepTheirOrder() {
        Lane color = cores.lane(0).sendOutside(normal, 3);
        Lane other = cores.lane(0).sendOutside(normal, 1);
        color.sendOutside(normal, 2);
        drain();
        assertThat(queue.ready.count()).isEqualTo(2);
        assertThat(pick()).isSameAs(color);
        assertThat(cores.runAll(0)).isEqualTo(events(0, 5));
        cores.end(0);
        assertThat(runNext()).isSameAs(other);
        assertThat(runNext()).isNull();
    }

    @Test
    void drain_movesABoundedNumberAtATime() {
        for (int i = 0; i < Arrivals.DRAIN_MAX + 10; i++) {
            cores.lane(0).sendOutside(normal, 1);
        }
        drain();
        assertThat(queue.ready.count()).isEqualTo(Arrivals.DRAIN_MAX);
        assertThat(queue.inbox.isEmpty()).isFalse();
        drain();
        assertThat(queue.ready.count()).isEqualTo(Arrivals.DRAIN_MAX + 10);
        assertThat(queue.inbox.isEmpty()).isTrue();
    }

    @Test
    void hasLong_fromTheHintUntilTheDrain() {
        assertThat(queue.arrivals.hasLong()).isFalse();
        queue.arrivals.hintLong();
        assertThat(queue.arrivals.hasLong()).as("nothing is in there").isFalse();
        cores.lane(0).sendOutside(normal, 1);
        assertThat(queue.arrivals.hasLong()).isTrue();
        drain();
        cores.lane(0).sendOutside(normal, 1);
        assertThat(queue.arrivals.hasLong())
                .as("a hint is for what was in there")
                .isFalse();
        drain();
    }

    // What was hinted at may be what did not fit into the drain.
    @Test
    void hasLong_drainLeavesSomething_stays() {
        cores.lane(0).sendOutside(normal, Arrivals.DRAIN_MAX + 1);
        queue.arrivals.hintLong();
        drain();
        assertThat(queue.arrivals.hasLong()).isTrue();
        drain();
        assertThat(queue.arrivals.hasLong()).isFalse();
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
        wrong.ready.readyCount++;
        assertThatThrownBy(broken::validate).isInstanceOf(AssertionError.class).hasMessageContaining("readyCount");
        wrong.ready.readyCount--;
        wrong.ready.worthy[ReadyColors.PAD + 1]++;
        assertThatThrownBy(broken::validate).isInstanceOf(AssertionError.class).hasMessageContaining("worthy");
        wrong.ready.worthy[ReadyColors.PAD + 1]--;
        b.place = ColorQueue.IDLE;
        assertThatThrownBy(broken::validate).isInstanceOf(AssertionError.class).hasMessageContaining("not queued");
        b.place = ColorQueue.QUEUED;
        b.home(1);
        assertThatThrownBy(broken::validate).isInstanceOf(AssertionError.class).hasMessageContaining("away from home");
        assertThat(wrong.toString()).contains("core=0", "ready=2");
    }
}
