// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.files;

import io.mely.net.OpenFile;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.nio.file.attribute.BasicFileAttributeView;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;

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
    private static final System.Logger LOG = System.getLogger(SafeOpener.class.getName());
    private static final LinkOption NO_LINKS = LinkOption.NOFOLLOW_LINKS;

    private final Path root;
    private final boolean areLinksFollowed;

    SafeOpener(Path root, boolean areLinksFollowed) {
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
     * One name in a folder.
     *
     * @param name the name
     * @param isFolder true for a folder
     * @param size bytes of a file
     * @param modifiedMs last change, milliseconds since 1970
     */
    record Name(Path name, boolean isFolder, long size, long modifiedMs) {}

    /**
     * Lists a folder: regular files and folders, links looked through if links are followed.
     *
     * @param folder a path below the root, or the root
     * @param max most names
     * @return in no order
     * @throws IOException as {@link #openFile}
     */
    List<Name> list(Path folder, int max) throws IOException {
        try (SecureDirectoryStream<Path> names = openFolder(folder)) {
            List<Name> found = new ArrayList<>();
            for (Path each : names) {
                if (found.size() == max) {
                    break;
                }
                Path name = each.getFileName();
                try {
                    BasicFileAttributes attributes = attributes(names, name);
                    if (attributes.isSymbolicLink()) {
                        resolve(folder.resolve(name));
                        attributes = names.getFileAttributeView(name, BasicFileAttributeView.class)
                                .readAttributes();
                    }
                    if (attributes.isDirectory() || attributes.isRegularFile()) {
                        found.add(new Name(
                                name,
                                attributes.isDirectory(),
                                attributes.size(),
                                attributes.lastModifiedTime().toMillis()));
                    }
                } catch (IOException goneOrBroken) {
                    // Gone, or a link to nowhere or to the outside: 404 for the client, too.
                    LOG.log(Level.DEBUG, "not listed: {0}", goneOrBroken.toString());
                }
            }
            return found;
        }
    }

    /**
     * Checks that a file or folder lies inside.
     *
     * @param file a path below the root, or the root
     * @throws IOException as {@link #openFile}
     */
    void check(Path file) throws IOException {
        resolve(file);
    }

    private SecureDirectoryStream<Path> openFolder(Path file) throws IOException {
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

    private static BasicFileAttributes attributes(SecureDirectoryStream<Path> folder, Path name) throws IOException {
        return folder.getFileAttributeView(name, BasicFileAttributeView.class, NO_LINKS)
                .readAttributes();
    }
}
