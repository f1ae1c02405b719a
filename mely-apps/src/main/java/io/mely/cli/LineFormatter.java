// SPDX-License-Identifier: Apache-2.0
package io.mely.cli;

import java.time.temporal.ChronoUnit;
import java.util.logging.Formatter;
import java.util.logging.LogRecord;

/**
 * Writes a log record on one line: UTC time, level, logger, message, and the exception's causes with where each was thrown.
 *
 * <p>Not local time: to know the zone the JDK opens files, and what is told may be that no descriptor is left.
 *
 * <p><b>Threads.</b> Any.
 */
public final class LineFormatter extends Formatter {
    /** Most frames shown of an exception, and most causes; a guess: enough to find the line. */
    private static final int FRAMES_MAX = 8;

    private static final int CAUSES_MAX = 4;

    /** Made by the log manager. */
    public LineFormatter() {}

    @Override
    public String format(LogRecord record) {
        StringBuilder line = new StringBuilder(160);
        line.append(record.getInstant().truncatedTo(ChronoUnit.MILLIS))
                .append(' ')
                .append(record.getLevel().getName())
                .append(' ')
                .append(record.getLoggerName())
                .append(": ")
                .append(oneLine(formatMessage(record)));
        Throwable cause = record.getThrown();
        for (int i = 0; cause != null && i < CAUSES_MAX; i++) {
            line.append(i == 0 ? " | " : " | caused by ").append(oneLine(String.valueOf(cause)));
            appendFrames(cause, line);
            cause = cause.getCause();
        }
        return line.append(System.lineSeparator()).toString();
    }

    private static void appendFrames(Throwable thrown, StringBuilder line) {
        StackTraceElement[] frames = thrown.getStackTrace();
        for (int i = 0; i < frames.length && i < FRAMES_MAX; i++) {
            line.append(i == 0 ? " at " : " < ").append(frames[i]);
        }
    }

    private static String oneLine(String text) {
        StringBuilder line = new StringBuilder(text.length());
        text.codePoints().forEach(letter -> {
            if (Character.isISOControl(letter)) {
                line.append(letter == '\n' ? "\\n" : String.format("\\u%04x", letter));
            } else {
                line.appendCodePoint(letter);
            }
        });
        return line.toString();
    }
}
