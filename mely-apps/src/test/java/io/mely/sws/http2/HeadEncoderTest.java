// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.http2;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http2.DefaultHttp2HeadersDecoder;
import io.netty.handler.codec.http2.Http2Headers;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HeadEncoderTest {
    private static final int HEADS = 500;

    /** Twice the table: the text in it, and that of the last head. Netty's buffers are the rest. */
    private static final int KEPT_MAX = 2 * (4 << 10) + (1 << 10);

    private static ByteBuffer head(int number, int policyBytes) {
        return StandardCharsets.US_ASCII.encode("HTTP/1.1 " + (number % 3 == 0 ? "304 Not Modified" : "200 OK")
                + "\r\nDate: date " + number + "\r\nServer: SWS\r\nConnection: close\r\nContent-Length: " + number
                + "\r\nETag: \"" + number + "\"\r\nContent-Security-Policy: " + "p".repeat(policyBytes) + "\r\n\r\n");
    }

    // However long the heads are, and however many: what a connection keeps is text of the table and of one head, and
    // what it sends is right.
    @ParameterizedTest
    @ValueSource(ints = {10, 1_000, 4_000, 8_000})
    void heads_areNotKept(int policyBytes) throws Exception {
        HeadEncoder encoder = new HeadEncoder();
        DefaultHttp2HeadersDecoder decoder = new DefaultHttp2HeadersDecoder(false, 100_000);
        for (int i = 0; i < HEADS; i++) {
            ByteBuffer head = head(i, policyBytes);
            ByteBuf frame = Unpooled.buffer();
            encoder.read(head, head.remaining());
            encoder.write(1, true, frame);
            Http2Headers read = decoder.decodeHeaders(1, frame.skipBytes(Frames.HEADER_BYTES));
            assertThat(read.status()).hasToString(i % 3 == 0 ? "304" : "200");
            assertThat(read.get("date")).hasToString("date " + i);
            assertThat(read.get("server")).hasToString("SWS");
            assertThat(read.get("connection")).isNull();
            assertThat(read.get("content-length")).hasToString(String.valueOf(i));
            assertThat(read.get("etag")).hasToString("\"" + i + "\"");
            assertThat(read.get("content-security-policy")).hasSize(policyBytes);
        }
        assertThat(Retained.bytes(encoder)).isLessThan(KEPT_MAX);
    }
}
