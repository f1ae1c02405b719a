// SPDX-License-Identifier: Apache-2.0
package io.mely.topology;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Says how near the CPUs of a machine are to each other, so that an idle core can take work from a near one first. Covers the CPUs a process may use.
 *
 * <p><b>Costs.</b> Reading takes some ten small files per CPU; {@link #distance} is O(caches of a CPU). <b>Errors.</b> What cannot be read is replaced by something
 * that works; {@link #warnings} say by what, and have been logged. <b>Source.</b> The Mely paper, section 4.2: the cache map built from {@code /sys} at start.
 */
public final class CacheMap {
    private static final System.Logger LOG = System.getLogger("io.mely.topology");

    private final Map<Integer, Cpu> byNumber = new HashMap<>();
    private final CpuSet cpus;
    private final List<String> warnings;

    CacheMap(Collection<Cpu> cpus, List<String> warnings) {
        cpus.forEach(cpu -> byNumber.put(cpu.number(), cpu));
        if (byNumber.isEmpty() || byNumber.size() < cpus.size()) {
            throw new IllegalArgumentException("each CPU must be described once, and one at least: cpus=" + cpus);
        }
        this.cpus = CpuSet.of(cpus.stream().mapToInt(Cpu::number).toArray());
        this.warnings = List.copyOf(warnings);
        warnings.forEach(warning -> LOG.log(System.Logger.Level.WARNING, "Cache map: {0}", warning));
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

    /** The map of a machine that exists only as data, for tests and simulations. */
    public static CacheMap of(Collection<Cpu> cpus) {
        return new CacheMap(cpus, List.of());
    }

    /** The map of a machine of which nothing is known: all CPUs are equally far apart. */
    public static CacheMap flat(CpuSet cpus) {
        return flat(cpus, List.of());
    }

    static CacheMap flat(CpuSet cpus, List<String> warnings) {
        List<Cpu> all = cpus.stream()
                .mapToObj(cpu -> new Cpu(cpu, 0, CpuSet.of(cpu), List.of(), false))
                .toList();
        return new CacheMap(all, warnings);
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

    /** What was not as expected when the map was read, and what was done instead. */
    List<String> warnings() {
        return warnings;
    }

    /** How far apart two CPUs are; the same in both directions, even where the machine describes the two differently. */
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
        if (level <= CpuCache.LEVEL_MAX) {
            return level <= 2 ? Distance.SHARED_L2 : Distance.SHARED_L3;
        }
        return a.packageId() == b.packageId() ? Distance.SAME_PACKAGE : Distance.OTHER_PACKAGE;
    }

    private static int distanceSharedLevel(Cpu cpu, int other) {
        return cpu.caches().stream()
                .filter(cache -> cache.cpus().contains(other))
                .mapToInt(CpuCache::level)
                .min()
                .orElse(Integer.MAX_VALUE);
    }
}
