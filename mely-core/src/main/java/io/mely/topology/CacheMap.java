// SPDX-License-Identifier: Apache-2.0
package io.mely.topology;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * Says how near the CPUs of a machine are to each other, so that an idle core can take work from a near one first. Covers the CPUs a process may use.
 *
 * <p><b>Costs.</b> Reading takes some ten small files per CPU; {@link #distance} is O(caches of a CPU). <b>Errors.</b> What cannot be read is replaced by something
 * that works, and a warning says by what. <b>Source.</b> The Mely paper, section 4.2: the cache map built from {@code /sys} at start.
 */
public final class CacheMap {
    /**
     * One CPU: its place and its caches.
     *
     * @param number the kernel's number of this CPU
     * @param packageId of the chip it is on
     * @param siblings the hardware threads of its physical core, itself included
     * @param caches those that hold data, nearest first; empty when unknown
     */
    public record Cpu(int number, int packageId, CpuSet siblings, List<Cache> caches) {}

    /**
     * One cache that holds data, as seen from a CPU that uses it. Sharing instructions brings nobody nearer to another's data.
     *
     * @param level 1 for the nearest to the CPU
     * @param sizeBytes its size; 0 when the machine does not say
     * @param cpus who shares it, the CPU itself included; may name CPUs that this process may not use
     */
    public record Cache(int level, long sizeBytes, CpuSet cpus) {}

    private final Map<Integer, Cpu> byNumber = new HashMap<>();
    private final CpuSet cpus;

    private CacheMap(Collection<Cpu> cpus) {
        cpus.forEach(cpu -> byNumber.put(cpu.number(), cpu));
        if (byNumber.isEmpty() || byNumber.size() < cpus.size()) {
            throw new IllegalArgumentException("each CPU must be described once, and one at least: cpus=" + cpus);
        }
        this.cpus = CpuSet.of(cpus.stream().mapToInt(Cpu::number).toArray());
    }

    /** Reads the map of the machine this program runs on; flat, with a warning, where the machine does not describe itself. */
    public static CacheMap ofThisMachine(CpuSet allowed) {
        return new CacheMapReader(Path.of("/sys")).read(allowed);
    }

    /**
     * Reads the map of a machine that a folder describes. Where a file inside is missing or wrong, it is the rest of the map with a warning.
     *
     * @throws IllegalArgumentException when the folder is none, or has no {@code devices/system/cpu}; the message names it
     */
    public static CacheMap read(Path sysfsRoot, CpuSet allowed) {
        if (!Files.isDirectory(sysfsRoot.resolve(CacheMapReader.CPU_FOLDER))) {
            throw new IllegalArgumentException("the topology root must be a directory with a directory "
                    + CacheMapReader.CPU_FOLDER + " to describe the CPUs: sysfsRoot=" + sysfsRoot);
        }
        return new CacheMapReader(sysfsRoot).read(allowed);
    }

    /** The map of a machine that exists only as data. */
    public static CacheMap of(Collection<Cpu> cpus) {
        return new CacheMap(cpus);
    }

    /** The map of a machine of which nothing is known: all CPUs are equally far apart. */
    public static CacheMap flat(CpuSet cpus) {
        return of(cpus.stream()
                .mapToObj(cpu -> new Cpu(cpu, 0, CpuSet.of(cpu), List.of()))
                .toList());
    }

    /** The CPUs the map covers; not empty. */
    public CpuSet cpus() {
        return cpus;
    }

    /** One of them; else an IllegalArgumentException. */
    public Cpu cpu(int number) {
        Cpu cpu = byNumber.get(number);
        if (cpu == null) {
            throw new IllegalArgumentException("cpu must be in the cache map: cpu=" + number + ", map=" + cpus);
        }
        return cpu;
    }

    /** How far apart two CPUs are; the same in both directions, even where the machine describes the two differently. */
    public Distance distance(int from, int to) {
        Cpu a = cpu(from);
        Cpu b = cpu(to);
        if (from == to) {
            return Distance.SAME_CPU;
        }
        int level = Math.min(sharedLevel(a, to), sharedLevel(b, from));
        if (level < Integer.MAX_VALUE) {
            return level == 0 ? Distance.SMT_SIBLING : level <= 2 ? Distance.SHARED_L2 : Distance.SHARED_L3;
        }
        return a.packageId() == b.packageId() ? Distance.SAME_PACKAGE : Distance.OTHER_PACKAGE;
    }

    /** The level of the nearest cache that the two share, 0 if they share all of their core; the largest number if they share none. */
    private static int sharedLevel(Cpu cpu, int other) {
        if (cpu.siblings().contains(other)) {
            return 0;
        }
        return cpu.caches().stream()
                .filter(cache -> cache.cpus().contains(other))
                .mapToInt(Cache::level)
                .min()
                .orElse(Integer.MAX_VALUE);
    }

    /**
     * Chooses a CPU for each of a number of cores.
     *
     * <p>First one CPU of each physical core; SMT siblings only then, which add least. Among these a package is filled before the next is begun, and in it a cache before
     * the next, starting with the ones that have most to offer. Of a hybrid machine the strong CPUs come first, as Intel's are numbered before the efficient ones.
     *
     * <p><b>Costs.</b> O(CPUs²).
     *
     * @return by core; with more cores than CPUs -1 for all, and a warning is logged
     */
    public int[] choose(int coreCount) {
        if (coreCount > cpus.size()) {
            Texts.warn("More cores than CPUs; core threads are not pinned and share the CPUs: cores=" + coreCount
                    + ", cpus=" + cpus);
            return IntStream.generate(() -> -1).limit(coreCount).toArray();
        }
        Map<Integer, int[]> places = new HashMap<>();
        byNumber.keySet().forEach(cpu -> places.put(cpu, place(cpu)));
        return cpus.stream()
                .boxed()
                .sorted(Comparator.comparing(places::get, Arrays::compare))
                .mapToInt(Integer::intValue)
                .limit(coreCount)
                .toArray();
    }

    /** The rank among the siblings; how many of that rank are in the package (most first), and which is the first; the same for the cache; the first that shares L2; the number. */
    private int[] place(int cpu) {
        int[] inPackage = mates(cpu, Distance.SAME_PACKAGE);
        int[] inCache = mates(cpu, Distance.SHARED_L3);
        int[] inL2 = mates(cpu, Distance.SHARED_L2);
        return new int[] {rank(cpu), -inPackage.length, inPackage[0], -inCache.length, inCache[0], inL2[0], cpu};
    }

    /** The CPUs of the same rank up to a distance, itself included. */
    private int[] mates(int cpu, Distance farthest) {
        int rank = rank(cpu);
        return cpus.stream()
                .filter(mate -> rank(mate) == rank && distance(cpu, mate).compareTo(farthest) <= 0)
                .toArray();
    }

    /** How many hardware threads of the same physical core come before this one. */
    private int rank(int cpu) {
        return (int) cpu(cpu).siblings().stream()
                .filter(sibling -> sibling < cpu && cpus.contains(sibling))
                .count();
    }
}
