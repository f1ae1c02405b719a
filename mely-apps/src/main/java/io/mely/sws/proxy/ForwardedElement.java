// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.proxy;

import io.mely.sws.proxy.ProxyTrust.Field;
import java.net.InetAddress;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** One element of a list of addresses: {@code 203.0.113.9}, {@code "[2001:db8::1]:4711"}, or {@code for=...;proto=https} (RFC 7239 4). */
final class ForwardedElement {
    private static final String FOR = "for=";

    private ForwardedElement() {}

    /** Null if it names none, as an obfuscated one. */
    static @Nullable InetAddress address(String element, Field field) {
        String node = element.strip();
        if (field == Field.FORWARDED) {
            node = "";
            for (String pair : element.split(";", -1)) {
                String text = pair.strip();
                if (text.toLowerCase(Locale.ROOT).startsWith(FOR)) {
                    node = text.substring(FOR.length()).strip();
                }
            }
        }
        if (node.length() > 1 && node.startsWith("\"") && node.endsWith("\"")) {
            node = node.substring(1, node.length() - 1);
        }
        return AddressRange.address(withoutPort(node));
    }

    private static String withoutPort(String node) {
        int bracket = node.indexOf(']');
        if (node.startsWith("[") && bracket > 0) {
            return node.substring(1, bracket);
        }
        int colon = node.indexOf(':');
        return colon > 0 && colon == node.lastIndexOf(':') ? node.substring(0, colon) : node;
    }
}
