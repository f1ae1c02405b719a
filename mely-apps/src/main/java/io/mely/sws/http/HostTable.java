// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.http;

import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Something for each of several hosts, found by the host of a request.
 *
 * <p><b>Threads.</b> Any, once it is filled. <b>Costs.</b> One name and a look-up for each of its parts.
 *
 * @param <V> what there is
 */
public final class HostTable<V> {
    private static final String ALL_BELOW = "*.";
    private static final Pattern NAME =
            Pattern.compile("(\\*\\.)?[0-9A-Za-z_-]+(\\.[0-9A-Za-z_-]+)*\\.?|\\[[0-9A-Fa-f:.]+]");

    private final Map<String, V> byName = new HashMap<>();

    /**
     * Tells whether text can stand for a host.
     *
     * @param text any
     * @return true for a name or address without a port, IPv6 in brackets, or {@code *.} before a name
     */
    public static boolean isName(String text) {
        return NAME.matcher(text).matches();
    }

    /**
     * Puts in what a host has.
     *
     * @param name {@link #isName}
     * @param value its own
     * @return what it had before; null if nothing
     */
    public @Nullable V put(String name, V value) {
        return byName.put(normalized(name), value);
    }

    /**
     * Finds what the host of a request has: its own, or that of the nearest {@code *.} above it.
     *
     * @param bytes holds the head of the request
     * @param start index of its first byte
     * @param head its fields
     * @return null if there is nothing, or the request names no host, as HTTP/1.0 may
     */
    public @Nullable V of(byte[] bytes, int start, RequestHead head) {
        if (head.hostEnd() == 0 || byName.isEmpty()) {
            return null;
        }
        String host = new String(
                bytes, start + head.hostStart(), head.hostEnd() - head.hostStart(), StandardCharsets.ISO_8859_1);
        int colon = host.lastIndexOf(':');
        String name = normalized(colon > host.lastIndexOf(']') ? host.substring(0, colon) : host);
        V value = byName.get(name);
        for (int dot = name.indexOf('.'); value == null && dot >= 0; dot = name.indexOf('.', dot + 1)) {
            value = byName.get(ALL_BELOW + name.substring(dot + 1));
        }
        return value;
    }

    private static String normalized(String name) {
        String lower = name.toLowerCase(Locale.ROOT);
        return lower.endsWith(".") ? lower.substring(0, lower.length() - 1) : lower;
    }
}
