// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.load;

import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.DefaultHttp2HeadersDecoder;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2Headers;

/**
 * HPACK of the answers of one connection, of which the status is all that anybody looks at.
 *
 * <p><b>Threads.</b> One.
 */
final class StatusDecoder extends DefaultHttp2HeadersDecoder {
    private static final long LIST_BYTES_MAX = 64 << 10;

    private final StatusField fields = new StatusField();

    StatusDecoder() {
        super(false, LIST_BYTES_MAX);
    }

    @Override
    protected Http2Headers newHeaders() {
        return fields;
    }

    /**
     * Decodes a block.
     *
     * @return its status; 0 if it has none, as trailers have
     * @throws Http2Exception if it is no HPACK
     */
    int status(int stream, ByteBuf block) throws Http2Exception {
        fields.status = 0;
        Http2Headers unused = decodeHeaders(stream, block);
        return fields.status;
    }

    /** Drops the others. */
    private static final class StatusField extends DefaultHttp2Headers {
        private static final int DIGITS = 3;

        private int status;

        StatusField() {
            super(false);
        }

        @Override
        public Http2Headers add(CharSequence name, CharSequence value) {
            if (value.length() == DIGITS && PseudoHeaderName.STATUS.value().contentEquals(name)) {
                int number = 0;
                for (int i = 0; i < DIGITS; i++) {
                    number = number * 10 + value.charAt(i) - '0';
                }
                status = number;
            }
            return this;
        }
    }
}
