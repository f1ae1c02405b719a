// SPDX-License-Identifier: Apache-2.0
package io.mely.topology;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/** The machines and containers below {@code src/test/resources}; see the README there. */
final class Machines {
    private Machines() {}

    /** A machine that is a folder: the root of its {@code sysfs}. */
    static Path folder(String name) {
        return resource("topology/" + name);
    }

    /** A container that is a folder: the root of its file system. */
    static Path container(String name) {
        return resource("cgroup/" + name);
    }

    static CacheMap e5410x2() {
        return CacheMap.read(folder("e5410x2"), CpuSet.range(0, 8));
    }

    static CacheMap read(String name, Path folder, int cpuCount) {
        return CacheMap.read(build(name, folder), CpuSet.range(0, cpuCount));
    }

    /** Makes the folder of a machine that is a text: per line a fact and the groups of CPUs that share one. */
    static Path build(String name, Path folder) {
        try {
            Path cpuFolder = Files.createDirectories(folder.resolve(CacheMapReader.CPU_FOLDER));
            int cacheIndex = 0;
            for (String line : Files.readAllLines(resource("topology/" + name + ".txt"))) {
                if (line.isEmpty() || line.startsWith("#")) {
                    continue;
                }
                String[] words = line.split(" +");
                boolean isCache = words[0].startsWith("L");
                int wordCount = isCache ? 3 : words[0].equals("max_freq") ? 2 : 1; // before the groups
                buildFact(words, Arrays.asList(words).subList(wordCount, words.length), cacheIndex, folder, cpuFolder);
                cacheIndex += isCache ? 1 : 0;
            }
            return folder;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void buildFact(String[] words, List<String> groups, int cacheIndex, Path root, Path cpuFolder) {
        for (int id = 0; id < groups.size(); id++) {
            String group = groups.get(id);
            if (words[0].equals("atom")) {
                write(root.resolve("devices/cpu_atom/cpus"), group);
            } else {
                for (int cpu : CpuSet.parse(group).stream().toArray()) {
                    buildCpuFact(words, group, id, cacheIndex, cpuFolder.resolve("cpu" + cpu));
                }
            }
        }
    }

    private static void buildCpuFact(String[] words, String group, int id, int cacheIndex, Path cpu) {
        switch (words[0]) {
            case "package" -> write(cpu.resolve("topology/physical_package_id"), "" + id);
            case "core" -> write(cpu.resolve("topology/thread_siblings_list"), group);
            case "max_freq" -> write(cpu.resolve("cpufreq/cpuinfo_max_freq"), words[1]);
            default -> {
                Path index = cpu.resolve("cache/index" + cacheIndex);
                write(index.resolve("level"), words[0].substring(1));
                write(index.resolve("type"), words[1]);
                write(index.resolve("size"), words[2]);
                write(index.resolve("shared_cpu_list"), group);
            }
        }
    }

    static void write(Path file, String text) {
        try {
            Files.createDirectories(file.getParent());
            Files.writeString(file, text + "\n");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Path resource(String name) {
        try {
            return Path.of(Machines.class.getResource("/" + name).toURI());
        } catch (URISyntaxException e) {
            throw new AssertionError(e);
        }
    }
}
