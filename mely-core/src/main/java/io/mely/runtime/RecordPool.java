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

    /**
     * Makes an empty pool.
     *
     * @param depot where chains come from and go to
     */
    public RecordPool(RecordDepot depot) {
        this.depot = depot;
        index = depot.index();
        bundle = depot.bundle();
        depot.addPool();
    }

    /**
     * Moves all records to another pool, and the credits to the depot, for good: the owner is gone.
     *
     * @param heir gets the records
     */
    public void drainTo(RecordPool heir) {
        for (EventRecord record = takeLocal(); record != null; record = takeLocal()) {
            heir.giveRecord(record);
        }
        depot.giveCredits(credits);
        credits = 0;
        depot.removePool();
    }

    /**
     * Whether the next {@link #take} gives a record; fetches one from the depot if need be.
     *
     * @return false if there is no memory for one
     */
    public boolean hasRecord() {
        if (loaded == EventRecord.NONE) {
            loaded = reload();
        }
        return loaded != EventRecord.NONE;
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

    /**
     * Whether the next {@link #takeCredit} succeeds; fetches some from the depot if need be.
     *
     * @return false when the bound of the depot is reached
     */
    public boolean hasCredit() {
        if (credits == 0 && depot.takeCredits(bundle)) {
            credits = bundle;
        }
        return credits != 0;
    }

    /** Takes the right to one pending event. False when the bound of the depot is reached. */
    public boolean takeCredit() {
        if (credits == 0 && !hasCredit()) {
            return false;
        }
        credits--;
        return true;
    }

    /** The same for an event that is never refused for want of room: the bound is exceeded if need be. */
    void takeCreditAnyway() {
        if (!takeCredit()) {
            depot.takeCreditAnyway();
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
        int id = loaded;
        if (id == EventRecord.NONE) {
            id = reload();
            if (id == EventRecord.NONE) {
                return null;
            }
        }
        EventRecord record = index.at(id);
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

    private @Nullable EventRecord takeLocal() {
        return hasLocal() ? take() : null;
    }

    private int reload() {
        assert loadedCount == 0 : loadedCount;
        int chain = spare;
        if (chain == EventRecord.NONE) {
            EventRecord first = depot.take();
            if (first == null) {
                return EventRecord.NONE;
            }
            chain = first.id;
        }
        spare = EventRecord.NONE;
        loadedCount = RecordDepot.CHAIN;
        return chain;
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
