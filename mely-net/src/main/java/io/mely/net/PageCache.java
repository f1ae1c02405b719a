// SPDX-License-Identifier: Apache-2.0
package io.mely.net;

import com.sun.jna.Native;
import com.sun.jna.Platform;
import io.netty.channel.unix.Buffer;
import java.io.IOException;
import java.lang.System.Logger;
import java.nio.ByteBuffer;

/**
 * Reads of what the kernel has in memory: {@code preadv2} with a flag that has it refuse to wait for the disk. Apart from {@link Posix}, as older C
 * libraries do not have the call.
 *
 * <p><b>Costs.</b> One system call.
 */
final class PageCache {
    private static final int RWF_NOWAIT = 0x8;
    private static final Logger LOGGER = System.getLogger(PageCache.class.getName());
    private static final boolean IS_AVAILABLE = Posix.isAvailable() && link();

    private PageCache() {}

    private static boolean link() {
        try {
            Native.register(PageCache.class, Platform.C_LIBRARY_NAME);
            return true;
        } catch (LinkageError | RuntimeException e) {
            LOGGER.log(Logger.Level.DEBUG, "the kernel cannot be asked what it has in memory", e);
            return false;
        }
    }

    /** As {@link OpenFile#readFromMemory}. */
    static int read(int fd, ByteBuffer dst, long position) throws IOException {
        if (!IS_AVAILABLE) {
            return 0;
        }
        long[] vector = {Buffer.memoryAddress(dst) + dst.position(), dst.remaining()};
        while (true) {
            long n = preadv2(fd, vector, 1, position, RWF_NOWAIT);
            if (n > 0) {
                dst.position(dst.position() + (int) n);
                return (int) n;
            }
            if (n == 0) {
                return -1;
            }
            int errno = Posix.errno();
            switch (errno) {
                case Errno.EAGAIN, Errno.EOPNOTSUPP, Errno.ENOSYS, Errno.EINVAL -> {
                    return 0; // not in memory, or the file system cannot tell
                }
                case Errno.EINTR -> {}
                default -> throw Posix.failure("preadv2", errno);
            }
        }
    }

    static native long preadv2(int fd, long[] vector, int count, long position, int flags);
}
