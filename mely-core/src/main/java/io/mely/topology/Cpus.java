// SPDX-License-Identifier: Apache-2.0
package io.mely.topology;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Says which CPUs this process may use, and how much of their time its container grants.
 *
 * <p><b>Threads.</b> Any. <b>Costs.</b> Reads small files, and calls no native code. <b>Errors.</b> What cannot be understood is a warning, which says what counts
 * instead.
 */
public final class Cpus {
    private static final String LINE = "Cpus_allowed_list:";
    private static final Pattern LIMIT = Pattern.compile("([1-9]\\d{0,17}) ([1-9]\\d{0,17})");
    private static final double NO_LIMIT = Double.POSITIVE_INFINITY;

    /** Where the hierarchies with CPU limits are mounted below {@code /sys/fs/cgroup}, by version; everybody mounts them there. */
    private static final List<String> VERSION_1 = List.of("cpu", "cpu,cpuacct");

    private static final List<String> VERSION_2 = List.of("", "unified");

    /** Read once: the runtime's own pinning must not change the answer. */
    private static final CpuSet ALLOWED =
            allowed(Path.of("/"), Runtime.getRuntime().availableProcessors());

    private Cpus() {}

    /** The CPUs that the process was given when it started: by a cpuset, by {@code taskset}, or all there are. Not empty. */
    public static CpuSet allowed() {
        return ALLOWED;
    }

    /**
     * Reads the mask of the process's first thread, which runs no Java code and is never pinned. Where there is none,
     * as outside Linux, the JVM's count is right.
     */
    static CpuSet allowed(Path fsRoot, int processorCount) {
        Path status = fsRoot.resolve("proc/self/status");
        CpuSet counted = CpuSet.range(0, processorCount);
        if (!Files.exists(status)) {
            return counted;
        }
        try {
            CpuSet mask = mask(status);
            Path online =
                    fsRoot.resolve("sys").resolve(CacheMapReader.CPU_FOLDER).resolve("online");
            // The mask lists every CPU that could ever be.
            CpuSet cpus = Files.exists(online) ? mask.intersect(Texts.cpus(online)) : mask;
            if (!cpus.isEmpty()) {
                return cpus;
            }
            throw new IOException("no CPU of it is online");
        } catch (IOException e) {
            Texts.warn("The affinity mask cannot be read (" + e.getMessage()
                    + "); the allowed CPUs are as many as the JVM counts: cpus=" + counted);
            return counted;
        }
    }

    /** The CPUs that a thread may run on, from its {@code status} file. */
    static CpuSet mask(Path status) throws IOException {
        for (String line : Texts.read(status).split("\n", -1)) {
            if (line.startsWith(LINE)) {
                try {
                    return CpuSet.parse(line.substring(LINE.length()));
                } catch (IllegalArgumentException e) {
                    throw new IOException(status + ": " + e.getMessage(), e);
                }
            }
        }
        throw new IOException(status + " has no line " + LINE);
    }

    /**
     * The CPU time that this process is granted at this moment, in CPUs: with 1.5, three threads that never rest get half a CPU each. Infinite without a limit, and outside Linux.
     *
     * <p>A quota is spent by whoever runs, also by a thread that only spins; when it is spent, all threads stop until the next period, typically for tens of
     * milliseconds. So a runtime under a quota does not spin.
     */
    public static double quota() {
        return quota(Path.of("/"));
    }

    /**
     * The least limit on the process's control group and all ancestors that can be seen, in both versions of cgroups.
     *
     * <p>{@code /proc/self/cgroup} has lines like {@code 4:cpu,cpuacct:/docker/1f} and, for version 2, {@code 0::/system.slice}. In a container the name may be that of
     * the host, or lead out of the mount ({@code /../..}). Then the mount point itself is the nearest group that can be seen.
     */
    static double quota(Path fsRoot) {
        double least = NO_LIMIT;
        Path mounts = fsRoot.resolve("sys/fs/cgroup");
        try {
            for (String line :
                    Texts.read(fsRoot.resolve("proc/self/cgroup"), "").split("\n", -1)) {
                String[] parts = line.split(":", 3); // a path may contain colons
                if (parts.length == 3) {
                    boolean isCpu = Arrays.asList(parts[1].split(",", -1)).contains("cpu");
                    for (String mount : parts[1].isEmpty() ? VERSION_2 : isCpu ? VERSION_1 : List.<String>of()) {
                        least = Math.min(least, least(mounts.resolve(mount), parts[2]));
                    }
                }
            }
        } catch (IOException | InvalidPathException e) {
            quotaUnreadable(e);
        }
        return least;
    }

    private static double least(Path mount, String name) {
        Path group = mount.resolve(name.replaceFirst("^/+", "")).normalize();
        double least = NO_LIMIT;
        // Ends at the mount point: each turn makes the path shorter.
        for (@Nullable Path folder = group.startsWith(mount) ? group : mount;
                folder != null && folder.startsWith(mount);
                folder = folder.getParent()) {
            try {
                least = Math.min(least, Math.min(version1(folder), version2(folder)));
            } catch (IOException e) {
                quotaUnreadable(e);
            }
        }
        return least;
    }

    private static void quotaUnreadable(Exception e) {
        Texts.warn("A CPU limit of the container cannot be read (" + e.getMessage() + "); it counts as none");
    }

    /** The quota is -1 where there is none. */
    private static double version1(Path folder) throws IOException {
        Path file = folder.resolve("cpu.cfs_quota_us");
        String quota = Texts.read(file, "-1");
        return quota.equals("-1")
                ? NO_LIMIT
                : limit(file, quota + " " + Texts.read(folder.resolve("cpu.cfs_period_us")));
    }

    /** {@code cpu.max} is "150000 100000", "max 100000" or "max"; the root group has none. */
    private static double version2(Path folder) throws IOException {
        Path file = folder.resolve("cpu.max");
        String limit = Texts.read(file, "max");
        return limit.startsWith("max") ? NO_LIMIT : limit(file, limit);
    }

    private static double limit(Path file, String text) throws IOException {
        Matcher limit = LIMIT.matcher(text);
        if (!limit.matches()) {
            throw Texts.wrong(file, "limit", text);
        }
        return Double.parseDouble(limit.group(1)) / Double.parseDouble(limit.group(2));
    }
}
