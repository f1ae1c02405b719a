// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.files;

import io.mely.sws.http.Utf8;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * One name of a folder.
 *
 * @param name as a request names it, decoded
 * @param isFolder true for a folder
 * @param size bytes of a file
 * @param modifiedMs last change, milliseconds since 1970
 */
record ListingLine(String name, boolean isFolder, long size, long modifiedMs) {
    /** The text of a name; null if no request can name it: it is hidden, no UTF-8, or has a character that {@link RequestPath} refuses. */
    static @Nullable String textOf(Path name) {
        String text = name.toString();
        if (!isAscii(text)) {
            text = decoded(name);
        }
        return text == null || text.startsWith(".") || !isServed(text) ? null : text;
    }

    private static boolean isAscii(String text) {
        return text.chars().allMatch(c -> c < 0x7f);
    }

    /** A name's bytes come out of its URI whatever the locale; the text of a Path does not. */
    private static @Nullable String decoded(Path name) {
        String uri = Path.of("/").resolve(name).toUri().getRawPath();
        String raw = uri.endsWith("/") ? uri.substring(1, uri.length() - 1) : uri.substring(1);
        byte[] bytes = URLDecoder.decode(raw.replace("+", "%2B"), StandardCharsets.ISO_8859_1)
                .getBytes(StandardCharsets.ISO_8859_1);
        return Utf8.isValid(bytes, 0, bytes.length) ? new String(bytes, StandardCharsets.UTF_8) : null;
    }

    private static boolean isServed(String text) {
        return text.chars().noneMatch(c -> c < ' ' || c == 0x7f || c == '\\');
    }
}
