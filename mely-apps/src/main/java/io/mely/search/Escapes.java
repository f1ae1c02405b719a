// SPDX-License-Identifier: Apache-2.0
package io.mely.search;

/** Text from outside, made safe for where it is put. */
final class Escapes {
    private Escapes() {}

    /** For HTML, between tags and in quoted attributes. */
    static String html(String text) {
        StringBuilder safe = new StringBuilder(text.length() + 16);
        for (int i = 0; i < text.length(); i++) {
            char letter = text.charAt(i);
            switch (letter) {
                case '<' -> safe.append("&lt;");
                case '>' -> safe.append("&gt;");
                case '&' -> safe.append("&amp;");
                case '"' -> safe.append("&quot;");
                case '\'' -> safe.append("&#39;");
                default -> safe.append(letter);
            }
        }
        return safe.toString();
    }

    /** For JSON, with its quotes. */
    static String json(String text) {
        StringBuilder safe = new StringBuilder(text.length() + 16).append('"');
        for (int i = 0; i < text.length(); i++) {
            char letter = text.charAt(i);
            if (letter == '"' || letter == '\\') {
                safe.append('\\').append(letter);
            } else if (letter < ' ' || letter == '<' || letter == '\u2028' || letter == '\u2029') {
                safe.append(String.format("\\u%04x", (int) letter));
            } else {
                safe.append(letter);
            }
        }
        return safe.append('"').toString();
    }
}
