// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import java.util.concurrent.atomic.AtomicInteger;
import org.jctools.queues.atomic.MpmcAtomicArrayQueue;
import org.jspecify.annotations.Nullable;

/**
 * Where pools exchange full chains of event records, and credits, whose number is the bound on pending events.
 *
 * <p>Events flow from core to core, so the pool of one fills while that of another runs dry. Records travel back in chains of
 * {@link #CHAIN}, and credits in {@link #bundle bundles}, which makes the shared queue and the shared count cost one atomic in 32 events or more (Bonwick's
 * magazines).
 *
 * <p><b>Threads.</b> Any.
 */
public final class RecordDepot {
    /** Records in a chain. Source: Bonwick 2001 has 1 to 143; guess, to be measured. */
    public static final int CHAIN = 64;

    /** Most chains that are kept: 2 MB of records. What a burst has needed beyond that is left to the collector. */
    static final int KEPT_MAX = 1 << 10;

    private static final int BUNDLE_MIN = 8;

    /** Measured: of 32 the count, which all cores and senders write, takes a fifteenth of the time of an event from outside. */
    private static final int BUNDLE_MAX = 256;

    /** A bundle is no more than this part of the bound. */
    private static final int BUNDLE_PART = 128;

    private final MpmcAtomicArrayQueue<EventRecord> chains;
    private final AtomicInteger out = new AtomicInteger(); // credits in pools or with events
    private final AtomicInteger outMax;
    private final int bundle;
    private final RecordIndex index = new RecordIndex();

    /**
     * Makes an empty depot.
     *
     * @param pendingMax most credits outside of pools, rounded up to whole chains
     */
    public RecordDepot(int pendingMax) {
        int atMost = Math.max(2, (pendingMax - 1) / CHAIN + 1);
        outMax = new AtomicInteger(atMost * CHAIN);
        bundle = Math.max(BUNDLE_MIN, Math.min(BUNDLE_MAX, pendingMax / BUNDLE_PART));
        chains = new MpmcAtomicArrayQueue<>(Math.min(atMost, KEPT_MAX));
    }

    /** Credits that a pool fetches or returns at a time. */
    int bundle() {
        return bundle;
    }

    /** Credits that a pool may hold back. */
    int keepsMax() {
        return 2 * bundle;
    }

    /** Allows for what one more pool may hold back, so that full pools of idle threads cannot make others starve. */
    void addPool() {
        outMax.addAndGet(keepsMax());
    }

    /** The pool of {@link #addPool} is gone, and what it held back is here or in others. */
    void removePool() {
        outMax.addAndGet(-keepsMax());
    }

    /** Gives the right to so many more events, to be kept in a pool or pending. False when the bound is reached. */
    boolean takeCredits(int count) {
        if (out.addAndGet(count) > outMax.get()) {
            out.addAndGet(-count);
            return false;
        }
        return true;
    }

    /** So many are pending no more; less than 0: as many more, beyond the bound if need be. */
    void giveCredits(int count) {
        out.addAndGet(-count);
    }

    /** Takes a chain of exactly {@link #CHAIN} records, making one if none is stored. Returns the first; null at the end of the heap. */
    @Nullable
    EventRecord take() {
        EventRecord chain = chains.poll();
        try {
            return chain != null ? chain : index.makeChain(CHAIN);
        } catch (OutOfMemoryError e) {
            return null;
        }
    }

    /** All records that were made here, by number. */
    public RecordIndex index() {
        return index;
    }

    /** Stores a chain of exactly {@link #CHAIN} records, by its first. */
    void give(EventRecord chain) {
        if (!chains.offer(chain)) {
            index.dropChain(chain); // after a burst: the collector has them
        }
    }
}
