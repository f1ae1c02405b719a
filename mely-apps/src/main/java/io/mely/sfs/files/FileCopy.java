// SPDX-License-Identifier: Apache-2.0
package io.mely.sfs.files;

/**
 * A copy of a part of one file into another, made in pieces, so that a large one holds up nobody and can be given up between two of them. Within the kernel where it can.
 *
 * <p><b>Threads.</b> One at a time. <b>Costs.</b> A piece waits for the disk. <b>Bounds.</b> A piece has {@value #PIECE_BYTES} bytes at most.
 */
public final class FileCopy {
    /** Four times the longest packet of SFTP: some milliseconds of a disk, long beside the way to a blocking thread and back. Guess. */
    static final int PIECE_BYTES = 1 << 20;

    private final RegularFile from;
    private final RegularFile to;
    private final long[] fromOffset;
    private final long[] toOffset;
    private long leftBytes;

    /** The kernel can't copy between these two: read and written. */
    private boolean isPlain;

    private FileCopy(RegularFile from, long fromOffset, RegularFile to, long toOffset, long bytes) {
        this.from = from;
        this.fromOffset = new long[] {fromOffset};
        this.to = to;
        this.toOffset = new long[] {toOffset};
        leftBytes = bytes;
    }

    /**
     * Checks what is asked for, and copies nothing yet.
     *
     * @param from the file to read
     * @param fromOffset first byte
     * @param count bytes; 0 = up to its end
     * @param to the file to write
     * @param toOffset where to
     * @return to be done by {@link #step}
     * @throws FileFailure if the file ends before, or a part would be copied onto itself
     */
    public static FileCopy begin(RegularFile from, long fromOffset, long count, RegularFile to, long toOffset)
            throws FileFailure {
        long size = from.attributes().size();
        long bytes = count == 0 ? Math.max(0, size - fromOffset) : count;
        if (fromOffset > size - bytes) {
            throw new FileFailure(Errno.EINVAL, "the file ends before");
        }
        boolean isSame = from.id().equals(to.id());
        if (isSame && fromOffset < toOffset + bytes && toOffset < fromOffset + bytes) {
            throw new FileFailure(Errno.EINVAL, "the parts overlap");
        }
        return new FileCopy(from, fromOffset, to, toOffset, bytes);
    }

    /**
     * Copies one piece; may wait for the disk.
     *
     * @param buffer for bytes that the kernel can't copy itself
     * @return whether all is copied
     * @throws FileFailure if the file ends before, the disk is full or fails, or the quota is used up
     */
    public boolean step(NativeBuffer buffer) throws FileFailure {
        if (leftBytes == 0) {
            return true;
        }
        long n = isPlain ? copyPlainly(buffer) : copyInKernel();
        if (n == 0) {
            throw new FileFailure(Errno.EIO, "the file was shortened meanwhile");
        }
        leftBytes -= Math.max(0, n);
        return leftBytes == 0;
    }

    /** Negative if the kernel can't do it. */
    private long copyInKernel() throws FileFailure {
        int wanted = (int) Math.min(leftBytes, PIECE_BYTES);
        long grown = to.grow(wanted, toOffset[0]);
        long n = Kernel.syscall(Kernel.COPY_FILE_RANGE, from.fd(), fromOffset, to.fd(), toOffset, wanted, 0);
        int errno = n < 0 ? Kernel.errno() : 0;
        to.giveBack(RegularFile.unused(grown, wanted, Math.max(0, n)));
        if (errno == Errno.ENOSPC || errno == Errno.EDQUOT || errno == Errno.EIO || errno == Errno.EBADF) {
            throw to.broken(errno);
        }
        isPlain = n < 0;
        return n;
    }

    private int copyPlainly(NativeBuffer buffer) throws FileFailure {
        int n = from.read(buffer, (int) Math.min(leftBytes, buffer.capacity()), fromOffset[0]);
        to.write(buffer, n, toOffset[0]);
        fromOffset[0] += n;
        toOffset[0] += n;
        return n;
    }
}
