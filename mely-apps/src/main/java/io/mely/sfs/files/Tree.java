// SPDX-License-Identifier: Apache-2.0
package io.mely.sfs.files;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * The files below one root. Whatever a path says, and whoever swaps folders and links meanwhile, no call touches what is outside.
 *
 * <p>Paths are resolved by the kernel inside the root ({@code openat2} with {@code RESOLVE_IN_ROOT}), as if the root were all there is: a link to
 * "/a", and "..", end at the root, as in OpenSSH's {@code ChrootDirectory}. A kernel without {@code openat2} (before 5.6, or where a container forbids
 * it) is walked name by name, and no link is followed. What makes, moves or removes a name opens the folder of that name first, in the same
 * way, and acts on the name in the open folder.
 *
 * <p><b>Threads.</b> Any, until {@link #close}. <b>Costs.</b> Some system calls, which wait for the disk if folders are not in memory.
 * <b>Errors.</b> {@link FileFailure} with the kernel's reason.
 */
public final class Tree implements AutoCloseable {
    private static final int FOLDER_FLAGS = Kernel.O_PATH | Kernel.O_DIRECTORY | Kernel.O_CLOEXEC;

    /** Resolutions in a row that a rename somewhere has disturbed; the kernel's own library tries as often. */
    private static final int TRIES_MAX = 32;

    /** A time that {@code utimensat} leaves as it is. */
    private static final long UTIME_OMIT = (1L << 30) - 2;

    private static final byte[] EMPTY = {0};
    private static final byte[] HERE = {'.', 0};
    private static final int LINK_BYTES_MAX = 4096;
    private static final int HOW_BYTES = 24;

    /** How the JDK writes names to the system. */
    private static final Charset NAMES = Charset.forName(System.getProperty("sun.jnu.encoding", "UTF-8"));

    /** False once the kernel has said that it has no openat2. */
    private static volatile boolean hasResolution = true;

    private final int root;
    private final FileRules rules;
    private final Quota quota;
    private final boolean isWalked;
    private final Disk disk;
    private boolean isCounted;

    private Tree(int root, FileRules rules, Quota quota, boolean isWalked, Disk disk) {
        this.root = root;
        this.rules = rules;
        this.quota = quota;
        this.isWalked = isWalked;
        this.disk = disk;
    }

    /**
     * Whether this machine has what it takes.
     *
     * @return true on Linux, on x86-64, ARM and RISC-V of 64 bits
     */
    public static boolean isAvailable() {
        return Kernel.isAvailable();
    }

    /**
     * The user that the server runs as, to whom all files belong that are made.
     *
     * @return number of the user
     */
    public static int serverUserId() {
        return Kernel.geteuid();
    }

    /**
     * Opens a root.
     *
     * @param folder any path of the server's; links to it are followed
     * @param rules how files are made and found
     * @param quota of all who share the root
     * @return to be closed
     * @throws NoSuchFileException if there is none
     * @throws NotDirectoryException if it is no folder
     * @throws IOException if it can't be opened
     */
    public static Tree open(Path folder, FileRules rules, Quota quota) throws IOException {
        return open(folder, rules, quota, false, Disk.KERNEL);
    }

    /** The same, and as on a kernel without openat2 if told so. */
    static Tree open(Path folder, FileRules rules, Quota quota, boolean isWalked, Disk disk) throws IOException {
        byte[] path = (folder.toAbsolutePath() + "\0").getBytes(NAMES);
        int fd = Kernel.openat(Kernel.AT_FDCWD, path, FOLDER_FLAGS, 0);
        if (fd < 0) {
            int errno = Kernel.errno();
            if (errno == Errno.ENOENT) {
                throw new NoSuchFileException(folder.toString());
            }
            if (errno == Errno.ENOTDIR) {
                throw new NotDirectoryException(folder.toString());
            }
            throw new IOException(folder + ": " + Kernel.strerror(errno));
        }
        return new Tree(fd, rules, quota, isWalked, disk);
    }

    /**
     * Says that files will be written through this tree. Where there is a quota, counts all files, if nobody else does so already: then it may take long.
     *
     * @throws FileFailure if they can't be counted
     */
    public void countForQuota() throws FileFailure {
        if (quota.isLimited() && !isCounted) {
            quota.enter(this);
            isCounted = true;
        }
    }

    Disk disk() {
        return disk;
    }

    /**
     * Its quota.
     *
     * @return of all who share the root
     */
    public Quota quota() {
        return quota;
    }

    // Files and folders.

    /**
     * Opens a file.
     *
     * @param path of it
     * @param how what for
     * @param mode permissions, if it is made; no more than the rules allow
     * @return to be closed
     * @throws FileFailure if it is not there, or is no file
     */
    public RegularFile openFile(RemotePath path, OpenHow how, int mode) throws FileFailure {
        int flags = (how.flags() & ~Kernel.O_TRUNC) | Kernel.O_CLOEXEC | Kernel.O_NOCTTY | Kernel.O_NONBLOCK;
        int allowed = how.isMade() ? mode & rules.fileMode() : 0;
        int fd = resolve(path, flags, allowed);
        boolean isDone = false;
        try {
            Attributes found = attributes(fd);
            if (!found.isRegular()) {
                throw new FileFailure(
                        found.isFolder() ? Errno.EISDIR : Errno.EINVAL,
                        found.isFolder() ? "is a folder" : "is not a regular file");
            }
            RegularFile file = new RegularFile(fd, found.id(), how, quota, null);
            isDone = true;
            if (how.isEmptied() && found.size() > 0) {
                empty(file);
            }
            return file;
        } finally {
            if (!isDone) {
                Kernel.close(fd);
            }
        }
    }

    private static void empty(RegularFile file) throws FileFailure {
        boolean isDone = false;
        try {
            file.truncate(0);
            isDone = true;
        } finally {
            if (!isDone) {
                file.close();
            }
        }
    }

    /**
     * Makes a file that has no name until {@link RegularFile#publish} gives it one.
     *
     * @param path the name it is to get
     * @param how what for
     * @param mode permissions, no more than the rules allow
     * @param temporaryName for file systems where each file has a name
     * @return to be published, and closed
     * @throws FileFailure if the folder is not there, or may not be written to
     */
    public RegularFile openUnpublished(RemotePath path, OpenHow how, int mode, byte[] temporaryName)
            throws FileFailure {
        return Upload.begin(this, path, how, mode & rules.fileMode(), temporaryName);
    }

    /**
     * Opens a folder to list it.
     *
     * @param path of it
     * @return to be closed
     * @throws FileFailure if it is not there, or is no folder
     */
    public OpenFolder openFolder(RemotePath path) throws FileFailure {
        return new OpenFolder(resolve(path, Kernel.O_RDONLY | Kernel.O_DIRECTORY | Kernel.O_CLOEXEC, 0));
    }

    /**
     * Looks at a file.
     *
     * @param path of it
     * @param follow whether a link at the end of the path leads on
     * @return what it is
     * @throws FileFailure if it is not there
     */
    public Attributes attributes(RemotePath path, boolean follow) throws FileFailure {
        int fd = resolve(path, Kernel.O_PATH | Kernel.O_CLOEXEC | (follow ? 0 : Kernel.O_NOFOLLOW), 0);
        try {
            return attributes(fd);
        } finally {
            Kernel.close(fd);
        }
    }

    static Attributes attributes(int fd) throws FileFailure {
        return attributes(fd, EMPTY, Kernel.AT_EMPTY_PATH);
    }

    /** Of a name in an open folder; a link is looked at itself. */
    static Attributes attributesIn(int folder, byte[] name) throws FileFailure {
        return attributes(folder, name, Kernel.AT_SYMLINK_NOFOLLOW);
    }

    private static Attributes attributes(int fd, byte[] name, int flags) throws FileFailure {
        byte[] statx = new byte[Attributes.STATX_BYTES];
        check(Kernel.statx(fd, name, flags, Attributes.STATX_BASIC, statx));
        return Attributes.of(statx);
    }

    /**
     * What changes with a file.
     *
     * @param size new length, -1 to leave it
     * @param permissions new permissions, -1 to leave them; bits that change who a program runs as are left out
     * @param accessedS new time of the last access, seconds since 1970
     * @param modifiedS new time of the last change
     * @param hasTimes false to leave the times
     */
    public record Change(long size, int permissions, long accessedS, long modifiedS, boolean hasTimes) {
        byte[] times() {
            ByteBuffer times = ByteBuffer.allocate(32).order(ByteOrder.nativeOrder());
            times.putLong(accessedS).putLong(hasTimes ? 0 : UTIME_OMIT);
            times.putLong(modifiedS).putLong(hasTimes ? 0 : UTIME_OMIT);
            return times.array();
        }
    }

    /**
     * Changes a file.
     *
     * @param path of it
     * @param change what to change
     * @param follow whether a link at the end of the path leads on; a link itself has times only
     * @throws FileFailure if it is refused
     */
    public void change(RemotePath path, Change change, boolean follow) throws FileFailure {
        int fd = resolve(path, Kernel.O_PATH | Kernel.O_CLOEXEC | (follow ? 0 : Kernel.O_NOFOLLOW), 0);
        try {
            Attributes old = attributes(fd);
            boolean isOnlyTimed = change.size() < 0 && change.permissions() < 0;
            if (old.isLink() && !isOnlyTimed) {
                throw new FileFailure(Errno.EOPNOTSUPP, "a link has neither size nor permissions");
            }
            byte[] self = ("/proc/self/fd/" + fd + "\0")
                    .getBytes(StandardCharsets.US_ASCII); // that file, whatever became of its name
            if (change.size() >= 0) {
                if (!old.isRegular()) {
                    throw new FileFailure(old.isFolder() ? Errno.EISDIR : Errno.EINVAL);
                }
                quota.take(change.size() - old.size());
                if (Kernel.truncate(self, change.size()) < 0) {
                    int errno = Kernel.errno();
                    quota.giveBack(Math.max(0, change.size() - old.size()));
                    throw new FileFailure(errno);
                }
                quota.giveBack(Math.max(0, old.size() - change.size()));
            }
            if (change.permissions() >= 0) {
                check(Kernel.chmod(self, change.permissions() & Attributes.PERMISSIONS));
            }
            if (change.hasTimes()) {
                // A link's own: the name in /proc leads to what is open, and not through it. Kernels before 5.8 know no
                // other way.
                check(Kernel.utimensat(Kernel.AT_FDCWD, self, change.times(), 0));
            }
        } finally {
            Kernel.close(fd);
        }
    }

    // Names.

    /**
     * Makes a folder.
     *
     * @param path of it
     * @param mode permissions, no more than the rules allow
     * @throws FileFailure if the name is taken, for instance
     */
    public void makeFolder(RemotePath path, int mode) throws FileFailure {
        if (path.isRoot()) {
            throw new FileFailure(Errno.EEXIST);
        }
        in(path, folder -> check(Kernel.mkdirat(folder, path.name(), mode & rules.folderMode())));
    }

    /**
     * Removes an empty folder.
     *
     * @param path of it
     * @throws FileFailure if it is not empty, for instance
     */
    public void removeFolder(RemotePath path) throws FileFailure {
        in(path, folder -> check(Kernel.unlinkat(folder, path.name(), Kernel.AT_REMOVEDIR)));
    }

    /**
     * Removes a name that is no folder's: a file, or a link itself.
     *
     * @param path of it
     * @throws FileFailure if it is a folder, for instance
     */
    public void removeFile(RemotePath path) throws FileFailure {
        in(path, folder -> losing(folder, path.name(), () -> check(Kernel.unlinkat(folder, path.name(), 0))));
    }

    @FunctionalInterface
    private interface Step {
        void run() throws FileFailure;
    }

    /** Does what may take the name of a file away. It is held open meanwhile: if that was its last name, its bytes are given back when the last who has it open closes it. */
    private void losing(int folder, byte[] name, Step step) throws FileFailure {
        int fd = quota.isLimited()
                ? Kernel.openat(folder, name, Kernel.O_PATH | Kernel.O_NOFOLLOW | Kernel.O_CLOEXEC, 0)
                : -1;
        if (fd < 0) {
            step.run(); // nothing is counted, or there is nothing to lose
            return;
        }
        try {
            Attributes held = attributes(fd);
            if (held.isRegular()) {
                losingHeld(fd, held.id(), step);
            } else {
                step.run();
            }
        } finally {
            Kernel.close(fd);
        }
    }

    private void losingHeld(int fd, Attributes.Id file, Step step) throws FileFailure {
        quota.opened(file);
        try {
            step.run();
            if (attributes(fd).links() == 0) {
                quota.owe(file);
            }
        } finally {
            quota.closing(file, fd);
        }
    }

    /**
     * Renames a file or folder.
     *
     * @param from its path
     * @param to its new path
     * @param replace whether a file that has that name already is replaced, as one step; else it is a failure
     * @throws FileFailure if it is refused
     */
    public void rename(RemotePath from, RemotePath to, boolean replace) throws FileFailure {
        in(
                from,
                old -> in(to, target -> {
                    if (replace) {
                        renameOver(old, from.name(), target, to.name());
                    } else {
                        renameAside(old, from.name(), target, to.name());
                    }
                }));
    }

    /** Replaces a file that has the new name. */
    void renameOver(int oldFolder, byte[] oldName, int newFolder, byte[] newName) throws FileFailure {
        losing(newFolder, newName, () -> check(Kernel.renameat(oldFolder, oldName, newFolder, newName)));
    }

    private static void renameAside(int oldFolder, byte[] oldName, int newFolder, byte[] newName) throws FileFailure {
        long done = Kernel.syscall(Kernel.RENAMEAT2, oldFolder, oldName, newFolder, newName, Kernel.RENAME_NOREPLACE);
        if (done >= 0) {
            return;
        }
        int errno = Kernel.errno();
        if (errno != Errno.EINVAL && errno != Errno.ENOSYS) {
            throw new FileFailure(errno);
        }
        // A file system that can't say it in one step, such as NFS: a second name fails if it is taken.
        check(Kernel.linkat(oldFolder, oldName, newFolder, newName, 0));
        check(Kernel.unlinkat(oldFolder, oldName, 0));
    }

    /**
     * Gives a file a second name. A symbolic link is given one itself.
     *
     * @param file its path
     * @param name the new path
     * @throws FileFailure if it is taken, for instance
     */
    public void link(RemotePath file, RemotePath name) throws FileFailure {
        in(file, old -> in(name, target -> check(Kernel.linkat(old, file.name(), target, name.name(), 0))));
    }

    /**
     * Makes a symbolic link.
     *
     * @param target any text; where it leads is decided when it is followed
     * @param name path of the link
     * @throws FileFailure if the name is taken, for instance
     */
    public void symbolicLink(byte[] target, RemotePath name) throws FileFailure {
        for (byte each : target) {
            if (each == 0) {
                throw new FileFailure(Errno.EINVAL, "a path with a zero byte");
            }
        }
        byte[] text = Arrays.copyOf(target, target.length + 1);
        in(name, folder -> check(Kernel.symlinkat(text, folder, name.name())));
    }

    /**
     * Reads a symbolic link.
     *
     * @param name path of the link
     * @return its text
     * @throws FileFailure if it is no link
     */
    public byte[] readLink(RemotePath name) throws FileFailure {
        if (name.isRoot()) {
            throw new FileFailure(Errno.EINVAL);
        }
        byte[] text = new byte[LINK_BYTES_MAX];
        int[] length = new int[1];
        in(name, folder -> {
            long n = Kernel.readlinkat(folder, name.name(), text, text.length);
            check(n);
            length[0] = (int) n;
        });
        return Arrays.copyOf(text, length[0]);
    }

    /**
     * The room on the disk.
     *
     * @param path of a file or folder
     * @return what the kernel says
     * @throws FileFailure if it is not there
     */
    public Space space(RemotePath path) throws FileFailure {
        int fd = resolve(path, Kernel.O_PATH | Kernel.O_CLOEXEC, 0);
        try {
            return Space.of(fd, quota);
        } finally {
            Kernel.close(fd);
        }
    }

    /** The lengths of all files; one with several names counts once. What is removed or made meanwhile may be counted or not. */
    long usedBytes() throws FileFailure {
        return new Count().of(opened(Kernel.openat(root, HERE, Count.FLAGS, 0)));
    }

    // Resolution.

    @FunctionalInterface
    private interface InFolder {
        void run(int folder) throws FileFailure;
    }

    /** Acts in the open folder of a name. */
    private void in(RemotePath path, InFolder action) throws FileFailure {
        int folder = openParent(path);
        try {
            action.run(folder);
        } finally {
            Kernel.close(folder);
        }
    }

    /** The folder of a name, to be closed. */
    int openParent(RemotePath path) throws FileFailure {
        if (path.isRoot()) {
            throw new FileFailure(Errno.EACCES, "the root stays as it is");
        }
        return resolve(path.parent(), FOLDER_FLAGS, 0);
    }

    /** A descriptor of what a path leads to, to be closed. */
    private int resolve(RemotePath path, int flags, int mode) throws FileFailure {
        if (isWalked || !hasResolution) {
            return walk(path, flags, mode);
        }
        byte[] how = ByteBuffer.allocate(HOW_BYTES)
                .order(ByteOrder.nativeOrder())
                .putLong(flags)
                .putLong((flags & Kernel.O_CREAT) != 0 ? mode : 0)
                .putLong(Kernel.RESOLVE_IN_ROOT
                        | Kernel.RESOLVE_NO_MAGICLINKS
                        | (rules.followLinks() ? 0 : Kernel.RESOLVE_NO_SYMLINKS))
                .array();
        byte[] below = path.below();
        int errno = 0;
        for (int i = 0; i < TRIES_MAX; i++) {
            long fd = Kernel.syscall(Kernel.OPENAT2, root, below, how, HOW_BYTES);
            if (fd >= 0) {
                return (int) fd;
            }
            errno = Kernel.errno();
            if (errno == Errno.ENOSYS || (errno == Errno.EPERM && !isResolutionKnown())) {
                hasResolution = false;
                return walk(path, flags, mode);
            }
            if (errno != Errno.EAGAIN && errno != Errno.EINTR) {
                break;
            }
        }
        throw new FileFailure(errno);
    }

    /** A container that does not know the call answers EPERM; the kernel never does so for the root itself. */
    private boolean isResolutionKnown() {
        byte[] how = ByteBuffer.allocate(HOW_BYTES)
                .order(ByteOrder.nativeOrder())
                .putLong(FOLDER_FLAGS)
                .putLong(0)
                .putLong(Kernel.RESOLVE_IN_ROOT)
                .array();
        long fd = Kernel.syscall(Kernel.OPENAT2, root, HERE, how, HOW_BYTES);
        if (fd >= 0) {
            Kernel.close((int) fd);
        }
        return fd >= 0;
    }

    /** Name by name, each in the open folder before it, through no link. */
    private int walk(RemotePath path, int flags, int mode) throws FileFailure {
        int folder = opened(Kernel.openat(root, HERE, FOLDER_FLAGS, 0));
        try {
            byte[] below = path.below();
            int start = 0;
            for (int i = 0; i < below.length - 1; i++) {
                if (below[i] == '/') {
                    byte[] name = Arrays.copyOf(Arrays.copyOfRange(below, start, i), i - start + 1);
                    int next = opened(Kernel.openat(folder, name, FOLDER_FLAGS | Kernel.O_NOFOLLOW, 0));
                    Kernel.close(folder);
                    folder = next;
                    start = i + 1;
                }
            }
            byte[] last = Arrays.copyOfRange(below, start, below.length);
            int fd = opened(Kernel.openat(folder, last, flags | Kernel.O_NOFOLLOW, mode));
            boolean isFollowed = (flags & Kernel.O_PATH) != 0 && (flags & Kernel.O_NOFOLLOW) == 0;
            if (isFollowed && attributes(fd).isLink()) {
                Kernel.close(fd);
                throw new FileFailure(Errno.ELOOP);
            }
            return fd;
        } finally {
            Kernel.close(folder);
        }
    }

    static int opened(int fd) throws FileFailure {
        check(fd);
        return fd;
    }

    static void check(long result) throws FileFailure {
        if (result < 0) {
            throw new FileFailure(Kernel.errno());
        }
    }

    @Override
    public void close() {
        if (isCounted) {
            isCounted = false;
            quota.leave();
        }
        Kernel.close(root);
    }
}
