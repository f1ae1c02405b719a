// SPDX-License-Identifier: Apache-2.0
package io.mely.topology;

import com.sun.jna.LastErrorException;
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
                return Calls.is64Bit() ? null : "not a 64-bit process";
            } catch (LinkageError | RuntimeException e) {
                // JNA is missing or denied. The cause says more than the failed initialiser around it.
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

    /** The CPUs a thread of this process may run on, by its number, or by {@link #CALLING_THREAD}. */
    static CpuSet get(int tid) {
        checkAvailable();
        for (int words = WORDS_MIN; ; words *= 2) {
            long[] mask = new long[words];
            int error = Calls.getAffinity(tid, mask);
            if (error == 0) {
                return CpuSet.ofMask(mask);
            }
            if (error != EINVAL || words >= WORDS_MAX) {
                throw new UnsupportedOperationException("sched_getaffinity failed: tid=" + tid + ", errno=" + error);
            }
        }
    }

    static void set(int tid, CpuSet cpus) {
        checkAvailable();
        long[] mask = cpus.toMask();
        int error = Calls.setAffinity(tid, Arrays.copyOf(mask, Math.max(mask.length, WORDS_MIN)));
        if (error != 0) {
            throw new UnsupportedOperationException(
                    "sched_setaffinity failed: tid=" + tid + ", cpus=" + cpus + ", errno=" + error);
        }
    }

    /** The CPU the calling thread is on; -1 when the system does not say. */
    static int currentCpu() {
        return unavailableReason() == null ? Calls.currentCpu() : -1;
    }

    /** The C library, bound by JNA: all that mentions JNA, so that what is around loads without it. */
    @SuppressWarnings("MemberName") // the C library's names
    private static final class Calls {
        static {
            Native.register(Calls.class, Platform.C_LIBRARY_NAME);
        }

        /** Whether the calls' {@code size_t} is as wide as the {@code long} declared here. */
        static boolean is64Bit() {
            return Native.SIZE_T_SIZE == Long.BYTES;
        }

        /** 0, or the error number. */
        static int setAffinity(int tid, long[] mask) {
            try {
                sched_setaffinity(tid, (long) mask.length * Long.BYTES, mask);
                return 0;
            } catch (LastErrorException e) {
                return e.getErrorCode();
            }
        }

        /** 0, or the error number. */
        static int getAffinity(int tid, long[] mask) {
            try {
                sched_getaffinity(tid, (long) mask.length * Long.BYTES, mask);
                return 0;
            } catch (LastErrorException e) {
                return e.getErrorCode();
            }
        }

        static int currentCpu() {
            try {
                return sched_getcpu();
            } catch (LastErrorException e) {
                return -1;
            }
        }

        private static native int sched_setaffinity(int tid, long bytes, long[] mask) throws LastErrorException;

        private static native int sched_getaffinity(int tid, long bytes, long[] mask) throws LastErrorException;

        private static native int sched_getcpu() throws LastErrorException;
    }
}
