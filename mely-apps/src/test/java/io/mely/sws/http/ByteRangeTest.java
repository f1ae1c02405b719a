// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Property: a range is inside the file, not satisfiable, or ignored. */
class ByteRangeTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "bytes=0-0 | 10 | 0-1",
                "BYTES=2-5 | 10 | 2-6",
                "bytes=2- | 10 | 2-10",
                "bytes=2-99999999999999999999 | 10 | 2-10",
                "bytes=-3 | 10 | 7-10",
                "bytes=-30 | 10 | 0-10",
                "bytes=10- | 10 | 416",
                "bytes=99999999999999999999- | 10 | 416",
                "bytes=-0 | 10 | 416",
                "bytes=0- | 0 | 416",
                "bytes=-1 | 0 | whole",
                "bytes=5-4 | 10 | whole",
                "bytes=- | 10 | whole",
                "bytes= | 10 | whole",
                "bytes | 10 | whole",
                "bytes=a-b | 10 | whole",
                "bytes=1-2x | 10 | whole",
                "bytes=0-0,2-3 | 10 | whole",
                "lines=0-1 | 10 | whole",
            })
    void parse(String value, long size, String expected) {
        byte[] bytes = value.getBytes(StandardCharsets.US_ASCII);
        ByteRange range = ByteRange.parse(bytes, 0, bytes.length, size);
        String result = range == null ? "whole" : range.isSatisfiable() ? range.first() + "-" + range.end() : "416";
        assertThat(result).isEqualTo(expected);
    }
}
