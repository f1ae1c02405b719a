// SPDX-License-Identifier: Apache-2.0
package io.mely.log;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The file that a server's log is written to, line by line. When it is large or old enough it becomes {@code NAME.1}, what was that {@code NAME.2}, and so
 * on. If somebody else has moved or deleted it, it is made anew, so tools that rotate logs need not tell the server.
 *
 * <p><b>Threads.</b> One at a time. <b>Units.</b> Milliseconds since 1970.
 */
public final class LogFile implements AutoCloseable {
    private final @Nullable Path path;
    private final long rotateBytes;
    private final long rotateMs;
    private final int keep;
    private final LongSupplier wallClockMs;
    private @Nullable FileChannel channel;
    private @Nullable Object fileKey;
    private boolean isRegular;
    private long bytes;
    private long period;

    /**
     * Describes a file.
     *
     * @param path null for standard error
     * @param rotateBytes size at which it is rotated; 0 = never
     * @param rotateMs length of the periods, counted from 1970, at whose end it is; 0 = never
     * @param keep rotated files that are kept
     * @param wallClockMs the time
     */
    public LogFile(@Nullable Path path, long rotateBytes, long rotateMs, int keep, LongSupplier wallClockMs) {
        this.path = path;
        this.rotateBytes = rotateBytes;
        this.rotateMs = rotateMs;
        this.keep = keep;
        this.wallClockMs = wallClockMs;
    }

    /**
     * Opens it, to append. What a file from an earlier period holds is rotated at the first {@link #maintain}.
     *
     * @throws IOException if it can't be opened
     */
    public void open() throws IOException {
        if (path == null) {
            channel = new FileOutputStream(FileDescriptor.err).getChannel();
            return;
        }
        FileChannel opened = FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        channel = opened;
        BasicFileAttributes attributes = Files.readAttributes(path, BasicFileAttributes.class);
        fileKey = attributes.fileKey();
        isRegular = attributes.isRegularFile();
        bytes = isRegular ? opened.size() : 0;
        period = periodOf(bytes > 0 ? attributes.lastModifiedTime().toMillis() : wallClockMs.getAsLong());
    }

    /**
     * Writes all.
     *
     * @param lines whole lines; its position advances by what was written, also if a part could not be
     * @throws IOException if it is not open, or the disk fails
     */
    public void write(ByteBuffer lines) throws IOException {
        FileChannel open = channel;
        if (open == null) {
            throw new IOException("the file is not open");
        }
        while (lines.hasRemaining()) {
            bytes += open.write(lines);
        }
    }

    /**
     * Opens what could not be opened or was moved away, and rotates if it is time; from time to time, between two lines.
     *
     * @throws IOException if it can't be opened or rotated
     */
    public void maintain() throws IOException {
        Path file = path;
        if (file == null) {
            return;
        }
        if (channel == null || (isRegular && !isSame(file))) {
            close();
            open();
        }
        boolean isLarge = rotateBytes > 0 && bytes >= rotateBytes;
        boolean isOld = rotateMs > 0 && bytes > 0 && periodOf(wallClockMs.getAsLong()) != period;
        if (isRegular && (isLarge || isOld)) {
            close();
            rotate(file);
            open();
        } else if (bytes == 0) {
            period = periodOf(wallClockMs.getAsLong());
        }
    }

    private boolean isSame(Path file) {
        try {
            Object key = Files.readAttributes(file, BasicFileAttributes.class).fileKey();
            return key == null || key.equals(fileKey);
        } catch (IOException gone) {
            return false;
        }
    }

    private void rotate(Path file) throws IOException {
        for (int i = keep; i > 1; i--) {
            Path from = numbered(file, i - 1);
            if (Files.exists(from, LinkOption.NOFOLLOW_LINKS)) {
                Files.move(from, numbered(file, i), StandardCopyOption.REPLACE_EXISTING);
            }
        }
        if (keep > 0) {
            Files.move(file, numbered(file, 1), StandardCopyOption.REPLACE_EXISTING);
        } else {
            Files.delete(file);
        }
    }

    private static Path numbered(Path file, int number) {
        return file.resolveSibling(file.getFileName() + "." + number);
    }

    private long periodOf(long ms) {
        return rotateMs == 0 ? 0 : Math.floorDiv(ms, rotateMs);
    }

    /** Standard error stays open: it belongs to others, too. */
    @Override
    public void close() throws IOException {
        FileChannel open = channel;
        channel = null;
        if (open != null && path != null) {
            open.close();
        }
    }

    @Override
    public String toString() {
        return path == null ? "standard error" : path.toString();
    }
}
