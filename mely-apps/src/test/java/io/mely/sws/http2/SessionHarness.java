// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.http2;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.DefaultHttp2HeadersEncoder;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2Headers;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A session without a socket, whose streams are answered by the test. */
abstract class SessionHarness {
    private static final byte[] PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII);

    final List<Stream> opened = new ArrayList<>();
    final List<Stream> gone = new ArrayList<>();
    final List<Stream> writable = new ArrayList<>();
    long heapLeft = 1 << 20;
    boolean hasMemory = true;
    Runnable whenOpened = () -> {};
    Runnable whenGone = () -> {};

    private final class Owner implements Stream.Owner {
        private final Stream stream;

        Owner(Stream stream) {
            this.stream = stream;
        }

        @Override
        public void readable() {}

        @Override
        public void writable() {
            writable.add(stream);
        }

        @Override
        public void gone() {
            gone.add(stream);
            whenGone.run();
        }
    }

    final Session session = new Session(
            10,
            100_000,
            (stream, fields) -> {
                opened.add(stream);
                whenOpened.run();
                return new Owner(stream);
            },
            new HeapBudget() {
                @Override
                public boolean take(int bytes) {
                    boolean isThere = bytes <= heapLeft;
                    heapLeft -= isThere ? bytes : 0;
                    return isThere;
                }

                @Override
                public void giveBack(long bytes) {
                    heapLeft += bytes;
                }
            },
            new Output.Memory() {
                @Override
                public @Nullable ByteBuf take(int bytes) {
                    return hasMemory ? Unpooled.directBuffer(bytes, bytes) : null;
                }

                @Override
                public void giveBack(ByteBuf memory) {
                    memory.release();
                }
            },
            0);

    static ByteBuf frame(int type, int flags, int stream, byte[] payload) {
        ByteBuf frame = Unpooled.buffer();
        Output.putHeader(frame, payload.length, type, flags, stream);
        return frame.writeBytes(payload);
    }

    void receive(ByteBuf... frames) {
        ByteBuf all = Unpooled.buffer();
        for (ByteBuf each : frames) {
            all.writeBytes(each);
        }
        session.receive(all, 0);
        assertThat(all.isReadable()).isFalse();
    }

    /** A header block of a request, without a body. */
    static ByteBuf request(int stream, String method) {
        return request(stream, method, Frames.END_STREAM);
    }

    static ByteBuf request(int stream, String method, int flags) {
        return request(
                stream,
                flags,
                new DefaultHttp2Headers()
                        .method(method)
                        .scheme("http")
                        .authority("x")
                        .path("/"));
    }

    static ByteBuf request(int stream, int flags, Http2Headers request) {
        ByteBuf block = Unpooled.buffer();
        try {
            new DefaultHttp2HeadersEncoder().encodeHeaders(stream, request, block);
        } catch (Http2Exception e) {
            throw new AssertionError(e);
        }
        byte[] bytes = new byte[block.readableBytes()];
        block.readBytes(bytes);
        return frame(Frames.HEADERS, Frames.END_HEADERS | flags, stream, bytes);
    }

    /** With one request under way, and an empty output. */
    void begin() {
        begin("GET", Frames.END_STREAM);
    }

    void begin(String method, int flags, int... settings) {
        ByteBuf payload = Unpooled.buffer();
        for (int i = 0; i < settings.length; i += 2) {
            payload.writeShort(settings[i]).writeInt(settings[i + 1]);
        }
        byte[] bytes = new byte[payload.readableBytes()];
        payload.readBytes(bytes);
        receive(Unpooled.wrappedBuffer(PREFACE), frame(Frames.SETTINGS, 0, 0, bytes), request(1, method, flags));
        assertThat(opened).hasSize(1);
        flush();
    }

    /** All output is taken; what it was. */
    List<Integer> flush() {
        List<Integer> types = new ArrayList<>();
        ByteBuf out = Unpooled.copiedBuffer(session.output().pending());
        while (out.isReadable()) {
            int length = out.readUnsignedMedium();
            types.add((int) out.readUnsignedByte());
            out.skipBytes(1 + Integer.BYTES + length);
        }
        session.output().written(session.output().pending().remaining());
        assertThat(session.output().isEmpty()).isTrue();
        return types;
    }

    static ByteBuffer text(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
        return ByteBuffer.allocateDirect(bytes.length).put(bytes).flip();
    }

    /** An answer with so much of a body, and no more. */
    static ByteBuffer answer(int status, int bodyBytes) {
        return text("HTTP/1.1 " + status + " x\r\nContent-Length: " + bodyBytes + "\r\n\r\n" + "b".repeat(bodyBytes));
    }

    static ByteBuffer head(String fields) {
        byte[] text = ("HTTP/1.1 200 OK\r\n" + fields + "Connection: close\r\nContent-Length: 0\r\n\r\n")
                .getBytes(StandardCharsets.US_ASCII);
        return ByteBuffer.allocateDirect(text.length).put(text).flip();
    }
}
