// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.files;

import io.mely.sws.http.Coding;
import java.io.IOException;
import java.net.URI;
import java.nio.file.AccessDeniedException;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Finds what a canonical path stands for below the root: a file, the index file of a folder, a folder, or nothing.
 *
 * <p>Finding only looks ({@code stat}); whether a link leads out of the root is decided by {@link SafeOpener}, when the file is opened, where no
 * swap of links can come in between, and when an answer is checked.
 *
 * <p><b>Threads.</b> Any. <b>Costs.</b> One stat for a file; for a folder one per index file name. Each may wait for a disk.
 */
final class FileTree {
    /** What a path leads to. */
    enum Kind {
        /** A regular file, maybe the index file of a folder. */
        FILE,
        /** A folder named without its slash. */
        FOLDER_WITHOUT_SLASH,
        /** A folder without an index file. */
        FOLDER,
        /** Nothing, or nothing that is served. */
        MISSING,
        /** Something this process must not look at. */
        FORBIDDEN
    }

    /**
     * An answer.
     *
     * @param kind what it is
     * @param file where it is; null if MISSING or FORBIDDEN
     * @param stamp what it looked like; null if MISSING or FORBIDDEN
     * @param codings bits of the codings that lie beside a file
     * @param isNeighbour it is one of those itself
     */
    record Found(Kind kind, @Nullable Path file, @Nullable FileStamp stamp, int codings, boolean isNeighbour) {
        static final Found MISSING = new Found(Kind.MISSING, null, null, 0);
        static final Found FORBIDDEN = new Found(Kind.FORBIDDEN, null, null, 0);

        Found(Kind kind, @Nullable Path file, @Nullable FileStamp stamp, int codings) {
            this(kind, file, stamp, codings, false);
        }
    }

    private static final char SEPARATOR = '\0';

    private final Path root;
    private final List<String> indexFiles;
    private final List<String> trySuffixes;
    private final List<Coding> codings;

    FileTree(Path root, List<String> indexFiles, List<String> trySuffixes, List<Coding> codings) {
        this.codings = codings;
        this.trySuffixes = trySuffixes;
        this.root = root.toAbsolutePath();
        this.indexFiles = indexFiles;
    }

    Path root() {
        return root;
    }

    /**
     * Looks a path up.
     *
     * @param path canonical, see {@link RequestPath}; or a {@link #variant} of one
     * @return what is there now
     * @throws IOException if the disk fails
     */
    Found find(String path) throws IOException {
        int separator = path.indexOf(SEPARATOR);
        return separator < 0
                ? findPlain(path)
                : findVariant(findPlain(path.substring(0, separator)), Objects.requireNonNull(codingOf(path)));
    }

    /** The name under which a file in a coding is known: no path of a request has a NUL in it. */
    static String variant(String path, Coding coding) {
        return path + SEPARATOR + coding;
    }

    /** The name under which the gzip is known that is made of a file; it leads to nothing on the disk. */
    static String packed(String path) {
        return path + SEPARATOR + "packed";
    }

    /** Null if the path is no variant. */
    static @Nullable Coding codingOf(String path) {
        int separator = path.indexOf(SEPARATOR);
        return separator < 0 ? null : Coding.parse(path.substring(separator + 1));
    }

    private Found findVariant(Found plain, Coding coding) throws IOException {
        if ((plain.codings() & coding.bit()) == 0) {
            return Found.MISSING;
        }
        Path file = toNeighbour(Objects.requireNonNull(plain.file()), coding);
        try {
            FileStamp stamp = FileStamp.of(file);
            return stamp.kind() == FileStamp.Kind.FILE ? new Found(Kind.FILE, file, stamp, 0, true) : Found.MISSING;
        } catch (IOException e) {
            return whyNot(e);
        }
    }

    /** A neighbour that is older than the file was made from an earlier state of it. */
    private Found file(Path file, FileStamp stamp) throws IOException {
        int bits = 0;
        for (Coding coding : codings) {
            try {
                FileStamp beside = FileStamp.of(toNeighbour(file, coding));
                boolean isCurrent = beside.kind() == FileStamp.Kind.FILE && beside.modifiedNs() >= stamp.modifiedNs();
                bits |= isCurrent ? coding.bit() : 0;
            } catch (IOException e) {
                whyNot(e); // not there, or not for us; what is neither is thrown on
            }
        }
        return new Found(Kind.FILE, file, stamp, bits);
    }

    /** Like {@link #toFile}, whatever the locale. */
    private static Path toNeighbour(Path file, Coding coding) {
        String text = file.toString();
        return isAscii(text)
                ? Path.of(text + coding.suffix())
                : Path.of(URI.create("file://" + file.toUri().getRawPath() + coding.suffix()));
    }

    private Found findPlain(String path) throws IOException {
        Path file = toFile(path);
        if (path.endsWith("/")) {
            return findFolder(path, file);
        }
        Found exact = findExact(file);
        boolean isFile = exact.kind() == Kind.FILE || exact.kind() == Kind.FORBIDDEN;
        Found tried = isFile || trySuffixes.isEmpty() ? null : findFirst(path, trySuffixes);
        return tried == null ? exact : tried;
    }

    private Found findExact(Path file) throws IOException {
        try {
            FileStamp stamp = FileStamp.of(file);
            return switch (stamp.kind()) {
                case FILE -> file(file, stamp);
                case FOLDER -> new Found(Kind.FOLDER_WITHOUT_SLASH, file, stamp, 0);
                case OTHER -> Found.MISSING;
            };
        } catch (IOException e) {
            return whyNot(e);
        }
    }

    private Found findFolder(String path, Path folder) throws IOException {
        Found index = findFirst(path, indexFiles);
        if (index != null) {
            return index;
        }
        try {
            FileStamp stamp = FileStamp.of(folder);
            return stamp.kind() == FileStamp.Kind.FOLDER ? new Found(Kind.FOLDER, folder, stamp, 0) : Found.MISSING;
        } catch (IOException e) {
            return whyNot(e);
        }
    }

    /** The first file whose path begins so and ends like one of these; null if there is none. */
    private @Nullable Found findFirst(String path, List<String> ends) throws IOException {
        for (String end : ends) {
            try {
                Path file = toFile(path + end);
                FileStamp stamp = FileStamp.of(file);
                if (stamp.kind() == FileStamp.Kind.FILE) {
                    return file(file, stamp);
                }
            } catch (IOException e) {
                Found reason = whyNot(e);
                if (reason.kind() != Kind.MISSING) {
                    return reason;
                }
            }
        }
        return null;
    }

    /** Translates the failures of stat that are answers; others are the machine's. */
    private static Found whyNot(IOException failure) throws IOException {
        if (failure instanceof AccessDeniedException) {
            return Found.FORBIDDEN;
        }
        if (FileFailures.isNothingThere(failure)) {
            return Found.MISSING;
        }
        throw failure;
    }

    /** Names that are not ASCII go through a URI: that is UTF-8 always, a Path made of text follows the locale (POSIX: fails). */
    Path toFile(String path) {
        String relative = path.substring(1);
        if (isAscii(path)) {
            return root.resolve(relative);
        }
        String base = root.toUri().getRawPath();
        return Path.of(URI.create("file://" + base + (base.endsWith("/") ? "" : "/") + UriText.encode(relative)));
    }

    private static boolean isAscii(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (text.charAt(i) >= 0x80) {
                return false;
            }
        }
        return true;
    }
}
