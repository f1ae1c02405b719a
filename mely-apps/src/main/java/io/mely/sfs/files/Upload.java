// SPDX-License-Identifier: Apache-2.0
package io.mely.sfs.files;

import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * A file that gets its name when it is whole. Until then it has none ({@code O_TMPFILE}), so that nothing is left of it when the server dies. On a file system
 * where each file has a name it has a temporary one in the same folder, which is left behind if the server dies.
 *
 * <p><b>Threads.</b> One at a time.
 */
final class Upload {
    private static final int O_TMPFILE = 020000000 | Kernel.O_DIRECTORY;
    private static final int AT_SYMLINK_FOLLOW = 0x400;
    private static final byte[] HERE = {'.', 0};

    private final Tree tree;
    private final int folder;
    private final byte[] name;
    private final byte[] temporaryName;
    private final boolean mayReplace;
    private boolean isNamed;
    private boolean isPublished;

    private Upload(Tree tree, int folder, byte[] name, byte[] temporaryName, boolean mayReplace, boolean isNamed) {
        this.tree = tree;
        this.folder = folder;
        this.name = name;
        this.temporaryName = temporaryName;
        this.mayReplace = mayReplace;
        this.isNamed = isNamed;
    }

    static RegularFile begin(Tree tree, RemotePath path, OpenHow how, int mode, byte[] temporaryName)
            throws FileFailure {
        byte[] name = path.isRoot() ? null : path.name();
        int folder = tree.openParent(path);
        RegularFile file = null;
        try {
            checkFree(folder, java.util.Objects.requireNonNull(name), how.isNew());
            int access = (how.isRead() ? Kernel.O_RDWR : Kernel.O_WRONLY)
                    | Kernel.O_CLOEXEC
                    | (how.isAppended() ? Kernel.O_APPEND : 0);
            boolean isNamed = false;
            int fd = Kernel.openat(folder, HERE, O_TMPFILE | access, mode);
            if (fd < 0 && (Kernel.errno() == Errno.EOPNOTSUPP || Kernel.errno() == Errno.EISDIR)) {
                isNamed = true;
                fd = Kernel.openat(
                        folder, temporaryName, access | Kernel.O_CREAT | Kernel.O_EXCL | Kernel.O_NOFOLLOW, mode);
            }
            Tree.check(fd);
            Upload upload = new Upload(tree, folder, name, temporaryName, !how.isNew(), isNamed);
            file = upload.open(fd, how);
            return file;
        } finally {
            if (file == null) {
                Kernel.close(folder);
            }
        }
    }

    private RegularFile open(int fd, OpenHow how) throws FileFailure {
        @Nullable RegularFile file = null;
        try {
            file = new RegularFile(fd, Tree.attributes(fd).id(), how, tree.quota(), this);
            return file;
        } finally {
            if (file == null) {
                Kernel.close(fd);
            }
        }
    }

    /** What could not be replaced at the end is said at the beginning. */
    private static void checkFree(int folder, byte[] name, boolean mustBeNew) throws FileFailure {
        Attributes found;
        try {
            found = Tree.attributesIn(folder, name);
        } catch (FileFailure absent) {
            if (absent.errno() == Errno.ENOENT) {
                return;
            }
            throw absent;
        }
        if (mustBeNew) {
            throw new FileFailure(Errno.EEXIST);
        }
        if (found.isFolder()) {
            throw new FileFailure(Errno.EISDIR, "is a folder");
        }
        if (!found.isRegular()) {
            throw new FileFailure(Errno.EINVAL, "is not a regular file");
        }
    }

    /** Replaces what has the name in one step. A name is given to bytes that are on the disk, and is there itself when this returns: no loss of power leaves half a file. */
    void publish(int fd) throws FileFailure {
        check(tree.disk().syncFile(fd));
        name(fd);
        int open = Kernel.openat(folder, HERE, Kernel.O_RDONLY | Kernel.O_DIRECTORY | Kernel.O_CLOEXEC, 0);
        if (open < 0) {
            if (Kernel.errno() == Errno.EACCES) {
                return; // a folder to drop files in, which the server itself may not read
            }
            throw new FileFailure(Kernel.errno());
        }
        try {
            int errno = tree.disk().syncFolder(open);
            check(errno == Errno.EINVAL ? 0 : errno); // a file system that has no such thing
        } finally {
            Kernel.close(open);
        }
    }

    private static void check(int errno) throws FileFailure {
        if (errno != 0) {
            throw new FileFailure(errno);
        }
    }

    private void name(int fd) throws FileFailure {
        byte[] self = ("/proc/self/fd/" + fd + "\0").getBytes(StandardCharsets.US_ASCII);
        if (!isNamed && Kernel.linkat(Kernel.AT_FDCWD, self, folder, name, AT_SYMLINK_FOLLOW) == 0) {
            isPublished = true;
            return;
        }
        if (!isNamed) {
            int errno = Kernel.errno();
            if (errno != Errno.EEXIST || !mayReplace) {
                throw new FileFailure(errno);
            }
            Tree.check(Kernel.linkat(Kernel.AT_FDCWD, self, folder, temporaryName, AT_SYMLINK_FOLLOW));
            isNamed = true;
        }
        if (!mayReplace) {
            Tree.check(Kernel.linkat(folder, temporaryName, folder, name, 0));
            isPublished = true; // the temporary name goes with the end
            return;
        }
        tree.renameOver(folder, temporaryName, folder, name);
        isNamed = false;
        isPublished = true;
    }

    /** Before the descriptor is closed. Answers whether the file has got its name. */
    boolean end() {
        if (isNamed) {
            Kernel.unlinkat(folder, temporaryName, 0);
        }
        Kernel.close(folder);
        return isPublished;
    }
}
