// SPDX-License-Identifier: Apache-2.0
package io.mely.topology;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * Says how near the CPUs of a machine are to each other, so that an idle core can take work from a near one first.
 *
 * <p>A map covers the CPUs a process may use, and is pure data: read from the running machine, from a folder that
 * describes another one (see the package documentation), or made from {@link Cpu} records.
 *
 * <p><b>Threads.</b> Any; immutable. <b>Costs.</b> Reading takes some ten small files per CPU; {@link #distance} is
 * O(caches of a CPU). <b>Bounds.</b> {@link CpuSet#CPUS_MAX} CPUs; files are read up to a limit. <b>Errors.</b> What
 * cannot be read is replaced by something that works; {@link #warnings} say by what, and have been logged.
 * <b>Source.</b> The Mely paper, section 4.2: the cache map built from {@code /sys} at start.
 *
 * @implNote Levels above 3 count as {@link Distance#SHARED_L3}; NUMA nodes inside a package make no difference to
 *     distances.
 */
public final class CacheMap {
    private static final System.Logger LOG = System.getLogger("io.mely.topology");
    private static final Path SYSFS = Path.of("/sys");

    private final Map<Integer, Cpu> byNumber;
    private final CpuSet cpus;
    private final List<String> warnings;

    private CacheMap(Collection<Cpu> cpus, List<String> warnings) {
        byNumber = new HashMap<>();
        for (Cpu cpu : cpus) {
            if (byNumber.put(cpu.number(), cpu) != null) {
                throw new IllegalArgumentException("a CPU must be described once: cpu=" + cpu.number());
            }
        }
        if (byNumber.isEmpty()) {
            throw new IllegalArgumentException("cpus must not be empty");
        }
        this.cpus = CpuSet.of(cpus.stream().mapToInt(Cpu::number).toArray());
        this.warnings = List.copyOf(warnings);
    }

    /**
     * Reads the map of the machine this program runs on; never fails.
     *
     * @param allowed the CPUs to cover, normally {@link Cpus#allowed()}; not empty
     * @return the map; flat, with a warning, where the machine does not describe itself
     */
    public static CacheMap ofThisMachine(CpuSet allowed) {
        return logged(new CacheMapReader(SYSFS).read(allowed));
    }

    /**
     * Reads the map of a machine that a folder describes; for this machine see {@link #ofThisMachine}.
     *
     * @param sysfsRoot a folder with the layout of {@code /sys}
     * @param allowed the CPUs to cover; not empty
     * @return the map; where a file inside the folder is missing or wrong, the rest of it with a warning
     * @throws IllegalArgumentException when the folder is none, or has no {@code devices/system/cpu}; the message names
     *     it
     */
    public static CacheMap read(Path sysfsRoot, CpuSet allowed) {
        if (!Files.exists(sysfsRoot)) {
            throw new IllegalArgumentException("the topology root does not exist: sysfsRoot=" + sysfsRoot);
        }
        if (!Files.isDirectory(sysfsRoot)) {
            throw new IllegalArgumentException("the topology root is not a directory: sysfsRoot=" + sysfsRoot);
        }
        Path cpuFolder = sysfsRoot.resolve(CacheMapReader.CPU_FOLDER);
        if (!Files.isDirectory(cpuFolder)) {
            throw new IllegalArgumentException("the topology root has no directory " + CacheMapReader.CPU_FOLDER
                    + " to describe the CPUs: sysfsRoot=" + sysfsRoot);
        }
        return logged(new CacheMapReader(sysfsRoot).read(allowed));
    }

    /**
     * Makes the map of a machine that exists only as data, for tests and simulations.
     *
     * @param cpus its CPUs, each once; not empty
     * @return the map
     */
    public static CacheMap of(Collection<Cpu> cpus) {
        return new CacheMap(cpus, List.of());
    }

    /**
     * Makes the map of a machine of which nothing is known: every CPU is a core of one package, and all are equally far
     * apart.
     *
     * @param cpus its CPUs; not empty
     * @return the map
     */
    public static CacheMap flat(CpuSet cpus) {
        return flat(cpus, List.of());
    }

    static CacheMap flat(CpuSet cpus, List<String> warnings) {
        List<Cpu> all = cpus.stream()
                .mapToObj(cpu -> new Cpu(cpu, 0, 0, CpuSet.of(cpu), List.of(), Cpu.CAPACITY_MAX, false))
                .toList();
        return new CacheMap(all, warnings);
    }

    static CacheMap of(Collection<Cpu> cpus, List<String> warnings) {
        return new CacheMap(cpus, warnings);
    }

    private static CacheMap logged(CacheMap map) {
        map.warnings.forEach(warning -> LOG.log(System.Logger.Level.WARNING, "Cache map: {0}", warning));
        return map;
    }

    /**
     * Says which CPUs the map covers.
     *
     * @return the numbers; not empty
     */
    public CpuSet cpus() {
        return cpus;
    }

    /**
     * Describes one CPU.
     *
     * @param number of a CPU in the map
     * @return its place and caches
     * @throws IllegalArgumentException when the map does not cover it
     */
    public Cpu cpu(int number) {
        Cpu cpu = byNumber.get(number);
        if (cpu == null) {
            throw new IllegalArgumentException("cpu must be in the cache map: cpu=" + number + ", map=" + cpus);
        }
        return cpu;
    }

    /**
     * Says what was not as expected when the map was read, and what was done instead.
     *
     * @return sentences, already logged; empty when all was well
     */
    public List<String> warnings() {
        return warnings;
    }

    /**
     * Tells how far apart two CPUs are; the same in both directions, even where the machine describes the two
     * differently.
     *
     * @param from number of a CPU in the map
     * @param to number of a CPU in the map
     * @return the distance
     * @throws IllegalArgumentException when the map does not cover one of them
     */
    public Distance distance(int from, int to) {
        Cpu a = cpu(from);
        Cpu b = cpu(to);
        if (from == to) {
            return Distance.SAME_CPU;
        }
        if (a.siblings().contains(to) || b.siblings().contains(from)) {
            return Distance.SMT_SIBLING;
        }
        int level = Math.min(distanceSharedLevel(a, to), distanceSharedLevel(b, from));
        if (level <= 2) {
            return Distance.SHARED_L2;
        }
        if (level <= CpuCache.LEVEL_MAX) {
            return Distance.SHARED_L3;
        }
        return a.packageId() == b.packageId() ? Distance.SAME_PACKAGE : Distance.OTHER_PACKAGE;
    }

    private static int distanceSharedLevel(Cpu cpu, int other) {
        int level = Integer.MAX_VALUE;
        for (CpuCache cache : cpu.caches()) {
            if (cache.bringsNear(other)) {
                level = Math.min(level, cache.level());
            }
        }
        return level;
    }

    /**
     * Lists the other CPUs, nearest first. Within one distance the order starts after the CPU's own number and wraps
     * around, so that neighbours do not all try the same CPU first.
     *
     * @param from number of a CPU in the map
     * @return a new array of all other CPUs
     * @throws IllegalArgumentException when the map does not cover it
     */
    public int[] nearestFirst(int from) {
        cpu(from);
        IntStream rotated = IntStream.concat(
                cpus.stream().filter(to -> to > from), cpus.stream().filter(to -> to < from));
        // The sort is stable: it keeps the rotation inside a distance.
        return rotated.boxed()
                .sorted(Comparator.comparing(to -> distance(from, to)))
                .mapToInt(Integer::intValue)
                .toArray();
    }

    @Override
    public String toString() {
        return "CacheMap[cpus=" + cpus + ", warnings=" + warnings.size() + "]";
    }
}
