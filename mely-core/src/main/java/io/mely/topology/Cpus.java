// SPDX-License-Identifier: Apache-2.0
package io.mely.topology;

import io.mely.topology.Texts.UnreadableException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Consumer;

/** Says which CPUs this process may use, and which one the caller is on. Any thread. */
public final class Cpus {
    private static final System.Logger LOG = System.getLogger("io.mely.topology");
    private static final String ALLOWED = "Cpus_allowed_list:";

    private Cpus() {}

    /** Read once: the runtime's own pinning must not change the answer. */
    private static final class AtStart {
        static final CpuSet ALLOWED = allowed(
                Path.of("/"),
                Runtime.getRuntime().availableProcessors(),
                warning -> LOG.log(System.Logger.Level.WARNING, "{0}", warning));
    }

    /**
     * Says which CPUs the process was given when it started: by a cpuset, by {@code taskset}, or all there are. Reads
     * two small files at the first call; calls no native code.
     *
     * @return the CPUs; not empty, and the same at each call
     */
    public static CpuSet allowed() {
        return AtStart.ALLOWED;
    }

    /**
     * Says on which CPU the calling thread is at this moment. Unless it is pinned, it may be elsewhere before the
     * answer arrives.
     *
     * @return the CPU; -1 where the operating system cannot be asked
     */
    public static int current() {
        return LinuxAffinity.currentCpu();
    }

    /**
     * Reads the mask of the process's first thread, which runs no Java code and is never pinned. Where there is none,
     * as outside Linux, the JVM's count is right.
     *
     * @param fsRoot the root of the file system, a folder in tests
     * @param processorCount the JVM's count of processors
     * @param warn takes the one warning when the mask cannot be understood
     */
    static CpuSet allowed(Path fsRoot, int processorCount, Consumer<String> warn) {
        Path status = fsRoot.resolve("proc/self/status");
        CpuSet counted = CpuSet.range(0, processorCount);
        if (!Files.exists(status)) {
            return counted;
        }
        String reason = "no CPU of it is online";
        try {
            CpuSet cpus = allowedOnline(fsRoot, allowedOf(status));
            if (!cpus.isEmpty()) {
                return cpus;
            }
        } catch (UnreadableException | IllegalArgumentException e) {
            reason = e.getMessage();
        }
        warn.accept("The affinity mask cannot be read (" + reason
                + "); the allowed CPUs are as many as the JVM counts: cpus=" + counted);
        return counted;
    }

    private static CpuSet allowedOf(Path status) throws UnreadableException {
        for (String line : Texts.value(status).split("\n", -1)) {
            if (line.startsWith(ALLOWED)) {
                return CpuSet.parse(line.substring(ALLOWED.length()));
            }
        }
        throw new UnreadableException(status + " has no line " + ALLOWED);
    }

    /** Without the CPUs that are not there: the mask lists every CPU that could ever be. */
    private static CpuSet allowedOnline(Path fsRoot, CpuSet cpus) {
        try {
            return cpus.intersect(Texts.cpus(
                    fsRoot.resolve("sys").resolve(CacheMapReader.CPU_FOLDER).resolve("online")));
        } catch (UnreadableException e) {
            return cpus;
        }
    }
}
