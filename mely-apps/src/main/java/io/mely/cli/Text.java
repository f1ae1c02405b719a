// SPDX-License-Identifier: Apache-2.0
package io.mely.cli;

/**
 * Makes text from outside safe to print on one line.
 *
 * <p><b>Threads.</b> Any.
 */
public final class Text {
    /** Most characters of one quoted value; a guess: enough for any path one still reads. */
    private static final int LENGTH_MAX = 400;

    private Text() {}

    /**
     * Puts text in single quotes.
     *
     * @param text anything
     * @return the text in quotes, escaped as by {@link #escape}
     */
    public static String quote(String text) {
        return "'" + escape(text) + "'";
    }

    /**
     * Replaces what could end a line, move a cursor or reorder letters by an escape, and shortens what is long.
     *
     * @param text anything
     * @return one line of printable text
     */
    public static String escape(String text) {
        StringBuilder line = new StringBuilder(Math.min(text.length(), LENGTH_MAX) + 8);
        for (int i = 0; i < text.length(); ) {
            if (line.length() >= LENGTH_MAX) {
                return line.append("...").toString();
            }
            int letter = text.codePointAt(i);
            i += Character.charCount(letter);
            if (isPrintable(letter)) {
                line.appendCodePoint(letter);
            } else {
                escapeLetter(letter, line);
            }
        }
        return line.toString();
    }

    private static void escapeLetter(int letter, StringBuilder line) {
        switch (letter) {
            case '\n' -> line.append("\\n");
            case '\r' -> line.append("\\r");
            case '\t' -> line.append("\\t");
            default -> line.append(String.format("\\u%04x", letter));
        }
    }

    private static boolean isPrintable(int letter) {
        return switch (Character.getType(letter)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.SURROGATE,
                    Character.UNASSIGNED,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR,
                    Character.PRIVATE_USE -> false;
            default -> true;
        };
    }
}
