// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.libasync;

import static org.assertj.core.api.Assertions.assertThat;

import io.mely.spi.Lane;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

// libasync's run queue: what runs next by position, priority and affinity; a color keeps its order; a steal takes one
// color whole and
// follows every link up to its last event.
class MixedListTest {
    /** An event by its name. */
    private static final class Event extends PlainLane {
        final int priority;
        final Object name;

        Event(int id, int color, int priority, Object name) {
            super(id, color);
            this.priority = priority;
            this.name = name;
        }
    }

    private final List<Event> events = new ArrayList<>();
    private final Map<String, Integer> slots = new HashMap<>();
    private final MixedColors colors = new MixedColors(slot -> slot % 1);
    private final MixedList list = list(MixedList.LOOK_AHEAD);
    private final EventChain chain = new EventChain();

    private MixedList list(int lookAhead) {
        return new MixedList(lookAhead, id -> events.get(id - 1), lane -> ((Event) lane).priority, colors);
    }

    private Event event(String color, int priority, Object name) {
        int slot = slots.computeIfAbsent(color, unused -> slots.size());
        Event event = new Event(events.size() + 1, slot, priority, name);
        events.add(event);
        return event;
    }

    private MixedColor color(String name) {
        return colors.of(event(name, 0, "only for its color"));
    }

    private void append(MixedList to, String color, int priority, Object name) {
        Event event = event(color, priority, name);
        to.append(event, colors.of(event));
        to.validate();
    }

    private static Object name(Lane lane) {
        return ((Event) lane).name;
    }

    /** Takes one event and ends it. */
    private static Object run(MixedList from, MixedColor favoured) {
        Lane lane = from.pick(favoured);
        from.validate();
        if (lane == null) {
            return null;
        }
        from.ended(from.colorOf(lane));
        from.validate();
        return name(lane);
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
        MixedList narrow = list(1);
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
        assertThat(run(list, color("b"))).isEqualTo("urgent");
        assertThat(run(list, color("b"))).isEqualTo("same color");
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
        Lane a1 = list.pick(null);
        assertThat(list.eligible()).isEqualTo(1);
        Lane b1 = list.pick(null);
        assertThat(name(b1)).isEqualTo("b1");
        assertThat(list.pick(null)).isNull();
        list.ended(list.colorOf(a1));
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
            Lane first = list.pick(null);
            Lane second = list.pick(null);
            units.add(name(first) + (second == null ? "" : "|" + name(second)));
            list.ended(list.colorOf(first));
            if (second != null) {
                list.ended(list.colorOf(second));
            }
        }
        if (priorityOfDefault == 3) {
            assertThat(units).containsExactly("c1|c2", "z1", "z2");
        } else {
            assertThat(units).containsExactly("z1|c1", "z2|c2");
        }
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
        assertThat(list.steal(chain)).as("b has 2 of 5").isSameAs(color("b"));
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
        Lane running = list.pick(null);
        assertThat(name(running)).isEqualTo("a1");
        assertThat(list.steal(chain))
                .as("the first in the list that does not run")
                .isSameAs(color("b"));
    }

    @Test
    void adopt_keepsTheOrder() {
        MixedList thief = list(MixedList.LOOK_AHEAD);
        append(thief, "own", 3, "own");
        append(list, "a", 3, "a1");
        append(list, "b", 3, "b1");
        append(list, "b", 3, "b2");
        append(list, "b", 3, "b3");
        append(list, "a", 3, "a2");
        append(list, "a", 3, "a3");
        append(list, "b", 3, "b4");
        MixedColor taken = list.steal(chain);
        assertThat(taken).isSameAs(color("a"));
        thief.adopt(taken, chain);
        thief.validate();
        list.validate();
        assertThat(runAll(thief)).containsExactly("own", "a1", "a2", "a3");
        assertThat(runAll(list)).containsExactly("b1", "b2", "b3", "b4");
    }

    /** Appends without a check of the whole list. */
    private void send(String color) {
        Event event = event(color, 3, color);
        list.append(event, colors.of(event));
    }

    // Why libasync-smp steals dearly (Mely §2.3): the two events of the color stand at the ends of the list, so every
    // link is followed.
    @ParameterizedTest
    @ValueSource(ints = {10, 1_000, 100_000})
    void steal_followsEveryLinkUpToTheLastEventOfTheColor(int pending) {
        send("a");
        for (int i = 0; i < pending - 2; i++) {
            send("b");
        }
        send("a");
        long before = list.scanned();
        assertThat(list.steal(chain)).isSameAs(color("a"));
        assertThat(list.scanned() - before).as("links followed").isEqualTo(pending + 1);
        assertThat(chain.count()).isEqualTo(2);
    }

    // The same where the color stands behind all others, as in the benchmark.
    @Test
    void steal_followsEveryLinkToAColorAtTheTail() {
        for (int i = 0; i < 98; i++) {
            send("b");
        }
        send("a");
        send("a");
        assertThat(list.steal(chain)).isSameAs(color("a"));
        assertThat(list.scanned()).isEqualTo(101);
    }

    // The counts per color let the scan stop at the last event: all different, it costs two looks whatever is behind.
    @Test
    void steal_stopsWhenAllOfTheColorAreFound() {
        for (int i = 0; i < 1_000; i++) {
            append(list, "c" + i, 3, i);
        }
        long before = list.scanned();
        assertThat(list.steal(chain)).isSameAs(color("c0"));
        assertThat(list.scanned() - before).isEqualTo(2);
    }

    // ------------------------------------------------------------------ against a model

    // Random sends, picks and steals between two lists: nothing lost, nothing twice, each color in order, one place per
    // color.
    @Test
    void random_keepsEachColorInOrder() {
        long seed = Long.getLong("mely.test.seed", System.nanoTime());
        System.out.println("MixedListTest: -Dmely.test.seed=" + seed);
        Random random = new Random(seed);
        MixedList[] lists = {list(3), list(MixedList.LOOK_AHEAD)};
        int count = 9;
        int[] homes = new int[count];
        int[] sent = new int[count];
        int[] ran = new int[count];
        MixedColor[] of = new MixedColor[count];
        for (int slot = 0; slot < count; slot++) {
            of[slot] = color("" + slot);
            assertThat(of[slot].slot).isEqualTo(slot);
        }
        Lane[] running = new Lane[2];
        for (int step = 0; step < 30_000; step++) {
            int at = random.nextInt(2);
            int action = random.nextInt(10);
            if (action < 4) {
                int slot = random.nextInt(count);
                append(lists[homes[slot]], "" + slot, random.nextInt(8), sent[slot]++);
            } else if (action < 8 && running[at] != null) {
                end(lists[at], running[at], ran);
                running[at] = null;
            } else if (action < 8) {
                running[at] = lists[at].pick(random.nextBoolean() ? of[random.nextInt(count)] : null);
            } else if (running[at] == null) {
                MixedColor taken = lists[1 - at].steal(chain);
                if (taken != null) {
                    homes[taken.slot] = at;
                    lists[at].adopt(taken, chain);
                }
            }
            lists[0].validate();
            lists[1].validate();
        }
        for (int at = 0; at < 2; at++) {
            for (Lane next = running[at]; next != null || lists[at].size() != 0; next = lists[at].pick(null)) {
                if (next != null) {
                    end(lists[at], next, ran);
                }
            }
        }
        assertThat(ran).isEqualTo(sent);
    }

    private void end(MixedList from, Lane event, int[] ran) {
        assertThat(name(event)).isEqualTo(ran[event.color()]++);
        from.ended(from.colorOf(event));
    }
}
