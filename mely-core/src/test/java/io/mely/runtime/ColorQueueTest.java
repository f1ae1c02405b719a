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
        int id = color.head();
        int last = EventRecord.NONE;
        while (id != EventRecord.NONE) {
            last = id;
            events.add(color.at(id, records).event());
            id = color.at(id, records).nextPlain();
        }
        assertThat(color.tail()).isEqualTo(last);
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
        assertThat(color.at(color.head(), records)).isSameAs(color);
        assertThat(color.isOwn()).isTrue();
        assertThat(events()).containsExactly("own", "b");
    }

    @Test
    void append_list_goesBehind() {
        List<EventRecord> list = append("c", "d");
        color.clear();
        color.append(list.get(0).id, list.get(1).id, records);
        assertThat(events()).containsExactly("c", "d");
        color.clear();
        append("a", "b");
        color.append(list.get(0).id, list.get(1).id, records);
        assertThat(events()).containsExactly("a", "b", "c", "d");
        color.append(EventRecord.NONE, EventRecord.NONE, records);
        append("e");
        assertThat(events()).containsExactly("a", "b", "c", "d", "e");
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
        color.add(1_000, 0, 3);
        color.place = ColorQueue.QUEUED;
        color.add(300, 0, 3);
        color.add(57, 0, 3);
        assertThat(color.timeLeft()).isEqualTo(1_357);
        color.setLeft(7);
        assertThat(color.timeLeft()).isEqualTo(7);
    }

    // An estimate that went wrong in one burst does not outlive it, nor does urgency.
    @Test
    void add_whileIdle_startsAnew() {
        color.add(40, 1, 7);
        color.place = ColorQueue.RUNNING;
        color.add(40, 2, 2);
        assertThat(color.urgency()).isEqualTo(7);
        assertThat(color.longs()).isEqualTo(3);
        color.place = ColorQueue.IDLE;
        color.add(100, 1, 3);
        assertThat(color.timeLeft()).isEqualTo(100);
        assertThat(color.longs()).isEqualTo(1);
        assertThat(color.urgency()).isEqualTo(3);
    }

    @Test
    void timeLeft_manyLongEvents_doesNotOverflow() {
        int weight = Lane.handler(Long.MAX_VALUE).weight();
        color.place = ColorQueue.QUEUED;
        for (int i = 0; i < 1_000; i++) {
            color.add(weight, 0, 3);
        }
        assertThat(color.timeLeft()).isEqualTo(1_000L * weight).isPositive();
    }

    @Test
    void raiseUrgency_onlyUp() {
        color.add(1, 0, 3);
        color.raiseUrgency(2);
        assertThat(color.urgency()).isEqualTo(3);
        color.raiseUrgency(5);
        assertThat(color.urgency()).isEqualTo(5);
        color.raiseUrgency(4);
        assertThat(color.urgency()).isEqualTo(5);
    }

    @Test
    void home_isOfBothParts() {
        assertThat(color.number()).isEqualTo(8);
        assertThat(color.home()).isEqualTo(2);
        color.home(1_023);
        assertThat(color.home()).isEqualTo(1_023);
        assertThat(color.isIdle()).isTrue();
        assertThat(color.toString()).contains("slot=7", "home=1023");
    }

    // ------------------------------------------------------------------ events that are held

    @Test
    void held_ofSeveralColors_comeBackInOrder() {
        HeldEvents held = new HeldEvents();
        List<ColorQueue> colors = new ArrayList<>();
        for (int slot = 0; slot < 9; slot++) { // more than it has room for at first
            colors.add(new ColorQueue(slot, 0));
        }
        for (int event = 0; event < 3; event++) {
            for (ColorQueue each : colors) {
                EventRecord record = record(10 * each.number() + event);
                if (event < each.number() % 3) {
                    record.markLong();
                }
                held.add(each, record, event == 1 ? 6 : 2, records);
            }
        }
        for (int slot : new int[] {4, 0, 8, 1, 7, 2, 6, 3, 5}) {
            ColorQueue each = colors.get(slot);
            held.moveTo(each, records);
            assertThat(each.timeLeft()).isEqualTo(3_000);
            assertThat(each.longs()).isEqualTo(each.number() % 3);
            assertThat(each.urgency()).isEqualTo(6);
            for (int event = 0, id = each.head(); event < 3; event++) {
                assertThat(records.at(id).event()).isEqualTo(10 * each.number() + event);
                id = records.at(id).nextPlain();
                assertThat(id == EventRecord.NONE).isEqualTo(event == 2);
            }
            each.clear();
            held.moveTo(each, records);
            assertThat(each.isEmpty()).as("only once").isTrue();
        }
        held.add(colors.get(0), record("again"), 1, records);
        ColorQueue anew = new ColorQueue(0, 0);
        held.moveTo(anew, records);
        assertThat(anew.timeLeft()).as("nothing is left of what it held before").isEqualTo(1_000);
        assertThat(anew.longs()).isZero();
        assertThat(anew.urgency()).isEqualTo(1);
    }

    // ------------------------------------------------------------------ where it lives

    @Test
    void index_queueIsMadeOnce_whereItsColorLives() {
        ColorHomes homes = new ColorHomes(64, slot -> slot % 3);
        ColorIndex index = new ColorIndex(homes);
        int count = 100; // more than it has room for at first
        for (int number = 1; number <= count; number++) {
            homes.enter(number);
        }
        homes.move(50, 2);
        ColorQueue[] made = new ColorQueue[count + 1];
        for (int number = count; number >= 1; number--) {
            assertThat(index.peek(number)).as("nothing was sent").isNull();
            made[number] = index.open(number);
        }
        for (int number = 1; number <= count; number++) {
            assertThat(made[number].number()).isEqualTo(number);
            assertThat(made[number].home()).isEqualTo(number == 50 ? 2 : (number - 1) % 3);
            assertThat(index.open(number)).isSameAs(made[number]);
            assertThat(index.at(number)).isSameAs(made[number]);
            assertThat(index.peek(number)).isSameAs(made[number]);
        }
        assertThat(index.peek(index.length())).as("beyond the table").isNull();
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
