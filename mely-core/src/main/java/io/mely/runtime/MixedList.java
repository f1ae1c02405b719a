// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * libasync's run queue: one linked list that mixes colors.
 *
 * <pre>
 *   head [ sent first ... | all others, in order of arrival ] tail
 *                       ^ frontTail
 * </pre>
 *
 * <p>What runs next is the heaviest of the first few eligible events, the leftmost among equals. An event is eligible if its color does not
 * run, and a candidate if no event of its color stands before it: so a color keeps its order whatever the priorities. The weight is the
 * stage's priority; the color that the core ran last gets half a step more, which beats position and no priority. Each so-many-th pick is
 * the leftmost, so that nothing starves.
 *
 * <p>It is what Mely's queues are measured against: the events of one color are found by following the links, O(events) under the lock.
 * {@link #scanned()} counts the links followed.
 *
 * <p><b>Threads.</b> The holder of the lock that guards the list, but {@link #size()}, {@link #distinct()} and {@link #eligible()}, which any
 * thread may peek at. <b>Source.</b> spec: libasync-smp §2.3, §3; Mely §3.6.
 */
public final class MixedList {
    /** How many eligible events are weighed. Source: a small integer whose value is lost (spec: libasync-smp §7.1). Guess. */
    public static final int LOOK_AHEAD = 8;

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

    @SuppressWarnings("unused")
    private long p00, p01, p02, p03, p04, p05, p06, p07, p08, p09, p10, p11, p12, p13, p14, p15;

    private final RecordIndex records;

    // numbers of records, as are the links (ADR 0006)
    private int head;
    private int tail;
    private int frontTail;
    private int size;
    private int distinct;
    private int eligible;
    private int picks;
    private long scanned;
    private final @Nullable MixedColor[] window;

    @SuppressWarnings("unused")
    private long q00, q01, q02, q03, q04, q05, q06, q07, q08, q09, q10, q11, q12, q13, q14, q15;

    /**
     * Makes an empty list.
     *
     * @param lookAhead how many eligible events are weighed, &gt;= 1
     * @param records its events, by number
     */
    public MixedList(int lookAhead, RecordIndex records) {
        this.records = records;
        window = new @Nullable MixedColor[lookAhead];
    }

    /**
     * Adds an event at the tail.
     *
     * @param record filled, with its color, in no list
     */
    public void append(EventRecord record) {
        assert record.nextPlain() == EventRecord.NONE : "record is linked";
        int last = tail;
        if (last == EventRecord.NONE) {
            head = record.id;
        } else {
            records.at(last).nextPlain(record.id);
        }
        tail = record.id;
        count(MixedRecord.colorOf(record), 1);
    }

    /**
     * Adds an event at the end of the front part.
     *
     * @param record filled, with its color, in no list
     */
    public void appendFirst(EventRecord record) {
        assert record.nextPlain() == EventRecord.NONE : "record is linked";
        int before = frontTail;
        if (before == EventRecord.NONE) {
            record.nextPlain(head);
            head = record.id;
        } else {
            record.nextPlain(records.at(before).nextPlain());
            records.at(before).nextPlain(record.id);
        }
        frontTail = record.id;
        if (tail == before || tail == EventRecord.NONE) {
            tail = record.id;
        }
        count(MixedRecord.colorOf(record), 1);
    }

    private void count(MixedColor color, int events) {
        distinct += color.pending == 0 ? 1 : 0;
        color.pending += events;
        size += events;
        eligible += color.isRunning ? 0 : events;
    }

    /**
     * Takes the next event to run; its color runs from now on.
     *
     * @param favoured the color that gets the bonus; null for none
     * @return null if nothing is eligible
     */
    public @Nullable EventRecord pick(@Nullable MixedColor favoured) {
        boolean isLeftmost = ++picks == LEFTMOST_INTERVAL;
        picks = isLeftmost ? 0 : picks;
        int atMost = isLeftmost ? 1 : window.length;
        EventRecord best = null;
        EventRecord beforeBest = null;
        int bestWeight = -1;
        int seen = 0;
        EventRecord before = null;
        int next = head;
        while (next != EventRecord.NONE && seen < atMost) {
            EventRecord record = records.at(next);
            next = record.nextPlain();
            scanned++;
            MixedColor color = MixedRecord.colorOf(record);
            if (!color.isRunning) {
                window[seen] = color;
                int weight = pickWeight(record, color == favoured);
                if (weight > bestWeight && isFirstOf(color, seen)) {
                    best = record;
                    beforeBest = before;
                    bestWeight = weight;
                }
                seen++;
            }
            before = record;
        }
        if (best != null) {
            pickTake(best, beforeBest);
        }
        return best;
    }

    private static int pickWeight(EventRecord record, boolean isFavoured) {
        assert record.profile() != null : "a record that waits is filled";
        return 2 * record.profile().priority() + (isFavoured ? 1 : 0);
    }

    private boolean isFirstOf(MixedColor color, int seen) {
        for (int i = 0; i < seen; i++) {
            if (window[i] == color) {
                return false;
            }
        }
        return true;
    }

    private void pickTake(EventRecord record, @Nullable EventRecord before) {
        MixedColor color = MixedRecord.colorOf(record);
        unlink(record, before);
        size--;
        eligible -= color.pending;
        color.pending--;
        distinct -= color.pending == 0 ? 1 : 0;
        color.isRunning = true;
    }

    private void unlink(EventRecord record, @Nullable EventRecord before) {
        int after = record.nextPlain();
        int beforeId = before == null ? EventRecord.NONE : before.id;
        if (before == null) {
            head = after;
        } else {
            before.nextPlain(after);
        }
        if (tail == record.id) {
            tail = beforeId;
        }
        if (frontTail == record.id) {
            frontTail = beforeId;
        }
        record.nextPlain(EventRecord.NONE);
    }

    /**
     * The event that was picked has run.
     *
     * @param color of that event
     */
    public void ended(MixedColor color) {
        assert color.isRunning : "invariant 1: ended and did not run";
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
    public @Nullable MixedColor steal(EventChain chain) {
        if (distinct < 2) {
            return null;
        }
        EventRecord before = null;
        int next = head;
        while (next != EventRecord.NONE) {
            EventRecord record = records.at(next);
            next = record.nextPlain();
            scanned++;
            MixedColor color = MixedRecord.colorOf(record);
            if (!color.isRunning && 2L * color.pending < size) {
                stealAll(color, record, before, chain);
                return color;
            }
            before = record;
        }
        return null;
    }

    private void stealAll(MixedColor color, EventRecord first, @Nullable EventRecord beforeFirst, EventChain chain) {
        EventRecord before = beforeFirst;
        int next = first.id;
        while (next != EventRecord.NONE && chain.count() < color.pending) {
            EventRecord record = records.at(next);
            next = record.nextPlain();
            scanned++;
            if (MixedRecord.colorOf(record) == color) {
                unlink(record, before);
                chain.add(record, records);
            } else {
                before = record;
            }
        }
        assert chain.count() == color.pending : "invariant 3: events of a color out of its list";
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
    public void adopt(MixedColor color, EventChain chain) {
        assert !color.isRunning && color.pending == chain.count() : "invariant 5: a color in two places";
        int last = tail;
        if (last == EventRecord.NONE) {
            head = chain.head();
        } else {
            records.at(last).nextPlain(chain.head());
        }
        tail = chain.tail();
        size += color.pending;
        eligible += color.pending;
        distinct++;
        chain.clear();
    }

    // ------------------------------------------------------------------ any thread

    /**
     * Events that wait.
     *
     * @return a hint without the lock
     */
    public int size() {
        return (int) SIZE.getOpaque(this);
    }

    /**
     * Colors that wait.
     *
     * @return a hint without the lock
     */
    public int distinct() {
        return (int) DISTINCT.getOpaque(this);
    }

    /**
     * Events that wait and whose color does not run.
     *
     * @return a hint without the lock
     */
    public int eligible() {
        return (int) ELIGIBLE.getOpaque(this);
    }

    /**
     * Links followed by picks and steals so far. Lock held.
     *
     * @return a count
     */
    public long scanned() {
        return scanned;
    }

    /**
     * Checks the structure. Lock held; O(events).
     *
     * @throws IllegalStateException naming what is wrong
     */
    public void validate() {
        int events = 0;
        int running = 0;
        boolean isFrontSeen = frontTail == EventRecord.NONE;
        int last = EventRecord.NONE;
        int next = head;
        while (next != EventRecord.NONE) {
            EventRecord record = records.at(next);
            events++;
            running += MixedRecord.colorOf(record).isRunning ? 1 : 0;
            isFrontSeen |= next == frontTail;
            last = next;
            next = record.nextPlain();
        }
        if (events != size || last != tail || size - running != eligible || !isFrontSeen) {
            throw new IllegalStateException("events=" + events + ", running=" + running + ", isFrontSeen=" + isFrontSeen
                    + ", isTailLast=" + (last == tail) + ": " + this);
        }
    }

    @Override
    public String toString() {
        return "MixedList{size=" + size() + ", distinct=" + distinct() + ", eligible=" + eligible() + "}";
    }
}
