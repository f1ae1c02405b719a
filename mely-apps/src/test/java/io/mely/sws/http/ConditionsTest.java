// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Property: conditions are evaluated in the order of RFC 9110 13.2.2. */
class ConditionsTest {
    private static final long CHANGED = 784_111_777; // Sun, 06 Nov 1994 08:49:37 GMT

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "200 | A: b",
                "304 | If-None-Match: \"x\"",
                "304 | If-None-Match: W/\"x\"",
                "304 | If-None-Match: \"a\", W/\"b\",\"x\"",
                "304 | If-None-Match: *",
                "200 | If-None-Match: \"y\"",
                "200 | If-None-Match: x",
                "200 | If-None-Match: \"x",
                "200 | If-None-Match: \"\"",
                "200 | If-None-Match: \"y\"~If-Modified-Since: Sun, 06 Nov 1994 08:49:37 GMT",
                "304 | If-None-Match: \"x\"~If-None-Match: \"y\"",
                "304 | If-None-Match: \"a\"~If-None-Match: \"y\"~If-None-Match: \"x\"",
                "200 | If-None-Match: \"a\"~If-None-Match: \"b\"",
                "200 | If-None-Match: \"a~If-None-Match: \"x\"",
                "200 | If-None-Match: \"a\"~If-None-Match: *",
                "200 | If-Match: \"y\"~If-Match: \"x\"",
                "412 | If-Match: \"y\"~If-Match: \"z\"",
                "200 | If-Modified-Since: Sun, 06 Nov 1994 08:49:37 GMT~If-Modified-Since: Sun, 06 Nov 1994 08:49:37 GMT",
                "304 | If-Modified-Since: Sun, 06 Nov 1994 08:49:37 GMT",
                "304 | If-Modified-Since: Sun, 06 Nov 1994 08:49:38 GMT",
                "200 | If-Modified-Since: Sun, 06 Nov 1994 08:49:36 GMT",
                "304 | If-Modified-Since: Sunday, 06-Nov-94 08:49:37 GMT",
                "200 | If-Modified-Since: never",
                "200 | If-Match: \"x\"",
                "200 | If-Match: *",
                "200 | If-Match: \"y\", \"x\"",
                "412 | If-Match: \"y\"",
                "412 | If-Match: W/\"x\"",
                "412 | If-Match: \"y\"~If-None-Match: \"x\"",
                "304 | If-Match: \"x\"~If-None-Match: \"x\"",
                "200 | If-Unmodified-Since: Sun, 06 Nov 1994 08:49:37 GMT",
                "412 | If-Unmodified-Since: Sun, 06 Nov 1994 08:49:36 GMT",
                "200 | If-Unmodified-Since: never",
                "200 | If-Match: \"x\"~If-Unmodified-Since: Sun, 06 Nov 1994 08:49:36 GMT",
            })
    void evaluate(int expected, String fields) {
        byte[] bytes = request(fields);
        assertThat(new Conditions("\"x\"", CHANGED, true).evaluate(bytes, 0, parse(bytes)))
                .isEqualTo(expected);
    }

    private static byte[] request(String fields) {
        return ("GET / HTTP/1.1\r\nHost: a\r\n" + fields.replace("~", "\r\n") + "\r\n\r\n")
                .getBytes(StandardCharsets.US_ASCII);
    }

    private static RequestHead parse(byte[] bytes) {
        HeadParser parser = new HeadParser(new HeadLimits(100, 1000, 10));
        assertThat(parser.parse(bytes, 0, bytes.length)).isEqualTo(HeadParser.DONE);
        return parser.head();
    }

    /** Property: a date in If-Range counts only when its second is over, and if it is when the file was changed. Age in seconds. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "true | 1 | true | Sun, 06 Nov 1994 08:49:37 GMT",
                "true | 9 | true | Sunday, 06-Nov-94 08:49:37 GMT",
                "false | 0 | true | Sun, 06 Nov 1994 08:49:37 GMT",
                "false | -1 | true | Sun, 06 Nov 1994 08:49:37 GMT",
                "false | 9 | false | Sun, 06 Nov 1994 08:49:37 GMT",
                "false | 9 | true | Sun, 06 Nov 1994 08:49:38 GMT",
                "false | 9 | true | Sun, 06 Nov 1994 08:49:36 GMT",
                "true | 0 | true | \"x\"",
                "true | 0 | false | \"x\"",
                "false | 9 | true | W/\"x\"",
                "false | 9 | true | Sun, 06 Nov 1994 08:49:37 GMT~If-Range: Sun, 06 Nov 1994 08:49:37 GMT",
            })
    void ifRange(boolean isRange, int ageS, boolean isDateTrue, String value) {
        byte[] bytes = request("Range: bytes=0-0~If-Range: " + value);
        Conditions conditions = new Conditions("\"x\"", CHANGED, isDateTrue);
        assertThat(conditions.ranges(bytes, 0, parse(bytes), 10, CHANGED + ageS, 1) != null)
                .isEqualTo(isRange);
    }
}
