// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import io.mely.spi.Lane;
import org.jspecify.annotations.Nullable;

/**
 * One pending event: the handler, its argument, and the link to the next event of the color. 32 bytes.
 *
 * <p>Pooled, but for the one that each color has within itself, for the event that finds it idle: see {@link ColorQueue}.
 *
 * <p>A pooled one has a number in a {@link RecordIndex}, that of a color is negative, and links are numbers: a reference stored into an old
 * object costs a fence with G1, ten of them as much as everything else an event costs (ADR 0006).
 *
 * <p><b>Threads.</b> Whoever holds the list it is in: the holder of a lock, or the core that runs the events.
 */
sealed class EventRecord implements Lane permits ColorQueue {
    /** Of no record. */
    static final int NONE = Lane.NONE;

    final int id;
    private int next;
    private @Nullable HandlerProfile profile;
    private @Nullable Object event;
    /** What it adds to the time-left of its color. Of an event that is a lane of its own: the number of its color. */
    private int weight;

    EventRecord(int id) {
        this.id = id;
    }

    /** Fills it. */
    final void set(HandlerProfile newProfile, @Nullable Object newEvent, int newWeight) {
        if (profile != newProfile) { // a compare costs less than the store's barrier
            profile = newProfile;
        }
        if (event != newEvent) {
            event = newEvent;
        }
        weight = newWeight;
    }

    /** Whether it is a color's own. */
    final boolean isOwn() {
        return id < NONE;
    }

    /** Marks it as run and lets go of the event. Its handler is often the next one's, and stays. */
    final void consume() {
        event = null;
        weight = 0;
    }

    /** The handler; null if it was never filled. */
    final @Nullable HandlerProfile profile() {
        return profile;
    }

    /** The argument, as sent. */
    final @Nullable Object event() {
        return event;
    }

    /** What it adds to the time-left: &gt;= 1; 0 once consumed. */
    final int weight() {
        return weight;
    }

    // ------------------------------------------------------------------ as a lane of its own

    @Override
    public final int laneId() {
        return id;
    }

    @Override
    public int link() {
        return next;
    }

    @Override
    public void link(int lane) {
        next = lane;
    }

    @Override
    public int color() {
        return weight - 1;
    }

    // ------------------------------------------------------------------ in a list

    final int nextPlain() {
        return next;
    }

    final void nextPlain(int record) {
        next = record;
    }
}
