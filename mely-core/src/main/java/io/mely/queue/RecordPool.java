// SPDX-License-Identifier: Apache-2.0
package io.mely.queue;

import org.jspecify.annotations.Nullable;

/**
 * The event records of one thread: a loaded and a spare chain, refilled from and spilled to the {@link RecordDepot}.
 *
 * <p><b>Threads.</b> Its owner only. <b>Costs.</b> One load and one store; every 64th call one atomic. <b>Bounds.</b> Holds at most
 * two chains.
 */
public final class RecordPool {
    /** Most chains in one pool. */
    static final int CHAINS_MAX = 2;

    private final RecordDepot depot;
    private final RecordIndex index;
    private int loaded = EventRecord.NONE;
    private int loadedCount;
    private int spare = EventRecord.NONE;

    /**
     * Makes an empty pool.
     *
     * @param depot where chains come from and go to
     */
    public RecordPool(RecordDepot depot) {
        this.depot = depot;
        index = depot.index();
        depot.addPool();
    }

    /**
     * Moves all records to another pool, for good: the owner is gone.
     *
     * @param heir gets them
     */
    public void drainTo(RecordPool heir) {
        for (EventRecord record = takeLocal(); record != null; record = takeLocal()) {
            heir.give(record);
        }
        depot.removePool();
    }

    /**
     * Whether the next {@link #take} gives a record; fetches one from the depot if need be.
     *
     * @return false when the bound of the depot is reached
     */
    public boolean hasRecord() {
        if (loaded == EventRecord.NONE) {
            loaded = reload();
        }
        return loaded != EventRecord.NONE;
    }

    /**
     * Takes a record; its fields are not cleared.
     *
     * @return null when the bound of the depot is reached
     */
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
     * Gives a record back after its handler has returned; the record lets go of its event.
     *
     * @param record not in any queue
     */
    public void give(EventRecord record) {
        record.consume();
        if (loadedCount == RecordDepot.CHAIN) {
            spill();
        }
        record.nextPlain(loaded);
        loaded = record.id;
        loadedCount++;
    }

    /**
     * The records of this pool and its depot by number.
     *
     * @return shared with the colors that they are sent to
     */
    public RecordIndex index() {
        return index;
    }

    private @Nullable EventRecord takeLocal() {
        return loaded == EventRecord.NONE && spare == EventRecord.NONE ? null : take();
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
