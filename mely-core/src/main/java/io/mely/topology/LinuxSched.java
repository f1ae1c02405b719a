// SPDX-License-Identifier: Apache-2.0
package io.mely.topology;

import com.sun.jna.LastErrorException;
import com.sun.jna.Native;
import com.sun.jna.Platform;

/**
 * The C library's calls about affinity, bound directly by JNA. The only class that mentions JNA, so that all others
 * load without it; ask {@link LinuxAffinity} whether it works here.
 *
 * <p><b>Threads.</b> Any. <b>Shape.</b> A mask is an array of 64-bit words, bit n for CPU n. <b>Errors.</b> {@link
 * LinkageError} at the first use where JNA is missing or denied; later the error number of a failed call as the return
 * value.
 */
@SuppressWarnings("MemberName") // the C library's names
final class LinuxSched {
    static {
        Native.register(LinuxSched.class, Platform.C_LIBRARY_NAME);
    }

    private LinuxSched() {}

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

    /** The CPU the calling thread is on; -1 when the kernel does not say. */
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
