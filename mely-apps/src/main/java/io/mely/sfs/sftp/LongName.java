// SPDX-License-Identifier: Apache-2.0
package io.mely.sfs.sftp;

import io.mely.sfs.files.Attributes;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.util.Locale;

/** The line that a client shows for a file, as {@code ls -l} would write it. */
final class LongName {
    private static final String[] MONTHS = {
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"
    };
    private static final String LETTERS = "rwxrwxrwx";

    /** Older than that, a year is shown and no hour: half a year, as {@code ls} has it. */
    private static final long RECENT_S = 365L * 24 * 3600 / 2;

    private LongName() {}

    static byte[] of(byte[] name, Attributes attributes, long nowS, ZoneId zone) {
        byte[] start = String.format(
                        Locale.ROOT,
                        "%s %3d %-8s %-8s %8d %s ",
                        mode(attributes),
                        attributes.links(),
                        Integer.toUnsignedString(attributes.uid()),
                        Integer.toUnsignedString(attributes.gid()),
                        attributes.size(),
                        time(attributes.modifiedS(), nowS, zone))
                .getBytes(StandardCharsets.US_ASCII);
        byte[] line = new byte[start.length + name.length];
        System.arraycopy(start, 0, line, 0, start.length);
        System.arraycopy(name, 0, line, start.length, name.length);
        return line;
    }

    private static String mode(Attributes attributes) {
        StringBuilder text = new StringBuilder(10);
        text.append(
                switch (attributes.type()) {
                    case Attributes.FOLDER -> 'd';
                    case Attributes.LINK -> 'l';
                    case Attributes.REGULAR -> '-';
                    case 0010000 -> 'p';
                    case 0020000 -> 'c';
                    case 0060000 -> 'b';
                    case 0140000 -> 's';
                    default -> '?';
                });
        for (int i = 0; i < LETTERS.length(); i++) {
            boolean isSet = (attributes.mode() >> (LETTERS.length() - 1 - i) & 1) != 0;
            text.append(isSet ? LETTERS.charAt(i) : '-');
        }
        special(text, 3, attributes.mode() & 04000, 's');
        special(text, 6, attributes.mode() & 02000, 's');
        special(text, 9, attributes.mode() & 01000, 't');
        return text.toString();
    }

    private static void special(StringBuilder text, int at, int bit, char letter) {
        if (bit != 0) {
            text.setCharAt(at, text.charAt(at) == 'x' ? letter : Character.toUpperCase(letter));
        }
    }

    private static String time(long timeS, long nowS, ZoneId zone) {
        LocalDateTime time;
        try {
            time = LocalDateTime.ofInstant(Instant.ofEpochSecond(timeS), zone);
        } catch (DateTimeException beyond) {
            return "?           ";
        }
        String day = String.format(Locale.ROOT, "%s %2d ", MONTHS[time.getMonthValue() - 1], time.getDayOfMonth());
        boolean isRecent = timeS <= nowS && nowS - timeS < RECENT_S;
        return day
                + (isRecent
                        ? String.format(Locale.ROOT, "%02d:%02d", time.getHour(), time.getMinute())
                        : String.format(Locale.ROOT, "%5d", time.getYear()));
    }
}
