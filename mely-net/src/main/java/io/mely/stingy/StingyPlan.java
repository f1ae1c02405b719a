// SPDX-License-Identifier: Apache-2.0
package io.mely.stingy;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * How many buffers of each kind there are on a core, where they lie in its region, and what the stages allocate.
 *
 * <p>A <em>site</em> is a place in a program that allocates: its buffers have one declared size, and there is a fixed number of them. Sites whose buffers are live together have areas of their own; the others may share an
 * {@linkplain Area area}, and are counted jointly there. In a shared area requests could wait for each other: some hold all cells, and need a buffer of another site of the area next. Give each site as many places of its <em>own</em>
 * as a request may have of it; then the request that is furthest on its way finds what it needs.
 *
 * <p><b>Threads.</b> Immutable. <b>Shape.</b> Areas follow each other, each begins at a cache line. <b>Errors.</b> A plan that cannot hold is refused when it is built, by a message that says why. <b>Source.</b> spec: Stingy §2, §3, §10.3, §10.4.
 */
public final class StingyPlan {
    /** Bytes of a cache line: each buffer begins at one, so no two share one. */
    public static final int LINE_BYTES = 64;

    /** Largest region: as large as a buffer of the JDK. */
    public static final long REGION_BYTES_MAX = 1L << 30;

    /**
     * One kind of buffers.
     *
     * @param name for figures and messages
     * @param sizeBytes declared: what is smaller than this is served, what is not comes from elsewhere. &gt; 0
     * @param count most that are in use at once on a core, &gt;= 1
     * @param area number of the area; sites with the same number share one
     * @param own of the count, those that have places of their own in a shared area: none of the others can keep the site from them. 0 to count
     */
    public record Site(String name, int sizeBytes, int count, int area, int own) {
        /** Checks the values. */
        public Site {
            Objects.requireNonNull(name, "name");
            check(!name.isBlank(), "name must not be blank", "site", name);
            check(sizeBytes > 0, "sizeBytes must be > 0: site=" + name, "sizeBytes", sizeBytes);
            check(count >= 1, "count must be >= 1: site=" + name, "count", count);
            check(area >= 0, "area must be >= 0: site=" + name, "area", area);
            check(own >= 0 && own <= count, "own must be 0 to " + count + ": site=" + name, "own", own);
        }

        /** Bytes that one takes in the region: whole lines. */
        int slotBytes() {
            return (sizeBytes + LINE_BYTES - 1) / LINE_BYTES * LINE_BYTES;
        }
    }

    /**
     * A part of the region: equal cells, and behind them the places that its sites have of their own. A cell is free, or it holds buffers of one site: as many as fit, at most 64.
     *
     * @param number as its sites say
     * @param offsetBytes where it begins in the region
     * @param cellBytes of the largest of its buffers
     * @param cells how many
     * @param ownBytes of all places behind the cells; 0 if no other site shares the area
     */
    public record Area(int number, int offsetBytes, int cellBytes, int cells, int ownBytes) {
        /**
         * Its size.
         *
         * @return bytes
         */
        public long bytes() {
            return (long) cellBytes * cells + ownBytes;
        }
    }

    private final long regionBytes;
    private final List<Site> sites;
    private final List<Area> areas;
    private final Map<String, Map<String, Integer>> stages;

    private StingyPlan(Builder from) {
        regionBytes = from.regionBytes;
        sites = List.copyOf(from.sites);
        check(!sites.isEmpty(), "a plan must have a site", "sites", sites);
        stages = Collections.unmodifiableMap(new LinkedHashMap<>(from.stages));
        areas = layOut();
        stages.forEach(this::checkStage);
    }

    private List<Area> layOut() {
        Map<Integer, List<Site>> byArea = new TreeMap<>();
        sites.forEach(site ->
                byArea.computeIfAbsent(site.area(), number -> new ArrayList<>()).add(site));
        List<Area> all = new ArrayList<>();
        long offset = 0;
        for (Map.Entry<Integer, List<Site>> entry : byArea.entrySet()) {
            offset = layOut(entry.getKey(), offset, entry.getValue(), all);
        }
        return List.copyOf(all);
    }

    /** An area has as many cells as the site that needs most of them, beside its own places. Returns where it ends. */
    private long layOut(int number, long offset, List<Site> within, List<Area> all) {
        int cellBytes = within.stream().mapToInt(Site::slotBytes).max().orElseThrow();
        boolean isShared = within.size() > 1;
        long ownBytes = 0;
        int cells = 0;
        for (Site site : within) {
            int own = isShared ? site.own() : 0;
            int perCell = Slots.perCell(site, cellBytes);
            ownBytes += (long) own * site.slotBytes();
            cells = Math.max(cells, (site.count() - own + perCell - 1) / perCell);
        }
        long end = offset + (long) cellBytes * cells + ownBytes;
        check(
                end <= regionBytes,
                "the buffers must fit into the region: area=" + number + " ends at byte " + end,
                "regionBytes",
                regionBytes);
        all.add(new Area(number, (int) offset, cellBytes, cells, (int) ownBytes));
        return end;
    }

    private void checkStage(String stage, Map<String, Integer> needs) {
        needs.forEach((name, count) -> {
            int most = sites.get(siteId(name)).count();
            check(
                    count >= 1 && count <= most,
                    "an event of stage " + stage + " must need 1 to " + most + " of site " + name,
                    "count",
                    count);
        });
        Slots[] empty = Slots.of(this);
        needs.forEach((name, count) -> {
            for (int i = 0; i < count; i++) {
                check(
                        empty[siteId(name)].take(siteId(name)) != Slots.NONE,
                        "an event of stage " + stage + " must find room in area "
                                + sites.get(siteId(name)).area() + " for all it needs",
                        "needs",
                        needs);
            }
        });
    }

    static void check(boolean isTrue, String must, String name, @Nullable Object value) {
        if (!isTrue) {
            throw new IllegalArgumentException(must + ": " + name + "=" + value);
        }
    }

    /**
     * Begins a plan.
     *
     * @param regionBytes of each core, 1 to {@link #REGION_BYTES_MAX}; {@link CacheShare} says how much of the caches a core has
     * @return to be filled
     */
    public static Builder builder(long regionBytes) {
        return new Builder(regionBytes);
    }

    /**
     * The size of a core's region.
     *
     * @return bytes
     */
    public long regionBytes() {
        return regionBytes;
    }

    /**
     * What the areas take of it.
     *
     * @return bytes
     */
    public long bytes() {
        Area last = areas.get(areas.size() - 1);
        return last.offsetBytes() + last.bytes();
    }

    /**
     * The sites; the place in the list is a site's number.
     *
     * @return in the order of the plan
     */
    public List<Site> sites() {
        return sites;
    }

    /**
     * The areas.
     *
     * @return in the order of their addresses
     */
    public List<Area> areas() {
        return areas;
    }

    /**
     * The stages that allocate.
     *
     * @return their names
     */
    public Set<String> stages() {
        return stages.keySet();
    }

    /**
     * What one event of a stage allocates.
     *
     * @param stage of the plan; else an IllegalArgumentException
     * @return how many by site
     */
    public Map<String, Integer> needs(String stage) {
        Map<String, Integer> needs = stages.get(Objects.requireNonNull(stage, "stage"));
        if (needs == null) {
            throw new IllegalArgumentException("stage must be in the plan: stage=" + stage + ", plan=" + stages());
        }
        return needs;
    }

    /**
     * The number of a site.
     *
     * @param name of the plan; else an IllegalArgumentException
     * @return place in {@link #sites}
     */
    public int siteId(String name) {
        Objects.requireNonNull(name, "site");
        for (int i = 0; i < sites.size(); i++) {
            if (sites.get(i).name().equals(name)) {
                return i;
            }
        }
        throw new IllegalArgumentException("site must be in the plan: site=" + name + ", plan="
                + sites.stream().map(Site::name).toList());
    }

    @Override
    public String toString() {
        return "StingyPlan{sites=" + sites.size() + ", bytes=" + bytes() + " of " + regionBytes + "}";
    }

    /** A plan in the making. <b>Threads.</b> Not safe for use by several. */
    public static final class Builder {
        private final long regionBytes;
        private final List<Site> sites = new ArrayList<>();
        private final Map<String, Map<String, Integer>> stages = new LinkedHashMap<>();

        private Builder(long regionBytes) {
            check(
                    regionBytes >= 1 && regionBytes <= REGION_BYTES_MAX,
                    "regionBytes must be 1 to " + REGION_BYTES_MAX,
                    "regionBytes",
                    regionBytes);
            this.regionBytes = regionBytes;
        }

        /** Adds a site without places of its own: see {@link Site}. Its number is how many were added before. */
        public Builder site(String name, int sizeBytes, int count, int area) {
            return site(name, sizeBytes, count, area, 0);
        }

        /** Adds a site: see {@link Site}. Its number is how many were added before. */
        public Builder site(String name, int sizeBytes, int count, int area, int own) {
            Site site = new Site(name, sizeBytes, count, area, own);
            check(
                    sites.stream().noneMatch(other -> other.name().equals(name)),
                    "a site must be named once",
                    "site",
                    name);
            sites.add(site);
            return this;
        }

        /** Adds a stage: how many of which sites one of its events allocates. */
        public Builder stage(String name, Map<String, Integer> needs) {
            Objects.requireNonNull(name, "stage");
            check(!stages.containsKey(name), "a stage must be named once", "stage", name);
            stages.put(name, Map.copyOf(needs));
            return this;
        }

        /** The plan; an IllegalArgumentException if it cannot hold. */
        public StingyPlan build() {
            return new StingyPlan(this);
        }
    }
}
