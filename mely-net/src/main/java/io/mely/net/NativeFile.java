// SPDX-License-Identifier: Apache-2.0
package io.mely.net;

import com.sun.jna.Native;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.CharBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.Charset;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.FileSystemLoopException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A file by its descriptor, for {@code sendfile}. Linux only. */
final class NativeFile extends OpenFile {
    // struct statx, the same on all architectures
    private static final int STATX_BYTES = 256;
    private static final int STATX_MODE = 28;
    private static final int STATX_SIZE = 40;
    private static final int STATX_MTIME_S = 112;
    private static final int STATX_MTIME_NS = 120;
    private static final int AT_FDCWD = -100;
    private static final int AT_EMPTY_PATH = 0x1000;
    private static final int STATX_TYPE_SIZE_MTIME = 0x1 | 0x200 | 0x40;
    private static final int S_IFMT = 0170000;
    private static final int S_IFREG = 0100000;
    private static final byte[] EMPTY_PATH = {0};

    /** How the JDK writes names to the system. */
    private static final Charset NAMES = Charset.forName(System.getProperty("sun.jnu.encoding", "UTF-8"));

    private final int fd;
    private final long size;
    private final Instant lastModified;

    /** For transports of the JDK; opened when first asked. Guarded by this. */
    private @Nullable FileChannel channel;

    private NativeFile(Path path, int fd, long size, Instant lastModified) {
        super(path);
        this.fd = fd;
        this.size = size;
        this.lastModified = lastModified;
    }

    /** The name in bytes, ended by 0; null if it can't be spelled in the system's encoding, though it may exist. */
    static byte @Nullable [] nameOf(Path path) {
        try {
            ByteBuffer name = NAMES.newEncoder().encode(CharBuffer.wrap(path.toString() + '\0'));
            byte[] bytes = new byte[name.remaining()];
            name.get(bytes);
            return bytes;
        } catch (CharacterCodingException e) {
            return null;
        }
    }

    static NativeFile open(Path path, byte[] name) throws IOException {
        return openOwned(path, openAt(path, AT_FDCWD, name, Posix.O_RDONLY_CLOEXEC_NONBLOCK_NOCTTY));
    }

    static NativeFile openBeneathNatively(Path root, Path relative) throws IOException {
        int stepFlags = Posix.O_PATH | Posix.O_DIRECTORY | Posix.O_CLOEXEC;
        Path path = root.resolve(relative);
        int folder = openAt(path, AT_FDCWD, nameOfKnown(root), stepFlags);
        try {
            int names = relative.getNameCount();
            for (int i = 0; i < names - 1; i++) {
                int next = openAt(path, folder, nameOfKnown(relative.getName(i)), stepFlags | Posix.O_NOFOLLOW);
                Posix.close(folder);
                folder = next;
            }
            byte[] last = nameOfKnown(relative.getName(names - 1));
            return openOwned(
                    path, openAt(path, folder, last, Posix.O_RDONLY_CLOEXEC_NONBLOCK_NOCTTY | Posix.O_NOFOLLOW));
        } finally {
            Posix.close(folder);
        }
    }

    private static byte[] nameOfKnown(Path path) {
        return Objects.requireNonNull(nameOf(path), "the caller has tried the whole path");
    }

    private static int openAt(Path path, int folder, byte[] name, int flags) throws IOException {
        int fd;
        int errno;
        do {
            fd = Posix.openat(folder, name, flags);
            errno = fd < 0 ? Posix.errno() : 0;
        } while (errno == Errno.EINTR);
        if (fd < 0) {
            throw openFailure(path, errno);
        }
        return fd;
    }

    private static NativeFile openOwned(Path path, int fd) throws IOException {
        boolean isDone = false;
        try {
            NativeFile file = openStat(path, fd);
            isDone = true;
            return file;
        } finally {
            if (!isDone) {
                Posix.close(fd);
            }
        }
    }

    private static NativeFile openStat(Path path, int fd) throws IOException {
        byte[] bytes = new byte[STATX_BYTES];
        if (Posix.statx(fd, EMPTY_PATH, AT_EMPTY_PATH, STATX_TYPE_SIZE_MTIME, bytes) < 0) {
            throw openFailure(path, Posix.errno());
        }
        ByteBuffer stat = ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder());
        if ((stat.getShort(STATX_MODE) & S_IFMT) != S_IFREG) {
            throw new NoSuchFileException(path.toString(), null, NOT_REGULAR);
        }
        Instant lastModified = Instant.ofEpochSecond(stat.getLong(STATX_MTIME_S), stat.getInt(STATX_MTIME_NS));
        return new NativeFile(path, fd, stat.getLong(STATX_SIZE), lastModified);
    }

    private static IOException openFailure(Path path, int errno) {
        String reason = Posix.failure("open", errno).getMessage();
        if (errno == Errno.ENOENT || errno == Errno.ENOTDIR) {
            return new NoSuchFileException(path.toString());
        }
        if (errno == Errno.ENXIO) {
            return new NoSuchFileException(path.toString(), null, NOT_REGULAR);
        }
        if (errno == Errno.ELOOP) {
            return new FileSystemLoopException(path.toString());
        }
        if (errno == Errno.EACCES || errno == Errno.EPERM) {
            return new AccessDeniedException(path.toString());
        }
        if (Errno.isOutOfDescriptors(errno)) {
            return new OutOfDescriptorsException(path + ": " + reason, null);
        }
        return new FileSystemException(path.toString(), null, reason);
    }

    @Override
    public long size() {
        return size;
    }

    @Override
    public Instant lastModified() {
        return lastModified;
    }

    @Override
    int readRetained(ByteBuffer dst, long position) throws IOException {
        ByteBuffer rest = dst.slice(); // whose start is dst's position
        while (true) {
            long n = Posix.pread(fd, rest, rest.remaining(), position);
            if (n > 0) {
                dst.position(dst.position() + (int) n);
                return (int) n;
            }
            if (n == 0) {
                return -1;
            }
            int errno = Native.getLastError();
            if (errno != Errno.EINTR) {
                throw Posix.failure("pread", errno);
            }
        }
    }

    @Override
    int readFromMemoryRetained(ByteBuffer dst, long position) throws IOException {
        return PageCache.read(fd, dst, position);
    }

    /** The descriptor, open while retained. */
    int fd() {
        return fd;
    }

    @Override
    synchronized FileChannel channel() throws IOException {
        FileChannel channel = this.channel;
        if (channel == null) {
            // the opened file itself, whatever became of its name
            channel = FileChannel.open(Path.of("/proc/self/fd/" + fd), StandardOpenOption.READ);
            this.channel = channel;
        }
        return channel;
    }

    @Override
    synchronized void closeLast() {
        Posix.close(fd);
        FileChannel channel = this.channel;
        if (channel != null) {
            ChannelFile.closeQuietly(channel);
        }
    }
}
