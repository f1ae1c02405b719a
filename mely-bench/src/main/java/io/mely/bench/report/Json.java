// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.report;

import java.util.Collection;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Writes JSON from maps, collections, arrays of doubles, numbers, texts, truth values and null.
 *
 * <p>A number that is not finite is null. The two outer levels have a line for each member, so that raw data has a line for each run.
 */
public final class Json {
    private static final int LINES_DEPTH = 2;

    private final StringBuilder out = new StringBuilder();

    private Json() {}

    /**
     * Writes a value.
     *
     * @param value of one of the kinds above
     * @return its text, with a line feed at the end
     * @throws IllegalArgumentException for another kind
     */
    public static String write(Map<String, ?> value) {
        Json json = new Json();
        json.value(value, 0);
        return json.out.append('\n').toString();
    }

    private void value(@Nullable Object value, int depth) {
        if (value == null) {
            out.append("null");
        } else if (value instanceof Map<?, ?> map) {
            object(map, depth);
        } else if (value instanceof Collection<?> list) {
            array(list, depth);
        } else if (value instanceof Double number) {
            number(number);
        } else if (value instanceof Long || value instanceof Integer || value instanceof Boolean) {
            out.append(value);
        } else if (value instanceof String text) {
            text(text);
        } else {
            throw new IllegalArgumentException("not for JSON: " + value.getClass());
        }
    }

    private void object(Map<?, ?> map, int depth) {
        out.append('{');
        boolean isFirst = true;
        for (Map.Entry<?, ?> entry : map.entrySet()) {
            separate(isFirst, depth);
            text(String.valueOf(entry.getKey()));
            out.append(": ");
            value(entry.getValue(), depth + 1);
            isFirst = false;
        }
        end(isFirst, depth);
        out.append('}');
    }

    private void array(Collection<?> list, int depth) {
        out.append('[');
        boolean isFirst = true;
        for (Object element : list) {
            separate(isFirst, depth);
            value(element, depth + 1);
            isFirst = false;
        }
        end(isFirst, depth);
        out.append(']');
    }

    private void separate(boolean isFirst, int depth) {
        if (!isFirst) {
            out.append(depth < LINES_DEPTH ? "," : ", ");
        }
        if (depth < LINES_DEPTH) {
            out.append('\n').append("  ".repeat(depth + 1));
        }
    }

    private void end(boolean isEmpty, int depth) {
        if (!isEmpty && depth < LINES_DEPTH) {
            out.append('\n').append("  ".repeat(depth));
        }
    }

    private void number(double value) {
        if (!Double.isFinite(value)) {
            out.append("null");
        } else if (value == Math.rint(value) && Math.abs(value) < 1e15) {
            out.append((long) value);
        } else {
            out.append(String.format(Locale.ROOT, Math.abs(value) < 1 ? "%.6f" : "%.3f", value));
        }
    }

    private void text(String text) {
        out.append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                out.append('\\').append(c);
            } else if (c < ' ') {
                out.append(String.format(Locale.ROOT, "\\u%04x", (int) c));
            } else {
                out.append(c);
            }
        }
        out.append('"');
    }
}
