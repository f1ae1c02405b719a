// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.load;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A control group that may use a part of one CPU, in periods of 10 ms, as containers do. Needs the right to make one: root, and a hierarchy that is
 * mounted for writing.
 */
final class CpuQuota implements AutoCloseable {
    private static final int PERIOD_US = 10_000;
    private static final Path UNIFIED = Path.of("/sys/fs/cgroup");
    private static final Path LEGACY = Path.of("/sys/fs/cgroup/cpu");
    private static final long EMPTY_NS = TimeUnit.SECONDS.toNanos(5);
    private static final long LOOK_NS = 10_000_000;

    private final @Nullable Path group;

    private CpuQuota(@Nullable Path group) {
        this.group = group;
    }

    /**
     * Makes a group; none if all is allowed.
     *
     * @param percent of one CPU; 0 for no quota
     * @throws IOException if there may be none
     */
    static CpuQuota of(int percent) throws IOException {
        if (percent == 0) {
            return new CpuQuota(null);
        }
        int quotaUs = PERIOD_US * percent / 100;
        boolean isLegacy = Files.exists(LEGACY.resolve("cpu.cfs_quota_us"))
                || Files.exists(LEGACY.resolve("cpu.cfs_period_us"))
                || !Files.exists(UNIFIED.resolve("cgroup.controllers"));
        Path group = (isLegacy ? LEGACY : UNIFIED)
                .resolve("mely-overload-" + ProcessHandle.current().pid());
        try {
            Files.createDirectory(group);
            if (isLegacy) {
                Files.writeString(group.resolve("cpu.cfs_period_us"), String.valueOf(PERIOD_US));
                Files.writeString(group.resolve("cpu.cfs_quota_us"), String.valueOf(quotaUs));
            } else {
                Files.writeString(group.resolve("cpu.max"), quotaUs + " " + PERIOD_US);
            }
        } catch (IOException e) {
            Files.deleteIfExists(group);
            throw new IOException("no CPU quota can be set: " + e.getMessage(), e);
        }
        return new CpuQuota(group);
    }

    /** What a command begins with that is to run in it, with all that it starts. */
    List<String> prefix() {
        return group == null
                ? List.of()
                : List.of(
                        "sh",
                        "-c",
                        "echo $$ > \"$0\" && exec \"$@\"",
                        group.resolve("cgroup.procs").toString());
    }

    /** When what ran in it has ended. */
    @Override
    public void close() throws IOException {
        if (group == null) {
            return;
        }
        long endNs = System.nanoTime() + EMPTY_NS;
        while (!Files.readString(group.resolve("cgroup.procs")).isBlank() && System.nanoTime() - endNs < 0) {
            LockSupport.parkNanos(LOOK_NS);
        }
        Files.delete(group);
    }
}
