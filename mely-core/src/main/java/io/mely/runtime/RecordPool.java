// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import org.jspecify.annotations.Nullable;

/**
 * The event records of one thread: a loaded and a spare chain, refilled from and spilled to the {@link RecordDepot}; and its credits, each of
 * them the right to one pending event. Who sends takes a credit; who drains an inbox, or links, takes the record; who has run the event gives
 * both back.
 *
 * <p><b>Threads.</b> Its owner only. <b>Costs.</b> One load and one store; for a chain or a bundle one or two atomics. <b>Bounds.</b> Holds at
 * most two chains, and two bundles of credits.
 */
public final class RecordPool extends HeadPad {
    private final RecordDepot depot;
    private final RecordIndex index;
    private int loaded = EventRecord.NONE;
    private int loadedCount;
    private int spare = EventRecord.NONE;
    private int credits;
    private final int bundle; // of credits, that are fetched or returned at a time

    /** Makes an empty pool, whose chains come from a depot and go to it. */
    public RecordPool(RecordDepot depot) {
        this.depot = depot;
        index = depot.index();
        bundle = depot.bundle();
        depot.addPool();
    }

    /** Moves all records to another pool, and the credits to the depot, for good: the owner is gone. */
    void drainTo(RecordPool heir) {
        while (hasLocal()) {
            EventRecord record = take();
            assert record != null : "it has one";
            heir.giveRecord(record);
        }
        depot.giveCredits(credits);
        credits = 0;
        depot.removePool();
    }

    /** Whether the next {@link #take} gives a record; fetches some from the depot if need be. False if there is no memory for one. */
    public boolean hasRecord() {
        return loaded != EventRecord.NONE || reload();
    }

    private boolean reload() {
        assert loadedCount == 0 : loadedCount;
        reserve();
        loaded = spare;
        spare = EventRecord.NONE;
        loadedCount = loaded == EventRecord.NONE ? 0 : RecordDepot.CHAIN;
        return loadedCount != 0;
    }

    /** Whether the next {@link #take} gives a record without a look at the depot. */
    boolean hasLocal() {
        return loaded != EventRecord.NONE || spare != EventRecord.NONE;
    }

    /** Fetches records for a chain of events, as far as there is memory: who then holds a lock takes them without waiting for anybody. */
    void reserve() {
        if (spare == EventRecord.NONE && loadedCount < RecordDepot.CHAIN) {
            EventRecord first = depot.take();
            spare = first == null ? EventRecord.NONE : first.id;
        }
    }

    /** Whether the next {@link #takeCredit} succeeds; fetches some from the depot if need be. False when the bound of the depot is reached. */
    public boolean hasCredit() {
        if (credits == 0 && depot.takeCredits(bundle)) {
            credits = bundle;
        }
        return credits != 0;
    }

    /** Takes the right to one pending event. False when the bound of the depot is reached. */
    public boolean takeCredit() {
        boolean isGiven = hasCredit();
        credits -= isGiven ? 1 : 0;
        return isGiven;
    }

    /** The same for an event that is never refused for want of room: the bound is exceeded if need be. */
    void takeCreditAnyway() {
        if (!takeCredit()) {
            depot.giveCredits(-1);
        }
    }

    /** The event of a credit has run, or is not sent. */
    public void giveCredit() {
        if (credits == 2 * bundle) {
            depot.giveCredits(bundle);
            credits -= bundle;
        }
        credits++;
    }

    /** Takes a record, whose fields are not cleared. Null if there is no memory for one. */
    public @Nullable EventRecord take() {
        if (!hasRecord()) {
            return null;
        }
        EventRecord record = index.at(loaded);
        loaded = record.nextPlain();
        loadedCount--;
        record.nextPlain(EventRecord.NONE);
        return record;
    }

    /**
     * Gives the record and the credit of an event back that has run; the record lets go of the event.
     *
     * @param record not in any queue; that of a color's own stays there
     */
    public void give(EventRecord record) {
        giveCredit();
        giveRecord(record);
    }

    private void giveRecord(EventRecord record) {
        record.consume();
        record.nextPlain(EventRecord.NONE);
        if (record.isOwn()) {
            return;
        }
        if (loadedCount == RecordDepot.CHAIN) {
            spill();
        }
        record.nextPlain(loaded);
        loaded = record.id;
        loadedCount++;
    }

    /** The records of this pool and its depot by number, which the colors they are sent to share. */
    public RecordIndex index() {
        return index;
    }

    private void spill() {
        if (spare != EventRecord.NONE) {
            depot.give(index.at(spare));
        }
        spare = loaded;
        loaded = EventRecord.NONE;
        loadedCount = 0;
    }
}
