// SPDX-License-Identifier: Apache-2.0
package io.mely.log;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The file that a server's log is written to, line by line. When it is large or old enough it becomes {@code NAME.1}, what was that {@code NAME.2}, and so
 * on. If somebody else has moved or deleted it, it is made anew, so tools that rotate logs need not tell the server.
 *
 * <p>What is open stays open until its successor is: where the file can't be rotated or made anew, lines go on to the one that is there.
 *
 * <p><b>Threads.</b> One at a time. <b>Units.</b> Milliseconds since 1970.
 */
public final class LogFile implements AutoCloseable {
    /** After a rotation that failed. A guess: what is wrong is put right by people. */
    static final Duration RETRY = Duration.ofMinutes(5);

    /** The number of a file that is on its way from NAME to NAME.1: only when that has gone well are older ones moved. */
    private static final int ASIDE = 0;

    private final @Nullable Path path;
    private final long rotateBytes;
    private final long rotateMs;
    private final int keep;
    private final LongSupplier wallClockMs;
    private @Nullable FileChannel channel;
    private Path target = Path.of("");
    private @Nullable Object fileKey;
    private boolean isRegular;
    private boolean isRotatable;
    private boolean isStream;
    private long bytes;
    private long period;

    /** After a failure; 0 = all is well. */
    private long retryMs;

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
     * Opens it, to append. What a file from an earlier period holds is rotated at the first {@link #maintain}. A file that is open already is closed when its successor
     * is open, and stays if that fails.
     *
     * @throws IOException if it can't be opened
     */
    public void open() throws IOException {
        if (path == null) {
            isStream = true;
            channel = new FileOutputStream(FileDescriptor.err).getChannel();
            return;
        }
        LogTarget found = LogTarget.of(path);
        if (found.stream() != null) {
            replace(new FileOutputStream(found.stream()).getChannel(), true);
            isRegular = false;
            return;
        }
        Path file = found.file();
        FileChannel opened = NamedPipe.isAt(file)
                ? NamedPipe.open(file)
                : FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        replace(opened, false);
        BasicFileAttributes attributes = Files.readAttributes(file, BasicFileAttributes.class);
        target = file;
        isRotatable = found.isRotatable();
        fileKey = attributes.fileKey();
        isRegular = attributes.isRegularFile();
        bytes = isRegular ? opened.size() : 0;
        period = periodOf(bytes > 0 ? attributes.lastModifiedTime().toMillis() : wallClockMs.getAsLong());
    }

    private void replace(FileChannel opened, boolean isStreamNow) throws IOException {
        FileChannel before = channel;
        boolean wasStream = isStream;
        channel = opened;
        isStream = isStreamNow;
        if (before != null && !wasStream) {
            before.close();
        }
    }

    /**
     * Tells whether it could be opened, and changes nothing.
     *
     * @throws IOException if it can't
     */
    public void check() throws IOException {
        if (path == null) {
            return;
        }
        LogTarget found = LogTarget.of(path);
        if (found.stream() != null) {
            return;
        }
        Path file = found.file();
        boolean isThere = Files.exists(file);
        Path folder = file.getParent();
        if (Files.isDirectory(file)) {
            throw new FileSystemException(file.toString(), null, "is a folder");
        }
        if (!Files.isWritable(isThere || folder == null ? file : folder)) {
            throw new AccessDeniedException(file.toString());
        }
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
     * @throws IOException if it can't be opened or rotated; of a rotation that goes on to fail only once
     */
    public void maintain() throws IOException {
        if (isStream) {
            return;
        }
        if (channel == null || (isRegular && isRotatable && !isSame(target))) {
            open();
        }
        long nowMs = wallClockMs.getAsLong();
        boolean isLarge = rotateBytes > 0 && bytes >= rotateBytes;
        boolean isOld = rotateMs > 0 && bytes > 0 && periodOf(nowMs) != period;
        if (isRegular && isRotatable && (isLarge || isOld)) {
            if (retryMs == 0 || nowMs >= retryMs) {
                rotateOrRetry(nowMs);
            }
        } else if (bytes == 0) {
            period = periodOf(nowMs);
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

    private void rotateOrRetry(long nowMs) throws IOException {
        boolean isTold = retryMs != 0;
        try {
            rotate();
            retryMs = 0;
        } catch (IOException e) {
            retryMs = nowMs + RETRY.toMillis();
            if (!isTold) {
                throw e;
            }
        }
    }

    private void rotate() throws IOException {
        Path file = target;
        if (keep == 0) {
            Files.delete(file);
            open();
            return;
        }
        if (Files.exists(numbered(file, ASIDE), LinkOption.NOFOLLOW_LINKS)) {
            moveUp(file); // the last time it went no further
        }
        Files.move(file, numbered(file, ASIDE));
        open();
        moveUp(file);
    }

    private void moveUp(Path file) throws IOException {
        for (int i = keep; i > ASIDE; i--) {
            Path from = numbered(file, i - 1);
            if (Files.exists(from, LinkOption.NOFOLLOW_LINKS)) {
                Files.move(from, numbered(file, i), StandardCopyOption.REPLACE_EXISTING);
            }
        }
    }

    private static Path numbered(Path file, int number) {
        return file.resolveSibling(file.getFileName() + "." + number);
    }

    private long periodOf(long ms) {
        return rotateMs == 0 ? 0 : Math.floorDiv(ms, rotateMs);
    }

    /** The standard streams stay open: they belong to others, too. */
    @Override
    public void close() throws IOException {
        FileChannel open = channel;
        channel = null;
        if (open != null && !isStream) {
            open.close();
        }
    }

    @Override
    public String toString() {
        return path == null ? "standard error" : path.toString();
    }
}
