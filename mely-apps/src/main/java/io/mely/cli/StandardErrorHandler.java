// SPDX-License-Identifier: Apache-2.0
package io.mely.cli;

import java.nio.charset.StandardCharsets;
import java.util.logging.ErrorManager;
import java.util.logging.Handler;
import java.util.logging.LogRecord;

/**
 * Hands log records to a thread that writes them to standard error, so that logging never waits for whoever reads it. Public because the log manager makes it by its name.
 *
 * <p><b>Threads.</b> Any. <b>Bounds.</b> Some thousand records wait; more are dropped and counted.
 */
public final class StandardErrorHandler extends Handler {
    private final StandardError out;

    /** Made by the log manager. */
    public StandardErrorHandler() {
        this(StandardError.ofProcess());
    }

    StandardErrorHandler(StandardError out) {
        this.out = out;
        setFormatter(new LineFormatter());
    }

    @Override
    public void publish(LogRecord record) {
        if (isLoggable(record)) {
            try {
                byte[] line = getFormatter().format(record).getBytes(StandardCharsets.UTF_8);
                out.write(line, 0, line.length);
            } catch (RuntimeException bug) {
                reportError(null, bug, ErrorManager.FORMAT_FAILURE);
            }
        }
    }

    /** Waits for the writer, but not for long. */
    @Override
    public void flush() {
        out.flush();
    }

    /** As {@link #flush}: standard error stays open. */
    @Override
    public void close() {
        flush();
    }
}
