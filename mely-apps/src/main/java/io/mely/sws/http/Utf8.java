// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.http;

/** Looks at bytes that may be text. */
public final class Utf8 {
    private Utf8() {}

    /**
     * Tells whether bytes are UTF-8. Overlong forms, surrogates and code points past U+10FFFF are none (RFC 3629 4).
     *
     * @param bytes any
     * @param from the first
     * @param end after the last
     * @return true also for none at all
     */
    public static boolean isValid(byte[] bytes, int from, int end) {
        int i = from;
        while (i < end) {
            int b = bytes[i++] & 0xff;
            if (b < 0x80) {
                continue;
            }
            int more = b >= 0xc2 && b <= 0xdf ? 1 : b >= 0xe0 && b <= 0xef ? 2 : b >= 0xf0 && b <= 0xf4 ? 3 : -1;
            if (more < 0 || end - i < more) {
                return false;
            }
            int second = bytes[i] & 0xff;
            if ((b == 0xe0 && second < 0xa0)
                    || (b == 0xed && second > 0x9f)
                    || (b == 0xf0 && second < 0x90)
                    || (b == 0xf4 && second > 0x8f)) {
                return false;
            }
            for (int last = i + more; i < last; i++) {
                if ((bytes[i] & 0xc0) != 0x80) {
                    return false;
                }
            }
        }
        return true;
    }
}
