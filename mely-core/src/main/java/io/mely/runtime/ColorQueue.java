// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import java.util.concurrent.atomic.AtomicLongFieldUpdater;

/**
 * The pending events of one color, and its place in the runtime: guarded by the lock of the color's home core. A few fields are peeked at without it.
 *
 * <pre>
 *   idle ──append──► queued ──pick, steal──► running ──end, nothing pending──► idle
 *                      ▲                        │
 *                      └─────end, something─────┘
 *
 *   idle     no event
 *   queued   in the core-queue of its home, and in the stealing-queue if it is worthy
 *   running  a core has picked or stolen it and holds the events that were pending then, alone; what comes is pending here. So is a color that was
 *            handed to a group as its next event is one of that: until a worker begins it, all its events are pending here
 *   moving   stolen behind another color, until the thief links it
 * </pre>
 *
 * <p>A sender does not touch it: it reads {@link ColorHomes} and hands the event in to the {@link Inbox} of the home; who drains that holds the
 * lock. So a send from another core moves no line of the color, and nothing here is atomic (ADR 0011).
 *
 * <p>The event that finds the color idle takes the record that the color has within itself (ADR 0011): it is free while the color is idle, and
 * needs no flag of its own.
 *
 * <p>Links are numbers of records and colors (ADR 0006). <b>Source.</b> spec: Mely §2, §3.1-§3.3; libasync-smp §2.2.
 */
final class ColorQueue extends EventRecord {
    static final byte IDLE = 0;
    static final byte QUEUED = 1;
    static final byte RUNNING = 2;
    static final byte MOVING = 3;

    private static final AtomicLongFieldUpdater<ColorQueue> LEFT =
            AtomicLongFieldUpdater.newUpdater(ColorQueue.class, "left");

    // pending events
    int head;
    int tail;
    private int heldHead; // events that wait until the color has settled, see Migration
    private int heldTail;
    private volatile long left; // written under the lock, peeked at as a hint

    // links of the core-queue and the stealing-queue
    int nextReady;
    int previousReady;
    int nextWorthy;
    int previousWorthy;

    /** As in {@link ColorHomes}; only a thief that holds the lock of this core changes it. */
    private volatile short home;

    byte place;
    byte level; // of ReadyColors
    byte interval;
    byte urgency; // the level to link it at

    private volatile boolean isSettling;

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
        } else {
            at(tail, records).nextPlain(record.id);
        }
        tail = record.id;
    }

    /** Keeps an event back until {@link #appendHeld}. */
    void hold(EventRecord record, RecordIndex records) {
        if (heldHead == NONE) {
            heldHead = record.id;
        } else {
            records.at(heldTail).nextPlain(record.id);
        }
        heldTail = record.id;
    }

    /** Appends what was kept back, if anything was. */
    void appendHeld(RecordIndex records) {
        if (heldHead != NONE) {
            if (tail == NONE) {
                head = heldHead;
            } else {
                at(tail, records).nextPlain(heldHead);
            }
            tail = heldTail;
            heldHead = NONE;
        }
    }

    /** Whether {@link #appendHeld} has something to append. */
    boolean hasHeld() {
        return heldHead != NONE;
    }

    /** Puts back what a runner took and did not run. */
    void prepend(int first, int last, RecordIndex records) {
        if (head == NONE) {
            tail = last;
        } else {
            at(last, records).nextPlain(head);
        }
        head = first;
    }

    /** The stage of the first event, of which there must be one. */
    HandlerProfile firstStage(RecordIndex records) {
        HandlerProfile stage = at(head, records).profile();
        assert stage != null : "a record in a list is filled";
        return stage;
    }

    EventRecord at(int record, RecordIndex records) {
        return record == id ? this : records.at(record);
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
    void add(long weight, int priority) {
        setLeft(left + weight);
        raiseUrgency(priority);
    }

    /** Nothing runs, and nothing waits but what is held: an estimate that was wrong does not outlive a burst, nor does urgency. */
    void idle(long ranWeight) {
        place = IDLE;
        if (hasHeld()) {
            setLeft(Math.max(0, left - ranWeight));
        } else {
            setLeft(0);
            urgency = 0;
        }
    }

    void setLeft(long weight) {
        LEFT.lazySet(this, weight);
    }

    /** Writes only to raise it: who sends to the color that it runs has no lock, and must not undo what another has raised meanwhile. */
    void raiseUrgency(int priority) {
        if (priority > urgency) {
            urgency = (byte) priority;
        }
    }

    /** The estimated work pending or running, in units of weight; a hint without the lock. */
    long timeLeft() {
        return left;
    }

    // ------------------------------------------------------------------ as a lane, of a group that was handed it

    @Override
    public int link() {
        return nextReady;
    }

    @Override
    public void link(int lane) {
        nextReady = lane;
    }

    @Override
    public int color() {
        return number() - 1;
    }

    // ------------------------------------------------------------------ place

    /** Pairs with the release in {@link #home(int)}: who finds it at home here sees what its thief has written. */
    int home() {
        return home;
    }

    /** The last write of a steal. */
    void home(int core) {
        home = (short) core;
    }

    /** Stolen while its old home's inbox held something: events that come now wait until that is drained, see {@link Migration}. */
    boolean isSettling() {
        return isSettling;
    }

    /** After what was held is in the list: the owner looks without the lock. */
    void isSettling(boolean isSo) {
        isSettling = isSo;
    }

    @Override
    public String toString() {
        return "Color{slot=" + (number() - 1) + ", home=" + home + ", timeLeft=" + left + "}";
    }
}
