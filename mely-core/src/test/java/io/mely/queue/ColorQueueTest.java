// SPDX-License-Identifier: Apache-2.0
package io.mely.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mely.profile.HandlerProfile;
import org.junit.jupiter.api.Test;

// A color gives its events out in the order appended, says to exactly one sender and one runner at a time that the
// color is theirs, and
// knows how much work is left in it.
class ColorQueueTest {
    private final HandlerProfile handler = Lane.handler(1_000);
    private final RecordPool pool = new RecordPool(new RecordDepot(1_024));
    private final Lane color = new Lane(7, 2, pool.index());

    private EventRecord record(Object event) {
        EventRecord record = pool.take();
        record.set(handler, event, handler.weight());
        return record;
    }

    // ------------------------------------------------------------------ the list

    @Test
    void append_firstOnly_opens() {
        assertThat(color.isIdle()).isTrue();
        assertThat(color.append(record("a"))).isTrue();
        assertThat(color.isIdle()).isFalse();
        assertThat(color.append(record("b"))).isFalse();
        assertThat(color.append(record("c"))).isFalse();
    }

    @Test
    void advance_followsTheOrderOfAppends_andEndsIdle() {
        EventRecord a = record("a");
        EventRecord b = record("b");
        color.append(a);
        color.append(b);

        assertThat(color.head()).isSameAs(a);
        assertThat(color.advance(a)).isSameAs(b);
        assertThat(color.head()).isSameAs(b);
        assertThat(color.isIdle()).isFalse();
        assertThat(color.advance(b)).isNull();
        assertThat(color.isIdle()).isTrue();
    }

    // The event that runs still holds the color: a send meanwhile does not open it, so it cannot be made ready twice.
    @Test
    void append_whileTheLastEventRuns_doesNotOpen() {
        EventRecord a = record("a");
        EventRecord b = record("b");
        color.append(a);
        assertThat(color.append(b)).isFalse();
        assertThat(color.advance(a)).isSameAs(b);
    }

    @Test
    void append_afterItEmptied_opensAgain() {
        EventRecord a = record("a");
        color.append(a);
        color.advance(a);
        pool.give(a);

        EventRecord b = record("b");
        assertThat(color.append(b)).isTrue();
        assertThat(color.head()).isSameAs(b);
        assertThat(color.advance(b)).isNull();
    }

    // The record within the color holds the event that opens it; those behind it have their own.
    @Test
    void tryOpen_onlyWhenIdle_andTheOwnRecordIsTheHead() {
        assertThat(color.tryOpen()).isTrue();
        color.set(handler, "own", handler.weight());
        assertThat(color.tryOpen()).isFalse();
        EventRecord b = record("b");
        assertThat(color.append(b)).isFalse();

        assertThat(color.head()).isSameAs(color);
        assertThat(color.head().event()).isEqualTo("own");
        assertThat(color.advance(color)).isSameAs(b);
        assertThat(color.event()).as("let go of").isNull();
        assertThat(color.tryOpen()).as("free, but the color is not idle").isFalse();
        assertThat(color.advance(b)).isNull();
    }

    @Test
    void tryOpen_againAndAgain_leavesNoLinkBehind() {
        for (int i = 0; i < 3; i++) {
            assertThat(color.tryOpen()).isTrue();
            color.set(handler, i, handler.weight());
            EventRecord behind = record("b");
            color.append(behind);
            assertThat(color.advance(color)).isSameAs(behind);
            assertThat(color.advance(behind)).isNull();
            pool.give(behind);
            assertThat(color.tryOpen()).isTrue();
            color.set(handler, i, handler.weight());
            assertThat(color.onlyRecord()).isSameAs(color);
            assertThat(color.advance(color)).isNull();
            assertThat(color.isConsumed()).isTrue();
        }
    }

    @Test
    void onlyRecord_isTheHeadUntilSomethingWaits() {
        EventRecord a = record("a");
        EventRecord b = record("b");
        color.append(a);
        assertThat(color.onlyRecord()).isSameAs(a);
        color.append(b);
        assertThat(color.onlyRecord()).isNull();
        color.advance(a);
        assertThat(color.onlyRecord()).isSameAs(b);
    }

    // A sender that exchanged the tail and lost its CPU before it linked its record: the runner neither waits for it,
    // nor takes the color
    // for idle, nor runs the old event again.
    @Test
    void advance_successorNotLinkedYet_keepsAConsumedHead() {
        EventRecord a = record("a");
        EventRecord b = record("b");
        color.append(a);
        color.append(b);
        a.nextPlain(EventRecord.NONE); // as if the sender of b stood between its two steps

        assertThat(color.advance(a)).isSameAs(ColorQueue.LINKING);
        assertThat(color.isIdle()).isFalse();
        assertThat(color.onlyRecord()).isNull();
        assertThat(color.head()).isSameAs(a);
        assertThat(a.isConsumed()).isTrue();
        assertThat(a.event()).isNull();
        assertThat(color.advance(a)).as("still not linked").isSameAs(ColorQueue.LINKING);

        a.nextRelease(b);
        assertThat(color.advance(a)).isSameAs(b);
        assertThat(b.event()).isEqualTo("b");
        assertThat(color.advance(b)).isNull();
    }

    @Test
    void append_linkedRecord_isABug() {
        EventRecord a = record("a");
        a.nextPlain(record("b").id);
        assertThatThrownBy(() -> color.append(a)).isInstanceOf(AssertionError.class);
    }

    @Test
    void advance_notTheHead_isABug() {
        color.append(record("a"));
        EventRecord b = record("b");
        color.append(b);
        assertThatThrownBy(() -> color.advance(b)).isInstanceOf(AssertionError.class);
    }

    // ------------------------------------------------------------------ time-left

    @Test
    void timeLeft_growsBySendsAndShrinksByRuns() {
        color.append(record("a"));
        color.opened(1_000, 3);
        assertThat(color.timeLeft()).isEqualTo(1_000);
        assertThat(color.addLeft(300, true)).isEqualTo(1_300);
        assertThat(color.addLeft(50, false)).isEqualTo(1_350);
        assertThat(color.addLeft(7, true)).isEqualTo(1_357);
        color.subtractLeft(1_350);
        assertThat(color.timeLeft()).isEqualTo(7);
    }

    @Test
    void timeLeft_isNeverNegative() {
        color.opened(10, 3);
        color.subtractLeft(25);
        assertThat(color.timeLeft()).isZero();
        assertThat(color.addLeft(20, true)).isEqualTo(5);
    }

    // An estimate that went wrong in one burst does not outlive it.
    @Test
    void opened_startsTheSumAnew() {
        color.opened(10, 3);
        color.addLeft(40, false);
        color.subtractLeft(3);
        color.opened(100, 3);
        assertThat(color.timeLeft()).isEqualTo(100);
        assertThat(color.addLeft(5, false)).isEqualTo(105);
    }

    @Test
    void raiseLeft_onlyUp() {
        color.opened(100, 3);
        color.addLeft(50, false);
        color.raiseLeft(149);
        assertThat(color.timeLeft()).isEqualTo(150);
        color.raiseLeft(2_000);
        assertThat(color.timeLeft()).isEqualTo(2_000);
        color.opened(10, 3);
        assertThat(color.timeLeft()).as("does not outlive the burst").isEqualTo(10);
    }

    @Test
    void timeLeft_manyLongEvents_doesNotOverflow() {
        int weight = Lane.handler(Long.MAX_VALUE).weight();
        color.opened(weight, 3);
        for (int i = 1; i < 1_000; i++) {
            color.addLeft(weight, i % 2 == 0);
        }
        assertThat(color.timeLeft()).isEqualTo(1_000L * weight).isPositive();
    }

    // ------------------------------------------------------------------ urgency, place, home

    @Test
    void raiseUrgency_onlyUp_untilOpenedAgain() {
        color.opened(1, 3);
        assertThat(color.raiseUrgency(3)).isFalse();
        assertThat(color.raiseUrgency(2)).isFalse();
        assertThat(color.raiseUrgency(5)).isTrue();
        assertThat(color.urgency()).isEqualTo(5);
        assertThat(color.raiseUrgency(4)).isFalse();
        color.opened(1, 0);
        assertThat(color.urgency()).isZero();
    }

    @Test
    void markOpened_twice_isABug() {
        color.markOpened();
        assertThat(color.placeAcquire()).isEqualTo(ColorQueue.OPENED);
        assertThatThrownBy(color::markOpened).isInstanceOf(AssertionError.class).hasMessageContaining("invariant 5");
    }

    @Test
    void moveHome_changesTheHome() {
        assertThat(color.home()).isEqualTo(2);
        color.moveHome(1_023);
        assertThat(color.home()).isEqualTo(1_023);
        assertThat(color.slot()).isEqualTo(7);
        assertThat(color.toString()).contains("slot=7", "home=1023");
    }

    @Test
    void moveHome_whileQueued_isABug() {
        color.place(ColorQueue.QUEUED);
        assertThatThrownBy(() -> color.moveHome(1)).isInstanceOf(AssertionError.class);
    }

    // ------------------------------------------------------------------ records

    @Test
    void consume_letsGoOfTheEvent() {
        EventRecord a = record("a");
        assertThat(a.profile()).isSameAs(handler);
        assertThat(a.weight()).isEqualTo(handler.weight());
        a.consume();
        assertThat(a.isConsumed()).isTrue();
        assertThat(a.event()).isNull();
    }

    @Test
    void set_nullEvent_isAnEvent() {
        EventRecord a = record("a");
        a.set(handler, null, 1);
        assertThat(a.profile()).isSameAs(handler);
        assertThat(a.event()).isNull();
    }
}
