// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.files;

import io.mely.net.OpenFile;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.nio.file.attribute.BasicFileAttributes;

/**
 * Opens files and folders below the root so that no link leads outside, also if somebody swaps links while it looks.
 *
 * <p>Links are resolved first, by {@code realpath}; if the result lies inside the real root, it is opened name by name from the
 * root down, each name relative to the open folder before it and never through a link ({@code openat} with
 * {@code O_NOFOLLOW}). A name that has become a link in between fails the walk, and the answer is "missing".
 *
 * <p>Only a regular file is opened, and without waiting: a pipe would block.
 *
 * <p><b>Threads.</b> Any. <b>Costs.</b> A few microseconds and a descriptor for a moment for each folder on the way.
 */
final class SafeOpener {
    private static final LinkOption NO_LINKS = LinkOption.NOFOLLOW_LINKS;

    private final Path root;
    private final boolean areLinksFollowed;
    private final Withheld withheld;

    SafeOpener(Path root, boolean areLinksFollowed, Withheld withheld) {
        this.withheld = withheld;
        this.root = root.toAbsolutePath();
        this.areLinksFollowed = areLinksFollowed;
    }

    /**
     * Opens a file for reading.
     *
     * @param file a path below the root
     * @return the file, to be closed by the caller
     * @throws NoSuchFileException if it is not there, or outside
     * @throws IOException if it can't be opened
     */
    OpenFile openFile(Path file) throws IOException {
        Path relative = resolve(file);
        if (relative.toString().isEmpty()) {
            throw new NoSuchFileException(file.toString(), null, "the root is no file");
        }
        return OpenFile.openBeneath(root.toRealPath(), relative);
    }

    /**
     * Opens a folder to list it.
     *
     * @param folder a path below the root, or the root
     * @return to be closed
     * @throws IOException as {@link #openFile}
     */
    FolderReader openFolder(Path folder) throws IOException {
        return new FolderReader(this, folder, root.toRealPath().resolve(resolve(folder)), openSafely(folder));
    }

    /**
     * Checks that a file that was opened before, or a folder, still lies inside. If no name below the root is a link, it does, and that takes less than its real path.
     *
     * @param file a path below the root, or the root
     * @throws IOException as {@link #openFile}
     */
    void check(Path file) throws IOException {
        if (hasLink(file)) {
            resolve(file);
        }
    }

    private boolean hasLink(Path file) throws IOException {
        for (Path at = file; at != null && at.startsWith(root) && !at.equals(root); at = at.getParent()) {
            if (Files.readAttributes(at, BasicFileAttributes.class, NO_LINKS).isSymbolicLink()) {
                return true;
            }
        }
        return false;
    }

    /** Whether a real path is of a file that is not served. */
    boolean isWithheld(Path real) {
        return withheld.has(real);
    }

    /**
     * Whether what may not be looked at lies inside, or at least no link leads to it. Somebody who is not let in must not learn what there is outside.
     *
     * @param file a path below the root
     * @return false if it lies outside, or nobody knows where
     * @throws IOException if the root is not there
     */
    boolean isInside(Path file) throws IOException {
        Path realRoot = root.toRealPath();
        for (Path at = file; at != null && at.startsWith(root); at = at.getParent()) {
            if (Files.isSymbolicLink(at)) {
                try {
                    return at.toRealPath().startsWith(realRoot);
                } catch (IOException nobodyKnows) {
                    return false;
                }
            }
        }
        return true;
    }

    private SecureDirectoryStream<Path> openSafely(Path file) throws IOException {
        Path relative = resolve(file);
        SecureDirectoryStream<Path> folder = openRoot();
        if (relative.toString().isEmpty()) {
            return folder;
        }
        for (Path name : relative) {
            try (SecureDirectoryStream<Path> parent = folder) {
                folder = parent.newDirectoryStream(name, NO_LINKS);
            }
        }
        return folder;
    }

    /** The real path, relative to the real root. */
    private Path resolve(Path file) throws IOException {
        Path realRoot = root.toRealPath();
        Path real = file.toRealPath();
        if (!real.startsWith(realRoot)) {
            throw new NoSuchFileException(file.toString(), null, "outside the root");
        }
        Path relative = realRoot.relativize(real);
        if (!areLinksFollowed && !relative.equals(root.relativize(file))) {
            throw new NoSuchFileException(file.toString(), null, "reached through a link");
        }
        if (withheld.has(real)) {
            throw new NoSuchFileException(file.toString(), null, "withheld");
        }
        return relative;
    }

    @SuppressWarnings("StreamResourceLeak") // handed to the caller, who closes it
    private SecureDirectoryStream<Path> openRoot() throws IOException {
        DirectoryStream<Path> stream = Files.newDirectoryStream(root.toRealPath());
        if (stream instanceof SecureDirectoryStream<Path> secure) {
            return secure;
        }
        stream.close();
        throw new IOException("this file system can't open files relative to a folder: " + root);
    }
}
