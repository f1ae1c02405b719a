// SPDX-License-Identifier: Apache-2.0
package io.mely.topology;

import io.mely.topology.Texts.UnreadableException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Consumer;

/** Says which CPUs this process may use, and which one the caller is on. Any thread. */
public final class Cpus {
    private static final System.Logger LOG = System.getLogger("io.mely.topology");
    private static final String LINE = "Cpus_allowed_list:";

    /** Read once: the runtime's own pinning must not change the answer. */
    private static final CpuSet ALLOWED = allowed(
            Path.of("/"),
            Runtime.getRuntime().availableProcessors(),
            warning -> LOG.log(System.Logger.Level.WARNING, "{0}", warning));

    private Cpus() {}

    /**
     * Says which CPUs the process was given when it started: by a cpuset, by {@code taskset}, or all there are. Not
     * empty. Reads two small files at the first call, and calls no native code.
     */
    public static CpuSet allowed() {
        return ALLOWED;
    }

    /** The CPU the calling thread is on at this moment; -1 where the system does not say. Loads JNA. */
    public static int current() {
        return LinuxAffinity.currentCpu();
    }

    /**
     * Reads the mask of the process's first thread, which runs no Java code and is never pinned. Where there is none,
     * as outside Linux, the JVM's count is right.
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
            if (line.startsWith(LINE)) {
                return CpuSet.parse(line.substring(LINE.length()));
            }
        }
        throw new UnreadableException(status + " has no line " + LINE);
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
