// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Property: the three forms of RFC 9110 5.6.7 mean the same second, and the Date field changes exactly when the second does. */
class HttpDateTest {
    private static final long EXAMPLE = 784_111_777;

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Sun, 06 Nov 1994 08:49:37 GMT",
                "Sunday, 06-Nov-94 08:49:37 GMT",
                "Sun Nov  6 08:49:37 1994",
            })
    void parse_threeForms(String text) {
        assertThat(parse(text)).isEqualTo(EXAMPLE);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "yesterday",
                "Sun, 06 Nov 1994 08:49:37 PST",
                "Sun, 6 Nov 1994 08:49:37 GMT",
                "Mon, 06 Nov 1994 08:49:37 GMT",
                "Sun, 06 Nov 1994 25:49:37 GMT",
                "Sun, 31 Feb 1994 08:49:37 GMT",
                "1994-11-06T08:49:37Z........",
                "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
            })
    void parse_noDate_isInvalid(String text) {
        assertThat(parse(text)).isEqualTo(HttpDate.INVALID);
    }

    @Test
    void format_hasFixedLength() {
        assertThat(HttpDate.format(EXAMPLE))
                .isEqualTo("Sun, 06 Nov 1994 08:49:37 GMT")
                .hasSize(HttpDate.BYTES);
        assertThat(HttpDate.format(0)).isEqualTo("Thu, 01 Jan 1970 00:00:00 GMT");
    }

    @Test
    void dateStamp_changesWithTheSecond() {
        AtomicLong wallMs = new AtomicLong(EXAMPLE * 1000 + 400);
        DateStamp stamp = new DateStamp(wallMs::get);
        long nowNs = Long.MAX_VALUE - 1_000; // the runtime's clock has an arbitrary origin and may overflow
        assertThat(text(stamp.at(nowNs))).endsWith("08:49:37 GMT");
        wallMs.set(EXAMPLE * 1000 + 999);
        assertThat(text(stamp.at(nowNs + 599_999_999))).endsWith("08:49:37 GMT");
        wallMs.set(EXAMPLE * 1000 + 1000);
        assertThat(text(stamp.at(nowNs + 600_000_000))).endsWith("08:49:38 GMT");
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.US_ASCII);
    }

    private static long parse(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
        return HttpDate.parse(bytes, 0, bytes.length);
    }
}
