// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.files;

import io.mely.net.OpenFile;
import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * What stat says of a file: two equal stamps mean the same content, unless the file changed twice within a tick of the clock that
 * dates it (see {@link #isFreshAt}).
 *
 * @param kind what it is
 * @param size bytes
 * @param modifiedNs last change of content, nanoseconds since 1970
 * @param changedNs last change of content, mode or name (ctime), which no tool can set back; equal to modifiedNs where there is none
 * @param fileKey device and inode; null where there are none
 */
record FileStamp(
        Kind kind,
        long size,
        long modifiedNs,
        long changedNs,
        @Nullable Object fileKey) {
    /** What a name may stand for. */
    enum Kind {
        FILE,
        FOLDER,
        /** A device, pipe or socket: never opened, for that alone may block or have effects. */
        OTHER
    }

    /** File systems date changes by a kernel tick of 1 to 10 ms; FAT by 2 s, which is not worth waiting for. */
    private static final long TICK_NS = TimeUnit.MILLISECONDS.toNanos(50);

    private static final boolean HAS_UNIX_VIEW =
            FileSystems.getDefault().supportedFileAttributeViews().contains("unix");
    private static final String ATTRIBUTES = HAS_UNIX_VIEW
            ? "unix:isRegularFile,isDirectory,size,lastModifiedTime,ctime,fileKey"
            : "isRegularFile,isDirectory,size,lastModifiedTime,fileKey";

    /**
     * Looks at a file, through links.
     *
     * @param file any path
     * @return its stamp
     * @throws IOException if there is none, or it can't be looked at
     */
    static FileStamp of(Path file, LinkOption... options) throws IOException {
        Map<String, Object> attributes = Files.readAttributes(file, ATTRIBUTES, options);
        long modifiedNs = nanos(attributes.get("lastModifiedTime"), 0);
        Kind kind = Boolean.TRUE.equals(attributes.get("isRegularFile"))
                ? Kind.FILE
                : Boolean.TRUE.equals(attributes.get("isDirectory")) ? Kind.FOLDER : Kind.OTHER;
        long size = attributes.get("size") instanceof Long bytes ? bytes : 0;
        return new FileStamp(
                kind, size, modifiedNs, nanos(attributes.get("ctime"), modifiedNs), attributes.get("fileKey"));
    }

    private static long nanos(@Nullable Object time, long otherwise) {
        return time instanceof FileTime t ? t.to(TimeUnit.NANOSECONDS) : otherwise;
    }

    /**
     * Tells whether a file that was opened by the path is the one that was looked at.
     *
     * @param file open
     * @return false if the path has led to another file, or to another state of it
     */
    boolean isOf(OpenFile file) {
        long openedNs = nanos(
                FileTime.from(file.lastModified()), 0); // as of the path: a date after 2262 is more than a long holds
        return kind == Kind.FILE && file.size() == size && openedNs == modifiedNs;
    }

    /**
     * The state that a file had when it was opened.
     *
     * @param file open
     * @return this with its size and date
     */
    FileStamp asOpened(OpenFile file) {
        return new FileStamp(kind, file.size(), nanos(FileTime.from(file.lastModified()), 0), changedNs, fileKey);
    }

    /**
     * Tells whether the file may still change without a change of its stamp.
     *
     * @param wallClockMs milliseconds since 1970, read after the stamp
     * @return true if its last change is so near that another one could get the same date
     */
    boolean isFreshAt(long wallClockMs) {
        return TimeUnit.MILLISECONDS.toNanos(wallClockMs) - changedNs < TICK_NS;
    }
}
