// SPDX-License-Identifier: Apache-2.0
package io.mely.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mely.profile.HandlerProfile;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

// The owner gets ready colors by priority and first in first out; a thief gets what the rules of the papers allow, and
// nothing else; an
// inbox entry that is late does no harm.
class CoreQueueTest {
    private static final int COST = 1_000;

    private final CoreQueue queue = new CoreQueue(0, new TimeLeftIntervals(COST), new ColorIndex());
    private final HandlerProfile normal = Lane.handler(100);
    private int slots;

    @AfterEach
    void validate() {
        locked(() -> {
            queue.validate();
            return null;
        });
    }

    private <T> T locked(Supplier<T> body) {
        queue.lock();
        try {
            return body.get();
        } finally {
            queue.unlock();
        }
    }

    private Lane lane() {
        return new Lane(slots++, 0);
    }

    private Lane ready(HandlerProfile handler, int events) {
        return lane().send(queue, handler, events);
    }

    private ColorQueue pick() {
        return locked(() -> queue.pick(false));
    }

    private ColorQueue takeWorthy(long minLeft) {
        return locked(() -> queue.takeWorthy(1, minLeft));
    }

    private ColorQueue takeBase() {
        return locked(() -> queue.takeBase(1));
    }

    private void relink(ColorQueue color) {
        locked(() -> queue.link(color));
    }

    // ------------------------------------------------------------------ owner

    @Test
    void pick_sameLevel_isFirstInFirstOut() {
        Lane a = ready(normal, 1);
        Lane b = ready(normal, 2);
        Lane c = ready(normal, 1);

        assertThat(queue.readyCount()).isEqualTo(3);
        assertThat(pick()).isSameAs(a);
        relink(a); // as after a batch
        assertThat(pick()).isSameAs(b);
        assertThat(pick()).isSameAs(c);
        assertThat(pick()).isSameAs(a);
        assertThat(pick()).isNull();
        assertThat(queue.readyCount()).isZero();
    }

    @Test
    void pick_highestLevelFirst() {
        Lane low = ready(Lane.handler(100, 1, 0), 1);
        Lane middle = ready(Lane.handler(100, 1, 3), 1);
        Lane high = ready(Lane.handler(100, 1, 7), 1);

        assertThat(pick()).isSameAs(high);
        assertThat(pick()).isSameAs(middle);
        assertThat(pick()).isSameAs(low);
    }

    @Test
    void pick_fromBelow_takesTheLowestLevelsFirst() {
        Lane low = ready(Lane.handler(100, 1, 1), 1);
        Lane high = ready(Lane.handler(100, 1, 6), 1);

        assertThat(locked(() -> queue.pick(true))).isSameAs(low);
        assertThat(locked(() -> queue.pick(true))).isSameAs(high);
        assertThat(locked(() -> queue.pick(true))).isNull();
    }

    // A color is as urgent as its most urgent event, as far as a hint goes.
    @Test
    void touch_moreUrgentEvent_movesTheColorUp() {
        Lane a = ready(normal, 1);
        Lane b = ready(normal, 1);
        b.send(queue, Lane.handler(100, 1, 5), 1);

        assertThat(pick()).isSameAs(b);
        assertThat(pick()).isSameAs(a);
    }

    @Test
    void pick_beginsATurn_andNotesWhatRuns() {
        long before = queue.turn();
        assertThat(queue.looksBusy()).isFalse();
        ready(normal, 1);
        assertThat(queue.looksBusy()).as("one color ready: nobody waits").isFalse();
        pick();
        assertThat(queue.turn()).isEqualTo(before + 1);
        assertThat(queue.looksBusy()).isTrue();
        assertThat(locked(queue::isBusy)).isTrue();
        assertThat(pick()).isNull();
        assertThat(queue.looksBusy()).isFalse();
        assertThat(locked(queue::isBusy)).isFalse();
        queue.beginTurn();
        assertThat(queue.turn()).isEqualTo(before + 3);
    }

    @Test
    void runs_noteWhatWasStolen() {
        Lane stolen = lane();
        locked(() -> {
            queue.runs(stolen);
            assertThat(queue.isBusy()).isTrue();
            queue.runs(null);
            assertThat(queue.isBusy()).isFalse();
            return null;
        });
    }

    @Test
    void isBusy_twoReady_evenIfNothingRuns() {
        ready(normal, 1);
        ready(normal, 1);
        assertThat(locked(queue::isBusy)).isTrue();
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
    void link_twice_isABug() {
        Lane a = ready(normal, 1);
        assertThatThrownBy(() -> relink(a)).isInstanceOf(AssertionError.class).hasMessageContaining("invariant 5");
    }

    @Test
    void link_awayFromHome_isABug() {
        Lane b = new Lane(1, 1);
        b.append(normal, 0);
        assertThatThrownBy(() -> relink(b)).isInstanceOf(AssertionError.class).hasMessageContaining("away from home");
    }

    @Test
    void link_idle_isABug() {
        Lane idle = lane();
        assertThatThrownBy(() -> relink(idle)).isInstanceOf(AssertionError.class);
    }

    // ------------------------------------------------------------------ worthiness and intervals (acceptance checks 4
    // and 5)

    @Test
    void worthiness_acceptanceVector4() {
        Lane color = ready(Lane.handler(400), 1);
        assertThat(queue.hasWorthy()).isFalse();
        color.send(queue, Lane.handler(400), 1);
        assertThat(color.timeLeft()).isEqualTo(800);
        assertThat(queue.hasWorthy()).isFalse();
        color.send(queue, Lane.handler(400), 1);
        assertThat(color.timeLeft()).isEqualTo(1_200);
        assertThat(queue.hasWorthy()).isTrue();

        assertThat(pick()).isSameAs(color); // leaves the stealing-queue when one runs
        assertThat(queue.hasWorthy()).isFalse();
        color.runOne();
        relink(color);
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
        CoreQueue scaled = new CoreQueue(0, new TimeLeftIntervals(5_000), new ColorIndex());
        Lane color = new Lane(0, 0).send(scaled, doubled, 2_500);
        assertThat(color.timeLeft()).isEqualTo(5_000);
        assertThat(scaled.hasWorthy()).isFalse();
        color.send(scaled, doubled, 1);
        assertThat(scaled.hasWorthy()).isTrue();
    }

    @ParameterizedTest
    @CsvSource({"0, 0", "1000, 0", "1001, 1", "15000, 1", "15001, 2", "30000, 2", "30001, 3", "9000000000000, 3"})
    void intervalOf_acceptanceVector5(long timeLeft, int interval) {
        assertThat(new TimeLeftIntervals(COST).intervalOf(timeLeft)).isEqualTo(interval);
    }

    @Test
    void interval_movesOnIncreaseAndDecrease() {
        Lane color = ready(Lane.handler(1_001), 1);
        assertThat(counts()).isEqualTo("1/0/0");
        color.send(queue, Lane.handler(14_000), 1);
        assertThat(color.timeLeft()).isEqualTo(15_001);
        assertThat(counts()).isEqualTo("0/1/0");
        color.send(queue, Lane.handler(15_000), 1);
        assertThat(color.timeLeft()).isEqualTo(30_001);
        assertThat(counts()).isEqualTo("0/0/1");

        pick();
        assertThat(counts()).isEqualTo("0/0/0");
        color.runOne();
        relink(color);
        assertThat(color.timeLeft()).isEqualTo(29_000);
        assertThat(counts()).isEqualTo("0/1/0");
        pick();
        color.runOne();
        relink(color);
        assertThat(color.timeLeft()).isEqualTo(15_000);
        assertThat(counts()).isEqualTo("1/0/0");
    }

    @Test
    void setBound_isSeenWhenAColorIsNextTouched() {
        TimeLeftIntervals intervals = new TimeLeftIntervals(COST);
        CoreQueue moving = new CoreQueue(0, intervals, new ColorIndex());
        Lane color = new Lane(0, 0).send(moving, Lane.handler(900), 1);
        assertThat(moving.hasWorthy()).isFalse();
        intervals.setBound(100);
        assertThat(moving.hasWorthy()).isFalse();
        moving.lock();
        assertThat(moving.touch(color)).as("became worthier").isTrue();
        assertThat(moving.touch(color)).as("nothing changed").isFalse();
        moving.validate();
        moving.unlock();
        assertThat(moving.hasWorthy()).isTrue();
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
    }

    @Test
    void takeWorthy_neverTheRunningColor() {
        Lane running = ready(Lane.handler(50_000), 10);
        assertThat(pick()).isSameAs(running);
        assertThat(takeWorthy(COST)).isNull();
        assertThat(takeBase()).isNull();
        assertThat(locked(() -> queue.takeNext(1, 1))).isNull();
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
    void takeNext_takesWhatTheOwnerWouldRunNext_worthyOrNot() {
        ready(normal, 1);
        Lane urgent = ready(Lane.handler(1, 1, 7), 1);
        assertThat(locked(() -> queue.takeNext(1, 1))).isSameAs(urgent);
        assertThat(locked(() -> queue.takeNext(1, 1))).isNotNull();
        assertThat(locked(() -> queue.takeNext(1, 1))).isNull();
    }

    @Test
    void takeNext_several_hangBehindTheFirst_untilTheThiefLinksThem() {
        ColorIndex index = new ColorIndex();
        CoreQueue victim = new CoreQueue(0, new TimeLeftIntervals(COST), index);
        CoreQueue thief = new CoreQueue(1, new TimeLeftIntervals(COST), index);
        Lane[] lanes = new Lane[4];
        for (int i = 0; i < lanes.length; i++) {
            lanes[i] = new Lane(i, 0).send(victim, Lane.handler(100 * (i + 1)), 1);
        }
        victim.lock();
        assertThat(victim.takeNext(1, 3)).isSameAs(lanes[0]);
        victim.validate();
        victim.unlock();
        assertThat(victim.readyCount()).isEqualTo(1);
        assertThat(victim.timeLeftWithRest(lanes[0])).isEqualTo(100 + 200 + 300);
        assertThat(lanes[2].home()).isEqualTo(1);

        thief.lock();
        assertThat(thief.linkRest(lanes[0])).as("none is worthy").isFalse();
        thief.validate();
        assertThat(thief.readyCount()).isEqualTo(2);
        assertThat(thief.pick(false)).isSameAs(lanes[1]);
        assertThat(thief.pick(false)).isSameAs(lanes[2]);
        assertThat(thief.pick(false)).isNull();
        thief.unlock();
    }

    // Acceptance check 7. Every pending event points back to the first, and the colors behind the fifth to themselves:
    // whoever walks along
    // events or colors never comes to an end.
    @ParameterizedTest
    @ValueSource(ints = {10, 100_000})
    @Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void takeWorthy_touchesNoEventAndFewColors(int pending) {
        CoreQueue victim = new CoreQueue(0, new TimeLeftIntervals(COST), new ColorIndex());
        Lane color = new Lane(0, 0).send(victim, Lane.handler(2_000), pending);
        color.tieEventsTogether();
        Lane[] others = new Lane[pending];
        for (int i = 0; i < pending; i++) {
            others[i] = new Lane(1 + i, 0).send(victim, Lane.handler(2_000), 1);
            if (i >= 5) {
                others[i].nextReady = ColorIndex.numberOf(others[i]);
                others[i].nextWorthy = ColorIndex.numberOf(others[i]);
            }
        }
        victim.lock();
        assertThat(victim.takeWorthy(1, COST)).isSameAs(color);
        assertThat(victim.takeWorthy(1, COST)).isSameAs(others[0]);
        assertThat(victim.takeNext(1, 1)).isSameAs(others[1]);
        victim.unlock();
        assertThat(victim.readyCount()).isEqualTo(pending - 2);
    }

    // The base algorithm adds up colors until the answer is certain, and never walks along events.
    @ParameterizedTest
    @ValueSource(ints = {10, 100_000})
    @Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void takeBase_touchesNoEvent(int pending) {
        CoreQueue victim = new CoreQueue(0, new TimeLeftIntervals(COST), new ColorIndex());
        HandlerProfile one = Lane.handler(1_000);
        Lane color = new Lane(0, 0).send(victim, one, pending);
        Lane other = new Lane(1, 0).send(victim, one, 2 * pending);
        for (Lane lane : new Lane[] {color, other}) {
            lane.tieEventsTogether();
        }
        victim.lock();
        assertThat(victim.takeBase(1)).isSameAs(color);
        victim.unlock();
    }

    // ------------------------------------------------------------------ inbox

    @Test
    void drain_openedColor_becomesReady() {
        Lane color = lane().sendOutside(queue, normal, 1);
        assertThat(queue.hasInbox()).isTrue();
        assertThat(queue.hasWork()).isTrue();
        assertThat(queue.readyCount()).isZero();
        assertThat(locked(queue::drain)).as("not worthy").isFalse();
        assertThat(queue.hasInbox()).isFalse();
        assertThat(pick()).isSameAs(color);
        assertThat(queue.hasWork()).isFalse();
    }

    @Test
    void drain_promotion_classifiesAnew() {
        Lane color = lane().sendOutside(queue, Lane.handler(600), 1);
        locked(queue::drain);
        assertThat(queue.hasWorthy()).isFalse();
        color.sendOutside(queue, Lane.handler(600), 1);
        assertThat(locked(queue::drain)).as("became worthy").isTrue();
        assertThat(queue.hasWorthy()).isTrue();
        assertThat(queue.readyCount()).isEqualTo(1);
    }

    @Test
    void drain_doubledEntry_linksOnce() {
        Lane color = lane().sendOutside(queue, normal, 3);
        locked(queue::drain);
        assertThat(queue.readyCount()).isEqualTo(1);
        assertThat(pick()).isSameAs(color);
        assertThat(pick()).isNull();
    }

    @Test
    void drain_entryOfARunningColor_isIgnored() {
        Lane color = ready(normal, 2);
        pick();
        queue.handIn(color);
        assertThat(locked(queue::drain)).isFalse();
        assertThat(queue.readyCount()).isZero();
        color.runOne();
        relink(color);
        assertThat(queue.readyCount()).isEqualTo(1);
    }

    @Test
    void drain_entryOfAStolenColor_isIgnored() {
        Lane color = ready(Lane.handler(5_000), 2);
        queue.handIn(color);
        assertThat(takeWorthy(COST)).isSameAs(color);
        assertThat(locked(queue::drain)).isFalse();
        assertThat(queue.readyCount()).isZero();
        assertThat(queue.hasWorthy()).isFalse();
    }

    @Test
    void drain_entryOfAnIdleColor_isIgnored() {
        Lane color = ready(normal, 1);
        pick();
        color.runOne();
        assertThat(color.isIdle()).isTrue();
        queue.handIn(color);
        assertThat(locked(queue::drain)).isFalse();
        assertThat(queue.readyCount()).isZero();
    }

    // A late entry meets a color that was opened again: it links it early, and the opener's own entry finds it linked.
    @Test
    void drain_lateEntryOfAReopenedColor_linksItOnce() {
        Lane color = ready(normal, 1);
        pick();
        queue.handIn(color); // a promotion that comes late
        color.runOne();
        color.sendOutside(queue, normal, 1);
        locked(queue::drain);
        assertThat(queue.readyCount()).isEqualTo(1);
        assertThat(pick()).isSameAs(color);
        color.runOne();
        assertThat(color.isIdle()).isTrue();
    }

    // ... and one whose sender has appended, but not yet marked it opened: that one's own entry is still to come.
    @Test
    void drain_lateEntryOfAColorBeingOpened_leavesItToItsOpener() {
        Lane color = lane();
        color.append(normal, 0);
        queue.handIn(color);
        assertThat(locked(queue::drain)).isFalse();
        assertThat(queue.readyCount()).isZero();
        color.markOpened();
        queue.handIn(color);
        locked(queue::drain);
        assertThat(queue.readyCount()).isEqualTo(1);
    }

    @Test
    void drain_movesABoundedNumberAtATime() {
        for (int i = 0; i < CoreQueue.DRAIN_MAX + 10; i++) {
            lane().sendOutside(queue, normal, 1);
        }
        locked(queue::drain);
        assertThat(queue.readyCount()).isEqualTo(CoreQueue.DRAIN_MAX);
        assertThat(queue.hasInbox()).isTrue();
        locked(queue::drain);
        assertThat(queue.readyCount()).isEqualTo(CoreQueue.DRAIN_MAX + 10);
        assertThat(queue.hasInbox()).isFalse();
    }

    // ------------------------------------------------------------------ validate itself can fail

    @Test
    void validate_findsABrokenLink() {
        CoreQueue broken = new CoreQueue(0, new TimeLeftIntervals(COST), new ColorIndex());
        Lane a = new Lane(0, 0).send(broken, normal, 1);
        Lane b = new Lane(1, 0).send(broken, normal, 1);
        broken.lock();
        b.previousReady = ColorIndex.NONE;
        assertThatThrownBy(broken::validate).isInstanceOf(AssertionError.class).hasMessageContaining("links");
        b.previousReady = ColorIndex.numberOf(a);
        broken.validate();
        broken.readyCount++;
        assertThatThrownBy(broken::validate).isInstanceOf(AssertionError.class).hasMessageContaining("readyCount");
        broken.readyCount--;
        b.place(ColorQueue.DETACHED);
        assertThatThrownBy(broken::validate).isInstanceOf(AssertionError.class).hasMessageContaining("not queued");
        assertThat(broken.toString()).contains("core=0", "ready=2");
    }
}
