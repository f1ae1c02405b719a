// SPDX-License-Identifier: Apache-2.0
package io.mely.cli;

import java.io.BufferedOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Standard error, written by a thread of its own. Whoever logs does not wait for whoever reads: a pipe that nobody empties is full after 64 KiB, and a core that waited
 * in its write would serve nobody any more. What finds no room is dropped and counted; the next line that is written says how much.
 *
 * <p><b>Threads.</b> Any. <b>Costs.</b> A write: a copy and a lock for a moment. <b>Bounds.</b> {@link #PENDING_MAX} pieces wait; a flush waits for a given time at most.
 */
final class StandardError extends OutputStream {
    /** A guess: more than a server has to say in a second. */
    static final int PENDING_MAX = 1024;

    /** How long the end of the process waits for a reader that is slow. A guess. */
    private static final Duration PATIENCE = Duration.ofSeconds(2);

    private final ArrayBlockingQueue<byte[]> pending = new ArrayBlockingQueue<>(PENDING_MAX);
    private final OutputStream out;
    private final Duration patience;
    private @Nullable Thread writer; // guarded by this, like the rest
    private long offered;
    private long finished;
    private long dropped;

    /** A flush has given up, and nothing has been taken since: the next one need not wait, too. */
    private boolean isStalled;

    /**
     * Writes to another stream than the process's, for tests.
     *
     * @param out may block for ever
     * @param patience how long a flush waits
     */
    StandardError(OutputStream out, Duration patience) {
        this.out = out;
        this.patience = patience;
    }

    /** Made when it is first needed. */
    private static final class OfProcess {
        static final StandardError IT = new StandardError(new FileOutputStream(FileDescriptor.err), PATIENCE);
    }

    /** That of this process. */
    static StandardError ofProcess() {
        return OfProcess.IT;
    }

    /** What is printed is handed over at each flush. */
    PrintStream asPrintStream() {
        return new PrintStream(new BufferedOutputStream(this), false, StandardCharsets.UTF_8);
    }

    @Override
    public void write(int b) {
        write(new byte[] {(byte) b}, 0, 1);
    }

    /** Takes a copy, or drops it. */
    @Override
    public synchronized void write(byte[] bytes, int from, int length) {
        if (writer == null) {
            writer = new Thread(this::run, "standard-error");
            writer.setDaemon(true);
            writer.start();
        }
        if (pending.offer(Arrays.copyOfRange(bytes, from, from + length))) {
            offered++;
        } else {
            dropped++;
        }
    }

    /** Waits until what was written before is out, but no longer than its patience. */
    @Override
    public synchronized void flush() {
        long target = offered;
        long endNs = System.nanoTime() + patience.toNanos();
        boolean isInterrupted = false;
        long restNs = isStalled ? 0 : patience.toNanos();
        while (finished < target && restNs > 0) {
            try {
                TimeUnit.NANOSECONDS.timedWait(this, restNs);
            } catch (InterruptedException e) {
                isInterrupted = true; // the lines go first
            }
            restNs = endNs - System.nanoTime();
        }
        isStalled = finished < target;
        if (isInterrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private void run() {
        try {
            while (true) {
                byte[] bytes = pending.take();
                try {
                    out.write(bytes);
                    tellDropped();
                } catch (IOException nobodyReads) {
                    // closed for ever: there is nowhere to say so
                }
                finish();
            }
        } catch (InterruptedException neverAsked) {
            Thread.currentThread().interrupt();
        }
    }

    private void tellDropped() throws IOException {
        long count = takeDropped();
        if (count > 0) {
            String line = Instant.now().truncatedTo(ChronoUnit.MILLIS) + " WARNING " + StandardError.class.getName()
                    + ": standard error was not read in time, messages dropped: " + count + System.lineSeparator();
            out.write(line.getBytes(StandardCharsets.UTF_8));
        }
    }

    private synchronized long takeDropped() {
        long count = dropped;
        dropped = 0;
        return count;
    }

    private synchronized void finish() {
        finished++;
        isStalled = false;
        notifyAll();
    }
}
