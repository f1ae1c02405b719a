// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.log;

import io.mely.log.LogFile;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.ByteBuffer;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Writes a line for each answer to a file, on a thread of its own. It is drained at least ten times a second, and when a ring is half full;
 * so one write carries all lines of a tenth of a second, or half a ring.
 *
 * <p>If the disk is slower than the cores, lines are dropped and counted, and a warning says so: a log is no reason to keep clients waiting.
 *
 * <p><b>Threads.</b> {@link Seat}: its thread; the rest: any. <b>Bounds.</b> A ring for each thread that serves.
 */
public final class AccessLog implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(AccessLog.class.getName());
    private static final long IDLE_NS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long MAINTAIN_NS = TimeUnit.SECONDS.toNanos(1);
    private static final long LOG_EVERY_NS = TimeUnit.SECONDS.toNanos(10);

    /** How long a close waits for the last lines. A guess: far longer than a disk takes for what the rings hold. */
    private static final long CLOSE_NS = TimeUnit.SECONDS.toNanos(2);

    private static final int BATCH_BYTES = 256 << 10;

    /** More than the longest line. */
    private static final int RING_BYTES_MIN = 64 << 10;

    private LogFile file; // the writer's, once it runs
    private final AtomicReference<@Nullable LogFile> next = new AtomicReference<>();
    private volatile Options options;
    private final LongSupplier wallClockMs;
    private final AtomicReferenceArray<@Nullable Seat> seats;
    private final LogFormat format;
    private final int ringBytes;
    private final Thread writer = new Thread(this::run, "sws-access-log");
    private final ByteBuffer batch = ByteBuffer.allocateDirect(BATCH_BYTES);
    private volatile boolean isClosing;
    private long lost;
    private long warnedDropped;
    private long warnedNs;
    private boolean hasWarned;

    /**
     * Where and how.
     *
     * @param path null for standard error
     * @param format of the lines
     * @param bufferBytes room for lines of one thread, rounded up to a power of two
     * @param rotateBytes size at which the file is rotated; 0 = never
     * @param rotateEvery the same by time; 0 = never
     * @param keep rotated files that are kept
     */
    public record Options(
            @Nullable Path path, LogFormat format, int bufferBytes, long rotateBytes, Duration rotateEvery, int keep) {}

    private AccessLog(Options options, int threads, LongSupplier wallClockMs) {
        this.options = options;
        this.wallClockMs = wallClockMs;
        file = fileOf(options);
        format = options.format();
        ringBytes = Integer.highestOneBit(Math.max(RING_BYTES_MIN, options.bufferBytes()) - 1) << 1;
        seats = new AtomicReferenceArray<>(threads);
        writer.setDaemon(true);
    }

    /**
     * Opens the file and starts the thread.
     *
     * @param options where and how
     * @param threads number of threads that serve at once
     * @param wallClockMs milliseconds since 1970
     * @return to be closed
     * @throws IOException naming the file that can't be opened
     */
    public static AccessLog open(Options options, int threads, LongSupplier wallClockMs) throws IOException {
        AccessLog log = new AccessLog(options, threads, wallClockMs);
        explained(options.path(), log.file::open);
        log.writer.start();
        return log;
    }

    /**
     * Tells whether a log could be opened, and changes nothing.
     *
     * @param path of a file
     * @throws IOException naming the file, and why it can't
     */
    public static void check(Path path) throws IOException {
        explained(path, new LogFile(path, 0, 0, 0, System::currentTimeMillis)::check);
    }

    /** What is done with a file. */
    @FunctionalInterface
    private interface Step {
        void run() throws IOException;
    }

    private static void explained(@Nullable Path path, Step step) throws IOException {
        String start = "access log " + path + ": ";
        try {
            if (path != null && Files.isDirectory(path)) {
                throw new IOException(start + "is a folder");
            }
            step.run();
        } catch (NoSuchFileException missing) {
            throw new IOException(start + "no such folder", missing);
        } catch (AccessDeniedException denied) {
            throw new IOException(start + "may not be written", denied);
        } catch (FileSystemException wrong) {
            throw new IOException(start + (wrong.getReason() == null ? wrong.toString() : wrong.getReason()), wrong);
        }
    }

    private LogFile fileOf(Options where) {
        return new LogFile(
                where.path(), where.rotateBytes(), where.rotateEvery().toMillis(), where.keep(), wallClockMs);
    }

    /**
     * Writes elsewhere from now on, or rotates otherwise. Format and buffers stay. Does nothing if all is as it was.
     *
     * @param where and how
     * @throws IOException naming the file that can't be opened; lines go on to the one that is open
     */
    public synchronized void use(Options where) throws IOException {
        if (!where.equals(options)) {
            open(where);
        }
    }

    /**
     * Opens the file again by its name, as after somebody has moved it.
     *
     * @throws IOException as {@link #use}
     */
    public synchronized void reopen() throws IOException {
        open(options);
    }

    private void open(Options where) throws IOException {
        LogFile fresh = fileOf(where);
        explained(where.path(), fresh::open);
        options = where;
        closeQuietly(next.getAndSet(fresh)); // one that the writer has not taken yet
        LockSupport.unpark(writer);
    }

    private static void closeQuietly(@Nullable LogFile old) {
        try {
            if (old != null) {
                old.close();
            }
        } catch (IOException e) {
            LOG.log(Level.WARNING, "access log {0} can''t be closed: {1}", old, e.toString());
        }
    }

    /** By the writer, between two lines: those that were added before go to the old file. */
    private void takeNext() {
        LogFile fresh = next.getAndSet(null);
        if (fresh != null) {
            drain();
            closeQuietly(file);
            file = fresh;
        }
    }

    /**
     * The view of one thread.
     *
     * @param thread its index
     * @return always the same one
     */
    public Seat seat(int thread) {
        Seat seat = seats.get(thread);
        if (seat == null) {
            Seat fresh = new Seat(new LogLine(format), new LogRing(ringBytes, LogLine.BYTES_MAX), writer);
            seat = seats.compareAndSet(thread, null, fresh) ? fresh : Objects.requireNonNull(seats.get(thread));
        }
        return seat;
    }

    /**
     * Lines that were not written, because the disk was too slow or failed.
     *
     * @return lines; of a batch that failed, counted by their ends
     */
    public long dropped() {
        long sum = lost;
        for (int i = 0; i < seats.length(); i++) {
            Seat seat = seats.get(i);
            sum += seat == null ? 0 : seat.dropped;
        }
        return sum;
    }

    /** One thread's view. */
    public static final class Seat {
        private final LogLine line;
        private final LogRing ring;
        private final Thread writer;
        private final int half;
        private long dropped;

        private Seat(LogLine line, LogRing ring, Thread writer) {
            this.line = line;
            this.ring = ring;
            this.writer = writer;
            half = ring.capacity() / 2;
        }

        /**
         * Adds a line, or drops it.
         *
         * @param client its address, printable
         * @param user name that the client gave; empty if there is none
         * @param epochSecond seconds since 1970
         * @param in holds what the client sent
         * @param requestStart of the request line
         * @param requestEnd its end; the start if there is none
         * @param status of the answer
         * @param bodyBytes of the answer
         * @param refererStart of the field's value
         * @param refererEnd its end; the start if there is none
         * @param agentStart of User-Agent
         * @param agentEnd its end; the start if there is none
         */
        public void add(
                byte[] client,
                byte[] user,
                long epochSecond,
                byte[] in,
                int requestStart,
                int requestEnd,
                int status,
                long bodyBytes,
                int refererStart,
                int refererEnd,
                int agentStart,
                int agentEnd) {
            int room = LogLine.bytesMax(
                    client.length,
                    user.length,
                    requestEnd - requestStart,
                    refererEnd - refererStart,
                    agentEnd - agentStart);
            int at = ring.claim(room);
            if (at < 0) {
                dropped++;
                return;
            }
            int length = line.write(
                    ring.bytes(),
                    at,
                    client,
                    user,
                    epochSecond,
                    in,
                    requestStart,
                    requestEnd,
                    status,
                    bodyBytes,
                    refererStart,
                    refererEnd,
                    agentStart,
                    agentEnd);
            ring.publish(length);
            long used = ring.used(half);
            if (used > half && used - length <= half) {
                LockSupport.unpark(writer); // once on its way up
            }
        }
    }

    private void run() {
        long maintainedNs = System.nanoTime();
        while (!isClosing) {
            takeNext();
            if (!drain() && !isClosing) {
                LockSupport.parkNanos(this, IDLE_NS);
            }
            long nowNs = System.nanoTime();
            if (nowNs - maintainedNs >= MAINTAIN_NS) {
                maintainedNs = nowNs;
                maintain(nowNs);
            }
        }
        takeNext();
        drain();
    }

    private void maintain(long nowNs) {
        try {
            file.maintain();
        } catch (IOException e) {
            warn(nowNs, "access log " + file + " can't be opened or rotated: " + e);
        }
        long dropped = dropped();
        if (dropped > warnedDropped && warn(nowNs, "access log " + file + ": lines dropped so far: " + dropped)) {
            warnedDropped = dropped;
        }
    }

    /** Whole lines of all seats; true if more than half a ring was waiting, so that there may be more already. */
    private boolean drain() {
        boolean isBusy = false;
        for (int i = 0; i < seats.length(); i++) {
            Seat seat = seats.get(i);
            if (seat == null) {
                continue;
            }
            LogRing ring = seat.ring;
            long end = ring.end();
            long taken = 0;
            boolean isMore = true;
            while (isMore) {
                isMore = ring.poll(batch, end);
                taken += batch.position();
                write();
            }
            isBusy |= taken > seat.half;
        }
        return isBusy;
    }

    private void write() {
        batch.flip();
        try {
            file.write(batch);
        } catch (IOException e) {
            for (int i = batch.position(); i < batch.limit(); i++) {
                lost += batch.get(i) == '\n' ? 1 : 0;
            }
            warn(System.nanoTime(), "access log " + file + " can't be written: " + e);
        } finally {
            batch.clear();
        }
    }

    private boolean warn(long nowNs, String message) {
        if (hasWarned && nowNs - warnedNs < LOG_EVERY_NS) {
            return false;
        }
        hasWarned = true;
        warnedNs = nowNs;
        LOG.log(Level.WARNING, message);
        return true;
    }

    /** Writes what was added before, and closes the file. A disk or a reader that takes nothing for {@link #CLOSE_NS} loses the rest. */
    @Override
    public void close() {
        isClosing = true;
        LockSupport.unpark(writer);
        if (!awaitWriter()) {
            LOG.log(Level.WARNING, "access log {0}: the last lines are lost, as nothing takes them", file);
            return; // it is in the middle of a write
        }
        closeQuietly(file);
        closeQuietly(next.getAndSet(null));
    }

    /** False if it goes on to write. */
    private boolean awaitWriter() {
        boolean isInterrupted = false;
        long endNs = System.nanoTime() + CLOSE_NS;
        long restNs = CLOSE_NS;
        while (writer.isAlive() && restNs > 0) {
            try {
                TimeUnit.NANOSECONDS.timedJoin(writer, restNs);
            } catch (InterruptedException e) {
                isInterrupted = true; // the lines go first
            }
            restNs = endNs - System.nanoTime();
        }
        if (isInterrupted) {
            Thread.currentThread().interrupt();
        }
        return !writer.isAlive();
    }
}
