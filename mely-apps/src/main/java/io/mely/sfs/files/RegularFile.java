// SPDX-License-Identifier: Apache-2.0
package io.mely.sfs.files;

import org.jspecify.annotations.Nullable;

/**
 * An open file.
 *
 * <p><b>Threads.</b> One at a time. <b>Errors.</b> {@link FileFailure} with the kernel's reason.
 */
public final class RegularFile implements AutoCloseable {
    /** What the {@code …Now} calls answer where they would have to wait. */
    public static final int WOULD_WAIT = -2;

    private final int fd;
    private final Attributes.Id id;
    private final OpenHow how;
    private final Quota quota;
    private final @Nullable Upload upload;
    private boolean mayReadNow = true;
    private boolean mayWriteNow = true;
    private boolean isBroken;
    private boolean isClosed;

    RegularFile(int fd, Attributes.Id id, OpenHow how, Quota quota, @Nullable Upload upload) {
        this.fd = fd;
        this.id = id;
        this.how = how;
        this.quota = quota;
        this.upload = upload;
        quota.opened(id);
    }

    /**
     * What it was opened for.
     *
     * @return as given
     */
    public OpenHow how() {
        return how;
    }

    /**
     * What it is now.
     *
     * <p><b>Costs.</b> One system call that does not wait for a local disk.
     *
     * @return of this moment
     */
    public Attributes attributes() throws FileFailure {
        return Tree.attributes(fd);
    }

    /**
     * Reads what is in memory.
     *
     * @param into filled from its start
     * @param count most bytes, 1 to the buffer's capacity
     * @param offset first byte
     * @return bytes read; 0 at the end of the file; {@link #WOULD_WAIT} if the disk has to be waited for, for a part even: use {@link #read}
     * @throws FileFailure if the disk fails
     */
    public int readNow(NativeBuffer into, int count, long offset) throws FileFailure {
        if (!mayReadNow) {
            return WOULD_WAIT;
        }
        long n = Kernel.syscall(Kernel.PREADV2, fd, into.vector(count), 1, offset, 0, Kernel.RWF_NOWAIT);
        if (n == count) {
            return count;
        }
        if (n >= 0) {
            return offset + n >= attributes().size() ? (int) n : WOULD_WAIT;
        }
        int errno = Kernel.errno();
        if (errno == Errno.EOPNOTSUPP || errno == Errno.ENOSYS || errno == Errno.EPERM) {
            mayReadNow = false; // a file system, or a container, without it
        } else if (errno != Errno.EAGAIN && errno != Errno.EINTR) {
            throw new FileFailure(errno);
        }
        return WOULD_WAIT;
    }

    /**
     * Reads; may wait for the disk.
     *
     * @param into filled from its start
     * @param count most bytes
     * @param offset first byte
     * @return bytes read, as many as there are; 0 at the end of the file
     * @throws FileFailure if the disk fails
     */
    public int read(NativeBuffer into, int count, long offset) throws FileFailure {
        int done = 0;
        while (done < count) {
            long n = Kernel.pread(fd, into.address() + done, count - done, offset + done);
            if (n == 0) {
                break;
            }
            if (n > 0) {
                done += (int) n;
            } else if (Kernel.errno() != Errno.EINTR) {
                throw new FileFailure(Kernel.errno());
            }
        }
        return done;
    }

    /**
     * Writes what the kernel takes without waiting for the disk.
     *
     * @param from from its start
     * @param count bytes
     * @param offset where to
     * @return count; {@link #WOULD_WAIT} if it did not take all, or may have to wait: use {@link #write} for all of it
     * @throws FileFailure if the disk is full or fails, or the quota is used up
     */
    public int writeNow(NativeBuffer from, int count, long offset) throws FileFailure {
        if (!mayWriteNow || how.isAppended()) {
            return WOULD_WAIT; // a part of an append can't be made again
        }
        long grown = grow(count, offset);
        long n = Kernel.syscall(Kernel.PWRITEV2, fd, from.vector(count), 1, offset, 0, Kernel.RWF_NOWAIT);
        if (n == count) {
            return count;
        }
        int errno = n < 0 ? Kernel.errno() : 0;
        quota.giveBack(unused(grown, count, Math.max(0, n))); // the rest is counted when it is written again
        if (errno == Errno.EOPNOTSUPP || errno == Errno.ENOSYS || errno == Errno.EPERM) {
            mayWriteNow = false;
        } else if (errno != 0 && errno != Errno.EAGAIN && errno != Errno.EINTR) {
            isBroken = true;
            throw new FileFailure(errno);
        }
        return WOULD_WAIT;
    }

    /**
     * Writes all; may wait for the disk.
     *
     * @param from from its start
     * @param count bytes
     * @param offset where to
     * @throws FileFailure if the disk is full or fails, or the quota is used up; a part may have been written
     */
    public void write(NativeBuffer from, int count, long offset) throws FileFailure {
        long grown = grow(count, offset);
        int done = 0;
        while (done < count) {
            long n = Kernel.pwrite(fd, from.address() + done, count - done, offset + done);
            if (n >= 0) {
                done += (int) n;
            } else if (Kernel.errno() != Errno.EINTR) {
                int errno = Kernel.errno();
                isBroken = true;
                quota.giveBack(unused(grown, count, done));
                throw new FileFailure(errno);
            }
        }
    }

    /** How much longer a write makes it; taken from the quota. */
    long grow(int count, long offset) throws FileFailure {
        if (!quota.isLimited() || count == 0 || offset < 0) { // the kernel refuses the last
            return 0;
        }
        long size = attributes().size();
        long grown = how.isAppended() ? count : Math.max(0, offset - size + count); // neither overflows
        try {
            quota.take(grown);
        } catch (FileFailure full) {
            isBroken = true;
            throw full;
        }
        return grown;
    }

    /**
     * How much of what was taken from the quota is not used after all.
     *
     * @param grown what was taken
     * @param count bytes that were to be written
     * @param done bytes that were
     */
    static long unused(long grown, long count, long done) {
        return done == 0 ? grown : Math.min(grown, count - done); // where nothing is written, no hole is made either
    }

    /**
     * A number that it has whoever opens it, and that others do not have, as a rule.
     *
     * @return of its disk and its place there
     */
    public long number() {
        return Long.rotateLeft(id.device(), Integer.SIZE) ^ id.inode();
    }

    // For copies.

    int fd() {
        return fd;
    }

    Attributes.Id id() {
        return id;
    }

    /** Of what {@link #grow} took. */
    void giveBack(long bytes) {
        quota.giveBack(bytes);
    }

    /** A write has failed: the file is not published. */
    FileFailure broken(int errno) {
        isBroken = true;
        return new FileFailure(errno);
    }

    /**
     * Changes its size, permissions or times.
     *
     * @param change what to change
     * @throws FileFailure if it is refused
     */
    public void change(Tree.Change change) throws FileFailure {
        if (change.size() >= 0) {
            truncate(change.size());
        }
        if (change.permissions() >= 0) {
            Tree.check(Kernel.fchmod(fd, change.permissions() & Attributes.PERMISSIONS));
        }
        if (change.hasTimes()) {
            Tree.check(Kernel.futimens(fd, change.times()));
        }
    }

    void truncate(long size) throws FileFailure {
        long old = attributes().size();
        quota.take(size - old);
        if (Kernel.ftruncate(fd, size) < 0) {
            int errno = Kernel.errno();
            quota.giveBack(Math.max(0, size - old));
            throw new FileFailure(errno);
        }
        quota.giveBack(Math.max(0, old - size));
    }

    /**
     * Waits until it is on the disk.
     *
     * @throws FileFailure if the disk fails
     */
    public void sync() throws FileFailure {
        Tree.check(Kernel.fsync(fd));
    }

    /**
     * The room on its disk.
     *
     * @return what the kernel says
     */
    public Space space() throws FileFailure {
        return Space.of(fd, quota);
    }

    /**
     * Gives it its name, if it has none yet. Once.
     *
     * @throws FileFailure if the name can't be given, or a write has failed: what there is under the name stays as it is
     */
    public void publish() throws FileFailure {
        if (upload == null) {
            return;
        }
        if (isBroken) {
            throw new FileFailure(Errno.EIO, "not published, as a write has failed");
        }
        upload.publish(fd);
    }

    /** Closes it. One that was to be published and was not is gone. Idempotent. */
    @Override
    public void close() {
        if (isClosed) {
            return;
        }
        isClosed = true;
        if (upload != null && !upload.end()) {
            quota.owe(id);
        }
        quota.closing(id, fd);
        Kernel.close(fd);
    }
}
