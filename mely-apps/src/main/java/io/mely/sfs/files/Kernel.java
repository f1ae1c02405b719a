// SPDX-License-Identifier: Apache-2.0
package io.mely.sfs.files;

import com.sun.jna.Native;
import com.sun.jna.Platform;
import java.util.Locale;

/**
 * Linux's file calls relative to an open folder. The JDK's {@code SecureDirectoryStream} has a part of them, and none that resolves a path
 * with links inside a root ({@code openat2}).
 *
 * <p><b>Costs.</b> JNA adds about 0.1 us to a call. <b>Errors.</b> Each returns -1 and leaves the reason in {@link #errno}.
 */
final class Kernel {
    private static final String ARCHITECTURE = System.getProperty("os.arch", "").toLowerCase(Locale.ROOT);
    private static final boolean IS_X86 = ARCHITECTURE.equals("amd64") || ARCHITECTURE.equals("x86_64");
    private static final boolean IS_ARM = ARCHITECTURE.equals("aarch64");
    private static final boolean IS_KNOWN = IS_X86 || IS_ARM || ARCHITECTURE.equals("riscv64");

    // Calls that not every C library wraps. x86 has numbers of its own, ARM and RISC-V the generic ones.
    static final long GETDENTS64 = IS_X86 ? 217 : 61;
    static final long RENAMEAT2 = IS_X86 ? 316 : 276;
    static final long COPY_FILE_RANGE = IS_X86 ? 326 : 285;
    static final long PREADV2 = IS_X86 ? 327 : 286;
    static final long PWRITEV2 = IS_X86 ? 328 : 287;
    static final long OPENAT2 = 437;

    static final int O_RDONLY = 0;
    static final int O_WRONLY = 1;
    static final int O_RDWR = 2;
    static final int O_ACCMODE = 3;
    static final int O_CREAT = 0100;
    static final int O_EXCL = 0200;
    static final int O_NOCTTY = 0400;
    static final int O_TRUNC = 01000;
    static final int O_APPEND = 02000;
    static final int O_NONBLOCK = 04000;
    static final int O_CLOEXEC = 02000000;
    static final int O_PATH = 010000000;
    static final int O_DIRECTORY = IS_ARM ? 040000 : 0200000;
    static final int O_NOFOLLOW = IS_ARM ? 0100000 : 0400000;

    static final int AT_FDCWD = -100;
    static final int AT_SYMLINK_NOFOLLOW = 0x100;
    static final int AT_REMOVEDIR = 0x200;
    static final int AT_EMPTY_PATH = 0x1000;

    static final long RESOLVE_NO_MAGICLINKS = 0x02;
    static final long RESOLVE_NO_SYMLINKS = 0x04;
    static final long RESOLVE_IN_ROOT = 0x10;

    static final long RENAME_NOREPLACE = 1;
    static final long RWF_NOWAIT = 8;

    private static final boolean IS_AVAILABLE = link();

    private Kernel() {}

    private static boolean link() {
        if (!System.getProperty("os.name", "").equals("Linux") || !IS_KNOWN) {
            return false;
        }
        try {
            Native.register(Kernel.class, Platform.C_LIBRARY_NAME);
            return true;
        } catch (LinkageError | RuntimeException e) { // no native access, no statx in this C library, ...
            System.getLogger(Kernel.class.getName())
                    .log(System.Logger.Level.INFO, "native calls are not available: " + e);
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

    static native int geteuid();

    static native int openat(int folder, byte[] path, int flags, int mode);

    static native int close(int fd);

    static native int fsync(int fd);

    static native int fdatasync(int fd);

    static native int ftruncate(int fd, long length);

    static native int truncate(byte[] path, long length);

    static native int fchmod(int fd, int mode);

    static native int chmod(byte[] path, int mode);

    static native int futimens(int fd, byte[] times);

    static native int utimensat(int folder, byte[] path, byte[] times, int flags);

    static native int mkdirat(int folder, byte[] path, int mode);

    static native int unlinkat(int folder, byte[] path, int flags);

    static native int renameat(int oldFolder, byte[] oldPath, int newFolder, byte[] newPath);

    static native int linkat(int oldFolder, byte[] oldPath, int newFolder, byte[] newPath, int flags);

    static native int symlinkat(byte[] target, int folder, byte[] path);

    static native long readlinkat(int folder, byte[] path, byte[] into, long size);

    static native int statx(int folder, byte[] path, int flags, int mask, byte[] into);

    static native int fstatvfs(int fd, byte[] into);

    static native long pread(int fd, long address, long count, long offset);

    static native long pwrite(int fd, long address, long count, long offset);

    static native String strerror(int errno);

    /** openat2. */
    static native long syscall(long number, int folder, byte[] path, byte[] how, long howBytes);

    /** getdents64. */
    static native long syscall(long number, int fd, byte[] into, long bytes);

    /** renameat2. */
    static native long syscall(long number, int oldFolder, byte[] oldPath, int newFolder, byte[] newPath, long flags);

    /** preadv2 and pwritev2; the high half of the offset is not used on 64 bits. */
    static native long syscall(
            long number, long fd, long vectors, long count, long offset, long offsetHigh, long flags);

    /** copy_file_range; advances the offsets. */
    static native long syscall(long number, int in, long[] inOffset, int out, long[] outOffset, long count, long flags);
}
