// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.http;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.format.DateTimeParseException;
import java.time.temporal.ChronoField;
import java.util.Locale;

/**
 * Dates as HTTP writes them: always the fixed-length form, read in all three (RFC 9110 5.6.7).
 *
 * <p><b>Threads.</b> Any. <b>Costs.</b> About a microsecond; not for every request.
 */
public final class HttpDate {
    /** Length of the fixed-length form. */
    public static final int BYTES = 29;

    /** Answer of {@link #parse} for what is no date. */
    public static final long INVALID = Long.MIN_VALUE;

    /** A two-digit year that seems more than 50 years ahead is in the past; 1970 to 2069 will do until 2069. */
    private static final int TWO_DIGIT_YEAR_BASE = 1970;

    private static final DateTimeFormatter FIXED = formatter("EEE, dd MMM yyyy HH:mm:ss 'GMT'");
    private static final DateTimeFormatter ASCTIME = formatter("EEE MMM ppd HH:mm:ss yyyy");
    private static final DateTimeFormatter RFC_850 = new DateTimeFormatterBuilder()
            .appendPattern("EEEE, dd-MMM-")
            .appendValueReduced(ChronoField.YEAR, 2, 2, TWO_DIGIT_YEAR_BASE)
            .appendPattern(" HH:mm:ss 'GMT'")
            .toFormatter(Locale.US);

    private HttpDate() {}

    private static DateTimeFormatter formatter(String pattern) {
        return DateTimeFormatter.ofPattern(pattern, Locale.US);
    }

    /**
     * Writes a date.
     *
     * @param epochSecond seconds since 1970
     * @return {@link #BYTES} characters
     */
    public static String format(long epochSecond) {
        return FIXED.format(Instant.ofEpochSecond(epochSecond).atOffset(ZoneOffset.UTC));
    }

    /**
     * Reads a date.
     *
     * @param bytes holds it
     * @param from its first byte
     * @param end after its last byte
     * @return seconds since 1970, or {@link #INVALID}
     */
    public static long parse(byte[] bytes, int from, int end) {
        if (end - from < 24 || end - from > 33) {
            return INVALID;
        }
        String text = new String(bytes, from, end - from, StandardCharsets.ISO_8859_1);
        DateTimeFormatter form = text.charAt(3) == ',' ? FIXED : text.charAt(3) == ' ' ? ASCTIME : RFC_850;
        try {
            return LocalDateTime.parse(text, form).toEpochSecond(ZoneOffset.UTC);
        } catch (DateTimeParseException notADate) {
            return INVALID; // RFC 9110 13.1.3: a condition with an invalid date is ignored
        }
    }
}
