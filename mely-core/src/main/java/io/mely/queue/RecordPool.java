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
    private @Nullable EventRecord loaded;
    private int loadedCount;
    private @Nullable EventRecord spare;

    /**
     * Makes an empty pool.
     *
     * @param depot where chains come from and go to
     */
    public RecordPool(RecordDepot depot) {
        this.depot = depot;
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
        if (loaded == null) {
            loaded = reload();
        }
        return loaded != null;
    }

    /**
     * Takes a record; its fields are not cleared.
     *
     * @return null when the bound of the depot is reached
     */
    public @Nullable EventRecord take() {
        EventRecord record = loaded;
        if (record == null) {
            record = reload();
            if (record == null) {
                return null;
            }
        }
        loaded = record.nextPlain();
        loadedCount--;
        record.nextPlain(null);
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
        loaded = record;
        loadedCount++;
    }

    private @Nullable EventRecord takeLocal() {
        return loaded == null && spare == null ? null : take();
    }

    private @Nullable EventRecord reload() {
        assert loadedCount == 0 : loadedCount;
        EventRecord chain = spare;
        if (chain == null) {
            chain = depot.take();
            if (chain == null) {
                return null;
            }
        }
        spare = null;
        loadedCount = RecordDepot.CHAIN;
        return chain;
    }

    private void spill() {
        if (spare != null) {
            depot.give(spare);
        }
        spare = loaded;
        loaded = null;
        loadedCount = 0;
    }
}
