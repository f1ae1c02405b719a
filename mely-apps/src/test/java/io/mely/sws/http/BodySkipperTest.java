// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Property: a body ends at the same byte however it is split; sloppy chunk framing is refused. */
class BodySkipperTest {
    private static final int LIMIT = 100;

    @ParameterizedTest
    @CsvSource({
        "1, 0~~",
        "1, 5~hello~0~~",
        "1, 5~hello~6~world!~0~~",
        "1, 0005~hello~000~~",
        "1, A~0123456789~0~~",
        "1, a~0123456789~0~~",
        "1, 5;name=value~hello~0;x~~",
        "1, 5 ; q=\"a b\"~hello~0~~",
        "1, 5;a;b=c;d=\"\"~hello~0~~",
        "1, 5; a = b ; c~hello~0~~",
        "1, 5;q=\"a\\\"b;=\\\\\" ;x~hello~0~~",
        "1, 0~A: b~C: d~~",
        "1, 0~A:~~",
        "0, 5~hel",
        "0, 5~hello~0~",
        "400, ~",
        "400, x~",
        "400, 5x~",
        "400, -5~hello~0~~",
        "400, 0x5~hello~0~~",
        "400, 5 ~hello~0~~",
        "400, ' 5~hello~0~~'",
        "400, 5;~hello~0~~",
        "400, 5;;a~hello~0~~",
        "400, 5;a ~hello~0~~",
        "400, 5;a=~hello~0~~",
        "400, 5;a=b ~hello~0~~",
        "400, 5;a=b c~hello~0~~",
        "400, 5;a=b=c~hello~0~~",
        "400, 5;=b~hello~0~~",
        "400, 5;a b~hello~0~~",
        "400, 5;a(=b~hello~0~~",
        "400, 5;a=\"b~hello~0~~",
        "400, 5;a=\"b\\~hello~0~~",
        "400, 5;a=\"b\"c~hello~0~~",
        "400, 5~hellox0~~",
        "400, 5~hello0~~",
        "400, 0~A b: c~~",
        "400, 0~ A: c~~",
        "400, 0~: c~~",
        "400, 1234567890123456~",
        "413, 65~",
        "413, 32~01234567890123456789012345678901234567890123456789~33~",
        "413, fffffffffffffff~",
    })
    void skip_chunked(int expected, String framed) {
        byte[] body = framed.replace("~", "\r\n").getBytes(StandardCharsets.US_ASCII);
        for (int split = 0; split <= body.length; split++) {
            BodySkipper skipper = started("Transfer-Encoding: chunked");
            int answer = skipper.skip(body, 0, split);
            int consumed = skipper.consumed();
            if (answer == BodySkipper.NEED_MORE) {
                assertThat(consumed).isEqualTo(split);
                answer = skipper.skip(body, split, body.length);
                consumed += skipper.consumed();
            }
            assertThat(answer).as("split at %s", split).isEqualTo(expected);
            if (expected == BodySkipper.DONE) {
                assertThat(consumed).isEqualTo(body.length);
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"5~hello~0~~, 2, 10", "5~hello~0~~, 7, 10", "5~hello~0~~, 13, 10"})
    void skip_bareLineFeed_isRefused(String framed, int at, int replacement) {
        byte[] body = framed.replace("~", "\n").getBytes(StandardCharsets.US_ASCII);
        assertThat(started("Transfer-Encoding: chunked").skip(body, 0, body.length))
                .isEqualTo(400);
    }

    @Test
    void skip_fixed_leavesWhatFollows() {
        byte[] bytes = "helloGET".getBytes(StandardCharsets.US_ASCII);
        BodySkipper skipper = started("Content-Length: 5");
        assertThat(skipper.skip(bytes, 0, 3)).isEqualTo(BodySkipper.NEED_MORE);
        assertThat(skipper.skip(bytes, 3, 8)).isEqualTo(BodySkipper.DONE);
        assertThat(skipper.consumed()).isEqualTo(2);
    }

    @Test
    void start_tooLong_isRefused() {
        BodySkipper skipper = new BodySkipper(LIMIT);
        assertThat(skipper.start(head("Content-Length: 100"))).isEqualTo(BodySkipper.NEED_MORE);
        assertThat(skipper.start(head("Content-Length: 101"))).isEqualTo(413);
        assertThat(skipper.start(head("A: b"))).isEqualTo(BodySkipper.DONE);
    }

    @Test
    void skip_endlessExtension_isRefused() {
        byte[] noise = ("1;" + "x".repeat(BodySkipper.FRAMING_BYTES_MAX)).getBytes(StandardCharsets.US_ASCII);
        assertThat(started("Transfer-Encoding: chunked").skip(noise, 0, noise.length))
                .isEqualTo(413);
    }

    // Wherever the bytes are split, the sink gets the data and none of the framing, and its limit is its own.
    @ParameterizedTest
    @CsvSource({"Content-Length: 5, hello", "Transfer-Encoding: chunked, 2;a=b~he~3~llo~0~A: b~~"})
    void skip_givesTheDataToTheSink(String field, String framed) {
        byte[] body = framed.replace("~", "\r\n").getBytes(StandardCharsets.US_ASCII);
        for (int split = 0; split <= body.length; split++) {
            ByteArrayOutputStream data = new ByteArrayOutputStream();
            BodySkipper skipper = new BodySkipper(0);
            int begun = skipper.start(head(field), 5, (bytes, from, length, announced) -> {
                assertThat(announced).isGreaterThanOrEqualTo(length);
                data.write(bytes, from, length);
                return true;
            });
            assertThat(begun).isEqualTo(BodySkipper.NEED_MORE);
            int answer = skipper.skip(body, 0, split);
            if (answer == BodySkipper.NEED_MORE) {
                answer = skipper.skip(body, split, body.length);
            }
            assertThat(answer).isEqualTo(BodySkipper.DONE);
            assertThat(data.toString(StandardCharsets.US_ASCII))
                    .as("split at %s", split)
                    .isEqualTo("hello");
        }
    }

    @Test
    void sinkWithoutRoom_is503() {
        BodySkipper skipper = new BodySkipper(LIMIT);
        int begun = skipper.start(head("Content-Length: 5"), 5, (bytes, from, length, announced) -> false);
        assertThat(begun).isEqualTo(BodySkipper.NEED_MORE);
        assertThat(skipper.skip(new byte[5], 0, 5)).isEqualTo(503);
        assertThat(skipper.start(head("Content-Length: 6"), 5, null)).isEqualTo(413);
    }

    private static BodySkipper started(String field) {
        BodySkipper skipper = new BodySkipper(LIMIT);
        assertThat(skipper.start(head(field))).isEqualTo(BodySkipper.NEED_MORE);
        return skipper;
    }

    private static RequestHead head(String field) {
        byte[] bytes = ("GET / HTTP/1.1\r\nHost: a\r\n" + field + "\r\n\r\n").getBytes(StandardCharsets.US_ASCII);
        HeadParser parser = new HeadParser(new HeadLimits(100, 500, 10));
        assertThat(parser.parse(bytes, 0, bytes.length)).isEqualTo(HeadParser.DONE);
        return parser.head();
    }
}
