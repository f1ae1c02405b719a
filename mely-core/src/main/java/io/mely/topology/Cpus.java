// SPDX-License-Identifier: Apache-2.0
package io.mely.topology;

import io.mely.topology.Texts.UnreadableException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Says which CPUs this process may use, and which one the caller is on.
 *
 * <p><b>Threads.</b> Any. <b>Costs.</b> The first call loads native code, 100 to 300 ms; {@link #current} then takes
 * about 100 ns. <b>Errors.</b> None: where the operating system cannot be asked, the next best source answers, with one
 * warning.
 */
public final class Cpus {
    private static final System.Logger LOG = System.getLogger("io.mely.topology");

    private Cpus() {}

    /** Read once: the runtime's own pinning must not change the answer. */
    private static final class AtStart {
        static final CpuSet ALLOWED = allowed(
                LinuxAffinity::ofProcess,
                Path.of("/"),
                Runtime.getRuntime().availableProcessors(),
                warning -> LOG.log(System.Logger.Level.WARNING, "{0}", warning));
    }

    /**
     * Says which CPUs the process was given when it started: by a cpuset, by {@code taskset}, or all there are.
     *
     * @return the CPUs; not empty, and the same at each call
     */
    public static CpuSet allowed() {
        return AtStart.ALLOWED;
    }

    /**
     * Says on which CPU the calling thread is at this moment; unless it is pinned, it may be elsewhere before the
     * answer arrives.
     *
     * @return the CPU; -1 where the operating system cannot be asked
     */
    public static int current() {
        return LinuxAffinity.unavailableReason() == null ? LinuxAffinity.currentCpu() : -1;
    }

    /**
     * Tries the sources in order: the mask from the kernel, its text in {@code /proc}, the cgroup's cpuset, and the
     * JVM's count.
     *
     * @param kernel asks for the mask; throws UnsupportedOperationException with the reason when it cannot
     * @param fsRoot the root of the file system, a folder in tests
     * @param processorCount the JVM's count of processors
     * @param warn takes the one warning when the first source fails
     */
    static CpuSet allowed(Supplier<CpuSet> kernel, Path fsRoot, int processorCount, Consumer<String> warn) {
        String reason = "the mask is empty";
        try {
            CpuSet cpus = kernel.get();
            if (!cpus.isEmpty()) {
                return cpus;
            }
        } catch (UnsupportedOperationException | IllegalArgumentException | ArithmeticException e) {
            reason = String.valueOf(e.getMessage());
        }
        CpuSet cpus = allowedFromStatus(fsRoot);
        String source = "/proc/self/status";
        if (cpus.isEmpty()) {
            cpus = allowedFromCpuset(fsRoot);
            source = "the cgroup's cpuset";
        }
        if (cpus.isEmpty()) {
            cpus = CpuSet.range(0, processorCount);
            source = "the JVM's count of processors";
        }
        warn.accept("The affinity mask cannot be read (" + reason + "); the allowed CPUs are taken from " + source
                + ": cpus=" + cpus);
        return cpus;
    }

    /** Empty when it cannot be read. */
    private static CpuSet allowedFromStatus(Path fsRoot) {
        try {
            String prefix = "Cpus_allowed_list:";
            for (String line : Texts.value(fsRoot.resolve("proc/self/status")).split("\n", -1)) {
                if (line.startsWith(prefix)) {
                    return allowedOnline(fsRoot, CpuSet.parse(line.substring(prefix.length())));
                }
            }
        } catch (UnreadableException | IllegalArgumentException e) {
            // The next source is asked, and the warning names the one that answered.
            return CpuSet.of();
        }
        return CpuSet.of();
    }

    /** Without the CPUs that are not there: unlike the mask, the text lists every CPU that could ever be. */
    private static CpuSet allowedOnline(Path fsRoot, CpuSet cpus) {
        try {
            return cpus.intersect(Texts.cpus(
                    fsRoot.resolve("sys").resolve(CacheMapReader.CPU_FOLDER).resolve("online")));
        } catch (UnreadableException e) {
            return cpus;
        }
    }

    /** Empty when it cannot be read. */
    private static CpuSet allowedFromCpuset(Path fsRoot) {
        try {
            Cgroups cgroups = Cgroups.read(fsRoot);
            for (Path folder : cgroups.foldersOf("cpuset")) {
                for (String name : new String[] {"cpuset.cpus.effective", "cpuset.effective_cpus", "cpuset.cpus"}) {
                    Path file = folder.resolve(name);
                    if (Files.exists(file)) {
                        return Texts.cpus(file);
                    }
                }
            }
        } catch (UnreadableException e) {
            return CpuSet.of();
        }
        return CpuSet.of();
    }
}
