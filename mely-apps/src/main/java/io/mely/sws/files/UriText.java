// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.files;

import java.nio.charset.StandardCharsets;
import java.util.Locale;

/** Percent-encoding of decoded paths, for redirects, links and file URIs. */
public final class UriText {
    private static final String PLAIN =
            "-._~!$&'()*+,=:@/"; // RFC 3986 pchar and slash, without ";", which some servers cut at

    private UriText() {}

    /**
     * Encodes all that is not plain in a path.
     *
     * @param path decoded
     * @return ASCII
     */
    public static String encode(String path) {
        StringBuilder text = new StringBuilder(path.length() + 16);
        for (byte b : path.getBytes(StandardCharsets.UTF_8)) {
            boolean isPlain = (b >= 'a' && b <= 'z')
                    || (b >= 'A' && b <= 'Z')
                    || (b >= '0' && b <= '9')
                    || (b > 0 && PLAIN.indexOf(b) >= 0);
            if (isPlain) {
                text.append((char) b);
            } else {
                text.append(String.format(Locale.ROOT, "%%%02X", b & 0xff));
            }
        }
        return text.toString();
    }

    /**
     * Encodes what is not ASCII, and nothing else.
     *
     * @param text a part of a URI
     * @return ASCII
     */
    public static String toAscii(String text) {
        StringBuilder ascii = new StringBuilder(text.length() + 16);
        for (byte b : text.getBytes(StandardCharsets.UTF_8)) {
            if (b >= 0) {
                ascii.append((char) b);
            } else {
                ascii.append(String.format(Locale.ROOT, "%%%02X", b & 0xff));
            }
        }
        return ascii.toString();
    }
}
