// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.http2;

/** Numbers of RFC 9113 and RFC 9218. */
final class Frames {
    static final int DATA = 0;
    static final int HEADERS = 1;
    static final int PRIORITY = 2;
    static final int RST_STREAM = 3;
    static final int SETTINGS = 4;
    static final int PUSH_PROMISE = 5;
    static final int PING = 6;
    static final int GOAWAY = 7;
    static final int WINDOW_UPDATE = 8;
    static final int CONTINUATION = 9;
    static final int PRIORITY_UPDATE = 0x10;

    static final int END_STREAM = 1;
    static final int ACK = 1;
    static final int END_HEADERS = 4;
    static final int PADDED = 8;
    static final int HAS_PRIORITY = 0x20;

    static final int SETTING_HEADER_TABLE_SIZE = 1;
    static final int SETTING_ENABLE_PUSH = 2;
    static final int SETTING_MAX_CONCURRENT_STREAMS = 3;
    static final int SETTING_INITIAL_WINDOW_SIZE = 4;
    static final int SETTING_MAX_FRAME_SIZE = 5;
    static final int SETTING_MAX_HEADER_LIST_SIZE = 6;
    static final int SETTING_NO_RFC7540_PRIORITIES = 9;
    static final int SETTING_BYTES = 6;

    static final int HEADER_BYTES = 9;
    static final int PING_BYTES = 8;

    /** Of the payload of a frame, in both directions: what everybody has to take. */
    static final int PAYLOAD_BYTES_MAX = 1 << 14;

    /** Of a window of flow control, of a connection and a stream alike, before anybody says otherwise. */
    static final int WINDOW_BYTES = (1 << 16) - 1;

    static final int WINDOW_BYTES_MAX = Integer.MAX_VALUE;

    private Frames() {}
}
