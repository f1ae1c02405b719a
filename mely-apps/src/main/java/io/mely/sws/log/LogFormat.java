// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.log;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/** How a line of the access log is written. */
public enum LogFormat {
    /** As Apache and nginx call it. */
    COMBINED("dd/MMM/yyyy:HH:mm:ss +0000"),
    /** An object a line. */
    JSON("yyyy-MM-dd'T'HH:mm:ss'Z'");

    private final DateTimeFormatter time;

    LogFormat(String timePattern) {
        time = DateTimeFormatter.ofPattern(timePattern, Locale.ROOT).withZone(ZoneOffset.UTC);
    }

    String time(long epochSecond) {
        return time.format(Instant.ofEpochSecond(epochSecond));
    }
}
