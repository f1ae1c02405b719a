// SPDX-License-Identifier: Apache-2.0
package io.mely.cli;

import java.util.ArrayList;
import java.util.List;

/**
 * Finds the keys at the top level of a HOCON text, with their lines.
 *
 * <p>HOCON itself lets a second value of a key replace the first in silence, and a file that is edited by hand collects such
 * pairs; {@link ConfigFile} refuses them. The library keeps no trace of the first value, hence this scan. It runs after
 * the library has accepted the text, so it only has to tell keys from values.
 *
 * <p><b>Threads.</b> Not safe for use by several. <b>Costs.</b> O(length). <b>Shape.</b> {@code depth} counts the brackets
 * open, the outer braces of the whole file not included.
 */
public final class KeyScan {
    /**
     * A key and where it stands.
     *
     * @param name without quotes, as written
     * @param line from 1
     */
    public record Key(String name, int line) {}

    private final String text;
    private final List<Key> keys = new ArrayList<>();
    private int position;
    private int line = 1;
    private int depth;
    private boolean isInValue;
    private final StringBuilder word = new StringBuilder();
    private int wordLine = 1;

    private KeyScan(String text) {
        this.text = text;
    }

    /**
     * Lists the keys, in the order of the file; {@code include} counts as one.
     *
     * @param text valid HOCON
     * @return each occurrence of each key
     */
    public static List<Key> keys(String text) {
        KeyScan scan = new KeyScan(text);
        while (scan.position < text.length()) {
            scan.step();
        }
        scan.endEntry();
        return scan.keys;
    }

    private void step() {
        char letter = text.charAt(position);
        switch (letter) {
            case '\n' -> stepNewLine();
            case '#' -> skipComment();
            case '/' -> {
                if (text.startsWith("//", position)) {
                    skipComment();
                } else {
                    keep(letter);
                }
            }
            case '"' -> stepString();
            case '{' -> stepOpen();
            case '[' -> {
                depth++;
                position++;
            }
            case '}', ']' -> stepClose();
            case '=', ':' -> stepSeparator();
            case ',' -> {
                endEntry();
                position++;
            }
            default -> keep(letter);
        }
    }

    private void stepNewLine() {
        endEntry();
        line++;
        position++;
    }

    /** An entry of the top level ends with its line or a comma; without a separator it was an include. */
    private void endEntry() {
        if (depth > 0) {
            return;
        }
        String left = word.toString().strip();
        if (!isInValue && left.startsWith("include")) {
            keys.add(new Key("include", wordLine));
        }
        word.setLength(0);
        isInValue = false;
    }

    /** A brace opens the file's own object, or a value that may follow its key without a separator. */
    private void stepOpen() {
        boolean isWholeFile = depth == 0 && !isInValue && word.toString().isBlank();
        if (!isWholeFile) {
            endKey();
            depth++;
        }
        position++;
    }

    private void stepClose() {
        depth = Math.max(0, depth - 1);
        position++;
    }

    private void stepSeparator() {
        endKey();
        position++;
    }

    private void endKey() {
        if (depth == 0 && !isInValue) {
            String name = word.toString().strip();
            // "key += item" ends in a plus.
            keys.add(new Key(
                    name.endsWith("+") ? name.substring(0, name.length() - 1).strip() : name, wordLine));
            isInValue = true;
        }
    }

    private void keep(char letter) {
        if (depth == 0 && !isInValue) {
            if (word.toString().isBlank()) {
                wordLine = line;
            }
            word.append(letter);
        }
        position++;
    }

    private void stepString() {
        if (text.startsWith("\"\"\"", position)) {
            int end = text.indexOf("\"\"\"", position + 3);
            skipTo(end < 0 ? text.length() : end + 3);
            return;
        }
        position++;
        while (position < text.length() && text.charAt(position) != '"' && text.charAt(position) != '\n') {
            if (text.charAt(position) == '\\' && position + 1 < text.length()) {
                position++;
            }
            keep(text.charAt(position));
        }
        position++;
    }

    private void skipComment() {
        int end = text.indexOf('\n', position);
        position = end < 0 ? text.length() : end;
    }

    private void skipTo(int end) {
        for (; position < end; position++) {
            if (text.charAt(position) == '\n') {
                line++;
            }
        }
    }
}
