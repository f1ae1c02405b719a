// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.http;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A file that is sent as the body of an error response.
 *
 * <p><b>Threads.</b> Any; immutable.
 *
 * @param status one that this server answers with a page, 400 to 505
 * @param file what to send; relative to the root if it is not absolute
 */
public record ErrorPage(int status, Path file) {
    /** Longest page: a guess, far more than any has. */
    public static final int BYTES_MAX = 1 << 20;

    /** Longest page of those who are not let in: it has to fit into one write beside a head. */
    public static final int DOOR_BYTES_MAX = 12 << 10;

    private static final Pattern TEXT = Pattern.compile("([45][0-9][0-9])[ \t]+(.+)");

    /** Checks the status. */
    public ErrorPage {
        if (!ErrorResponses.isKnown(status)) {
            throw new IllegalArgumentException("status must be one that has an error page: status=" + status);
        }
    }

    /**
     * Reads {@code STATUS FILE}.
     *
     * @param text as a configuration has it
     * @return null if it has another form, or the status has no page
     */
    public static @Nullable ErrorPage parse(String text) {
        Matcher parts = TEXT.matcher(text.strip());
        if (!parts.matches()) {
            return null;
        }
        int status = Integer.parseInt(parts.group(1));
        try {
            return ErrorResponses.isKnown(status) ? new ErrorPage(status, Path.of(parts.group(2))) : null;
        } catch (InvalidPathException notAPath) {
            return null;
        }
    }

    /** As {@link #parse} reads it. */
    @Override
    public String toString() {
        return status + " " + file;
    }
}
