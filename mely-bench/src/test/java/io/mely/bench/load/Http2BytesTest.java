// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mely.bench.load.Http2Wire.Frame;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http2.DefaultHttp2HeadersDecoder;
import io.netty.handler.codec.http2.Http2Headers;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** Property: what is prepared is HTTP/2, and may be sent again and again. */
class Http2BytesTest {
    private static Http2Wire reader(byte[] bytes) {
        return new Http2Wire(new ByteArrayInputStream(bytes), OutputStream.nullOutputStream());
    }

    @Test
    void request_readsTheSameEachTime() throws Exception {
        Target target = new Target("GET", "/a?b", 206, Target.ANY, Target.ANY);
        byte[] bytes = Http2Bytes.request(target, "127.0.0.1:80", "Range: bytes=0-5,7-9\r\nX-Other:  c:d \r\n");
        Frame frame = reader(bytes).read();
        assertThat(frame.type).isEqualTo(Http2Wire.HEADERS);
        assertThat(frame.flags).isEqualTo(Http2Wire.END_STREAM | Http2Wire.END_HEADERS);
        DefaultHttp2HeadersDecoder decoder = new DefaultHttp2HeadersDecoder();
        for (int i = 0; i < 3; i++) {
            Http2Headers fields = decoder.decodeHeaders(1, Unpooled.wrappedBuffer(frame.payload));
            assertThat(fields.method()).hasToString("GET");
            assertThat(fields.scheme()).hasToString("http");
            assertThat(fields.authority()).hasToString("127.0.0.1:80");
            assertThat(fields.path()).hasToString("/a?b");
            assertThat(fields.get("range")).hasToString("bytes=0-5,7-9");
            assertThat(fields.get("x-other")).hasToString("c:d");
            assertThat(fields.size()).isEqualTo(6);
        }
    }

    @Test
    void request_refusesAHeadLongerThanAFrame() {
        Target target = new Target("GET", "/", 200, Target.ANY, Target.ANY);
        assertThatThrownBy(() -> Http2Bytes.request(target, "a", "X: " + "~".repeat(20_000) + "\r\n"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("longer than a frame");
    }

    @Test
    void begin_opensAllWindows() throws IOException {
        byte[] preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
        assertThat(Http2Bytes.BEGIN).startsWith(preface);
        byte[] rest = Arrays.copyOfRange(Http2Bytes.BEGIN, preface.length, Http2Bytes.BEGIN.length);
        Http2Wire wire = reader(rest);
        Frame settings = wire.read();
        assertThat(settings.type).isEqualTo(Http2Wire.SETTINGS);
        assertThat(settings.payload).containsExactly(0, 2, 0, 0, 0, 0, 0, 4, 0x7f, 0xff, 0xff, 0xff);
        Frame window = wire.read();
        assertThat(window.type).isEqualTo(Http2Wire.WINDOW_UPDATE);
        assertThat(window.stream).isZero();
        assertThat(window.payload).containsExactly(0x7f, 0xff, 0, 0);
    }
}
