// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.http2;

import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http2.DefaultHttp2HeadersDecoder;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2Headers;

/**
 * HPACK of what a client sends. A block is decoded to its end whatever it says, as the next ones build on it; but no more fields are kept than the limit.
 *
 * <p><b>Bounds.</b> A table of 4 KiB, and the list that the limit allows: a few bytes cannot become more (RFC 7541 7.3).
 */
final class HeadDecoder extends DefaultHttp2HeadersDecoder {
    private final RequestFields fields = new RequestFields();

    /** @param listBytesMax names and values, and 32 bytes for each field (RFC 9113 6.5.2) */
    HeadDecoder(int listBytesMax) {
        super(false, listBytesMax);
    }

    @Override
    protected Http2Headers newHeaders() {
        return fields;
    }

    /**
     * Decodes a block.
     *
     * @return valid until the next one
     * @throws ConnectionException if it is no HPACK
     */
    RequestFields decode(int stream, ByteBuf block) throws ConnectionException {
        fields.forget();
        try {
            decodeHeaders(stream, block);
        } catch (Http2Exception.HeaderListSizeException e) {
            fields.setTooLong();
        } catch (Http2Exception e) {
            throw new ConnectionException(Http2Error.COMPRESSION_ERROR, "a header block is malformed");
        }
        return fields;
    }
}
