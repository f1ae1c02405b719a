// SPDX-License-Identifier: Apache-2.0
package io.mely.sfs.files;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A folder that is being listed.
 *
 * <p><b>Threads.</b> One at a time. <b>Costs.</b> {@value #BYTES} bytes while it is read.
 */
public final class OpenFolder implements AutoCloseable {
    /** What the C library reads at once. */
    private static final int BYTES = 32 << 10;

    // struct linux_dirent64
    private static final int LENGTH_AT = 16;
    private static final int NAME_AT = 19;

    private final int fd;
    private @Nullable ByteBuffer entries;
    private @Nullable Entry undone;
    private boolean isClosed;

    OpenFolder(int fd) {
        this.fd = fd;
    }

    /**
     * One name.
     *
     * @param name its bytes
     * @param attributes of what has the name; a link is looked at itself
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    public record Entry(byte[] name, Attributes attributes) {}

    /**
     * What the folder itself is.
     *
     * @return of this moment
     */
    public Attributes attributes() throws FileFailure {
        return Tree.attributes(fd);
    }

    /**
     * The next name, in no order. "." and ".." are left out.
     *
     * @return null at the end
     * @throws FileFailure if the disk fails
     */
    public @Nullable Entry next() throws FileFailure {
        Entry again = undone;
        if (again != null) {
            undone = null;
            return again;
        }
        while (true) {
            ByteBuffer in = entries;
            if (in == null || !in.hasRemaining()) {
                in = read();
                if (in == null) {
                    return null;
                }
            }
            int start = in.position();
            int end = start + in.getShort(start + LENGTH_AT);
            int nameEnd = start + NAME_AT;
            while (in.get(nameEnd) != 0) {
                nameEnd++;
            }
            in.position(end);
            byte[] name = new byte[nameEnd + 1 - start - NAME_AT]; // with its zero
            in.get(start + NAME_AT, name);
            if (isDots(name)) {
                continue;
            }
            try {
                Attributes attributes = Tree.attributesIn(fd, name);
                return new Entry(Arrays.copyOf(name, name.length - 1), attributes);
            } catch (FileFailure gone) {
                if (gone.errno() != Errno.ENOENT) {
                    throw gone;
                }
            }
        }
    }

    /**
     * Gives one name back, to be the next again.
     *
     * @param entry what {@link #next} returned last
     */
    public void undo(Entry entry) {
        undone = entry;
    }

    private static boolean isDots(byte[] name) {
        return name[0] == '.' && (name.length == 2 || (name.length == 3 && name[1] == '.'));
    }

    private @Nullable ByteBuffer read() throws FileFailure {
        byte[] bytes = new byte[BYTES];
        long n = Kernel.syscall(Kernel.GETDENTS64, fd, bytes, bytes.length);
        Tree.check(n);
        ByteBuffer in = n == 0 ? null : ByteBuffer.wrap(bytes, 0, (int) n).order(ByteOrder.nativeOrder());
        entries = in;
        return in;
    }

    /**
     * The room on its disk.
     *
     * @param quota of the tree
     * @return what the kernel says
     */
    public Space space(Quota quota) throws FileFailure {
        return Space.of(fd, quota);
    }

    /** Closes it. Idempotent. */
    @Override
    public void close() {
        if (!isClosed) {
            isClosed = true;
            Kernel.close(fd);
        }
    }
}
