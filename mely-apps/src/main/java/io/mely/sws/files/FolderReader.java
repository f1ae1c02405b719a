// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.files;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.nio.file.attribute.BasicFileAttributeView;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Iterator;
import org.jspecify.annotations.Nullable;

/**
 * Reads the names of an open folder, one after the other: regular files and folders, links looked through if links are followed. What a client could not have is
 * left out.
 *
 * <p><b>Threads.</b> One at a time. <b>Costs.</b> One stat a name, or two.
 */
final class FolderReader implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(FolderReader.class.getName());

    private final SafeOpener opener;
    private final Path folder;
    private final Path realFolder;
    private final SecureDirectoryStream<Path> names;
    private final Iterator<Path> rest;

    /** Of a folder that was opened safely. */
    FolderReader(SafeOpener opener, Path folder, Path realFolder, SecureDirectoryStream<Path> names) {
        this.opener = opener;
        this.folder = folder;
        this.realFolder = realFolder;
        this.names = names;
        rest = names.iterator();
    }

    /** Null behind the last. */
    @Nullable
    ListingLine next() throws IOException {
        try {
            while (rest.hasNext()) {
                ListingLine line = line(rest.next().getFileName());
                if (line != null) {
                    return line;
                }
            }
            return null;
        } catch (DirectoryIteratorException failed) {
            throw failed.getCause();
        }
    }

    /** Null for what is not listed. A disk that fails is thrown on: a list that lacks names would be taken for the whole. */
    private @Nullable ListingLine line(Path name) throws IOException {
        String text = ListingLine.textOf(name);
        if (text == null) {
            return null;
        }
        try {
            BasicFileAttributes attributes = names.getFileAttributeView(
                            name, BasicFileAttributeView.class, LinkOption.NOFOLLOW_LINKS)
                    .readAttributes();
            if (attributes.isSymbolicLink()) {
                opener.check(folder.resolve(name));
                attributes = names.getFileAttributeView(name, BasicFileAttributeView.class)
                        .readAttributes();
            } else if (opener.isWithheld(realFolder.resolve(name))) {
                return null;
            }
            return attributes.isDirectory() || attributes.isRegularFile()
                    ? new ListingLine(
                            text,
                            attributes.isDirectory(),
                            attributes.size(),
                            attributes.lastModifiedTime().toMillis())
                    : null;
        } catch (IOException e) {
            if (e instanceof AccessDeniedException || FileFailures.isNothingThere(e)) {
                // Gone, or a link to nowhere or to the outside: 404 for the client, too.
                LOG.log(Level.DEBUG, "not listed: {0}", e.toString());
                return null;
            }
            throw e;
        }
    }

    @Override
    public void close() {
        try {
            names.close();
        } catch (IOException e) {
            LOG.log(Level.DEBUG, "a folder can''t be closed: {0}", e.toString());
        }
    }
}
