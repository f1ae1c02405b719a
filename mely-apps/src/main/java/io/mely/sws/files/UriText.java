// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.files;

import java.nio.charset.StandardCharsets;
import java.util.Locale;

/** Percent-encoding of decoded paths, for redirects, links and file URIs. */
final class UriText {
    private static final String PLAIN =
            "-._~!$&'()*+,=:@/"; // RFC 3986 pchar and slash, without ";", which some servers cut at

    private UriText() {}

    /**
     * Encodes all that is not plain in a path.
     *
     * @param path decoded
     * @return ASCII
     */
    static String encode(String path) {
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
}
