// SPDX-License-Identifier: Apache-2.0
package io.mely.sfs.files;

import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The lengths of all files below a folder. It goes from folder to folder by name, and back by "..", so that neither the length of a path nor the depth of the tree
 * limits it. A folder that can't be read is left out, with a warning: it must not keep others from their files.
 *
 * <p><b>Threads.</b> One; used once. <b>Costs.</b> A system call for each name. <b>Bounds.</b> Two descriptors; the names of folders on the way that are still to be seen.
 */
final class Count {
    static final int FLAGS = Kernel.O_RDONLY | Kernel.O_DIRECTORY | Kernel.O_CLOEXEC | Kernel.O_NOFOLLOW;

    private static final System.Logger LOG = System.getLogger(Count.class.getName());
    private static final byte[] UP = {'.', '.', 0};

    /** A folder on the way, and those in it that are still to be seen; names end with a zero. */
    private record Level(Attributes.Id folder, Deque<byte[]> rest) {}

    private final Deque<Level> way = new ArrayDeque<>();
    private final Set<Attributes.Id> linked = new HashSet<>();
    private long sum;
    private long leftOut;
    private @Nullable String firstLeftOut;

    /**
     * Counts.
     *
     * @param folder open for reading; closed here
     * @return bytes
     * @throws FileFailure if that folder itself can't be read
     */
    long of(int folder) throws FileFailure {
        int here = folder;
        try {
            way.push(list(here));
            while (!way.isEmpty()) {
                byte[] name = way.element().rest.poll();
                int next = name == null ? up(here) : down(here, name);
                if (next >= 0) {
                    Kernel.close(here);
                    here = next;
                }
            }
        } finally {
            Kernel.close(here);
        }
        if (leftOut > 0) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "{0} folders can''t be read and do not count for a quota, such as {1}",
                    leftOut,
                    firstLeftOut);
        }
        return sum;
    }

    /** The folder below, to go on in; -1 if there is nothing to go on with. */
    private int down(int here, byte[] name) {
        int fd = Kernel.openat(here, name, FLAGS, 0);
        if (fd < 0) {
            int errno = Kernel.errno();
            if (errno != Errno.ENOENT && errno != Errno.ENOTDIR && errno != Errno.ELOOP) { // gone, or another thing now
                leaveOut(name, errno);
            }
            return -1;
        }
        boolean goesOn = false;
        try {
            Level below = list(fd);
            goesOn = !below.rest.isEmpty();
            if (goesOn) {
                way.push(below);
            }
        } catch (FileFailure unreadable) {
            leaveOut(name, unreadable.errno());
        } finally {
            if (!goesOn) {
                Kernel.close(fd);
            }
        }
        return goesOn ? fd : -1;
    }

    /** The folder above, to go on in; -1 at the end. */
    private int up(int here) {
        way.pop();
        if (way.isEmpty()) {
            return -1;
        }
        int fd = Kernel.openat(here, UP, FLAGS, 0);
        int errno = fd < 0 ? Kernel.errno() : 0;
        if (fd >= 0 && isThere(fd, way.element().folder)) {
            return fd;
        }
        if (fd >= 0) {
            Kernel.close(fd);
        }
        // Moved while it was counted: the way back is lost, and with it what is left.
        while (!way.isEmpty()) {
            way.pop().rest.forEach(each -> leaveOut(each, errno));
        }
        return -1;
    }

    private static boolean isThere(int fd, Attributes.Id folder) {
        try {
            return Tree.attributes(fd).id().equals(folder);
        } catch (FileFailure e) {
            return false;
        }
    }

    private void leaveOut(byte[] name, int errno) {
        if (leftOut++ == 0) {
            firstLeftOut = new String(name, 0, name.length - 1, StandardCharsets.UTF_8).replaceAll("\\p{Cntrl}", "?")
                    + (errno == 0 ? "" : ": " + Kernel.strerror(errno));
        }
    }

    /** Adds up the files, and answers the folders. */
    private Level list(int fd) throws FileFailure {
        Deque<byte[]> folders = new ArrayDeque<>();
        Attributes.Id self = Tree.attributes(fd).id();
        OpenFolder folder = new OpenFolder(fd); // closed by the caller
        for (OpenFolder.Entry each = folder.next(); each != null; each = folder.next()) {
            Attributes found = each.attributes();
            if (found.isFolder()) {
                folders.add(Arrays.copyOf(each.name(), each.name().length + 1));
            } else if (found.isRegular() && (found.links() == 1 || linked.add(found.id()))) {
                sum += found.size();
            }
        }
        return new Level(self, folders);
    }
}
