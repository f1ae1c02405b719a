// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Property: the highest weight wins, then the better coding; what is not accepted is never chosen. */
class AcceptEncodingTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "br | br",
                "gzip, deflate, br, zstd | br",
                "gzip, zstd | zstd",
                "gzip;q=1.0, br;q=0.5 | gzip",
                "gzip ; q=0.9 , br ; Q=0.8 | gzip",
                "x-gzip | gzip",
                "* | br",
                "*;q=0.5, br;q=0 | zstd",
                "*;q=0 | none",
                "br;q=0, zstd;q=0.000, gzip;q=0 | none",
                "br;q=0.001 | br",
                "identity, br;q=0.5 | none",
                "identity;q=0.5, br;q=0.5 | br",
                "identity;q=0 | none",
                "deflate | none",
                "'' | none",
                ", ,br, | br",
                "brx, xbr | none",
                "br;q=2, gzip | gzip",
                "br;q=-1, gzip | gzip",
                "br;q=, gzip | gzip",
                "br;q=0.1234, gzip;q=0.1 | gzip",
                "br;q=1.001, gzip;q=0.1 | gzip",
                "br;x=1, gzip;q=0.1 | gzip",
                "br;q=0.a, gzip;q=0.1 | gzip",
                "br;, gzip;q=0.1 | gzip",
                "deflate~Accept-Encoding: gzip | gzip",
                "gzip;q=0.5~Accept-Encoding: zstd;q=0.6 | zstd",
            })
    void choose(String value, String expected) {
        assertThat(coding(value, 7)).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource({"1, br", "2, zstd", "4, gzip", "6, zstd", "0, none"})
    void choose_onlyWhatThereIs(int available, String expected) {
        assertThat(coding("gzip, zstd, br", available)).isEqualTo(expected);
    }

    private static String coding(String value, int available) {
        byte[] bytes = ("GET / HTTP/1.1\r\nHost: a\r\nAccept-Encoding: " + value.replace("~", "\r\n") + "\r\n\r\n")
                .getBytes(StandardCharsets.US_ASCII);
        HeadParser parser = new HeadParser(new HeadLimits(100, 1000, 10));
        assertThat(parser.parse(bytes, 0, bytes.length)).isEqualTo(HeadParser.DONE);
        Coding coding = parser.head().coding(bytes, 0, available);
        parser.reset();
        assertThat(parser.head().coding(bytes, 0, available)).isNull();
        return coding == null ? "none" : coding.toString();
    }
}
