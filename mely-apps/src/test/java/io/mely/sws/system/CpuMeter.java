// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.system;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * How much of the machine's CPUs others used while a test ran: other processes, and what the hypervisor took away.
 *
 * <p>Whoever judges how evenly cores serve must know it: a core whose CPU somebody else uses serves less, whatever the server does.
 */
final class CpuMeter {
    private static final int BUSY_FIELDS = 8; // user to steal, of which two are idle
    private static final int IDLE = 3;
    private static final int IOWAIT = 4;

    private final long[] pids;
    private final long busyBefore;
    private final long totalBefore;
    private final long ownBefore;

    private CpuMeter(long... pids) throws IOException {
        this.pids = pids;
        long[] machine = machine();
        busyBefore = machine[0];
        totalBefore = machine[1];
        ownBefore = own();
    }

    /** Starts to measure what all but the test's own process and another one use. */
    static CpuMeter start(long pid) throws IOException {
        return new CpuMeter(ProcessHandle.current().pid(), pid);
    }

    /** The part of the machine's CPU time since the start that others used, 0 to 1. */
    double others() throws IOException {
        long[] machine = machine();
        long others = machine[0] - busyBefore - (own() - ownBefore);
        return Math.max(0, others) / (double) Math.max(1, machine[1] - totalBefore);
    }

    private static long[] machine() throws IOException {
        String[] fields = Files.readAllLines(Path.of("/proc/stat")).get(0).split(" +");
        long busy = 0;
        long total = 0;
        for (int i = 0; i < BUSY_FIELDS; i++) {
            long ticks = Long.parseLong(fields[i + 1]);
            total += ticks;
            busy += i == IDLE || i == IOWAIT ? 0 : ticks;
        }
        return new long[] {busy, total};
    }

    private long own() throws IOException {
        long ticks = 0;
        for (long pid : pids) {
            String stat = Files.readString(Path.of("/proc", String.valueOf(pid), "stat"));
            String[] fields =
                    stat.substring(stat.lastIndexOf(')') + 2).split(" "); // from the state on: the name may hold blanks
            ticks += Long.parseLong(fields[11]) + Long.parseLong(fields[12]);
        }
        return ticks;
    }
}
