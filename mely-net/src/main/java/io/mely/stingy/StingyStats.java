// SPDX-License-Identifier: Apache-2.0
package io.mely.stingy;

import java.util.List;
import java.util.Map;

/**
 * What became of allocations.
 *
 * @param sites in the order of the plan
 * @param passed by stage: events that ran without what they need, as their core would have gone to sleep, or as they had waited too long
 * @param unknownSites allocations that named no site of the plan; the ordinary allocator served them
 */
public record StingyStats(List<SiteStats> sites, Map<String, Long> passed, long unknownSites) {
    /** Copies the list and the map. */
    public StingyStats {
        sites = List.copyOf(sites);
        passed = Map.copyOf(passed);
    }

    /**
     * Of one site, summed over the cores.
     *
     * @param site its name
     * @param count how many there are
     * @param live in use, or kept for a handler that runs: never more than there are
     * @param peak sum of the most that were in use on each core. Near the count: the site limits its stages
     * @param served allocations from the region. What a handler keeps and does not use is not counted
     * @param refused tries of events and of allocations that found too few. Many of them: the events of the site's stages wait
     * @param fallbacks allocations that found none and came from the ordinary allocator. They are outside of the cache's budget
     * @param guards allocations that were too large, and buffers that outgrew their size: the declared size is too small
     * @param undeclared allocations of handlers whose stage has not declared so many: the plan does not say what the program does
     */
    public record SiteStats(
            String site,
            long count,
            int live,
            int peak,
            long served,
            long refused,
            long fallbacks,
            long guards,
            long undeclared) {}

    /**
     * The figures of one site.
     *
     * @param name of the plan; else an IllegalArgumentException
     * @return of it
     */
    public SiteStats site(String name) {
        return sites.stream()
                .filter(each -> each.site().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("site must be in the plan: site=" + name));
    }
}
