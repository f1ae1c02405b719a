// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.http;

import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * The hosts that a server answers for. A page of a stranger whose name leads to this machine (DNS rebinding) asks by the stranger's name, and is told nothing.
 *
 * <p><b>Threads.</b> Any; immutable. <b>Costs.</b> One name and a look-up for each of its parts, where there is a list.
 */
public final class HostNames {
    private static final String ALL_BELOW = "*.";
    private static final Pattern NAME =
            Pattern.compile("(\\*\\.)?[0-9A-Za-z_-]+(\\.[0-9A-Za-z_-]+)*\\.?|\\[[0-9A-Fa-f:.]+]");

    private final Set<String> names = new HashSet<>();

    /**
     * Makes a list.
     *
     * @param names each {@link #isName}
     */
    public HostNames(List<String> names) {
        names.forEach(each -> this.names.add(normalized(each)));
    }

    /**
     * Tells whether text can stand in the list.
     *
     * @param text any
     * @return true for a name or address without a port, IPv6 in brackets, or {@code *.} before a name
     */
    public static boolean isName(String text) {
        return NAME.matcher(text).matches();
    }

    /**
     * Tells whether a request is for one of them.
     *
     * @param bytes holds its head
     * @param start index of its first byte
     * @param head its fields
     * @return true also if it names none, as HTTP/1.0 may and no browser does
     */
    public boolean has(byte[] bytes, int start, RequestHead head) {
        if (head.hostEnd() == 0) {
            return true;
        }
        String host = new String(
                bytes, start + head.hostStart(), head.hostEnd() - head.hostStart(), StandardCharsets.ISO_8859_1);
        int colon = host.lastIndexOf(':');
        String name = normalized(colon > host.lastIndexOf(']') ? host.substring(0, colon) : host);
        if (names.contains(name)) {
            return true;
        }
        for (int dot = name.indexOf('.'); dot >= 0; dot = name.indexOf('.', dot + 1)) {
            if (names.contains(ALL_BELOW + name.substring(dot + 1))) {
                return true;
            }
        }
        return false;
    }

    private static String normalized(String name) {
        String lower = name.toLowerCase(Locale.ROOT);
        return lower.endsWith(".") ? lower.substring(0, lower.length() - 1) : lower;
    }
}
