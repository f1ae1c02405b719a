// SPDX-License-Identifier: Apache-2.0
package io.mely.stingy;

import java.util.Arrays;
import java.util.List;

/**
 * Which places of an area are free: the joint count of the sites that share it.
 *
 * <p>A cell is free, or its owner is one site, and then a mask says which of its places are free. A cell with some free places is in the list of its owner. A cell whose last buffer is freed is free for any site again. A site alone in its area has cells of one place.
 *
 * <p>Behind the cells of a shared area each site has its {@linkplain StingyPlan.Site#own own} places, and takes those first.
 *
 * <p>Invariants: (1) a place is handed out once until it is given back; (2) no site has more than its count; (3) places that are handed out do not overlap.
 *
 * <p><b>Threads.</b> The holder of the region's lock. <b>Costs.</b> O(1); of own places O(sites that share). <b>Bounds.</b> 64 places a cell. <b>Errors.</b> Giving back what is not handed out is an IllegalStateException, and changes nothing. <b>Source.</b> spec: Stingy §3, §10.4.
 */
final class Slots {
    /** No place. */
    static final int NONE = -1;

    private static final int PER_CELL_MAX = Long.SIZE;

    private final int[] slotBytes; // by site of the plan; 0 for those elsewhere
    private final int[] perCell;
    private final int[] counts;
    private final int[] taken;
    private final int[] partFree; // free places in cells of the site
    private final int[] firstPart; // cells of the site that have some

    private final StingyPlan.Area area;
    private final int[] owner; // by cell
    private final long[] free; // places of an owned cell
    private final int[] next; // of the list of an owner
    private final int[] previous;
    private final int[] freeCells; // a stack
    private int freeCount;

    private final OwnPlaces[] own; // by site; empty ones for those that have none

    private Slots(StingyPlan.Area area, List<StingyPlan.Site> sites) {
        this.area = area;
        slotBytes = new int[sites.size()];
        perCell = new int[sites.size()];
        counts = new int[sites.size()];
        taken = new int[sites.size()];
        partFree = new int[sites.size()];
        firstPart = new int[sites.size()];
        Arrays.fill(firstPart, NONE);
        own = new OwnPlaces[sites.size()];
        int ownOffset = area.offsetBytes() + area.cells() * area.cellBytes();
        for (int i = 0; i < sites.size(); i++) {
            StingyPlan.Site site = sites.get(i);
            if (site.area() == area.number()) {
                slotBytes[i] = site.slotBytes();
                perCell[i] = perCell(site, area.cellBytes());
                counts[i] = site.count();
            }
            boolean hasOwn = site.area() == area.number() && area.ownBytes() > 0;
            own[i] = new OwnPlaces(ownOffset, site.slotBytes(), hasOwn ? site.own() : 0);
            ownOffset = own[i].endBytes();
        }
        owner = new int[area.cells()];
        free = new long[area.cells()];
        next = new int[area.cells()];
        previous = new int[area.cells()];
        freeCells = new int[area.cells()];
        Arrays.fill(owner, NONE);
        for (int cell = area.cells() - 1; cell >= 0; cell--) {
            freeCells[freeCount++] = cell; // the first is the first to be taken
        }
    }

    /** How many buffers of a site one cell holds. */
    static int perCell(StingyPlan.Site site, int cellBytes) {
        return Math.min(PER_CELL_MAX, cellBytes / site.slotBytes());
    }

    /** Empty areas of a plan, by site: sites that share an area have the same. */
    static Slots[] of(StingyPlan plan) {
        Slots[] bySite = new Slots[plan.sites().size()];
        for (StingyPlan.Area area : plan.areas()) {
            Slots slots = new Slots(area, plan.sites());
            for (int i = 0; i < bySite.length; i++) {
                bySite[i] = plan.sites().get(i).area() == area.number() ? slots : bySite[i];
            }
        }
        return bySite;
    }

    /** How many of a site could be taken. */
    int available(int site) {
        return Math.min(counts[site] - taken[site], own[site].free() + partFree[site] + freeCount * perCell[site]);
    }

    /** How many of a site are taken. */
    int taken(int site) {
        return taken[site];
    }

    /** Takes a place for a buffer of a site: its offset in the region; {@link #NONE} if none is free. */
    int take(int site) {
        if (taken[site] == counts[site]) {
            return NONE;
        }
        if (own[site].free() != 0) {
            taken[site]++;
            return own[site].take();
        }
        int cell = firstPart[site];
        if (cell == NONE) {
            if (freeCount == 0) {
                return NONE;
            }
            cell = freeCells[--freeCount];
            owner[cell] = site;
            free[cell] = full(site);
            partFree[site] += perCell[site];
            link(cell, site);
        }
        int slot = Long.numberOfTrailingZeros(free[cell]);
        free[cell] &= ~(1L << slot);
        partFree[site]--;
        if (free[cell] == 0) {
            unlink(cell, site);
        }
        taken[site]++;
        assert taken[site] <= counts[site] : "invariant 2: site=" + site;
        return area.offsetBytes() + cell * area.cellBytes() + slot * slotBytes[site];
    }

    /** Gives back a place that was taken: returns the site. */
    int give(int offset) {
        if (offset >= area.offsetBytes() + area.cells() * area.cellBytes()) {
            return giveOwn(offset);
        }
        int cell = Math.floorDiv(offset - area.offsetBytes(), area.cellBytes());
        int site = cell >= 0 && cell < owner.length ? owner[cell] : NONE;
        int rest = offset - area.offsetBytes() - cell * area.cellBytes();
        if (site == NONE || rest % slotBytes[site] != 0 || rest / slotBytes[site] >= perCell[site]) {
            throw new IllegalStateException("no buffer of the region, or freed before: offset=" + offset);
        }
        long bit = 1L << (rest / slotBytes[site]);
        if ((free[cell] & bit) != 0) {
            throw new IllegalStateException("invariant 1: freed twice: offset=" + offset);
        }
        if (free[cell] == 0) {
            link(cell, site);
        }
        free[cell] |= bit;
        partFree[site]++;
        taken[site]--;
        if (free[cell] == full(site)) {
            unlink(cell, site);
            partFree[site] -= perCell[site];
            owner[cell] = NONE;
            freeCells[freeCount++] = cell;
        }
        return site;
    }

    private int giveOwn(int offset) {
        int site = 0;
        while (site < own.length && !own[site].has(offset)) {
            site++;
        }
        if (site == own.length) {
            throw new IllegalStateException("no buffer of the region, or freed before: offset=" + offset);
        }
        own[site].give(offset);
        taken[site]--;
        return site;
    }

    private long full(int site) {
        return -1L >>> (PER_CELL_MAX - perCell[site]);
    }

    private void link(int cell, int site) {
        next[cell] = firstPart[site];
        previous[cell] = NONE;
        if (next[cell] != NONE) {
            previous[next[cell]] = cell;
        }
        firstPart[site] = cell;
    }

    private void unlink(int cell, int site) {
        if (previous[cell] == NONE) {
            firstPart[site] = next[cell];
        } else {
            next[previous[cell]] = next[cell];
        }
        if (next[cell] != NONE) {
            previous[next[cell]] = previous[cell];
        }
    }

    /** Checks the structure; an AssertionError names what is broken. O(cells). */
    void validate() {
        int ownerless = 0;
        int[] places = new int[counts.length];
        int[] used = new int[counts.length];
        for (int cell = 0; cell < owner.length; cell++) {
            int site = owner[cell];
            if (site == NONE) {
                ownerless++;
            } else {
                int freeHere = Long.bitCount(free[cell]);
                check(freeHere < perCell[site], "an empty cell has an owner", site);
                places[site] += freeHere;
                used[site] += perCell[site] - freeHere;
            }
        }
        check(ownerless == freeCount, "free cells", NONE);
        for (int site = 0; site < counts.length; site++) {
            own[site].validate();
            used[site] += own[site].taken();
            check(used[site] == taken[site] && taken[site] <= counts[site], "taken", site);
            check(places[site] == partFree[site], "free places", site);
            int linked = 0;
            for (int cell = firstPart[site]; cell != NONE; cell = next[cell]) {
                check(owner[cell] == site, "linked to another", site);
                linked += Long.bitCount(free[cell]);
            }
            check(linked == partFree[site], "linked places", site);
        }
    }

    private void check(boolean isTrue, String what, int site) {
        if (!isTrue) {
            throw new AssertionError("area " + area.number() + ": " + what + ": site=" + site);
        }
    }
}
