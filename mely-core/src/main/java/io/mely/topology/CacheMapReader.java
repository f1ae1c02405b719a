// SPDX-License-Identifier: Apache-2.0
package io.mely.topology;

import io.mely.topology.Texts.UnreadableException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Reads a {@link CacheMap} from a {@code sysfs} tree.
 *
 * <p>Degrades by kinds of fact, not by CPU, for a map that knows one half of a machine would call the other half far
 * away:
 *
 * <pre>
 *   offline or not described     that CPU is left out; with none left, a flat map of the allowed ones
 *   package or siblings of one   a flat map: all CPUs equally far apart
 *   caches of one                no caches at all: packages and SMT siblings only
 *   speeds (optional)            all CPUs count as equally strong, no warning
 * </pre>
 *
 * <p>Each fact that was replaced is one warning of the map. <b>Threads.</b> One; used once.
 */
final class CacheMapReader {
    static final String CPU_FOLDER = "devices/system/cpu";

    private static final int CACHES_MAX = 16; // per CPU; five is the most seen

    /**
     * Below this share of the strongest CPU's frequency a CPU counts as an efficient one. Favoured CPUs of an ordinary
     * machine differ by less than 10 %, efficient ones by 20 % and more; the bound between is a guess. Intel's hybrid
     * machines name theirs instead.
     */
    private static final double EFFICIENT_SHARE_MAX = 0.85;

    private final Path root;
    private final Path cpuFolder;
    private final List<String> warnings = new ArrayList<>();

    CacheMapReader(Path root) {
        this.root = root;
        cpuFolder = root.resolve(CPU_FOLDER);
    }

    CacheMap read(CpuSet allowed) {
        if (allowed.isEmpty()) {
            throw new IllegalArgumentException("allowed must not be empty");
        }
        CpuSet cpus = readPresent(allowed);
        if (cpus.isEmpty()) {
            warnings.add("no allowed CPU is online and described below " + cpuFolder
                    + "; all allowed CPUs count as equally far apart: cpus=" + allowed);
            return CacheMap.flat(allowed, warnings);
        }
        Map<Integer, List<CpuCache>> caches = readCaches(cpus);
        CpuSet efficient = readEfficient(cpus);
        List<Cpu> all = new ArrayList<>();
        try {
            for (int cpu : cpus.stream().toArray()) {
                List<CpuCache> ofCpu = caches.getOrDefault(cpu, List.of());
                all.add(new Cpu(cpu, readPackage(cpu), readSiblings(cpu), ofCpu, efficient.contains(cpu)));
            }
        } catch (UnreadableException e) {
            warnings.add(e.getMessage() + "; all CPUs count as equally far apart: cpus=" + cpus);
            return CacheMap.flat(cpus, warnings);
        }
        return new CacheMap(all, warnings);
    }

    private Path cpuFile(int cpu, String name) {
        return cpuFolder.resolve("cpu" + cpu).resolve(name);
    }

    /** The allowed CPUs that are described and online; perhaps none. */
    private CpuSet readPresent(CpuSet allowed) {
        CpuSet online = allowed;
        Path onlineFile = cpuFolder.resolve("online");
        if (Files.exists(onlineFile)) { // a kernel without CPU hot-plug has none
            try {
                online = Texts.cpus(onlineFile);
            } catch (UnreadableException e) {
                warnings.add(e.getMessage() + "; all CPUs that have a folder count as online");
            }
        }
        int[] withFolder = allowed.stream()
                .filter(cpu -> Files.isDirectory(cpuFolder.resolve("cpu" + cpu)))
                .toArray();
        CpuSet present = online.intersect(CpuSet.of(withFolder));
        CpuSet missing = allowed.without(present);
        if (!missing.isEmpty() && !present.isEmpty()) {
            warnings.add(
                    "not every allowed CPU is online and described below " + cpuFolder + "; left out: cpus=" + missing);
        }
        return present;
    }

    /** The kernel says -1 where the firmware names no packages. */
    private int readPackage(int cpu) throws UnreadableException {
        long id = Texts.number(cpuFile(cpu, "topology/physical_package_id"));
        return (int) Math.max(0, Math.min(Integer.MAX_VALUE, id));
    }

    private CpuSet readSiblings(int cpu) throws UnreadableException {
        Path newName = cpuFile(cpu, "topology/core_cpus_list");
        Path file = Files.exists(newName) ? newName : cpuFile(cpu, "topology/thread_siblings_list");
        return containing(cpu, file);
    }

    private Map<Integer, List<CpuCache>> readCaches(CpuSet cpus) {
        Map<Integer, List<CpuCache>> caches = new HashMap<>();
        try {
            for (int cpu : cpus.stream().toArray()) {
                caches.put(cpu, readCachesOf(cpu));
            }
        } catch (UnreadableException e) {
            warnings.add(e.getMessage() + "; caches do not count, only packages and SMT siblings do: cpus=" + cpus);
            caches.clear();
        }
        return caches;
    }

    private List<CpuCache> readCachesOf(int cpu) throws UnreadableException {
        List<CpuCache> caches = new ArrayList<>();
        for (int index = 0; index < CACHES_MAX; index++) {
            Path folder = cpuFile(cpu, "cache/index" + index);
            if (!Files.isDirectory(folder)) {
                break;
            }
            String type = Texts.value(folder.resolve("type"));
            if (!type.equals("Data") && !type.equals("Unified")) {
                continue;
            }
            Path levelFile = folder.resolve("level");
            long level = Texts.number(levelFile);
            if (level < 1 || level > CpuCache.LEVEL_MAX) {
                throw new UnreadableException(levelFile + " holds no cache level: " + level);
            }
            Path sizeFile = folder.resolve("size"); // not there when the firmware gives no sizes
            long sizeBytes = Files.exists(sizeFile) ? readSize(sizeFile) : 0;
            caches.add(new CpuCache((int) level, sizeBytes, containing(cpu, folder.resolve("shared_cpu_list"))));
        }
        if (caches.isEmpty()) {
            throw new UnreadableException(cpuFile(cpu, "cache") + " describes no cache of data");
        }
        return caches;
    }

    /** Reads {@code 6144K}; the kernel always says K, a hand-written file may say M or nothing. */
    private static long readSize(Path file) throws UnreadableException {
        String value = Texts.value(file);
        if (!value.matches("\\d{1,12}[KM]?")) {
            throw new UnreadableException(file + " holds no cache size: " + Texts.quoted(value));
        }
        char unit = value.charAt(value.length() - 1);
        int shift = unit == 'K' ? 10 : unit == 'M' ? 20 : 0;
        return Long.parseLong(shift == 0 ? value : value.substring(0, value.length() - 1)) << shift;
    }

    private static CpuSet containing(int cpu, Path file) throws UnreadableException {
        CpuSet set = Texts.cpus(file);
        if (!set.contains(cpu)) {
            throw new UnreadableException(file + " does not contain CPU " + cpu + ": " + Texts.quoted(set.toString()));
        }
        return set;
    }

    /** By Intel's list, else by the CPUs' speeds. Most machines tell neither, and nothing is lost. */
    private CpuSet readEfficient(CpuSet cpus) {
        try {
            return Texts.cpus(root.resolve("devices/cpu_atom/cpus"));
        } catch (UnreadableException e) {
            CpuSet slow = readSlow(cpus, "cpu_capacity");
            return slow.isEmpty() ? readSlow(cpus, "cpufreq/cpuinfo_max_freq") : slow;
        }
    }

    /** Those well below the strongest; none when one does not tell. */
    private CpuSet readSlow(CpuSet cpus, String name) {
        Map<Integer, Long> speeds = new HashMap<>();
        try {
            for (int cpu : cpus.stream().toArray()) {
                speeds.put(cpu, Texts.number(cpuFile(cpu, name)));
            }
        } catch (UnreadableException e) {
            return CpuSet.of();
        }
        double bound =
                Collections.min(speeds.values()) > 0 ? EFFICIENT_SHARE_MAX * Collections.max(speeds.values()) : 0;
        speeds.values().removeIf(speed -> speed >= bound);
        return CpuSet.of(speeds.keySet().stream().mapToInt(Integer::intValue).toArray());
    }
}
