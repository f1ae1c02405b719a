// SPDX-License-Identifier: Apache-2.0
package io.mely.topology;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Says on which CPU each core of a runtime should run, and how near the cores are to each other.
 *
 * <p>A plan is <em>placed</em>, each core on a CPU of its own, or <em>floating</em>: no core has a CPU, and all are
 * equally far apart.
 *
 * <p><b>Threads.</b> Any; immutable. <b>Costs.</b> Choosing is O(CPUs²). <b>Shape.</b> Cores are indexes from 0. The
 * CPUs of n cores are the first n CPUs of n + 1 cores, so a runtime that grows keeps its cores where they are.
 */
public final class CorePlan {
    private static final System.Logger LOG = System.getLogger("io.mely.topology");

    /** How a CPU stands among the CPUs of its map; lower tiers are used up first. */
    private record Candidate(int cpu, int tier, int cacheMateCount) {}

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
     *
     * @param allowed the CPUs this process may use
     * @param quota the CPU time its container grants
     * @return at least 1, at most the number of allowed CPUs
     */
    public static int defaultCores(CpuSet allowed, CpuQuota quota) {
        int granted = (int) Math.ceil(quota.cpus().orElse(CpuSet.CPUS_MAX)); // a cast saturates
        return Math.max(1, Math.min(allowed.size(), granted));
    }

    /**
     * Chooses the CPUs for a number of cores.
     *
     * <p>First one CPU of each physical core, the stronger ones of a hybrid machine before its efficient ones; SMT
     * siblings only then. Among equals those near to the CPUs chosen before, so that a last-level cache is filled
     * before the next is begun, starting with the one that has most to offer.
     *
     * @param map the CPUs to choose from
     * @param coreCount &gt;= 1; with more cores than CPUs the plan is floating, and a warning is logged
     * @return the plan
     * @throws IllegalArgumentException when {@code coreCount} is less than 1
     */
    public static CorePlan choose(CacheMap map, int coreCount) {
        checkCoreCount(coreCount);
        int cpuCount = map.cpus().size();
        if (coreCount > cpuCount) {
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
        List<Candidate> left = chooseCandidates(map);
        Map<Integer, Distance> nearest = new HashMap<>(); // to any chosen CPU, by CPU; none is chosen yet
        Comparator<Candidate> best = Comparator.comparingInt(Candidate::tier)
                .thenComparing(candidate -> nearest.getOrDefault(candidate.cpu(), Distance.OTHER_PACKAGE))
                .thenComparing(Candidate::cacheMateCount, Comparator.reverseOrder())
                .thenComparingInt(Candidate::cpu);
        int[] cpus = new int[coreCount];
        for (int core = 0; core < coreCount; core++) {
            Candidate chosen = left.stream().min(best).orElseThrow();
            left.remove(chosen);
            cpus[core] = chosen.cpu();
            for (Candidate other : left) {
                nearest.merge(
                        other.cpu(),
                        map.distance(chosen.cpu(), other.cpu()),
                        (d1, d2) -> d1.compareTo(d2) < 0 ? d1 : d2);
            }
        }
        return cpus;
    }

    private static List<Candidate> chooseCandidates(CacheMap map) {
        Map<Integer, Integer> tiers = new HashMap<>();
        map.cpus().stream().forEach(cpu -> tiers.put(cpu, tier(map, cpu)));
        List<Candidate> candidates = new ArrayList<>();
        tiers.forEach((cpu, tier) -> {
            long mateCount = tiers.entrySet().stream()
                    .filter(mate -> mate.getValue().equals(tier))
                    .filter(mate -> map.distance(cpu, mate.getKey()).compareTo(Distance.SHARED_L3) <= 0)
                    .count();
            candidates.add(new Candidate(cpu, tier, (int) mateCount));
        });
        return candidates;
    }

    /** 0: a physical core; 1: an efficient one; 2 and more: the further hardware threads of either, which add least. */
    private static int tier(CacheMap map, int cpu) {
        Cpu described = map.cpu(cpu);
        int rank = (int) described.siblings().intersect(map.cpus()).stream()
                .filter(sibling -> sibling < cpu)
                .count();
        return rank == 0 ? (described.isEfficient() ? 1 : 0) : rank + 1;
    }

    /**
     * Makes a plan without CPUs, for a runtime that does not pin.
     *
     * @param coreCount &gt;= 1
     * @return the plan; each core is as far from each other as if nothing were known of the caches
     * @throws IllegalArgumentException when {@code coreCount} is less than 1
     */
    public static CorePlan floating(int coreCount) {
        checkCoreCount(coreCount);
        int[] cpus = new int[coreCount];
        Arrays.fill(cpus, -1);
        return new CorePlan(null, cpus);
    }

    private static void checkCoreCount(int coreCount) {
        if (coreCount < 1 || coreCount > CpuSet.CPUS_MAX) {
            throw new IllegalArgumentException(
                    "coreCount must be from 1 to " + CpuSet.CPUS_MAX + ": coreCount=" + coreCount);
        }
    }

    /**
     * Counts the cores.
     *
     * @return how many cores are planned, &gt;= 1
     */
    public int coreCount() {
        return cpus.length;
    }

    /**
     * Says whether the cores have no CPUs of their own.
     *
     * @return whether {@link #cpu} has no answer
     */
    public boolean isFloating() {
        return map == null;
    }

    /**
     * Tells the CPU of a core.
     *
     * @param core 0 to {@link #coreCount} - 1
     * @return the CPU to pin its thread to; -1 when the plan is floating
     */
    public int cpu(int core) {
        return cpus[checkCore(core)];
    }

    /**
     * Tells how far apart two cores are.
     *
     * @param from 0 to {@link #coreCount} - 1
     * @param to 0 to {@link #coreCount} - 1
     * @return the same both ways
     */
    public Distance distance(int from, int to) {
        checkCore(from);
        checkCore(to);
        if (map != null) {
            return map.distance(cpus[from], cpus[to]);
        }
        return from == to ? Distance.SAME_CPU : Distance.SAME_PACKAGE;
    }

    /**
     * Lists the other cores, nearest first. Within one distance the order starts after the core's own index and wraps
     * around, so that neighbours do not all try the same core first.
     *
     * @param core 0 to {@link #coreCount} - 1
     * @return a new array of all other cores
     */
    public int[] nearestFirst(int core) {
        int count = coreCount();
        checkCore(core);
        // The sort is stable: it keeps the rotation inside a distance.
        return IntStream.range(1, count)
                .mapToObj(step -> (core + step) % count)
                .sorted(Comparator.comparing(to -> distance(core, to)))
                .mapToInt(Integer::intValue)
                .toArray();
    }

    private int checkCore(int core) {
        if (core < 0 || core >= cpus.length) {
            throw new IllegalArgumentException("core must be from 0 to " + (cpus.length - 1) + ": core=" + core);
        }
        return core;
    }

    @Override
    public String toString() {
        return isFloating()
                ? "CorePlan[cores=" + cpus.length + ", floating]"
                : "CorePlan[cores=" + cpus.length + ", cpus=" + Arrays.toString(cpus) + "]";
    }
}
