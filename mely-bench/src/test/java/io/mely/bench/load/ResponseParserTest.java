// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Property: a head's end is found wherever it is cut and begins; what has no sure length is malformed. */
class ResponseParserTest {
    private static final String HEAD = "HTTP/1.1 206 Partial Content\r\nServer: x\r\nContent-Type: text/html\r\n"
            + "CONTENT-length:  1234 \r\nX-Long: 0123456789012345678901234567890123456789\r\n\r\n";

    private final ResponseParser parser = new ResponseParser();

    private int parse(String text, int from, int to) {
        ByteBuffer buffer = ByteBuffer.allocateDirect(from + to).order(ByteOrder.LITTLE_ENDIAN);
        buffer.put(from, text.getBytes(StandardCharsets.ISO_8859_1), 0, to);
        return parser.parse(buffer, from, from + to);
    }

    @Test
    void parse_waitsForTheEnd() {
        for (int from = 0; from < 9; from++) {
            for (int to = 0; to < HEAD.length(); to++) {
                assertThat(parse(HEAD, from, to)).as("from %d to %d", from, to).isEqualTo(ResponseParser.INCOMPLETE);
            }
            assertThat(parse(HEAD, from, HEAD.length())).isEqualTo(from + HEAD.length());
            assertThat(parser.status()).isEqualTo(206);
            assertThat(parser.contentLength()).isEqualTo(1234);
            assertThat(parser.isClosing()).isFalse();
        }
    }

    @Test
    void parse_seesWhoCloses() {
        String close = "HTTP/1.1 200 OK\r\nconnection: Close\r\nContent-Length: 0\r\n\r\n";
        assertThat(parse(close, 0, close.length())).isEqualTo(close.length());
        assertThat(parser.isClosing()).isTrue();
        String old = "HTTP/1.0 200 OK\nContent-Length: 5\n\n";
        assertThat(parse(old, 0, old.length())).isEqualTo(old.length());
        assertThat(parser.isClosing()).isTrue();
    }

    @Test
    void parse_knowsWhatHasNoBody() {
        String head = "HTTP/1.1 304 Not Modified\r\n\r\n";
        assertThat(parse(head, 0, head.length())).isEqualTo(head.length());
        assertThat(parser.contentLength()).isZero();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "HTTP/1.1 200 OK\r\n\r\n",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n",
                "HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n",
                "HTTP/1.1 200 OK\r\nContent-Length: 5x\r\n\r\n",
                "HTTP/1.1 200 OK\r\nContent-Length: \r\n\r\n",
                "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 5\r\n\r\n",
                "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999999999\r\n\r\n",
                "HTTP/1.1 2x0 OK\r\nContent-Length: 5\r\n\r\n",
                "SSH-2.0-OpenSSH\r\n\r\n",
                "\r\n\r\n"
            })
    void parse_refuses(String head) {
        assertThat(parse(head, 3, head.length())).isEqualTo(ResponseParser.MALFORMED);
    }
}
