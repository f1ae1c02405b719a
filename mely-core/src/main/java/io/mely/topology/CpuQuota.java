// SPDX-License-Identifier: Apache-2.0
package io.mely.topology;

import io.mely.topology.Texts.UnreadableException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Consumer;

/**
 * How much CPU time this process's container grants it, in CPUs: with 1.5, three threads that never rest get half a CPU
 * each.
 *
 * <p>A quota is spent by whoever runs, also by a thread that only spins; when it is spent, all threads stop until the
 * next period, typically for tens of milliseconds. So a runtime under a quota does not spin.
 *
 * @param cpus seconds of CPU time per second, &gt; 0; infinite where there is no limit
 */
public record CpuQuota(double cpus) {
    private static final System.Logger LOG = System.getLogger("io.mely.topology");
    private static final double NO_LIMIT = Double.POSITIVE_INFINITY;

    /** Checks the bound. */
    public CpuQuota {
        if (!(cpus > 0)) {
            throw new IllegalArgumentException("cpus must be > 0: cpus=" + cpus);
        }
    }

    /**
     * Reads the limit of this process at this moment: the least on its control group and all ancestors that can be
     * seen, in both versions of cgroups. None outside Linux, nor, with one warning, where it cannot be understood.
     */
    public static CpuQuota ofThisProcess() {
        return read(Path.of("/"), warning -> LOG.log(System.Logger.Level.WARNING, "{0}", warning));
    }

    /** The same in any folder with {@code proc/self} and the cgroup mounts in it. */
    static CpuQuota read(Path fsRoot, Consumer<String> warn) {
        double least = NO_LIMIT;
        String trouble = "";
        try {
            for (Path folder : new Cgroups(fsRoot).cpuFolders()) {
                try {
                    least = Math.min(least, Math.min(readVersion2(folder), readVersion1(folder)));
                } catch (UnreadableException e) {
                    trouble = trouble.isEmpty() ? String.valueOf(e.getMessage()) : trouble;
                }
            }
        } catch (UnreadableException e) {
            trouble = String.valueOf(e.getMessage());
        }
        CpuQuota quota = new CpuQuota(least);
        if (!trouble.isEmpty()) {
            warn.accept(
                    "A CPU limit of the container cannot be read (" + trouble + "); it counts as none: quota=" + quota);
        }
        return quota;
    }

    /** {@code cpu.max} is "150000 100000", "max 100000" or "max"; the root group has none. */
    private static double readVersion2(Path folder) throws UnreadableException {
        Path file = folder.resolve("cpu.max");
        if (!Files.exists(file)) {
            return NO_LIMIT;
        }
        String value = Texts.value(file);
        if (value.matches("max( \\d{1,18})?")) {
            return NO_LIMIT;
        }
        if (!value.matches("\\d{1,18} \\d{1,18}")) {
            throw new UnreadableException(file + " holds no limit: " + Texts.quoted(value));
        }
        String[] numbers = value.split(" ", -1);
        return ratio(Long.parseLong(numbers[0]), Long.parseLong(numbers[1]), file);
    }

    /** A quota below 0 is none. */
    private static double readVersion1(Path folder) throws UnreadableException {
        Path file = folder.resolve("cpu.cfs_quota_us");
        if (!Files.exists(file)) {
            return NO_LIMIT;
        }
        long quotaUs = Texts.number(file);
        return quotaUs < 0 ? NO_LIMIT : ratio(quotaUs, Texts.number(folder.resolve("cpu.cfs_period_us")), file);
    }

    private static double ratio(long quotaUs, long periodUs, Path file) throws UnreadableException {
        if (quotaUs <= 0 || periodUs <= 0) {
            throw new UnreadableException(file + " holds no limit: quotaUs=" + quotaUs + ", periodUs=" + periodUs);
        }
        return (double) quotaUs / periodUs;
    }

    /** Whether there is a limit; a runtime that has one must not spin. */
    public boolean isLimited() {
        return !Double.isInfinite(cpus);
    }
}
