// SPDX-License-Identifier: Apache-2.0
package io.mely.net;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A regular file, open for reading, that many sockets may send at once. Size and time are those of the opened file itself, whatever
 * becomes of its name.
 *
 * <p>It is counted: {@link #open} counts one user, {@link #tryRetain} one more, {@link #close} one less, and the last closes the descriptor.
 *
 * <p><b>Threads.</b> Any.
 */
public abstract class OpenFile implements AutoCloseable {
    static final String NOT_REGULAR = "not a regular file";

    private final Path path;
    private final AtomicInteger users = new AtomicInteger(1);

    OpenFile(Path path) {
        this.path = path;
    }

    /**
     * Opens a file, following symbolic links. Never waits for a peer, as opening a FIFO otherwise would.
     *
     * <p><b>Costs.</b> Two system calls; waits for the disk if the folder is not in memory.
     *
     * @param path the file
     * @return the file, with one user
     * @throws java.nio.file.NoSuchFileException if there is none, or it is a folder, a FIFO or otherwise no regular file
     * @throws java.nio.file.AccessDeniedException if it may not be read
     * @throws OutOfDescriptorsException if there is no descriptor left
     * @throws java.nio.file.FileSystemException if the system refuses
     * @throws IOException if the system refuses
     */
    public static OpenFile open(Path path) throws IOException {
        byte[] name = Posix.isAvailable() ? NativeFile.nameOf(path) : null;
        return name != null ? NativeFile.open(path, name) : ChannelFile.openByChannel(path);
    }

    /**
     * Opens a file below a folder without following a link on the way: name by name from the folder down, each relative to the open one
     * before it, so that nobody who swaps names meanwhile can lead it elsewhere. Never waits for a peer.
     *
     * <p><b>Costs.</b> One system call for each name, and three; waits for the disk if a folder is not in memory.
     *
     * @param folder where to begin; links on the way to the folder itself are followed
     * @param relative one or more plain names
     * @return the file, with one user
     * @throws IllegalArgumentException if relative is absolute, empty or has ".."
     * @throws java.nio.file.NoSuchFileException if there is none, or a name on the way is no folder
     * @throws java.nio.file.FileSystemLoopException if the last name is a link; see {@link #open}
     * @throws IOException see {@link #open}
     */
    public static OpenFile openBeneath(Path folder, Path relative) throws IOException {
        checkPlain(relative);
        byte[] name = Posix.isAvailable() ? NativeFile.nameOf(folder.resolve(relative)) : null;
        return name != null
                ? NativeFile.openBeneathNatively(folder, relative)
                : ChannelFile.openBeneathByChannel(folder, relative);
    }

    private static void checkPlain(Path relative) {
        boolean isPlain = !relative.isAbsolute() && !relative.toString().isEmpty();
        for (Path name : relative) {
            isPlain &= !name.toString().equals("..") && !name.toString().equals(".");
        }
        if (!isPlain) {
            throw new IllegalArgumentException("relative must be one or more plain names: relative=" + relative);
        }
    }

    /**
     * Its length when it was opened.
     *
     * @return bytes
     */
    public abstract long size();

    /**
     * When it was last written to, as of its opening.
     *
     * @return the time, with the resolution of the file system
     */
    public abstract Instant lastModified();

    /**
     * Reads from a position.
     *
     * <p><b>Costs.</b> One system call; waits for the disk if the part is not in memory.
     *
     * @param dst a direct buffer with room; filled from its position, which advances
     * @param position first byte in the file
     * @return bytes read, &gt; 0; -1 if the file ends at or before {@code position}
     * @throws IllegalArgumentException if the buffer is not direct or full, or the position negative
     * @throws java.nio.channels.ClosedChannelException if it was closed
     * @throws IOException if the disk fails
     */
    public final int read(ByteBuffer dst, long position) throws IOException {
        Buffers.checkDst(dst);
        Buffers.checkFilePart(position, 1);
        if (!tryRetain()) {
            throw new ClosedChannelException();
        }
        try {
            return readRetained(dst, position);
        } finally {
            close();
        }
    }

    /**
     * Reads from a position what needs no disk.
     *
     * <p><b>Costs.</b> One system call; never waits.
     *
     * @param dst a direct buffer with room; filled from its position, which advances
     * @param position first byte in the file
     * @return bytes read, &gt; 0; 0 if the first of them is not in memory, or the system cannot tell: {@link #fetch} it; -1 if the file ends at or before
     *     {@code position}
     * @throws IllegalArgumentException if the buffer is not direct or full, or the position negative
     * @throws java.nio.channels.ClosedChannelException if it was closed
     * @throws IOException if the disk fails
     */
    public final int readFromMemory(ByteBuffer dst, long position) throws IOException {
        Buffers.checkDst(dst);
        Buffers.checkFilePart(position, 1);
        if (!tryRetain()) {
            throw new ClosedChannelException();
        }
        try {
            return readFromMemoryRetained(dst, position);
        } finally {
            close();
        }
    }

    /**
     * Has the kernel read a part into its memory, and waits for that: for threads that may block. A part beyond the end is no error.
     *
     * @param position first byte in the file
     * @param count how many, &gt; 0
     * @throws IllegalArgumentException if position is negative or count not positive
     * @throws java.nio.channels.ClosedChannelException if it was closed
     * @throws IOException if the disk fails
     */
    public final void fetch(long position, long count) throws IOException {
        Buffers.checkFilePart(position, count);
        if (!tryRetain()) {
            throw new ClosedChannelException();
        }
        try {
            long end = position + count;
            int n = 0;
            for (long at = position; at < end && n >= 0; at += n) {
                n = readRetained(Buffers.copyBuffer(end - at), at);
            }
        } finally {
            close();
        }
    }

    /**
     * Counts one more user, unless the last one has closed it.
     *
     * @return false if it is closed: open it again
     */
    public final boolean tryRetain() {
        int now = users.get();
        while (now > 0) {
            int was = users.compareAndExchange(now, now + 1);
            if (was == now) {
                return true;
            }
            now = was;
        }
        return false;
    }

    /**
     * Counts one user less; the last one closes it.
     *
     * @throws IllegalStateException if it was closed more often than opened and retained
     */
    @Override
    public final void close() {
        int left = users.decrementAndGet();
        if (left == 0) {
            closeLast();
        } else if (left < 0) {
            users.incrementAndGet();
            throw new IllegalStateException("closed more often than opened and retained: " + this);
        }
    }

    /** Reads while it can't be closed. */
    abstract int readRetained(ByteBuffer dst, long position) throws IOException;

    /** Reads what is in memory while it can't be closed. */
    abstract int readFromMemoryRetained(ByteBuffer dst, long position) throws IOException;

    /** The file as the JDK's channels take it; open while retained. */
    abstract FileChannel channel() throws IOException;

    /** Closes the descriptor. Once. */
    abstract void closeLast();

    @Override
    public final String toString() {
        return "OpenFile[" + path + ", size=" + size() + ", users=" + users + "]";
    }
}
