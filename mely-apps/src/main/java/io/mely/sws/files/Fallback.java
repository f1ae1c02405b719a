// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.files;

import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A file that is sent for paths that lead to nothing, as applications need that make their own pages in the browser.
 *
 * <p><b>Threads.</b> Any; immutable.
 *
 * @param prefix what the paths begin with; begins and ends with a slash
 * @param file the path of the file, as a request would name it
 */
public record Fallback(String prefix, String file) {
    /** Most rules of a server. */
    public static final int RULES_MAX = 100;

    private static final Pattern TEXT = Pattern.compile("(/\\S*)[ \t]+(/.*)");

    /** Checks both. */
    public Fallback {
        if (!isCanonical(prefix) || !prefix.endsWith("/")) {
            throw new IllegalArgumentException("prefix must be a path that ends with a slash: prefix=" + prefix);
        }
        if (!isCanonical(file) || file.endsWith("/")) {
            throw new IllegalArgumentException("file must be the path of a file: file=" + file);
        }
    }

    private static boolean isCanonical(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        RequestPath path = new RequestPath(bytes.length);
        return text.startsWith("/")
                && text.indexOf('%') < 0
                && path.set(bytes, 0, bytes.length)
                && path.toString().equals(text);
    }

    /**
     * Reads {@code PREFIX FILE}.
     *
     * @param text as a configuration has it
     * @return null if it has another form
     */
    public static @Nullable Fallback parse(String text) {
        Matcher parts = TEXT.matcher(text.strip());
        if (!parts.matches()) {
            return null;
        }
        try {
            return new Fallback(parts.group(1), parts.group(2));
        } catch (IllegalArgumentException notAllowed) {
            return null;
        }
    }

    /** As {@link #parse} reads it. */
    @Override
    public String toString() {
        return prefix + " " + file;
    }
}
