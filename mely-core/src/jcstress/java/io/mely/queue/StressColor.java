// SPDX-License-Identifier: Apache-2.0
package io.mely.queue;

import io.mely.StageOptions;
import io.mely.Stealing;
import io.mely.profile.HandlerProfile;

/** A color without a runtime, with the steps of its senders and runners that the cases are made of. */
public final class StressColor extends ColorQueue {
    /** Worthy from here: ten times the bound of {@link #INTERVALS}. */
    public static final int HEAVY = 10_000;

    static final int LIGHT = 1;
    static final TimeLeftIntervals INTERVALS = new TimeLeftIntervals(1_000);

    private static final HandlerProfile PROFILE =
            new HandlerProfile("stress", StageOptions.defaults(), Stealing.mely());

    private final RecordIndex records;

    /** The plain memory of the color's handlers. */
    public int state;

    /** Makes an idle color. */
    public StressColor(int home) {
        this(0, home);
    }

    /** Makes an idle color that is not the only one. */
    public StressColor(int slot, int home) {
        this(slot, home, new RecordIndex());
    }

    private StressColor(int slot, int home, RecordIndex records) {
        super(slot, home, records);
        this.records = records;
    }

    /** The queues of two cores. */
    static CoreQueue[] queues() {
        ColorIndex index = new ColorIndex();
        return new CoreQueue[] {new CoreQueue(0, INTERVALS, index), new CoreQueue(1, INTERVALS, index)};
    }

    /** A filled event. Its weight tells it from others. */
    public EventRecord record(int weight) {
        return record(records, weight);
    }

    /** The same without a color. */
    static EventRecord record(RecordIndex records, int weight) {
        EventRecord record = records.make();
        record.set(PROFILE, PROFILE, weight);
        return record;
    }

    /** Appends, as every sender does; true if this opened the color. */
    public boolean send(EventRecord record, int priority) {
        if (append(record)) {
            opened(record.weight(), priority);
            return true;
        }
        addLeft(record.weight(), false);
        raiseUrgency(priority);
        return false;
    }

    /** Fills the color's own record, after {@link #tryOpen}. */
    void fill(int weight) {
        set(PROFILE, "", weight);
    }

    /** A whole send by a thread that is not the home core. */
    void sendTo(CoreQueue home, EventRecord record) {
        if (send(record, 3)) {
            markOpened();
        }
        home.handIn(this);
    }

    /** Sends an event and links the color at its home. */
    public StressColor queuedAt(CoreQueue home, int weight) {
        send(record(weight), 3);
        home.lock();
        home.link(this);
        home.unlock();
        return this;
    }

    /** Picks what a core would run next, inbox included. */
    static ColorQueue pickFrom(CoreQueue queue) {
        queue.lock();
        queue.drain();
        ColorQueue color = queue.pick(false);
        queue.unlock();
        return color;
    }

    /** Takes a color as a thief does: without waiting for the lock. */
    static ColorQueue stealFrom(CoreQueue queue, int thief) {
        if (!queue.tryLock()) {
            return null;
        }
        queue.drain();
        ColorQueue color = queue.takeWorthy(thief, 0);
        queue.unlock();
        return color;
    }

    /** The weight of the head of a color; 0 for no color, -1 for a head that is not visible. */
    static int headOf(ColorQueue color) {
        if (color == null) {
            return 0;
        }
        try {
            return color.head().weight();
        } catch (AssertionError | NullPointerException e) {
            return -1;
        }
    }

    /** Advances until the successor is linked. */
    EventRecord advanceFully(EventRecord done) {
        EventRecord next = advance(done);
        while (next == LINKING) {
            next = advance(done);
        }
        return next;
    }
}
