// SPDX-License-Identifier: Apache-2.0
package io.mely.net;

import com.sun.jna.Native;
import com.sun.jna.Platform;
import java.io.IOException;
import java.lang.System.Logger;
import java.nio.ByteBuffer;
import java.util.Locale;
import java.util.Set;

/**
 * The few calls of Linux's C library that neither the JDK nor Netty make public: {@code sendfile} between plain descriptors, {@code send}
 * with flags, what the kernel knows of a connection, and an {@code open} that does not wait for a FIFO's writer. (Netty's {@code FileDescriptor.from} opens for writing and truncates.)
 *
 * <p><b>Costs.</b> JNA's direct mapping adds about 0.1 us to a call; the first one loads JNA's library, about 0.2 s. <b>Errors.</b>
 * Each returns -1 and leaves the reason in {@link #errno}.
 */
final class Posix {
    static final int O_RDONLY_CLOEXEC_NONBLOCK_NOCTTY = 02000000 | 04000 | 0400;

    /** What O_DIRECTORY and O_NOFOLLOW are differs: x86 and RISC-V have the generic values, ARM its own. */
    private static final boolean IS_ARM =
            System.getProperty("os.arch", "").toLowerCase(Locale.ROOT).equals("aarch64");

    static final int O_NOFOLLOW = IS_ARM ? 0100000 : 0400000;
    static final int O_DIRECTORY = IS_ARM ? 040000 : 0200000;
    static final int O_PATH = 010000000;
    static final int O_CLOEXEC = 02000000;

    static final int MSG_MORE_NOSIGNAL = 0x8000 | 0x4000;
    static final int SOL_SOCKET = 1;
    static final int SO_TYPE = 3;
    static final int SO_ACCEPTCONN = 30;
    static final int SO_DOMAIN = 39;
    static final int SOCK_STREAM = 1;
    static final int AF_UNIX = 1;
    static final int AF_INET = 2;
    static final int AF_INET6 = 10;
    static final int F_SETFD = 2;
    static final int FD_CLOEXEC = 1;
    static final int F_GETFL = 3;
    static final int F_SETFL = 4;
    static final int O_NONBLOCK = 04000;
    static final int IPPROTO_TCP = 6;
    static final int TCP_INFO = 11;
    static final int TCP_QUICKACK = 12;

    private static final Logger LOGGER = System.getLogger(Posix.class.getName());
    private static final Set<String> ARCHITECTURES = Set.of("amd64", "x86_64", "aarch64", "riscv64");
    private static final boolean IS_AVAILABLE = link();

    private Posix() {}

    private static boolean link() {
        String architecture = System.getProperty("os.arch", "").toLowerCase(Locale.ROOT);
        if (!System.getProperty("os.name", "").equals("Linux") || !ARCHITECTURES.contains(architecture)) {
            return false;
        }
        try {
            Native.register(Posix.class, Platform.C_LIBRARY_NAME);
            return true;
        } catch (LinkageError | RuntimeException e) { // no native access, no statx in this C library, ...
            LOGGER.log(Logger.Level.INFO, "files are copied to sockets, as native calls are not available: " + e);
            return false;
        }
    }

    static boolean isAvailable() {
        return IS_AVAILABLE;
    }

    /** Why the calling thread's last call failed. */
    static int errno() {
        return Native.getLastError();
    }

    /** An exception that names call and reason. */
    static IOException failure(String call, int errno) {
        String message = call + ": " + strerror(errno) + " (errno " + errno + ")";
        return Errno.isPeerGone(errno) ? new PeerGoneException(message, null) : new IOException(message);
    }

    static native int openat(int folder, byte[] path, int flags);

    static native int close(int fd);

    static native String strerror(int errno);

    static native int statx(int folder, byte[] path, int flags, int mask, byte[] into);

    /** The buffer is filled from its start, whatever its position. */
    static native long pread(int fd, ByteBuffer into, long count, long position);

    /** Fills the value with as many bytes as length[0] says, and says there how many it was. */
    static native int getsockopt(int fd, int level, int option, byte[] value, int[] length);

    static native int fcntl(int fd, int command, int value);

    static native int setsockopt(int fd, int level, int option, int[] value, int length);

    static native long send(int out, long address, long count, int flags);

    /** Advances position[0]. */
    static native long sendfile(int out, int in, long[] position, long count);
}
