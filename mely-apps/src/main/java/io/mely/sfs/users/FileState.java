// SPDX-License-Identifier: Apache-2.0
package io.mely.sfs.users;

import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * What stat says of a file that is read again when it has changed. Sizes and dates alone do not tell one hash or key from another: a tool may keep the date, and two changes
 * may fall into one tick of the clock of the files.
 *
 * @param changedNs last change of content or attributes (ctime), which no tool can set back; the date where there is none
 */
record FileState(@Nullable Object fileKey, long size, long modifiedNs, long changedNs) {
    /** File systems date changes by a kernel tick of 1 to 10 ms. */
    private static final long TICK_NS = TimeUnit.MILLISECONDS.toNanos(50);

    private static final String VIEW =
            FileSystems.getDefault().supportedFileAttributeViews().contains("unix")
                    ? "unix:size,lastModifiedTime,ctime,fileKey"
                    : "size,lastModifiedTime,fileKey";

    /** Before the file is read. */
    static FileState of(Path path) throws IOException {
        Map<String, Object> found = Files.readAttributes(path, VIEW);
        long modifiedNs = nanos(found.get("lastModifiedTime"), 0);
        long size = found.get("size") instanceof Long bytes ? bytes : 0;
        return new FileState(found.get("fileKey"), size, modifiedNs, nanos(found.get("ctime"), modifiedNs));
    }

    private static long nanos(@Nullable Object time, long otherwise) {
        return time instanceof FileTime found ? found.to(TimeUnit.NANOSECONDS) : otherwise;
    }

    /** This, if each later change has a later date; else null, which is like no state: the file is read again. */
    @Nullable
    FileState ifSettled() {
        long nowNs = TimeUnit.MILLISECONDS.toNanos(System.currentTimeMillis());
        return nowNs - changedNs < TICK_NS ? null : this;
    }
}
