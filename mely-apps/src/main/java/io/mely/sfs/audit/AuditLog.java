// SPDX-License-Identifier: Apache-2.0
package io.mely.sfs.audit;

import io.mely.log.LogFile;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Writes a line for each thing that somebody did. The line is with the kernel before the client is answered: a slow disk makes clients wait, and no line is dropped
 * for it. A line that can't be written at all, as on a full disk, is counted and warned of, and the client goes on.
 *
 * <p><b>Threads.</b> Any that may block. <b>Costs.</b> One system call a line.
 */
public final class AuditLog implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(AuditLog.class.getName());
    private static final long MAINTAIN_MS = 1000;
    private static final long WARN_EVERY_MS = 10_000;

    private final @Nullable LogFile file;
    private final LongSupplier wallClockMs;
    private long maintainedMs;
    private long warnedMs;
    private long lost;
    private long toldLost;

    private AuditLog(@Nullable LogFile file, LongSupplier wallClockMs) {
        this.file = file;
        this.wallClockMs = wallClockMs;
    }

    /**
     * One that writes nothing.
     *
     * @return it
     */
    public static AuditLog none() {
        return new AuditLog(null, System::currentTimeMillis);
    }

    /**
     * Opens the file.
     *
     * @param path null for standard error
     * @param rotateBytes size at which it is rotated; 0 = never
     * @param rotateEvery the same by time; 0 = never
     * @param keep rotated files that are kept
     * @param wallClockMs milliseconds since 1970
     * @return to be closed
     * @throws IOException naming the file that can't be opened
     */
    public static AuditLog open(
            @Nullable Path path, long rotateBytes, Duration rotateEvery, int keep, LongSupplier wallClockMs)
            throws IOException {
        String start = "audit log " + path + ": ";
        try {
            if (path != null && Files.isDirectory(path)) {
                throw new IOException(start + "is a folder");
            }
            LogFile file = new LogFile(path, rotateBytes, rotateEvery.toMillis(), keep, wallClockMs);
            file.open();
            return new AuditLog(file, wallClockMs);
        } catch (NoSuchFileException missing) {
            throw new IOException(start + "no such folder", missing);
        } catch (AccessDeniedException denied) {
            throw new IOException(start + "may not be written", denied);
        }
    }

    /** Whether lines are written anywhere. */
    public boolean isOn() {
        return file != null;
    }

    /**
     * Begins a line.
     *
     * @param what happened, a word
     * @return to be filled and given to {@link #write}
     */
    public AuditLine line(String what) {
        return new AuditLine(wallClockMs.getAsLong(), what);
    }

    /**
     * Writes a line. May wait for the disk.
     *
     * @param line whole
     */
    public synchronized void write(AuditLine line) {
        LogFile open = file;
        if (open == null) {
            return;
        }
        long nowMs = wallClockMs.getAsLong();
        try {
            if (nowMs - maintainedMs >= MAINTAIN_MS) {
                maintainedMs = nowMs;
                open.maintain();
            }
            open.write(ByteBuffer.wrap((line + "\n").getBytes(StandardCharsets.UTF_8)));
        } catch (IOException e) {
            lost++;
            if (toldLost == 0 || nowMs - warnedMs >= WARN_EVERY_MS) {
                warnedMs = nowMs;
                toldLost = lost;
                LOG.log(
                        Level.WARNING,
                        "audit log " + open + " can't be written, lines lost so far: " + lost + ": " + e);
            }
        }
    }

    /** Lines that could not be written. */
    public synchronized long lost() {
        return lost;
    }

    @Override
    public synchronized void close() {
        try {
            if (file != null) {
                file.close();
            }
        } catch (IOException e) {
            LOG.log(Level.WARNING, "audit log {0} can''t be closed: {1}", file, e.toString());
        }
    }
}
