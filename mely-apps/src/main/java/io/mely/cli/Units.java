// SPDX-License-Identifier: Apache-2.0
package io.mely.cli;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads sizes and durations in the units of HOCON, without loading the library that reads HOCON.
 *
 * <p>Two departures: a duration must have its unit (HOCON would take a bare number for milliseconds, and who writes
 * {@code 30} means seconds), and neither may be negative.
 *
 * <p><b>Threads.</b> Any.
 */
public final class Units {
    private static final Pattern QUANTITY = Pattern.compile("\\s*([0-9]{1,19}(?:\\.[0-9]{1,9})?)\\s*([A-Za-z]*)\\s*");

    private static final Map<String, Long> BYTES = Map.ofEntries(
            Map.entry("", 1L),
            Map.entry("B", 1L),
            Map.entry("b", 1L),
            Map.entry("byte", 1L),
            Map.entry("bytes", 1L),
            Map.entry("kB", 1_000L),
            Map.entry("kilobyte", 1_000L),
            Map.entry("kilobytes", 1_000L),
            Map.entry("MB", 1_000_000L),
            Map.entry("megabyte", 1_000_000L),
            Map.entry("megabytes", 1_000_000L),
            Map.entry("GB", 1_000_000_000L),
            Map.entry("gigabyte", 1_000_000_000L),
            Map.entry("gigabytes", 1_000_000_000L),
            Map.entry("TB", 1_000_000_000_000L),
            Map.entry("terabyte", 1_000_000_000_000L),
            Map.entry("terabytes", 1_000_000_000_000L),
            Map.entry("K", 1L << 10),
            Map.entry("k", 1L << 10),
            Map.entry("Ki", 1L << 10),
            Map.entry("KiB", 1L << 10),
            Map.entry("kibibyte", 1L << 10),
            Map.entry("kibibytes", 1L << 10),
            Map.entry("M", 1L << 20),
            Map.entry("m", 1L << 20),
            Map.entry("Mi", 1L << 20),
            Map.entry("MiB", 1L << 20),
            Map.entry("mebibyte", 1L << 20),
            Map.entry("mebibytes", 1L << 20),
            Map.entry("G", 1L << 30),
            Map.entry("g", 1L << 30),
            Map.entry("Gi", 1L << 30),
            Map.entry("GiB", 1L << 30),
            Map.entry("gibibyte", 1L << 30),
            Map.entry("gibibytes", 1L << 30),
            Map.entry("T", 1L << 40),
            Map.entry("t", 1L << 40),
            Map.entry("Ti", 1L << 40),
            Map.entry("TiB", 1L << 40),
            Map.entry("tebibyte", 1L << 40),
            Map.entry("tebibytes", 1L << 40));

    private static final Map<String, Long> NANOS = Map.ofEntries(
            Map.entry("ns", 1L),
            Map.entry("nano", 1L),
            Map.entry("nanos", 1L),
            Map.entry("nanosecond", 1L),
            Map.entry("nanoseconds", 1L),
            Map.entry("us", 1_000L),
            Map.entry("micro", 1_000L),
            Map.entry("micros", 1_000L),
            Map.entry("microsecond", 1_000L),
            Map.entry("microseconds", 1_000L),
            Map.entry("ms", 1_000_000L),
            Map.entry("milli", 1_000_000L),
            Map.entry("millis", 1_000_000L),
            Map.entry("millisecond", 1_000_000L),
            Map.entry("milliseconds", 1_000_000L),
            Map.entry("s", 1_000_000_000L),
            Map.entry("second", 1_000_000_000L),
            Map.entry("seconds", 1_000_000_000L),
            Map.entry("m", 60_000_000_000L),
            Map.entry("minute", 60_000_000_000L),
            Map.entry("minutes", 60_000_000_000L),
            Map.entry("h", 3_600_000_000_000L),
            Map.entry("hour", 3_600_000_000_000L),
            Map.entry("hours", 3_600_000_000_000L),
            Map.entry("d", 86_400_000_000_000L),
            Map.entry("day", 86_400_000_000_000L),
            Map.entry("days", 86_400_000_000_000L));

    private static final BigDecimal LONG_MAX = BigDecimal.valueOf(Long.MAX_VALUE);

    private Units() {}

    /**
     * Reads a size; a number without a unit is bytes.
     *
     * @param text such as {@code 64 KiB}
     * @return bytes; -1 when it is no size
     */
    public static long bytes(String text) {
        return quantity(text, BYTES);
    }

    /**
     * Reads a duration.
     *
     * @param text such as {@code 30 s}
     * @return the duration; null when it is none or has no unit
     */
    public static @Nullable Duration duration(String text) {
        long nanos = quantity(text, NANOS);
        return nanos < 0 ? null : Duration.ofNanos(nanos);
    }

    /** The names of all units of size, so that a test can compare them with HOCON's. */
    public static java.util.Set<String> byteUnits() {
        return BYTES.keySet();
    }

    /** The names of all units of time. */
    public static java.util.Set<String> timeUnits() {
        return NANOS.keySet();
    }

    private static long quantity(String text, Map<String, Long> units) {
        Matcher parts = QUANTITY.matcher(text);
        if (!parts.matches()) {
            return -1;
        }
        Long unit = units.get(parts.group(2));
        if (unit == null) {
            return -1;
        }
        BigDecimal value = new BigDecimal(parts.group(1)).multiply(BigDecimal.valueOf(unit));
        return value.compareTo(LONG_MAX) > 0 ? -1 : value.longValue();
    }

    /**
     * Writes a size in the largest unit that leaves a whole number.
     *
     * @param bytes &gt;= 0
     * @return such as {@code 64 KiB}
     */
    public static String show(long bytes) {
        String[] names = {"B", "KiB", "MiB", "GiB", "TiB"};
        int unit = 0;
        long value = bytes;
        while (unit < names.length - 1 && value != 0 && value % 1024 == 0) {
            value /= 1024;
            unit++;
        }
        return value + " " + names[unit];
    }

    /**
     * Writes a duration in seconds or the largest smaller unit that leaves a whole number.
     *
     * @param duration not negative
     * @return such as {@code 30 s}
     */
    public static String show(Duration duration) {
        long nanos = duration.toNanos();
        if (nanos % 1_000_000_000L == 0) {
            return nanos / 1_000_000_000L + " s";
        }
        if (nanos % 1_000_000L == 0) {
            return nanos / 1_000_000L + " ms";
        }
        return nanos % 1_000L == 0 ? nanos / 1_000L + " us" : nanos + " ns";
    }
}
