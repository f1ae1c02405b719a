// SPDX-License-Identifier: Apache-2.0
package io.mely.queue;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * The pending events of one color, and its place in the runtime: plain fields, guarded by the lock of the color's home core.
 *
 * <pre>
 *   idle ──append──► queued ──pick, steal──► running ──end, nothing pending──► idle
 *                      ▲                        │
 *                      └─────end, something─────┘
 *
 *   idle     no event
 *   queued   in the core-queue of its home, and in the stealing-queue if it is worthy
 *   running  a core has picked or stolen it and holds the events that were pending then, alone; what comes is pending here
 *   moving   stolen by a rescue, until the thief links it
 *   waiting  for what the color has in the short-queue of its home, see {@link ShortEvents}; then queued
 * </pre>
 *
 * <p>A sender does not touch it: it reads {@link ColorHomes} and hands the event in to the {@link Inbox} of the home; who drains that holds the
 * lock. So a send from another core moves no line of the color, and nothing here is atomic (ADR 0011).
 *
 * <p>The event that finds the color idle takes the record that the color has within itself (ADR 0009): it is free while the color is idle, and
 * needs no flag of its own.
 *
 * <p>Links are numbers of records and colors (ADR 0006). <b>Source.</b> spec: Mely §2, §3.1-§3.3; libasync-smp §2.2.
 */
public final class ColorQueue extends EventRecord {
    static final byte IDLE = 0;
    static final byte QUEUED = 1;
    static final byte RUNNING = 2;
    static final byte MOVING = 3;
    static final byte WAITING = 4;

    private static final VarHandle LEFT;
    private static final VarHandle HOME;
    private static final VarHandle IS_SETTLING;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            LEFT = lookup.findVarHandle(ColorQueue.class, "left", long.class);
            IS_SETTLING = lookup.findVarHandle(ColorQueue.class, "isSettling", boolean.class);
            HOME = lookup.findVarHandle(ColorQueue.class, "home", short.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    // pending events
    private int head;
    private int tail;
    private long left; // written under the lock, peeked at as a hint
    private int longs; // events that are worth a steal alone

    // links of the core-queue and the stealing-queue
    int nextReady;
    int previousReady;
    int nextWorthy;
    int previousWorthy;

    /** As in {@link ColorHomes}; only a thief that holds the lock of this core changes it. */
    private short home;

    byte place;
    byte list; // of ReadyColors
    byte interval;
    private byte urgency;

    private boolean isSettling;

    /** Has had no event here since {@link IdleColors} looked at it, and has not moved. */
    boolean isAged;

    ColorQueue(int slot, int home) {
        super(-1 - slot);
        this.home = (short) home;
    }

    /** slot + 1. */
    int number() {
        return -id;
    }

    // ------------------------------------------------------------------ events

    /** Appends a record that is in no list. */
    void append(EventRecord record, RecordIndex records) {
        assert record.nextPlain() == NONE : "record is linked";
        if (tail == NONE) {
            head = record.id;
            isAged = false;
        } else {
            at(tail, records).nextPlain(record.id);
        }
        tail = record.id;
    }

    /** Appends a list; none if its head is 0. */
    void append(int first, int last, RecordIndex records) {
        if (first == NONE) {
            return;
        }
        if (tail == NONE) {
            head = first;
            isAged = false;
        } else {
            at(tail, records).nextPlain(first);
        }
        tail = last;
    }

    /** Puts back what a runner took and did not run. */
    void prepend(int first, int last, RecordIndex records) {
        if (head == NONE) {
            tail = last;
            isAged = false;
        } else {
            at(last, records).nextPlain(head);
        }
        head = first;
    }

    EventRecord at(int record, RecordIndex records) {
        return record == id ? this : records.at(record);
    }

    int head() {
        return head;
    }

    int tail() {
        return tail;
    }

    /** The events are a runner's now. */
    void clear() {
        head = NONE;
        tail = NONE;
    }

    boolean isEmpty() {
        return head == NONE;
    }

    // ------------------------------------------------------------------ time-left, urgency

    /** Adds to the time-left what an event will take. */
    void add(EventRecord event, int priority) {
        add(event.weight(), event.isLong() ? 1 : 0, priority);
    }

    /** The same of several; starts anew for the first. */
    void add(long weight, int longEvents, int priority) {
        if (place == IDLE) {
            setLeft(weight);
            longs = longEvents;
            urgency = (byte) priority;
        } else {
            setLeft(left + weight);
            longs += longEvents;
            raiseUrgency(priority);
        }
    }

    /** So many that are worth a steal alone have run. */
    void takeLongs(int longEvents) {
        longs -= longEvents;
    }

    /** Of its events those that are worth a steal alone. */
    int longs() {
        return longs;
    }

    /** The same, counted; nothing of it runs. A check. */
    int countLongs(RecordIndex records) {
        int count = 0;
        for (int id = head; id != NONE; id = at(id, records).nextPlain()) {
            count += at(id, records).isLong() ? 1 : 0;
        }
        return count;
    }

    /** As {@link #timeLeft}, under the lock. */
    long leftPlain() {
        return left;
    }

    void setLeft(long weight) {
        LEFT.setOpaque(this, weight);
    }

    void raiseUrgency(int priority) {
        if (priority > urgency) {
            urgency = (byte) priority;
        }
    }

    /** The level to link it at. */
    int urgency() {
        return urgency;
    }

    /**
     * The estimated work pending or running.
     *
     * @return &gt;= 0, in units of weight; a hint without the lock
     */
    public long timeLeft() {
        return (long) LEFT.getOpaque(this);
    }

    // ------------------------------------------------------------------ place

    /** Whether it is queued, or was last, among those that begin with a lengthy event. */
    boolean isInLengthyList() {
        return (list & 1) == 0;
    }

    /** Where it is queued, or was last. */
    int level() {
        return list >> 1;
    }

    /** Pairs with the release in {@link #home(int)}: who finds it at home here sees what its thief has written. */
    int home() {
        return (short) HOME.getAcquire(this);
    }

    /** The last write of a steal. */
    void home(int core) {
        HOME.setRelease(this, (short) core);
    }

    /** Stolen while its old home's inbox held something: events that come now wait for the mark behind it, see {@link CoreQueue}. */
    boolean isSettling() {
        return (boolean) IS_SETTLING.getAcquire(this);
    }

    /** After what was held is in the list: the owner looks without the lock. */
    void isSettling(boolean isSo) {
        IS_SETTLING.setRelease(this, isSo);
    }

    /**
     * Whether nothing is pending or running. A hint without the lock.
     *
     * @return true if idle
     */
    public boolean isIdle() {
        return place == IDLE;
    }

    /** Whether nobody has any use for it: nothing is pending, running, or on its way from an old home. Under the lock of its home. */
    boolean isUnused() {
        return place == IDLE && !isSettling() && isEmpty();
    }

    @Override
    public String toString() {
        return "Color{slot=" + (number() - 1) + ", home=" + home + ", timeLeft=" + left + "}";
    }
}
