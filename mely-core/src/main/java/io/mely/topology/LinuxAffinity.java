// SPDX-License-Identifier: Apache-2.0
package io.mely.topology;

import com.sun.jna.Native;
import com.sun.jna.Platform;
import java.util.Arrays;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Reads and sets affinity masks on Linux, and knows whether that works here.
 *
 * <p><b>Threads.</b> Any. <b>Costs.</b> The first use loads JNA: about 100 ms, 15 of which it waits for {@code
 * ldconfig}. Only the property {@code jna.platform.library.path} would spare that, and it would hide libraries from
 * other users of JNA. Then about 100 ns a call. <b>Errors.</b> {@link UnsupportedOperationException} with the reason
 * when the calls cannot be made or the kernel refuses.
 */
final class LinuxAffinity {
    static final int CALLING_THREAD = 0;

    private static final int EINVAL = 22; // for a read: the buffer is smaller than the kernel's masks
    private static final int WORDS_MIN = 16; // 1,024 CPUs, the size glibc's cpu_set_t has
    private static final int WORDS_MAX = CpuSet.CPUS_MAX / Long.SIZE;

    /** Why the calls cannot be made here; null when they can. Found once: JNA that failed to load would fail again. */
    static final @Nullable String UNAVAILABLE = findUnavailable();

    private LinuxAffinity() {}

    private static @Nullable String findUnavailable() {
        String os = System.getProperty("os.name", "");
        if (!os.toLowerCase(Locale.ROOT).startsWith("linux")) {
            return "not Linux but " + os;
        }
        try {
            return Calls.is64Bit() ? null : "not a 64-bit process";
        } catch (LinkageError | RuntimeException e) {
            // JNA is missing or denied. The cause says more than the failed initialiser around it.
            return "JNA failed: " + (e.getCause() == null ? e : e.getCause());
        }
    }

    private static void checkAvailable() {
        if (UNAVAILABLE != null) {
            throw new UnsupportedOperationException(UNAVAILABLE);
        }
    }

    /** The CPUs a thread of this process may run on, by its number, or by {@link #CALLING_THREAD}. */
    static CpuSet get(int tid) {
        checkAvailable();
        for (int words = WORDS_MIN; ; words *= 2) {
            long[] mask = new long[words];
            if (Calls.sched_getaffinity(tid, (long) words * Long.BYTES, mask) >= 0) {
                return CpuSet.ofMask(mask);
            }
            int error = Native.getLastError();
            if (error != EINVAL || words >= WORDS_MAX) {
                throw new UnsupportedOperationException("sched_getaffinity failed: tid=" + tid + ", errno=" + error);
            }
        }
    }

    static void set(int tid, CpuSet cpus) {
        checkAvailable();
        long[] bits = cpus.toMask();
        long[] mask = Arrays.copyOf(bits, Math.max(bits.length, WORDS_MIN));
        if (Calls.sched_setaffinity(tid, (long) mask.length * Long.BYTES, mask) < 0) {
            throw new UnsupportedOperationException(
                    "sched_setaffinity failed: tid=" + tid + ", cpus=" + cpus + ", errno=" + Native.getLastError());
        }
    }

    /** The CPU the calling thread is on; -1 when the system does not say. */
    static int currentCpu() {
        return UNAVAILABLE == null ? Calls.sched_getcpu() : -1;
    }

    /** The C library, bound by JNA. */
    @SuppressWarnings("MemberName") // the C library's names
    private static final class Calls {
        static {
            Native.register(Calls.class, Platform.C_LIBRARY_NAME);
        }

        /** Whether the calls' {@code size_t} is as wide as the {@code long} declared here. */
        static boolean is64Bit() {
            return Native.SIZE_T_SIZE == Long.BYTES;
        }

        static native int sched_setaffinity(int tid, long bytes, long[] mask);

        static native int sched_getaffinity(int tid, long bytes, long[] mask);

        static native int sched_getcpu();
    }
}
