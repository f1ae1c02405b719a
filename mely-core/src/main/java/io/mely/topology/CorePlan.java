// SPDX-License-Identifier: Apache-2.0
package io.mely.topology;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Says on which CPU each core of a runtime should run, and how near the cores are to each other.
 *
 * <p>A plan is <em>placed</em>, each core on a CPU of its own, or <em>floating</em>: no core has a CPU, and all are
 * equally far apart. <b>Costs.</b> Choosing is O(CPUs²).
 */
public final class CorePlan {
    private static final System.Logger LOG = System.getLogger("io.mely.topology");

    private final @Nullable CacheMap map; // null in a floating plan
    private final int[] cpus; // by core; -1 in a floating plan

    private CorePlan(@Nullable CacheMap map, int[] cpus) {
        this.map = map;
        this.cpus = cpus;
    }

    /**
     * Decides how many cores a runtime has when nobody says.
     *
     * <p>A quota is rounded up: 1.5 CPUs are two cores. Rounding down would certainly waste half a CPU, while two cores
     * that share 1.5 CPUs are throttled only when both are busy for long, and a runtime under a quota does not spin.
     * The JVM rounds the same way.
     */
    public static int defaultCores(CpuSet allowed, CpuQuota quota) {
        int granted = (int) Math.ceil(quota.cpus()); // a cast saturates
        return Math.max(1, Math.min(allowed.size(), granted));
    }

    /**
     * Chooses the CPUs for a number of cores. With more cores than CPUs the plan is floating, and a warning is logged.
     *
     * <p>First one CPU of each physical core, the stronger ones of a hybrid machine before its efficient ones; SMT
     * siblings only then. Among equals those near to the CPUs chosen before, so that a last-level cache is filled
     * before the next is begun, starting with the one that has most to offer.
     */
    public static CorePlan choose(CacheMap map, int coreCount) {
        if (coreCount > map.cpus().size()) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "More cores than CPUs; core threads are not pinned and share the CPUs: cores=" + coreCount
                            + ", cpus=" + map.cpus());
            return floating(coreCount);
        }
        return new CorePlan(map, chooseCpus(map, coreCount));
    }

    /**
     * One CPU after the other, the best of what is left: lowest tier, nearest to those chosen, largest last-level
     * cache.
     */
    private static int[] chooseCpus(CacheMap map, int coreCount) {
        List<Integer> left = new ArrayList<>(map.cpus().stream().boxed().toList());
        Map<Integer, Integer> tiers = new HashMap<>();
        left.forEach(cpu -> tiers.put(cpu, tier(map, cpu)));
        Map<Integer, Long> mates = new HashMap<>(); // of its tier and cache
        tiers.forEach((cpu, tier) -> mates.put(
                cpu,
                tiers.entrySet().stream()
                        .filter(mate -> mate.getValue().equals(tier))
                        .filter(mate -> map.distance(cpu, mate.getKey()).compareTo(Distance.SHARED_L3) <= 0)
                        .count()));
        Map<Integer, Distance> nearest = new HashMap<>(); // to any chosen CPU; none is chosen yet
        Comparator<Integer> best = Comparator.<Integer, Integer>comparing(tiers::get)
                .thenComparing(cpu -> nearest.getOrDefault(cpu, Distance.OTHER_PACKAGE))
                .thenComparing(mates::get, Comparator.reverseOrder())
                .thenComparing(Comparator.naturalOrder());
        int[] cpus = new int[coreCount];
        for (int core = 0; core < coreCount; core++) {
            Integer chosen = left.stream().min(best).orElseThrow();
            left.remove(chosen);
            cpus[core] = chosen;
            for (int other : left) {
                nearest.merge(other, map.distance(chosen, other), (d1, d2) -> d1.compareTo(d2) < 0 ? d1 : d2);
            }
        }
        return cpus;
    }

    /** 0: a physical core; 1: an efficient one; 2 and more: the further hardware threads of either, which add least. */
    private static int tier(CacheMap map, int cpu) {
        Cpu described = map.cpu(cpu);
        int rank = (int) described.siblings().intersect(map.cpus()).stream()
                .filter(sibling -> sibling < cpu)
                .count();
        return rank == 0 ? (described.isEfficient() ? 1 : 0) : rank + 1;
    }

    /** A plan without CPUs, for a runtime that does not pin: all cores are as far apart as if nothing were known of the caches. */
    public static CorePlan floating(int coreCount) {
        int[] cpus = new int[coreCount];
        Arrays.fill(cpus, -1);
        return new CorePlan(null, cpus);
    }

    /** How many cores are planned. */
    public int coreCount() {
        return cpus.length;
    }

    /** Whether the cores have no CPUs of their own. */
    public boolean isFloating() {
        return map == null;
    }

    /** The CPU to pin a core's thread to; -1 when the plan is floating. */
    public int cpu(int core) {
        return cpus[core];
    }

    /** How far apart two cores are; the same both ways. */
    public Distance distance(int from, int to) {
        if (map != null) {
            return map.distance(cpus[from], cpus[to]);
        }
        return from == to ? Distance.SAME_CPU : Distance.SAME_PACKAGE;
    }

    @Override
    public String toString() {
        return isFloating()
                ? "CorePlan[cores=" + cpus.length + ", floating]"
                : "CorePlan[cores=" + cpus.length + ", cpus=" + Arrays.toString(cpus) + "]";
    }
}
