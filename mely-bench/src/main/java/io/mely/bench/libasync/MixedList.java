// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.libasync;

import io.mely.runtime.HeadPad;
import io.mely.spi.Lane;
import io.mely.spi.SpinLock;
import io.mely.spi.Workers;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.function.IntFunction;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * libasync's run queue: one linked list of events that mixes colors, in order of arrival. A lane here is one event.
 *
 * <p>What runs next is the heaviest of the first few eligible events, the leftmost among equals. An event is eligible if its color does not
 * run, and a candidate if no event of its color stands before it: so a color keeps its order whatever the priorities. The weight is the
 * stage's priority; the color that the core ran last gets half a step more, which beats position and no priority. Each so-many-th pick is
 * the leftmost, so that nothing starves.
 *
 * <p>It is what Mely's queues are measured against: the events of one color are found by following the links, O(events) under the lock.
 * {@link #scanned()} counts the links followed.
 *
 * <p><b>Threads.</b> The holder of {@link #lock}, but {@link #size()}, {@link #distinct()} and {@link #eligible()}, which any thread may peek at. Each change of
 * these is one store of the new value, so a peek never sees a value in between. <b>Source.</b> spec: libasync-smp §2.3, §3; Mely §3.6.
 */
final class MixedList extends HeadPad {
    /** How many eligible events are weighed. Source: a small integer whose value is lost (spec: libasync-smp §7.1). Guess. */
    static final int LOOK_AHEAD = 8;

    /** Each so-many-th pick is the leftmost. A prime, so as not to beat with a pattern. */
    private static final int LEFTMOST_INTERVAL = 61;

    private static final VarHandle SIZE;
    private static final VarHandle DISTINCT;
    private static final VarHandle ELIGIBLE;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            SIZE = lookup.findVarHandle(MixedList.class, "size", int.class);
            DISTINCT = lookup.findVarHandle(MixedList.class, "distinct", int.class);
            ELIGIBLE = lookup.findVarHandle(MixedList.class, "eligible", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** Guards the list, and the colors in it. */
    final SpinLock lock = new SpinLock();

    private final IntFunction<Lane> lanes;
    private final ToIntFunction<Lane> priority;
    private final MixedColors colors;

    private int head; // numbers of lanes, as are the links
    private int tail;
    private int size;
    private int distinct;
    private int eligible;
    private int picks;
    private long scanned;
    private final int[] window; // slots

    /** Makes an empty list for the lanes of a group. */
    MixedList(Workers workers, MixedColors colors) {
        this(LOOK_AHEAD, workers::lane, lane -> workers.stage(lane).options().priority(), colors);
    }

    /**
     * Makes an empty list.
     *
     * @param lookAhead how many eligible events are weighed, &gt;= 1
     * @param lanes by number
     * @param priority of a lane
     * @param colors of the lanes; shared with the lists that a color may move to
     */
    MixedList(int lookAhead, IntFunction<Lane> lanes, ToIntFunction<Lane> priority, MixedColors colors) {
        this.lanes = lanes;
        this.priority = priority;
        this.colors = colors;
        window = new int[lookAhead];
    }

    Lane at(int id) {
        return lanes.apply(id);
    }

    MixedColor colorOf(Lane lane) {
        return colors.of(lane);
    }

    /**
     * Adds an event at the tail.
     *
     * @param lane in no list
     * @param color of the lane
     */
    void append(Lane lane, MixedColor color) {
        assert lane.link() == Lane.NONE : "lane is linked";
        if (tail == Lane.NONE) {
            head = lane.laneId();
        } else {
            at(tail).link(lane.laneId());
        }
        tail = lane.laneId();
        distinct += color.pending == 0 ? 1 : 0;
        color.pending++;
        size++;
        eligible += color.isRunning ? 0 : 1;
    }

    /**
     * Takes the next event to run; its color runs from now on.
     *
     * @param favoured the color that gets the bonus; null for none
     * @return null if nothing is eligible
     */
    @Nullable
    Lane pick(@Nullable MixedColor favoured) {
        boolean isLeftmost = ++picks == LEFTMOST_INTERVAL;
        picks = isLeftmost ? 0 : picks;
        int atMost = isLeftmost ? 1 : window.length;
        Lane best = null;
        Lane beforeBest = null;
        int bestWeight = -1;
        int seen = 0;
        Lane before = null;
        int next = head;
        while (next != Lane.NONE && seen < atMost) {
            Lane lane = at(next);
            next = lane.link();
            scanned++;
            MixedColor color = colorOf(lane);
            if (!color.isRunning) {
                window[seen] = color.slot;
                int weight = 2 * priority.applyAsInt(lane) + (color == favoured ? 1 : 0);
                if (weight > bestWeight && isFirstOf(color.slot, seen)) {
                    best = lane;
                    beforeBest = before;
                    bestWeight = weight;
                }
                seen++;
            }
            before = lane;
        }
        if (best != null) {
            pickTake(best, beforeBest);
        }
        return best;
    }

    private boolean isFirstOf(int slot, int seen) {
        for (int i = 0; i < seen; i++) {
            if (window[i] == slot) {
                return false;
            }
        }
        return true;
    }

    private void pickTake(Lane lane, @Nullable Lane before) {
        MixedColor color = colorOf(lane);
        unlink(lane, before);
        size--;
        eligible -= color.pending;
        color.pending--;
        distinct -= color.pending == 0 ? 1 : 0;
        color.isRunning = true;
    }

    private void unlink(Lane lane, @Nullable Lane before) {
        int after = lane.link();
        if (before == null) {
            head = after;
        } else {
            before.link(after);
        }
        if (tail == lane.laneId()) {
            tail = before == null ? Lane.NONE : before.laneId();
        }
        lane.link(Lane.NONE);
    }

    /**
     * The event that was picked has run.
     *
     * @param color of that event
     */
    void ended(MixedColor color) {
        assert color.isRunning : "ended and did not run: " + color;
        color.isRunning = false;
        eligible += color.pending;
    }

    // ------------------------------------------------------------------ base stealing

    /**
     * Takes all events of the first color that does not run and has fewer than half of the list's events, if at least two colors wait. It
     * follows the links up to the last event of that color.
     *
     * @param chain empty; gets the events, in order
     * @return the color; null if none may be taken
     */
    @Nullable
    MixedColor steal(EventChain chain) {
        if (distinct < 2) {
            return null;
        }
        Lane before = null;
        int next = head;
        while (next != Lane.NONE) {
            Lane lane = at(next);
            next = lane.link();
            scanned++;
            MixedColor color = colorOf(lane);
            if (!color.isRunning && 2L * color.pending < size) {
                stealAll(color, lane, before, chain);
                return color;
            }
            before = lane;
        }
        return null;
    }

    private void stealAll(MixedColor color, Lane first, @Nullable Lane beforeFirst, EventChain chain) {
        Lane before = beforeFirst;
        int next = first.laneId();
        while (next != Lane.NONE && chain.count() < color.pending) {
            Lane lane = at(next);
            next = lane.link();
            scanned++;
            if (MixedColors.slotOf(lane) == color.slot) {
                unlink(lane, before);
                chain.add(lane, this);
            } else {
                before = lane;
            }
        }
        assert chain.count() == color.pending : "events of a color out of its list: " + color;
        size -= color.pending;
        eligible -= color.pending;
        distinct--;
    }

    /**
     * Adds what was stolen from another list.
     *
     * @param color the color
     * @param chain all its events; empty afterwards
     */
    void adopt(MixedColor color, EventChain chain) {
        assert !color.isRunning && color.pending == chain.count() : "a color in two places: " + color;
        if (tail == Lane.NONE) {
            head = chain.head();
        } else {
            at(tail).link(chain.head());
        }
        tail = chain.tail();
        size += color.pending;
        eligible += color.pending;
        distinct++;
        chain.clear();
    }

    // ------------------------------------------------------------------ any thread

    /** Events that wait. A hint without the lock. */
    int size() {
        return (int) SIZE.getOpaque(this);
    }

    /** Colors that wait. A hint without the lock. */
    int distinct() {
        return (int) DISTINCT.getOpaque(this);
    }

    /** Events that wait and whose color does not run. A hint without the lock. */
    int eligible() {
        return (int) ELIGIBLE.getOpaque(this);
    }

    /** Links followed by picks and steals so far. Lock held. */
    long scanned() {
        return scanned;
    }

    /**
     * Checks the structure. Lock held; O(events).
     *
     * @throws IllegalStateException naming what is wrong
     */
    void validate() {
        int events = 0;
        int running = 0;
        int last = Lane.NONE;
        for (int next = head; next != Lane.NONE; next = at(next).link()) {
            events++;
            running += colorOf(at(next)).isRunning ? 1 : 0;
            last = next;
        }
        if (events != size || last != tail || size - running != eligible) {
            throw new IllegalStateException(
                    "events=" + events + ", running=" + running + ", isTailLast=" + (last == tail) + ": " + this);
        }
    }

    @Override
    public String toString() {
        return "MixedList{size=" + size() + ", distinct=" + distinct() + ", eligible=" + eligible() + "}";
    }
}
