// SPDX-License-Identifier: Apache-2.0
package io.mely.stingy;

import io.mely.spi.SpinLock;
import java.nio.ByteBuffer;

/**
 * The buffers of one core: direct memory, laid out by a plan, and the accounts of its sites.
 *
 * <p>The memory begins at a cache line, and each of its pages is written once when it is made. It need not be contiguous, nor in huge pages: a JVM has no switch for either where direct memory is concerned. A kernel whose transparent huge pages are "always" may use them.
 *
 * <p>Invariants: (1) a site never has more in use than its count; (2) what is in use lies inside the region and does not overlap; (3) what was taken is given back once.
 *
 * <p><b>Threads.</b> Any: one short spin lock for each call. Who frees may be on any core. <b>Costs.</b> O(1) for each buffer. <b>Source.</b> spec: Stingy §3, §8.
 */
final class StingyRegion {
    private static final int PAGE_BYTES = 4096;

    private final ByteBuffer memory;
    private final SpinLock lock = new SpinLock();
    private final Slots[] bySite;
    private final int[] areaOffsets;
    private final Slots[] byArea;

    // by site, under the lock
    private final int[] peak;
    private final long[] served;
    private final long[] refused;

    /** Makes the region of one core. May find no memory. */
    StingyRegion(StingyPlan plan) {
        int bytes = (int) plan.bytes();
        memory = ByteBuffer.allocateDirect(bytes + StingyPlan.LINE_BYTES).alignedSlice(StingyPlan.LINE_BYTES);
        for (int at = 0; at < bytes; at += PAGE_BYTES) {
            memory.put(at, (byte) 0);
        }
        bySite = Slots.of(plan);
        int areas = plan.areas().size();
        areaOffsets = new int[areas];
        byArea = new Slots[areas];
        for (int i = 0; i < areas; i++) {
            StingyPlan.Area area = plan.areas().get(i);
            areaOffsets[i] = area.offsetBytes();
            for (int site = 0; site < bySite.length; site++) {
                byArea[i] = plan.sites().get(site).area() == area.number() ? bySite[site] : byArea[i];
            }
        }
        peak = new int[bySite.length];
        served = new long[bySite.length];
        refused = new long[bySite.length];
    }

    /** The memory of a buffer. */
    ByteBuffer slice(int offset, int bytes) {
        return memory.slice(offset, bytes);
    }

    /** Takes a buffer of a site: its offset; {@link Slots#NONE} if all are in use. */
    int take(int site) {
        lock.lock();
        try {
            return takeOne(site);
        } finally {
            lock.unlock();
        }
    }

    private int takeOne(int site) {
        Slots slots = bySite[site];
        int offset = slots.take(site);
        if (offset == Slots.NONE) {
            refused[site]++;
        } else {
            served[site]++;
            peak[site] = Math.max(peak[site], slots.taken(site));
        }
        return offset;
    }

    /** Takes for a handler what some events need, or nothing. */
    boolean take(Needs needs, int events, Hand.Frame frame) {
        lock.lock();
        try {
            for (int i = 0; i < needs.sites.length; i++) {
                for (int n = needs.counts[i] * events; n > 0; n--) {
                    int offset = takeOne(needs.sites[i]);
                    if (offset == Slots.NONE) {
                        giveAll(frame);
                        return false;
                    }
                    frame.put(needs.sites[i], offset);
                }
            }
            return true;
        } finally {
            lock.unlock();
        }
    }

    private void giveAll(Hand.Frame frame) {
        while (frame.count != 0) {
            int site = giveOne(frame.removeLast());
            served[site]--; // nobody has used it
        }
    }

    /** Gives back what a handler has left. */
    void give(Hand.Frame frame) {
        lock.lock();
        try {
            giveAll(frame);
        } finally {
            lock.unlock();
        }
    }

    /** Gives a buffer back, by its address. Any thread. An IllegalStateException if it is none, or was given back. */
    void give(int offset) {
        lock.lock();
        try {
            int unused = giveOne(offset);
        } finally {
            lock.unlock();
        }
    }

    private int giveOne(int offset) {
        int area = 0;
        while (area + 1 < areaOffsets.length && areaOffsets[area + 1] <= offset) {
            area++;
        }
        return byArea[area].give(offset);
    }

    /** Whether an event could take what it needs. */
    boolean has(Needs needs) {
        lock.lock();
        try {
            for (int i = 0; i < needs.sites.length; i++) {
                if (bySite[needs.sites[i]].available(needs.sites[i]) < needs.counts[i]) {
                    return false;
                }
            }
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** Adds the figures of a site. */
    void addTo(int site, SiteCounts sum) {
        lock.lock();
        try {
            sum.live += bySite[site].taken(site);
            sum.peak += peak[site];
            sum.served += served[site];
            sum.refused += refused[site];
        } finally {
            lock.unlock();
        }
    }

    /** Checks the accounts; an AssertionError names what is broken. O(cells). */
    void validate() {
        lock.lock();
        try {
            for (Slots slots : byArea) {
                slots.validate();
            }
        } finally {
            lock.unlock();
        }
    }

    /** What an event of a stage takes. */
    static final class Needs {
        final int[] sites;
        final int[] counts;
        final int sum;

        Needs(int[] sites, int[] counts) {
            this.sites = sites;
            this.counts = counts;
            int all = 0;
            for (int count : counts) {
                all += count;
            }
            sum = all;
        }
    }

    /** Figures of a site, in the making. */
    static final class SiteCounts {
        int live;
        int peak;
        long served;
        long refused;
    }

    @Override
    public String toString() {
        return "StingyRegion{bytes=" + memory.capacity() + "}";
    }
}
