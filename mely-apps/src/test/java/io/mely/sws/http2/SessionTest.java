// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.http2;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.DefaultHttp2HeadersDecoder;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Headers;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

// A session without a socket: heads that are longer than a frame, and no memory.
class SessionTest extends SessionHarness {
    @Test
    void head_longerThanAFrame_goesOutInSeveral() throws Exception {
        begin();
        StringBuilder fields = new StringBuilder();
        for (int i = 0; i < 40; i++) {
            fields.append("X-")
                    .append(i)
                    .append(": ")
                    .append("\\".repeat(1_000))
                    .append("\r\n");
        }
        ByteBuffer head = head(fields.toString());
        assertThat(session.write(opened.get(0), head)).isEqualTo(head.limit());
        ByteBuf out = Unpooled.wrappedBuffer(session.output().pending());
        ByteBuf block = Unpooled.buffer();
        List<Integer> kinds = new ArrayList<>();
        while (out.isReadable()) {
            int length = out.readUnsignedMedium();
            kinds.add(out.readUnsignedByte() << 8 | out.readUnsignedByte());
            assertThat(out.readInt()).isEqualTo(1);
            assertThat(length).isLessThanOrEqualTo(Frames.PAYLOAD_BYTES_MAX);
            block.writeBytes(out, length);
        }
        assertThat(kinds)
                .containsExactly(
                        Frames.HEADERS << 8 | Frames.END_STREAM,
                        Frames.CONTINUATION << 8,
                        Frames.CONTINUATION << 8 | Frames.END_HEADERS);
        Http2Headers decoded = new DefaultHttp2HeadersDecoder(false, 100_000).decodeHeaders(1, block);
        assertThat(decoded.status()).hasToString("200");
        assertThat(decoded.size()).as("without Connection").isEqualTo(42);
        assertThat(decoded.get("x-39")).hasToString("\\".repeat(1_000));
    }

    // What long requests and answers leave behind are the tables of HPACK, and neither a request nor an answer.
    @Test
    void idleSession_keepsTablesOnly() throws Exception {
        begin();
        session.write(opened.get(0), head(""));
        flush();
        session.close(opened.get(0));
        for (int id = 3; id < 400; id += 2) {
            receive(request(
                    id,
                    Frames.END_STREAM,
                    new DefaultHttp2Headers()
                            .method("GET")
                            .scheme("http")
                            .authority("x")
                            .path("/" + id)
                            .add("cookie", "c".repeat(10_000) + id)));
            Stream stream = opened.get(opened.size() - 1);
            session.write(stream, head("X-Policy: " + "p".repeat(8_000) + "\r\nETag: " + id + "\r\n"));
            flush();
            session.close(stream);
        }
        assertThat(opened).hasSize(200);
        assertThat(session.isQuiet()).isTrue();
        assertThat(Retained.bytes(session)).isLessThan(12 << 10);
    }

    // Whoever writes may be in the middle of something: its stream goes when that is over.
    @Test
    void write_withoutMemory_endsTheConnection_afterwards() throws Exception {
        begin();
        hasMemory = false;
        assertThat(session.write(opened.get(0), head(""))).isZero();
        session.await(opened.get(0));
        assertThat(gone).isEmpty();
        assertThat(session.isOver()).isFalse();
        assertThat(session.isFlushDue()).isTrue();
        session.flushed();
        assertThat(gone).isEqualTo(opened);
        assertThat(session.isOver()).isTrue();
        assertThat(session.isFlushDue()).isFalse();
    }

    @Test
    void blockInParts_withoutHeap_endsTheConnection_andGivesAllBack() throws Exception {
        begin();
        heapLeft = 10;
        receive(frame(Frames.HEADERS, 0, 3, new byte[0]));
        assertThat(session.isOver()).isTrue();
        assertThat(session.output().pending().getInt(Frames.HEADER_BYTES + Integer.BYTES))
                .isEqualTo((int) Http2Error.ENHANCE_YOUR_CALM.code());
        assertThat(gone).isEqualTo(opened);
        session.close();
        assertThat(heapLeft).isEqualTo(10);
    }
}
