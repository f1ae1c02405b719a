// SPDX-License-Identifier: Apache-2.0
package io.mely.queue;

import io.mely.profile.HandlerProfile;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * One pending event: the handler, its argument, and the link to the next event of the color. Pooled; 32 bytes.
 *
 * <p>The sender fills it before {@link ColorQueue#append} publishes it; from then on the core that runs the color owns all but
 * {@code next}, which the sender of the <i>following</i> event writes, once.
 */
public final class EventRecord {
    private static final VarHandle NEXT;

    static {
        try {
            NEXT = MethodHandles.lookup().findVarHandle(EventRecord.class, "next", EventRecord.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private @Nullable EventRecord next;
    private @Nullable HandlerProfile profile;
    private @Nullable Object event;
    private int weight;
    /** Where a list mixes colors; such a list belongs to libasync's engines. Fits in what was padding. */
    private @Nullable MixedColor color;

    EventRecord() {}

    /**
     * Fills it.
     *
     * @param newProfile handler
     * @param newEvent argument
     * @param newWeight what it adds to the time-left
     */
    public void set(HandlerProfile newProfile, @Nullable Object newEvent, int newWeight) {
        if (profile
                != newProfile) { // a reference store into an old object has a collector's barrier; a compare has none
            profile = newProfile;
        }
        if (event != newEvent) {
            event = newEvent;
        }
        weight = newWeight;
    }

    /**
     * Says which color it is of, for a list that mixes colors.
     *
     * @param newColor of the event
     */
    public void color(MixedColor newColor) {
        if (color != newColor) {
            color = newColor;
        }
    }

    /**
     * Its color, in a list that mixes colors.
     *
     * @return as set last
     */
    public MixedColor color() {
        MixedColor current = color;
        assert current != null : "a record in a mixed list has a color";
        return current;
    }

    /** Marks it as run and lets go of the event, while it still holds the head's place. */
    void consume() {
        profile = null;
        event = null;
    }

    /**
     * The handler.
     *
     * @return null once consumed
     */
    public @Nullable HandlerProfile profile() {
        return profile;
    }

    /**
     * The argument.
     *
     * @return as sent
     */
    public @Nullable Object event() {
        return event;
    }

    /**
     * What it adds to the time-left.
     *
     * @return &gt;= 1
     */
    public int weight() {
        return weight;
    }

    @Nullable
    EventRecord nextPlain() {
        return next;
    }

    void nextPlain(@Nullable EventRecord record) {
        next = record;
    }

    /** Pairs with {@link #nextRelease}. */
    @Nullable
    EventRecord nextAcquire() {
        return (EventRecord) NEXT.getAcquire(this);
    }

    /** Publishes the record's fields to the runner; pairs with {@link #nextAcquire}. */
    void nextRelease(EventRecord record) {
        NEXT.setRelease(this, record);
    }
}
