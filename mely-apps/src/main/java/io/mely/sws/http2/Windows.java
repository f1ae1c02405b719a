// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.http2;

import io.netty.handler.codec.http2.Http2Error;

/** The flow control of a connection, both ways (RFC 9113 5.2). What a client sends is given back at once: its streams have windows of their own, and memory a budget. */
final class Windows {
    private long connection = Frames.WINDOW_BYTES;
    private int initial = Frames.WINDOW_BYTES;
    private int received;

    /** What the client still takes, of all streams together. */
    long connection() {
        return connection;
    }

    void sent(int bytes) {
        connection -= bytes;
    }

    void grow(int bytes) throws ConnectionException {
        connection += bytes;
        if (connection > Frames.WINDOW_BYTES_MAX) {
            throw new ConnectionException(Http2Error.FLOW_CONTROL_ERROR, "the window of the connection is too large");
        }
    }

    /** Of a stream that begins. */
    int initial() {
        return initial;
    }

    /** Sets that; how much more it is for those that have begun. */
    long initial(long bytes) {
        long more = bytes - initial;
        initial = (int) bytes;
        return more;
    }

    /** Counts what has come; how much the client is to be given back now. */
    int received(int bytes) throws ConnectionException {
        received += bytes;
        if (received > Frames.WINDOW_BYTES) {
            throw new ConnectionException(Http2Error.FLOW_CONTROL_ERROR, "more than the window of the connection");
        }
        int credit = received >= Frames.WINDOW_BYTES / 2 ? received : 0;
        received -= credit;
        return credit;
    }
}
