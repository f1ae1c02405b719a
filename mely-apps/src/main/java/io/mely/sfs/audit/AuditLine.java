// SPDX-License-Identifier: Apache-2.0
package io.mely.sfs.audit;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;

/**
 * One line of the audit log: the time in UTC, a word for what happened, and fields as {@code name=value}. Text that somebody else chose is in double quotes; a quote, a
 * backslash, and what could end the line or reorder it is escaped there, so that no name can look like another field or line.
 *
 * <p><b>Threads.</b> One at a time.
 */
public final class AuditLine {
    private static final DateTimeFormatter TIME =
            new DateTimeFormatterBuilder().appendInstant(3).toFormatter(java.util.Locale.ROOT);

    private final StringBuilder text = new StringBuilder(200);

    AuditLine(long timeMs, String what) {
        TIME.formatTo(Instant.ofEpochMilli(timeMs), text);
        text.append(' ').append(what);
    }

    /**
     * Adds a number.
     *
     * @param name of the field
     * @param value its value
     * @return this
     */
    public AuditLine with(String name, long value) {
        text.append(' ').append(name).append('=').append(value);
        return this;
    }

    /**
     * Adds text.
     *
     * @param name of the field
     * @param value anything
     * @return this
     */
    public AuditLine with(String name, String value) {
        text.append(' ').append(name).append("=\"");
        escape(value);
        text.append('"');
        return this;
    }

    /**
     * Adds a path.
     *
     * @param name of the field
     * @param path its bytes, as a rule UTF-8; others are written as {@code \xNN} each
     * @return this
     */
    public AuditLine with(String name, byte[] path) {
        try {
            return with(
                    name,
                    StandardCharsets.UTF_8
                            .newDecoder()
                            .decode(ByteBuffer.wrap(path))
                            .toString());
        } catch (CharacterCodingException e) {
            text.append(' ').append(name).append("=\"");
            for (byte each : path) {
                if (each < ' ' || each == 0x7f) {
                    text.append(String.format("\\x%02x", each));
                } else {
                    escape((char) each);
                }
            }
            text.append('"');
            return this;
        }
    }

    private void escape(String value) {
        value.codePoints().forEach(this::escape);
    }

    private void escape(int letter) {
        switch (Character.getType(letter)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.SURROGATE,
                    Character.UNASSIGNED,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR,
                    Character.PRIVATE_USE -> text.append(String.format("\\u{%x}", letter));
            default -> {
                if (letter == '"' || letter == '\\') {
                    text.append('\\');
                }
                text.appendCodePoint(letter);
            }
        }
    }

    @Override
    public String toString() {
        return text.toString();
    }
}
