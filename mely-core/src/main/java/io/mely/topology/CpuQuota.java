// SPDX-License-Identifier: Apache-2.0
package io.mely.topology;

import io.mely.topology.Texts.UnreadableException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalDouble;
import java.util.function.Consumer;

/**
 * How much CPU time this process's container grants it, in CPUs: with 1.5, three threads that never rest get half a CPU
 * each.
 *
 * <p>A quota is spent by whoever runs, also by a thread that only spins; when it is spent, all threads stop until the
 * next period, typically for tens of milliseconds. So a runtime under a quota does not spin.
 *
 * <p><b>Threads.</b> Any; immutable. <b>Units.</b> CPUs, that is seconds of CPU time per second. <b>Errors.</b> A limit
 * that cannot be understood counts as none, with one warning.
 */
public final class CpuQuota {
    private static final System.Logger LOG = System.getLogger("io.mely.topology");
    private static final CpuQuota NONE = new CpuQuota(Double.POSITIVE_INFINITY);

    private final double cpus; // infinite: no limit

    private CpuQuota(double cpus) {
        this.cpus = cpus;
    }

    /**
     * Reads the limit of this process: the least on its control group and all ancestors that can be seen, in both
     * versions of cgroups.
     *
     * @return the limit at this moment; {@link #none} outside Linux
     */
    public static CpuQuota ofThisProcess() {
        return read(Path.of("/"), warning -> LOG.log(System.Logger.Level.WARNING, "{0}", warning));
    }

    /**
     * The absence of a limit.
     *
     * @return a quota that limits nothing
     */
    public static CpuQuota none() {
        return NONE;
    }

    /**
     * Makes a limit, for tests and simulations.
     *
     * @param cpus the limit, &gt; 0 and finite
     * @return the quota
     */
    public static CpuQuota of(double cpus) {
        if (!(cpus > 0) || Double.isInfinite(cpus)) {
            throw new IllegalArgumentException("cpus must be > 0 and finite: cpus=" + cpus);
        }
        return new CpuQuota(cpus);
    }

    /**
     * Reads the limit in any file system.
     *
     * @param fsRoot {@code /}, or a folder with {@code proc/self} and the cgroup mounts in it
     * @param warn takes at most one warning
     */
    static CpuQuota read(Path fsRoot, Consumer<String> warn) {
        double least = Double.POSITIVE_INFINITY;
        String trouble = "";
        try {
            for (Path folder : Cgroups.read(fsRoot).cpuFolders()) {
                try {
                    least = Math.min(least, Math.min(readVersion2(folder), readVersion1(folder)));
                } catch (UnreadableException e) {
                    trouble = trouble.isEmpty() ? String.valueOf(e.getMessage()) : trouble;
                }
            }
        } catch (UnreadableException e) {
            trouble = String.valueOf(e.getMessage());
        }
        CpuQuota quota = Double.isInfinite(least) ? NONE : new CpuQuota(least);
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
            return Double.POSITIVE_INFINITY;
        }
        String value = Texts.value(file);
        if (value.matches("max( \\d{1,18})?")) {
            return Double.POSITIVE_INFINITY;
        }
        if (!value.matches("\\d{1,18} \\d{1,18}")) {
            throw new UnreadableException(file + " holds no limit: " + Texts.quoted(value));
        }
        int space = value.indexOf(' ');
        return ratio(Long.parseLong(value.substring(0, space)), Long.parseLong(value.substring(space + 1)), file);
    }

    /** A quota below 0 is none. */
    private static double readVersion1(Path folder) throws UnreadableException {
        Path file = folder.resolve("cpu.cfs_quota_us");
        if (!Files.exists(file)) {
            return Double.POSITIVE_INFINITY;
        }
        long quotaUs = Texts.number(file);
        return quotaUs < 0
                ? Double.POSITIVE_INFINITY
                : ratio(quotaUs, Texts.number(folder.resolve("cpu.cfs_period_us")), file);
    }

    private static double ratio(long quotaUs, long periodUs, Path file) throws UnreadableException {
        if (quotaUs <= 0 || periodUs <= 0) {
            throw new UnreadableException(file + " holds no limit: quotaUs=" + quotaUs + ", periodUs=" + periodUs);
        }
        return (double) quotaUs / periodUs;
    }

    /**
     * Tells the limit.
     *
     * @return the CPUs granted; empty when there is no limit
     */
    public OptionalDouble cpus() {
        return isLimited() ? OptionalDouble.of(cpus) : OptionalDouble.empty();
    }

    /**
     * Says whether there is a limit; a runtime that has one must not spin.
     *
     * @return whether CPU time is limited
     */
    public boolean isLimited() {
        return !Double.isInfinite(cpus);
    }

    @Override
    public String toString() {
        return isLimited() ? "CpuQuota[cpus=" + cpus + "]" : "CpuQuota[none]";
    }
}
