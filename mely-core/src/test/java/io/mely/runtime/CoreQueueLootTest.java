// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

// A thief gets what the rules of the papers allow, and nothing else: the worthy colors, by time left and penalty; any,
// by the base algorithm; the next ones of a core that is stuck.
class CoreQueueLootTest {
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

    /** Steals by a rule, and runs what was stolen. */
    private Lane take(Function<CoreQueue, ColorQueue> rule) {
        ColorQueue color = cores.locked(0, rule);
        if (color != null) {
            cores.runStolen(1, color, false);
        }
        return cores.of(color);
    }

    private Lane takeWorthy(long minLeft) {
        return take(victim -> victim.take(CoreQueue.WORTHY, cores.queues[1], minLeft, 1));
    }

    private Lane takeBase() {
        return take(victim -> victim.take(CoreQueue.BASE, cores.queues[1], 0, 1));
    }

    private Lane takeNext() {
        return take(victim -> victim.take(CoreQueue.NEXT, cores.queues[1], 0, 1));
    }

    // ------------------------------------------------------------------ worthiness and intervals (acceptance checks 4
    // and 5)

    @Test
    void worthiness_acceptanceVector4() {
        Lane color = ready(Lane.handler(400), 1);
        assertThat(queue.ready.worthyCount()).isZero();
        color.send(Lane.handler(400), 1);
        assertThat(color.timeLeft()).isEqualTo(800);
        assertThat(queue.ready.worthyCount()).isZero();
        color.send(Lane.handler(400), 1);
        assertThat(color.timeLeft()).isEqualTo(1_200);
        assertThat(queue.ready.worthyCount()).isPositive();

        assertThat(pick()).isSameAs(color); // leaves the stealing-queue when one runs
        assertThat(queue.ready.worthyCount()).isZero();
        cores.runOne(0);
        assertThat(cores.end(0)).isFalse();
        assertThat(color.timeLeft()).isEqualTo(800);
        assertThat(queue.ready.worthyCount()).isZero();
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
        assertThat(scaled.queues[0].ready.worthyCount()).isZero();
        color.send(doubled, 1);
        assertThat(scaled.queues[0].ready.worthyCount()).isPositive();
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
        assertThat(cores.drain(0)).isTrue();
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
        assertThat(queue.ready.worthyCount()).isZero();
        intervals.setBound(100);
        assertThat(queue.ready.worthyCount()).isZero();
        assertThat(color.trySend(Lane.handler(1))).isEqualTo(CoreQueue.IN_WORTHIER);
        assertThat(color.trySend(Lane.handler(1))).as("nothing changed").isEqualTo(CoreQueue.IN);
        assertThat(queue.ready.worthyCount()).isPositive();
    }

    @Test
    void worthyFloor_isALowerBoundOfTheLoot() {
        ready(Lane.handler(1_500), 1);
        ready(Lane.handler(20_000), 1);
        ready(Lane.handler(50_000), 1);
        ready(normal, 1);
        assertThat(counts()).isEqualTo("1/1/1");
        assertThat(queue.ready.worthyFloor()).isEqualTo(1_000 + 15_000 + 30_000);
    }

    // What ran was longer than it was thought to be; what is left counts at least its first event.
    @Test
    void end_moreThanWasThoughtHasRun_leavesTheNextEventsWeight() {
        Lane color = ready(normal, 3);
        pick();
        cores.runOne(0);
        cores.locked(0, queue -> QueueLook.end(queue, 1_000_000));
        assertThat(color.timeLeft()).isEqualTo(100);
    }

    private String counts() {
        return counts(queue);
    }

    private static String counts(CoreQueue queue) {
        return queue.ready.worthyCount(1) + "/" + queue.ready.worthyCount(2) + "/" + queue.ready.worthyCount(3);
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

    // The public C++ takes half of the worthy ones.
    @ParameterizedTest
    @CsvSource({"1, 16, 1", "2, 16, 1", "3, 16, 2", "10, 16, 5", "11, 16, 6", "100, 16, 16", "10, 1, 1", "10, 4, 4"})
    void takeWorthy_takesHalfOfTheWorthyOnes(int worthy, int most, int expected) {
        ready(normal, 1);
        pick();
        for (int i = 0; i < worthy; i++) {
            ready(Lane.handler(2 * COST), 1);
            ready(normal, 1);
        }
        ColorQueue first = cores.locked(0, victim -> victim.take(CoreQueue.WORTHY, cores.queues[1], COST, most));
        assertThat(queue.ready.count()).isEqualTo(2 * worthy - expected);
        cores.runStolen(1, first, false);
        assertThat(cores.queues[1].ready.count()).isEqualTo(expected - 1);
        assertThat(cores.runRest(1)).hasSize(expected - 1);
        assertThat(queue.ready.worthyCount() != 0).isEqualTo(worthy > expected);
    }

    @ParameterizedTest
    @CsvSource({"1000, 8, 0/0/0", "1000, 9, 1/0/0", "1000, 121, 0/1/0", "1001, 1, 1/0/0", "1001, 15, 0/1/0"})
    void worthiness_anEventThatIsNotWorthASteal_addsAnEighth(int timeNs, int events, String expected) {
        Cores shorts = new Cores(1, new TimeLeftIntervals(COST, 8));
        shorts.ready(0, Lane.handler(timeNs), events);
        assertThat(counts(shorts.queues[0])).isEqualTo(expected);
    }

    @Test
    void worthiness_ofALongEventAmongShortOnes_isMostOfIt() {
        Cores mixed = new Cores(1, new TimeLeftIntervals(COST, 8));
        Lane color = mixed.ready(0, normal, 6);
        assertThat(counts(mixed.queues[0])).isEqualTo("0/0/0");
        color.send(Lane.handler(COST + 1), 1);
        assertThat(counts(mixed.queues[0])).isEqualTo("1/0/0");
        assertThat(color.timeLeft()).isEqualTo(6 * (100 / 8) + COST + 1);
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
        for (int i = 0; i < 6; i++) {
            lanes.add(ready(Lane.handler(100 * (i + 1)), 1));
        }
        ColorQueue first = cores.locked(0, victim -> victim.take(CoreQueue.NEXT, cores.queues[1], 0, 16));
        assertThat(cores.of(first)).isSameAs(lanes.get(0));
        cores.validate();
        assertThat(queue.ready.count()).as("half").isEqualTo(3);
        assertThat(lanes.get(2).home()).isEqualTo(1);
        assertThat(lanes.get(2).queue().place).isEqualTo(ColorQueue.MOVING);

        assertThat(cores.adopt(1, first, false)).as("none is worthy").isFalse();
        assertThat(QueueLook.isRunning(cores.queues[1], lanes.get(0).number())).isTrue();
        assertThat(cores.queues[1].ready.count()).isEqualTo(2);
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
        ready(normal, 2);
        ColorQueue first = cores.locked(0, victim -> victim.take(CoreQueue.NEXT, cores.queues[1], 0, 2));
        assertThat(cores.adopt(1, first, false)).isTrue();
        assertThat(cores.queues[1].ready.worthyCount()).isPositive();
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
            assertThat(victim.take(CoreQueue.WORTHY, thief, COST, 1)).isSameAs(color.queue());
            assertThat(victim.migration.leave(color.queue())).isNegative();
            thief.owner.head = EventRecord.NONE; // as if all of it had run
            assertThat(victim.take(CoreQueue.WORTHY, thief, COST, 1)).isSameAs(others[0].queue());
            thief.owner.head = EventRecord.NONE;
            return assertThat(victim.take(CoreQueue.NEXT, thief, 0, 1)).isSameAs(others[1].queue());
        });
        assertThat(many.queues[0].ready.count()).isEqualTo(pending - 2);
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
        many.locked(
                0,
                victim -> assertThat(victim.take(CoreQueue.BASE, many.queues[1], 0, 1))
                        .isSameAs(color.queue()));
    }

    /** Makes every pending event point back to the first. */
    private static void tieEventsTogether(Lane lane, RecordIndex records) {
        ColorQueue color = lane.queue();
        int first = color.head;
        for (int id = first, next; id != EventRecord.NONE; id = next) {
            next = color.at(id, records).nextPlain();
            color.at(id, records).nextPlain(first);
        }
    }
}
