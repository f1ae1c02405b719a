// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import org.jspecify.annotations.Nullable;

/**
 * What one worker runs: a color that was picked, and the events of it that were pending then.
 *
 * <p>A worker whose core was given to another one keeps its turn: the color stays where it was picked, running, until that worker ends it.
 *
 * <p><b>Threads.</b> The worker's.
 */
final class Turn extends HeadPad {
    /** Of {@link #entry}: what any event does, it waits behind those of its stage that wait for its supply. */
    static final byte ANEW = 0;

    /** Of {@link #entry}: the first event has waited for its supply, and takes from it before others. */
    static final byte RESUMED = 1;

    /** Of {@link #entry}: the first event runs without what it needs. */
    static final byte PASSING = 2;

    private final ColorIndex index;
    private final RecordIndex records;

    /** The color that runs or ran last; {@link ColorIndex#NONE} if there was none. */
    int number;

    /** Its events, the one that runs first; {@link EventRecord#NONE} if all have run. */
    int head;

    int tail;

    /** How the first event comes to its stage's supply. */
    byte entry;

    /** The stage of the event that was refused what it needs, which ended the turn; null if none was. */
    @Nullable
    StageImpl<?> refused;

    /** Whether that was the first event. */
    boolean isFirstRefused;

    /** Whether it is one event, of a group that was handed it alone. */
    private boolean isSingle;

    /** Of the events that have run. */
    long ranWeight;

    /** Whether a handler runs. */
    boolean isRunning;

    /** Whether the record of the event that runs holds the next one already. */
    boolean isFused;

    /** How many more events may be fused. */
    int fuseRoom;

    /** Whether the core was said to be engaged. */
    boolean isEngaged;

    /**
     * What the worker sends to its own core must not go past what is in the inbox before this position: it follows it in there until that is
     * consumed.
     */
    long sendsBehind;

    Turn(ColorIndex index, RecordIndex records) {
        this.index = index;
        this.records = records;
    }

    /** Notes that its worker has put an event into the inbox of its own core. */
    void handedIn(long position) {
        sendsBehind = position + 1;
    }

    /** Takes the events of a color. The lock of its home is held. */
    void begin(ColorQueue color) {
        assert head == EventRecord.NONE : "what was picked before has neither run nor ended";
        number = color.number();
        isSingle = false;
        beginEntry();
        head = color.head;
        tail = color.tail;
        color.clear();
    }

    /** Takes one event, which is in no color's queue. */
    void begin(EventRecord event) {
        assert head == EventRecord.NONE : "what was picked before has neither run nor ended";
        number = event.weight(); // see EventRecord
        head = event.id;
        tail = event.id;
        isSingle = true;
        beginEntry();
    }

    private void beginEntry() {
        refused = null;
        isFirstRefused = false;
    }

    /** An event was refused what it needs. */
    void refuse(StageImpl<?> stage, boolean isFirst) {
        refused = stage;
        isFirstRefused = isFirst;
    }

    /** Whether the events can wait outside of the queues of their group: not if that keeps colors, as it goes on with the next event of the color. */
    boolean mayWait() {
        return !isSingle || number == ColorIndex.NONE;
    }

    /** It was refused: gives it up. */
    EventRecord endRefusedSingle() {
        EventRecord record = records.at(head);
        head = EventRecord.NONE;
        number = ColorIndex.NONE;
        return record;
    }

    /** It has run. */
    void endSingle() {
        assert head == EventRecord.NONE : "has not run";
        number = ColorIndex.NONE;
        ranWeight = 0;
    }

    /** The event that runs, or is the next to; null if all have run. */
    @Nullable
    EventRecord first() {
        if (head == EventRecord.NONE) {
            return null;
        }
        return isSingle ? records.at(head) : color().at(head, records);
    }

    /** Goes on to the next event; null if there is none. The first, which is done, is the caller's now. */
    @Nullable
    EventRecord next(EventRecord done) {
        assert done.id == head : "only the head runs";
        head = done.nextPlain();
        return first();
    }

    /** The color that runs. */
    ColorQueue color() {
        ColorQueue color = index.at(number);
        assert color != null : "what was picked is there";
        return color;
    }
}
