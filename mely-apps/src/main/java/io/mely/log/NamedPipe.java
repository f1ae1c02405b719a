// SPDX-License-Identifier: Apache-2.0
package io.mely.log;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A FIFO as the end of a log. To open one waits for a reader, for ever if there is none; here for a moment only.
 *
 * <p><b>Threads.</b> Any.
 */
final class NamedPipe {
    /** For a reader that is started beside the server. A guess. */
    private static final Duration PATIENCE = Duration.ofSeconds(2);

    private static final int TYPE_MASK = 0170000;
    private static final int FIFO = 0010000;

    private NamedPipe() {}

    /** Whether a path leads to a FIFO; false where the system knows none. */
    static boolean isAt(Path path) {
        try {
            return Files.getAttribute(path, "unix:mode") instanceof Integer mode && (mode & TYPE_MASK) == FIFO;
        } catch (IOException | UnsupportedOperationException notThere) {
            return false;
        }
    }

    /**
     * Opens one to write to it.
     *
     * @param path of a FIFO
     * @return to be closed
     * @throws FileSystemException if nobody opens it for reading in time
     * @throws IOException if it can't be opened
     */
    static FileChannel open(Path path) throws IOException {
        CompletableFuture<FileChannel> opening = new CompletableFuture<>();
        Thread opener = new Thread(() -> complete(opening, path), "log-pipe");
        opener.setDaemon(true);
        opener.start();
        try {
            return opening.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException nobodyReads) {
            giveUp(opening, path);
            throw new FileSystemException(path.toString(), null, "a pipe that nobody reads");
        } catch (ExecutionException failed) {
            throw new IOException(failed.getCause());
        } catch (InterruptedException stopped) {
            giveUp(opening, path);
            Thread.currentThread().interrupt();
            throw new FileSystemException(path.toString(), null, "interrupted while waiting for a reader");
        }
    }

    private static void complete(CompletableFuture<FileChannel> opening, Path path) {
        try {
            opening.complete(FileChannel.open(path, StandardOpenOption.WRITE));
        } catch (IOException e) {
            opening.completeExceptionally(e);
        }
    }

    /** A reader of our own, who never waits on Linux, ends the wait of the opener. */
    private static void giveUp(CompletableFuture<FileChannel> opening, Path path) throws IOException {
        FileChannel reader = FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE);
        try (reader) {
            opening.join().close();
        } catch (CompletionException failed) {
            // nothing to close
        }
    }
}
