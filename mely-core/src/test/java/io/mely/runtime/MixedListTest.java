// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.mely.Seed;
import io.mely.StageOptions;
import io.mely.Stealing;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

// libasync's run queue: what runs next by position, priority and affinity; a color keeps its order; a steal takes one
// color whole and
// follows every link up to its last event.
class MixedListTest {
    private static final class Tag extends MixedColor {
        final String name;

        Tag(String name) {
            this.name = name;
        }
    }

    private final Map<String, Tag> tags = new HashMap<>();
    private final RecordIndex records = new RecordIndex(true);
    private final MixedList list = new MixedList(MixedList.LOOK_AHEAD, records);
    private final EventChain chain = new EventChain();

    private Tag tag(String name) {
        return tags.computeIfAbsent(name, Tag::new);
    }

    private EventRecord record(String color, int priority, Object event) {
        EventRecord record = records.makeChain(1);
        StageOptions options = StageOptions.defaults().withPriority(priority);
        record.set(new HandlerProfile("h", options, Stealing.base()), event, 1);
        MixedRecord.color(record, tag(color));
        return record;
    }

    private void append(MixedList to, String color, int priority, Object event) {
        to.append(record(color, priority, event));
        to.validate();
    }

    /** Takes one event and ends it. */
    private static @Nullable Object run(MixedList from, @Nullable Tag favoured) {
        EventRecord record = from.pick(favoured);
        from.validate();
        if (record == null) {
            return null;
        }
        from.ended(MixedRecord.colorOf(record));
        from.validate();
        return record.event();
    }

    private static List<Object> runAll(MixedList from) {
        List<Object> ran = new ArrayList<>();
        for (Object event = run(from, null); event != null; event = run(from, null)) {
            ran.add(event);
        }
        return ran;
    }

    // ------------------------------------------------------------------ what runs next (libasync-smp §6.5)

    @Test
    void pick_lookingAtOne_takesTheLeftmost() {
        MixedList narrow = new MixedList(1, records);
        append(narrow, "a", 0, "light");
        append(narrow, "b", 7, "heavy");
        assertThat(runAll(narrow)).containsExactly("light", "heavy");
    }

    @Test
    void pick_lookingAtMore_takesTheHeaviest_andTheLeftmostOfEquals() {
        append(list, "a", 0, "light");
        append(list, "b", 3, "first of two");
        append(list, "c", 3, "second of two");
        append(list, "d", 7, "heavy");
        assertThat(runAll(list)).containsExactly("heavy", "first of two", "second of two", "light");
    }

    @Test
    void pick_doesNotLookBeyondItsWindow() {
        for (int i = 0; i < MixedList.LOOK_AHEAD; i++) {
            append(list, "c" + i, 1, i);
        }
        append(list, "far", 7, "far");
        assertThat(run(list, null)).isEqualTo(0);
        assertThat(run(list, null)).isEqualTo("far");
    }

    @Test
    void pick_affinityBeatsPosition_andNoPriority() {
        append(list, "a", 3, "left");
        append(list, "b", 3, "same color");
        append(list, "c", 4, "urgent");
        assertThat(run(list, tag("b"))).isEqualTo("urgent");
        assertThat(run(list, tag("b"))).isEqualTo("same color");
    }

    // A later event of a color does not overtake an earlier one, however urgent.
    @Test
    void pick_keepsTheOrderOfAColor() {
        append(list, "a", 0, "a1");
        append(list, "a", 7, "a2");
        append(list, "b", 3, "b1");
        assertThat(runAll(list)).containsExactly("b1", "a1", "a2");
    }

    @Test
    void pick_skipsRunningColors() {
        append(list, "a", 3, "a1");
        append(list, "a", 3, "a2");
        append(list, "b", 3, "b1");
        EventRecord a1 = list.pick(null);
        assertThat(list.eligible()).isEqualTo(1);
        EventRecord b1 = list.pick(null);
        assertThat(b1.event()).isEqualTo("b1");
        assertThat(list.pick(null)).isNull();
        list.ended(MixedRecord.colorOf(a1));
        assertThat(run(list, null)).isEqualTo("a2");
    }

    // A stream of urgent events does not starve the leftmost.
    @Test
    void pick_takesTheLeftmostOnceInAWhile() {
        append(list, "slow", 0, "slow");
        int picks = 0;
        Object ran = null;
        while (!"slow".equals(ran)) {
            append(list, "urgent" + picks, 7, "urgent");
            ran = run(list, null);
            assertThat(++picks).isLessThan(100);
        }
    }

    // libasync-smp §2.3: c1 c2 z1 z2, z of the default color; two workers, unit times. More priority for the default
    // color: 2 units
    // instead of 3.
    @ParameterizedTest
    @ValueSource(ints = {3, 4})
    void priorityExampleOfThePaper(int priorityOfDefault) {
        append(list, "1", 3, "c1");
        append(list, "2", 3, "c2");
        append(list, "0", priorityOfDefault, "z1");
        append(list, "0", priorityOfDefault, "z2");
        List<String> units = new ArrayList<>();
        while (list.size() != 0) {
            EventRecord first = list.pick(null);
            EventRecord second = list.pick(null);
            units.add(first.event() + (second == null ? "" : "|" + second.event()));
            list.ended(MixedRecord.colorOf(first));
            if (second != null) {
                list.ended(MixedRecord.colorOf(second));
            }
        }
        if (priorityOfDefault == 3) {
            assertThat(units).containsExactly("c1|c2", "z1", "z2");
        } else {
            assertThat(units).containsExactly("z1|c1", "z2|c2");
        }
    }

    // ------------------------------------------------------------------ the front part

    @Test
    void appendFirst_standsBeforeTheOthers_inOrder() {
        append(list, "a", 3, "a1");
        for (int i = 0; i < 3; i++) {
            list.appendFirst(record("b", 3, "first" + i));
            list.validate();
        }
        append(list, "b", 3, "b1");
        assertThat(runAll(list)).containsExactly("first0", "first1", "first2", "a1", "b1");
        list.appendFirst(record("c", 3, "alone"));
        list.validate();
        append(list, "d", 3, "last");
        assertThat(runAll(list)).containsExactly("alone", "last");
    }

    // ------------------------------------------------------------------ base stealing

    @Test
    void steal_needsTwoColors_andFewerThanHalf() {
        append(list, "a", 3, "a1");
        append(list, "a", 3, "a2");
        assertThat(list.steal(chain)).as("one color").isNull();
        append(list, "b", 3, "b1");
        append(list, "b", 3, "b2");
        assertThat(list.steal(chain)).as("half each").isNull();
        append(list, "a", 3, "a3");
        assertThat(list.steal(chain)).as("b has 2 of 5").isSameAs(tag("b"));
        assertThat(chain.count()).isEqualTo(2);
        list.validate();
        assertThat(list.size()).isEqualTo(3);
    }

    @Test
    void steal_leavesTheRunningColor() {
        append(list, "a", 3, "a1");
        append(list, "a", 3, "a2");
        append(list, "b", 3, "b1");
        append(list, "c", 3, "c1");
        append(list, "c", 3, "c2");
        EventRecord running = list.pick(null);
        assertThat(running.event()).isEqualTo("a1");
        assertThat(list.steal(chain))
                .as("the first in the list that does not run")
                .isSameAs(tag("b"));
    }

    @Test
    void adopt_keepsTheOrder() {
        MixedList thief = new MixedList(MixedList.LOOK_AHEAD, records);
        append(thief, "own", 3, "own");
        append(list, "a", 3, "a1");
        append(list, "b", 3, "b1");
        append(list, "b", 3, "b2");
        append(list, "b", 3, "b3");
        append(list, "a", 3, "a2");
        append(list, "a", 3, "a3");
        append(list, "b", 3, "b4");
        MixedColor taken = list.steal(chain);
        assertThat(taken).isSameAs(tag("a"));
        thief.adopt(taken, chain);
        thief.validate();
        list.validate();
        assertThat(runAll(thief)).containsExactly("own", "a1", "a2", "a3");
        assertThat(runAll(list)).containsExactly("b1", "b2", "b3", "b4");
    }

    // Why libasync-smp steals dearly (Mely §2.3): the two events of the color stand at the ends of the list, so every
    // link is followed.
    @ParameterizedTest
    @ValueSource(ints = {10, 1_000, 100_000})
    void steal_followsEveryLinkUpToTheLastEventOfTheColor(int pending) {
        list.append(record("a", 3, "a1"));
        EventRecord shared = record("b", 3, "b");
        for (int i = 0; i < pending - 2; i++) {
            EventRecord record = records.makeChain(1);
            record.set(shared.profile(), i, 1);
            MixedRecord.color(record, tag("b"));
            list.append(record);
        }
        list.append(record("a", 3, "a2"));
        long before = list.scanned();
        assertThat(list.steal(chain)).isSameAs(tag("a"));
        assertThat(list.scanned() - before).as("links followed").isEqualTo(pending + 1);
        assertThat(chain.count()).isEqualTo(2);
    }

    // The counts per color let the scan stop at the last event: all different, it costs two looks whatever is behind.
    @Test
    void steal_stopsWhenAllOfTheColorAreFound() {
        for (int i = 0; i < 1_000; i++) {
            append(list, "c" + i, 3, i);
        }
        long before = list.scanned();
        assertThat(list.steal(chain)).isSameAs(tag("c0"));
        assertThat(list.scanned() - before).isEqualTo(2);
    }

    // ------------------------------------------------------------------ against a model

    // Random sends, picks and steals between two lists: nothing lost, nothing twice, each color in order, one place per
    // color.
    @Test
    void random_keepsEachColorInOrder() {
        Random random = new Random(Seed.of("MixedListTest"));
        MixedList[] lists = {new MixedList(3, records), new MixedList(MixedList.LOOK_AHEAD, records)};
        int colors = 9;
        int[] homes = new int[colors];
        int[] sent = new int[colors];
        int[] ran = new int[colors];
        EventRecord[] running = new EventRecord[2];
        for (int step = 0; step < 30_000; step++) {
            int at = random.nextInt(2);
            int action = random.nextInt(10);
            if (action < 4) {
                int color = random.nextInt(colors);
                lists[homes[color]].append(record("" + color, random.nextInt(8), sent[color]++));
            } else if (action < 8 && running[at] != null) {
                int color = Integer.parseInt(((Tag) MixedRecord.colorOf(running[at])).name);
                assertThat(running[at].event()).isEqualTo(ran[color]++);
                lists[at].ended(MixedRecord.colorOf(running[at]));
                running[at] = null;
            } else if (action < 8) {
                running[at] = lists[at].pick(random.nextBoolean() ? tag("" + random.nextInt(colors)) : null);
            } else if (running[at] == null) {
                MixedColor taken = lists[1 - at].steal(chain);
                if (taken != null) {
                    homes[Integer.parseInt(((Tag) taken).name)] = at;
                    lists[at].adopt(taken, chain);
                }
            }
            lists[0].validate();
            lists[1].validate();
        }
        for (int at = 0; at < 2; at++) {
            if (running[at] != null) {
                ran[Integer.parseInt(((Tag) MixedRecord.colorOf(running[at])).name)]++;
                lists[at].ended(MixedRecord.colorOf(running[at]));
            }
            while (lists[at].size() != 0) {
                EventRecord record = lists[at].pick(null);
                assertThat(record.event()).isEqualTo(ran[Integer.parseInt(((Tag) MixedRecord.colorOf(record)).name)]++);
                lists[at].ended(MixedRecord.colorOf(record));
            }
        }
        assertThat(ran).isEqualTo(sent);
    }
}
