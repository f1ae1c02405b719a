// SPDX-License-Identifier: Apache-2.0
package io.mely.stingy;

import io.mely.spi.Supply;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * The buffers of a program by a plan: a region for each core, allocators for its sites, and supplies for its stages.
 *
 * <p>A stage with a {@link #supply} runs an event when all that the plan says of it is free on the core, and has it for itself during the handler. So its allocations cannot fail. Without supplies, allocation is first come, first served. In both cases what a region does not have
 * comes from the ordinary allocator, and is counted.
 *
 * <p>A buffer is counted on the core where it was allocated, until it is released, by whatever thread. A color that is stolen allocates on its new core from then on.
 *
 * <p><b>Threads.</b> Any. A thread that runs handlers allocates from the region of their core. Others are given one of the regions for good, in turn. <b>Costs.</b> Cores times {@link StingyPlan#bytes} of direct memory, from now on until it is collected.
 *
 * <p><b>Source.</b> spec: Stingy §3, §4; ADR 0031.
 */
public final class Stingy {
    private final StingyPlan plan;
    private final StingyRegion[] regions;
    private final AtomicInteger threads = new AtomicInteger();
    private final ThreadLocal<Hand> hands;
    private final Map<String, StageSupply> supplies = new ConcurrentHashMap<>();
    private final LongAdder[] fallbacks;
    private final LongAdder[] guards;
    private final LongAdder[] undeclared;
    private final LongAdder unknown = new LongAdder();
    private volatile @Nullable AllocationObserver observer;

    private Stingy(StingyPlan plan, int cores) {
        this.plan = plan;
        regions = new StingyRegion[cores];
        for (int core = 0; core < cores; core++) {
            regions[core] = new StingyRegion(plan);
        }
        hands = ThreadLocal.withInitial(() -> new Hand(Math.floorMod(threads.getAndIncrement(), cores)));
        fallbacks = adders();
        guards = adders();
        undeclared = adders();
    }

    private LongAdder[] adders() {
        LongAdder[] all = new LongAdder[plan.sites().size()];
        for (int i = 0; i < all.length; i++) {
            all[i] = new LongAdder();
        }
        return all;
    }

    /**
     * Makes the regions.
     *
     * @param plan of one core
     * @param cores of the runtime, &gt;= 1
     * @return to be kept as long as its buffers are allocated
     */
    public static Stingy of(StingyPlan plan, int cores) {
        StingyPlan.check(cores >= 1, "cores must be >= 1", "cores", cores);
        return new Stingy(plan, cores);
    }

    /**
     * The plan.
     *
     * @return of each core
     */
    public StingyPlan plan() {
        return plan;
    }

    /**
     * What events of a stage take before they run, for {@link io.mely.StageOptions#withSupply}.
     *
     * @param stage of the plan; else an IllegalArgumentException
     * @return the same for each call
     */
    public Supply supply(String stage) {
        Map<String, Integer> needs = plan.needs(stage);
        return supplies.computeIfAbsent(stage, name -> new StageSupply(this, needs(needs)));
    }

    private StingyRegion.Needs needs(Map<String, Integer> bySite) {
        int[] sites = bySite.keySet().stream().mapToInt(plan::siteId).sorted().toArray();
        int[] counts = new int[sites.length];
        for (int i = 0; i < sites.length; i++) {
            Integer count = bySite.get(plan.sites().get(sites[i]).name());
            counts[i] = count == null ? 0 : count;
        }
        return new StingyRegion.Needs(sites, counts);
    }

    /**
     * Makes allocators of sites.
     *
     * @param fallback where everything else comes from: what is too large, too much, or of no site
     * @return of no site; {@link StingyAllocator#at(String)} gives those of sites
     */
    public StingyAllocator allocator(ByteBufAllocator fallback) {
        return new StingyAllocator(this, fallback, StingyAllocator.NO_SITE);
    }

    /**
     * Sets who is told of each allocation, in a region or not: for a test whether the plan says what the program does. Set it before the program allocates.
     *
     * @param toTell null: nobody
     */
    public void observe(@Nullable AllocationObserver toTell) {
        observer = toTell;
    }

    /**
     * Allocates at a site from the region; null if that is not for it, which is counted.
     *
     * @param owner what the buffer says is its allocator
     * @param fallback where the buffer goes on if it outgrows its place
     */
    @Nullable
    ByteBuf tryAllocate(int site, int bytes, int bytesMax, ByteBufAllocator owner, ByteBufAllocator fallback) {
        Hand hand = hands.get();
        int offset = tryPlace(hand, site, bytes);
        if (offset == Slots.NONE) {
            return null;
        }
        StingyRegion region = regions[coreOf(hand)];
        try {
            StingyPlace place = new StingyPlace(this, region, site, offset, fallback);
            return StingyAllocator.leakAware(place.buffer(owner, bytes, bytesMax));
        } catch (Throwable e) {
            region.give(offset); // no memory for the object: nothing has happened
            throw e;
        }
    }

    /** Whose region a thread allocates from. */
    static int coreOf(Hand hand) {
        return hand.isEmpty() ? hand.core : hand.top().core;
    }

    /** Takes a place in the region of a thread's core; {@link Slots#NONE} if that is not for it, which is counted. */
    int tryPlace(Hand hand, int site, int bytes) {
        AllocationObserver told = observer;
        if (told != null) {
            told.allocated(site, bytes);
        }
        if (site < 0 || site >= guards.length) {
            unknown.increment();
            return Slots.NONE;
        }
        if (!(bytes < plan.sites().get(site).sizeBytes())) { // strictly, as in the paper
            guards[site].increment();
            return Slots.NONE;
        }
        int offset = Slots.NONE;
        if (!hand.isEmpty()) {
            Hand.Frame frame = hand.top();
            offset = frame.remove(site);
            if (offset == Slots.NONE && !frame.isPassing) {
                undeclared[site].increment();
            }
        }
        if (offset == Slots.NONE) {
            offset = regions[coreOf(hand)].take(site);
        }
        if (offset == Slots.NONE) {
            fallbacks[site].increment();
        }
        return offset;
    }

    /** A buffer has outgrown its place, and goes on elsewhere. */
    void countOutgrown(int site) {
        guards[site].increment();
    }

    Hand hand() {
        return hands.get();
    }

    StingyRegion region(int core) {
        return regions[core];
    }

    int cores() {
        return regions.length;
    }

    /**
     * The figures, summed over the cores. They are read one after the other while the program goes on.
     *
     * @return of all sites and stages
     */
    public StingyStats stats() {
        List<StingyStats.SiteStats> sites = new ArrayList<>();
        for (int site = 0; site < guards.length; site++) {
            StingyRegion.SiteCounts sum = new StingyRegion.SiteCounts();
            for (StingyRegion region : regions) {
                region.addTo(site, sum);
            }
            StingyPlan.Site of = plan.sites().get(site);
            sites.add(new StingyStats.SiteStats(
                    of.name(),
                    (long) of.count() * regions.length,
                    sum.live,
                    sum.peak,
                    sum.served,
                    sum.refused,
                    fallbacks[site].sum(),
                    guards[site].sum(),
                    undeclared[site].sum()));
        }
        Map<String, Long> passed = new LinkedHashMap<>();
        for (String stage : plan.stages()) {
            StageSupply supply = supplies.get(stage);
            passed.put(stage, supply == null ? 0 : supply.passed());
        }
        return new StingyStats(sites, passed, unknown.sum());
    }

    /** Checks the accounts of all cores; an AssertionError names what is broken. */
    void validate() {
        for (StingyRegion region : regions) {
            region.validate();
        }
    }

    @Override
    public String toString() {
        return "Stingy{cores=" + regions.length + ", " + plan + "}";
    }
}
