// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.load;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.DefaultHttp2HeadersEncoder;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2Headers;
import java.io.ByteArrayOutputStream;
import java.util.Locale;

/** What {@link Http2Client} sends, prepared. */
final class Http2Bytes {
    /** As nobody has agreed on more. */
    static final int PAYLOAD_BYTES_MAX = 1 << 14;

    /** In a frame. */
    static final int STREAM_AT = 5;

    private static final int SETTING_ENABLE_PUSH = 2;
    private static final int SETTING_INITIAL_WINDOW_SIZE = 4;
    private static final int WINDOW_MAX = Integer.MAX_VALUE;
    private static final int WINDOW_BYTES_AT_FIRST = (1 << 16) - 1;

    /** A connection begins so: nothing is to be pushed, and windows are as large as they can be. */
    static final byte[] BEGIN = begin();

    static final byte[] SETTINGS_TAKEN = Http2Wire.frame(Http2Wire.SETTINGS, Http2Wire.ACK, 0);

    private Http2Bytes() {}

    private static byte[] begin() {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        bytes.writeBytes(Http2Wire.preface(SETTING_ENABLE_PUSH, 0, SETTING_INITIAL_WINDOW_SIZE, WINDOW_MAX));
        bytes.writeBytes(windowUpdate(WINDOW_MAX - WINDOW_BYTES_AT_FIRST));
        return bytes.toByteArray();
    }

    /** Opens the connection's window by so many bytes. */
    static byte[] windowUpdate(int bytes) {
        return Http2Wire.frame(Http2Wire.WINDOW_UPDATE, 0, 0, Http2Wire.number(bytes));
    }

    /**
     * The frame of a request, for a stream that is put in before it is sent. It changes nothing in the server's table, so it may be sent many times.
     *
     * @param headers whole lines with CRLF
     */
    static byte[] request(Target target, String authority, String headers) {
        Http2Headers fields = new DefaultHttp2Headers();
        fields.method(target.method).scheme("http").authority(authority).path(target.path);
        headers.lines().forEach(line -> {
            int colon = line.indexOf(':');
            fields.add(
                    line.substring(0, colon).toLowerCase(Locale.ROOT),
                    line.substring(colon + 1).strip());
        });
        ByteBuf block = Unpooled.buffer();
        try {
            DefaultHttp2HeadersEncoder hpack = new DefaultHttp2HeadersEncoder();
            hpack.maxHeaderTableSize(0);
            hpack.encodeHeaders(1, fields, block);
        } catch (Http2Exception e) {
            throw new IllegalArgumentException("no head of HTTP/2: " + target.path + ", " + headers, e);
        }
        if (block.readableBytes() > PAYLOAD_BYTES_MAX) {
            throw new IllegalArgumentException("a head longer than a frame: bytes=" + block.readableBytes());
        }
        return Http2Wire.frame(
                Http2Wire.HEADERS, Http2Wire.END_STREAM | Http2Wire.END_HEADERS, 0, ByteBufUtil.getBytes(block));
    }
}
