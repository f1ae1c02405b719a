// SPDX-License-Identifier: Apache-2.0
package io.mely.topology;

import io.mely.topology.CacheMap.Cache;
import io.mely.topology.CacheMap.Cpu;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

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
 * </pre>
 *
 * <p>Each kind that was replaced is one warning.
 */
final class CacheMapReader {
    static final String CPU_FOLDER = "devices/system/cpu";

    private final Path cpuFolder;

    CacheMapReader(Path root) {
        cpuFolder = root.resolve(CPU_FOLDER);
    }

    CacheMap read(CpuSet allowed) {
        CpuSet cpus = CpuSet.of(allowed.stream()
                .filter(cpu -> Files.isDirectory(file(cpu, "topology"))) // of one that is offline there is none
                .toArray());
        if (cpus.isEmpty()) {
            Texts.warn("Cache map: no allowed CPU is online and described below " + cpuFolder
                    + "; all allowed CPUs count as equally far apart: cpus=" + allowed);
            return CacheMap.flat(allowed);
        }
        if (cpus.size() < allowed.size()) {
            Texts.warn("Cache map: not every allowed CPU is online and described below " + cpuFolder
                    + "; left out: cpus=" + allowed.without(cpus));
        }
        List<Cpu> withoutCaches = new ArrayList<>();
        try {
            for (int cpu : cpus.stream().toArray()) {
                // The kernel says -1 where the firmware names no packages.
                int packageId = Math.max(0, Texts.number(file(cpu, "topology/physical_package_id")));
                CpuSet siblings = containing(cpu, file(cpu, "topology/thread_siblings_list"));
                withoutCaches.add(new Cpu(cpu, packageId, siblings, List.of()));
            }
        } catch (IOException e) {
            Texts.warn("Cache map: " + e.getMessage() + "; all CPUs count as equally far apart: cpus=" + cpus);
            return CacheMap.flat(cpus);
        }
        List<Cpu> all = new ArrayList<>();
        try {
            for (Cpu cpu : withoutCaches) {
                all.add(new Cpu(cpu.number(), cpu.packageId(), cpu.siblings(), readCaches(cpu.number())));
            }
        } catch (IOException e) {
            Texts.warn("Cache map: " + e.getMessage()
                    + "; caches do not count, only packages and SMT siblings do: cpus=" + cpus);
            return CacheMap.of(withoutCaches);
        }
        return CacheMap.of(all);
    }

    private Path file(int cpu, String name) {
        return cpuFolder.resolve("cpu" + cpu).resolve(name);
    }

    private List<Cache> readCaches(int cpu) throws IOException {
        List<Cache> caches = new ArrayList<>();
        int index = 0;
        for (Path folder = file(cpu, "cache/index0");
                Files.isDirectory(folder);
                folder = file(cpu, "cache/index" + index)) {
            index++;
            String type = Texts.read(folder.resolve("type"));
            if (type.equals("Data") || type.equals("Unified")) {
                int level = Texts.number(folder.resolve("level"));
                if (level < 1) {
                    throw Texts.wrong(folder.resolve("level"), "cache level", "" + level);
                }
                CpuSet sharing = containing(cpu, folder.resolve("shared_cpu_list"));
                caches.add(new Cache(level, readSizeBytes(folder.resolve("size")), sharing));
            }
        }
        if (caches.isEmpty()) {
            throw new IOException(file(cpu, "cache") + " describes no cache of data");
        }
        return caches;
    }

    /** Reads {@code 6144K}; the file is missing when the firmware gives no sizes. */
    private static long readSizeBytes(Path file) throws IOException {
        String size = Texts.read(file, "0K");
        if (!size.matches("\\d{1,12}K")) {
            throw Texts.wrong(file, "cache size", size);
        }
        return Long.parseLong(size.substring(0, size.length() - 1)) << 10;
    }

    private static CpuSet containing(int cpu, Path file) throws IOException {
        CpuSet set = Texts.cpus(file);
        if (!set.contains(cpu)) {
            throw new IOException(file + " does not contain CPU " + cpu + ": " + set);
        }
        return set;
    }
}
