// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

// A color gives its events out in the order appended, and knows how much work is left in it; its home says where it
// lives, and how
// often it has moved.
class ColorQueueTest {
    private final HandlerProfile handler = Lane.handler(1_000);
    private final RecordPool pool = new RecordPool(new RecordDepot(1_024));
    private final RecordIndex records = pool.index();
    private final ColorQueue color = new ColorQueue(7, 2);

    private EventRecord record(Object event) {
        EventRecord record = pool.take();
        record.set(handler, event, handler.weight());
        return record;
    }

    /** Appends events. Returns the records. */
    private List<EventRecord> append(Object... events) {
        List<EventRecord> appended = new ArrayList<>();
        for (Object event : events) {
            appended.add(record(event));
            color.append(appended.get(appended.size() - 1), records);
        }
        return appended;
    }

    private List<Object> events() {
        List<Object> events = new ArrayList<>();
        int id = color.head;
        int last = EventRecord.NONE;
        while (id != EventRecord.NONE) {
            last = id;
            events.add(color.at(id, records).event());
            id = color.at(id, records).nextPlain();
        }
        assertThat(color.tail).isEqualTo(last);
        assertThat(color.isEmpty()).isEqualTo(events.isEmpty());
        return events;
    }

    // ------------------------------------------------------------------ the list

    @Test
    void append_keepsTheOrder() {
        assertThat(events()).isEmpty();
        append("a");
        assertThat(events()).containsExactly("a");
        append("b", "c");
        assertThat(events()).containsExactly("a", "b", "c");
    }

    @Test
    void append_ownRecord_isOneLikeAnother() {
        color.set(handler, "own", handler.weight());
        color.append(color, records);
        append("b");
        assertThat(color.at(color.head, records)).isSameAs(color);
        assertThat(color.isOwn()).isTrue();
        assertThat(events()).containsExactly("own", "b");
    }

    @Test
    void prepend_goesInFront() {
        List<EventRecord> rest = append("a", "b");
        color.clear();
        assertThat(events()).isEmpty();
        color.prepend(rest.get(0).id, rest.get(1).id, records);
        assertThat(events()).containsExactly("a", "b");
        color.clear();
        append("c");
        rest.get(1).nextPlain(EventRecord.NONE);
        color.prepend(rest.get(0).id, rest.get(1).id, records);
        append("d");
        assertThat(events()).containsExactly("a", "b", "c", "d");
    }

    @Test
    void append_linkedRecord_isABug() {
        EventRecord a = record("a");
        a.nextPlain(record("b").id);
        assertThatThrownBy(() -> color.append(a, records)).isInstanceOf(AssertionError.class);
    }

    // ------------------------------------------------------------------ time-left, urgency

    @Test
    void timeLeft_growsByWhatIsAdded() {
        color.add(1_000, 3);
        color.place = ColorQueue.QUEUED;
        color.add(300, 3);
        color.add(57, 3);
        assertThat(color.timeLeft()).isEqualTo(1_357);
        color.setLeft(7);
        assertThat(color.timeLeft()).isEqualTo(7);
    }

    // An estimate that went wrong in one burst does not outlive it, nor does urgency.
    @Test
    void idle_startsAnew() {
        color.add(40, 7);
        color.place = ColorQueue.RUNNING;
        color.add(40, 2);
        assertThat((int) color.urgency).isEqualTo(7);
        color.idle(80);
        color.add(100, 3);
        assertThat(color.timeLeft()).isEqualTo(100);
        assertThat((int) color.urgency).isEqualTo(3);
    }

    @Test
    void timeLeft_manyLongEvents_doesNotOverflow() {
        int weight = Lane.handler(Long.MAX_VALUE).weight();
        color.place = ColorQueue.QUEUED;
        for (int i = 0; i < 1_000; i++) {
            color.add(weight, 3);
        }
        assertThat(color.timeLeft()).isEqualTo(1_000L * weight).isPositive();
    }

    @Test
    void raiseUrgency_onlyUp() {
        color.add(1, 3);
        color.raiseUrgency(2);
        assertThat((int) color.urgency).isEqualTo(3);
        color.raiseUrgency(5);
        assertThat((int) color.urgency).isEqualTo(5);
        color.raiseUrgency(4);
        assertThat((int) color.urgency).isEqualTo(5);
    }

    @Test
    void home_isOfBothParts() {
        assertThat(color.number()).isEqualTo(8);
        assertThat(color.home()).isEqualTo(2);
        color.home(1_023);
        assertThat(color.home()).isEqualTo(1_023);
        assertThat(color.place).isEqualTo(ColorQueue.IDLE);
        assertThat(color.toString()).contains("slot=7", "home=1023");
    }

    // ------------------------------------------------------------------ events that are held

    @Test
    void held_comeBehindWhatIsForwarded_inOrder() {
        for (int i = 0; i < 3; i++) {
            EventRecord record = record("held " + i);
            color.add(record.weight(), 5);
            color.hold(record, records);
        }
        assertThat(color.hasHeld()).isTrue();
        assertThat(color.isEmpty()).as("they wait").isTrue();
        assertThat(color.timeLeft()).as("they count").isEqualTo(3_000);
        append("forwarded");
        color.appendHeld(records);
        assertThat(events()).containsExactly("forwarded", "held 0", "held 1", "held 2");
        assertThat(color.hasHeld()).isFalse();
        color.appendHeld(records);
        assertThat(events()).as("only once").hasSize(4);
    }

    @Test
    void held_ofAnEmptyColor_areItsEvents() {
        color.hold(record("a"), records);
        color.appendHeld(records);
        append("b");
        assertThat(events()).containsExactly("a", "b");
    }

    // ------------------------------------------------------------------ where it lives

    @Test
    void index_queueIsMadeOnce_whereItsColorLives() {
        int count = 64;
        ColorHomes homes = new ColorHomes(count, slot -> slot % 3);
        ColorIndex index = new ColorIndex(homes);
        homes.move(50, 2);
        for (int number = count; number >= 1; number--) {
            assertThat(index.peek(number)).as("nothing was sent").isNull();
            ColorQueue made = index.open(number);
            assertThat(made.number()).isEqualTo(number);
            assertThat(made.home()).isEqualTo(number == 50 ? 2 : (number - 1) % 3);
            assertThat(index.open(number)).isSameAs(made);
            assertThat(index.at(number)).isSameAs(made);
            assertThat(index.peek(number)).isSameAs(made);
        }
        assertThat(index.at(ColorIndex.NONE)).isNull();
    }

    // ------------------------------------------------------------------ records

    @Test
    void consume_letsGoOfTheEvent() {
        EventRecord a = record("a");
        assertThat(a.profile()).isSameAs(handler);
        assertThat(a.weight()).isEqualTo(handler.weight());
        a.consume();
        assertThat(a.event()).isNull();
        assertThat(a.weight()).isZero();
    }

    @Test
    void set_nullEvent_isAnEvent() {
        EventRecord a = record("a");
        a.set(handler, null, 1);
        assertThat(a.profile()).isSameAs(handler);
        assertThat(a.event()).isNull();
    }
}
