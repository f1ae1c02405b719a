// SPDX-License-Identifier: Apache-2.0
package io.mely.topology;

import java.util.Arrays;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Reads and sets affinity masks on Linux, and knows whether that works here.
 *
 * <p><b>Threads.</b> Any. <b>Costs.</b> 100 to 300 ms at the first use, which loads JNA; then about 100 ns a call.
 * <b>Errors.</b> {@link UnsupportedOperationException} with the reason when the calls cannot be made or the kernel
 * refuses.
 */
final class LinuxAffinity {
    private static final int CALLING_THREAD = 0;
    private static final int EINVAL = 22; // for a read: the buffer is smaller than the kernel's masks
    private static final int WORDS_MIN = 16; // 1,024 CPUs, the size glibc's cpu_set_t has
    private static final int WORDS_MAX = CpuSet.CPUS_MAX / Long.SIZE;

    private LinuxAffinity() {}

    /** Found once: loading JNA again after it failed would fail again. */
    private static final class Probe {
        static final @Nullable String REASON = find();

        private static @Nullable String find() {
            String os = System.getProperty("os.name", "");
            if (!os.toLowerCase(Locale.ROOT).startsWith("linux")) {
                return "not Linux but " + os;
            }
            try {
                return LinuxSched.is64Bit() ? null : "not a 64-bit process";
            } catch (LinkageError | RuntimeException e) {
                // A missing or denied JNA, or a libc without the calls. The cause says more than the failed initialiser
                // around it.
                Throwable cause = e.getCause() == null ? e : e.getCause();
                return "JNA failed: " + cause;
            }
        }
    }

    /** Why the calls cannot be made here; null when they can. */
    static @Nullable String unavailableReason() {
        return Probe.REASON;
    }

    private static void checkAvailable() {
        String reason = unavailableReason();
        if (reason != null) {
            throw new UnsupportedOperationException(reason);
        }
    }

    /**
     * The mask with which the process was started: that of its first thread, which runs no Java code and is never
     * pinned.
     */
    static CpuSet ofProcess() {
        return get(Math.toIntExact(ProcessHandle.current().pid()));
    }

    static CpuSet ofCallingThread() {
        return get(CALLING_THREAD);
    }

    private static CpuSet get(int tid) {
        checkAvailable();
        for (int words = WORDS_MIN; ; words *= 2) {
            long[] mask = new long[words];
            int error = LinuxSched.getAffinity(tid, mask);
            if (error == 0) {
                return CpuSet.ofMask(mask);
            }
            if (error != EINVAL || words >= WORDS_MAX) {
                throw new UnsupportedOperationException("sched_getaffinity failed: tid=" + tid + ", errno=" + error);
            }
        }
    }

    static void setCallingThread(CpuSet cpus) {
        checkAvailable();
        long[] mask = cpus.toMask();
        int error = LinuxSched.setAffinity(CALLING_THREAD, Arrays.copyOf(mask, Math.max(mask.length, WORDS_MIN)));
        if (error != 0) {
            throw new UnsupportedOperationException("sched_setaffinity failed: cpus=" + cpus + ", errno=" + error);
        }
    }

    /** The CPU the calling thread is on; -1 when the kernel does not say. */
    static int currentCpu() {
        checkAvailable();
        return LinuxSched.currentCpu();
    }
}
