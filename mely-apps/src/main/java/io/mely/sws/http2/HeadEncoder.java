// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.http2;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.DefaultHttp2HeadersEncoder;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2HeadersEncoder;
import io.netty.util.AsciiString;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Iterator;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Turns heads of HTTP/1.1, as the stages write them, into header blocks.
 *
 * <p><b>Costs.</b> One copy of the head, and one of each field that is not as in the head before. <b>Bounds.</b> What a connection keeps: the fields in the table of HPACK, as copies of
 * their own, and those of the last head unless it is longer than the table.
 */
final class HeadEncoder {
    /** No client gets to make this side keep more. */
    private static final int TABLE_BYTES_MAX = 4 << 10;

    /** As in RFC 7541; the array behind it grows by itself. */
    private static final int TABLE_SLOTS = 16;

    /** Huffman's code is for long values only: what it saves of the others costs more than it brings. Netty's default. */
    private static final int HUFFMAN_BYTES_MIN = 512;

    private static final AsciiString STATUS = AsciiString.cached(":status");
    private static final AsciiString CONTENT_LENGTH = AsciiString.cached("content-length");
    private static final AsciiString CONNECTION = AsciiString.cached("connection");

    private static final int STATUS_AT = "HTTP/1.1 ".length();
    private static final int STATUS_BYTES = 3;
    private static final int INFORMATIONAL_END = 200;
    private static final int NO_CONTENT = 204;
    private static final int NOT_MODIFIED = 304;

    private static final int END_OF_HEAD = '\r' << 24 | '\n' << 16 | '\r' << 8 | '\n';

    /** What a field takes beyond its line, at most: lengths and their marks, less ": " and the line end. */
    private static final int FIELD_BYTES_MORE = 8;

    /** What a head takes that says how large the table is: the smallest size of late, and the last one. */
    private static final int TABLE_UPDATES_BYTES_MAX = 2 * 3;

    private final DefaultHttp2HeadersEncoder hpack =
            new DefaultHttp2HeadersEncoder(Http2HeadersEncoder.NEVER_SENSITIVE, true, TABLE_SLOTS, HUFFMAN_BYTES_MIN);
    private final Lines lines = new Lines();

    private int status;
    private long contentLength;

    // What the client has said since the last head, if it has: the next head begins with it.
    private boolean isTableDue;
    private int tableBytesLeast;
    private int tableBytes;

    /** Length of the head at the buffer's position; 0 if its end is not there. */
    static int headBytes(ByteBuffer from) {
        int end = from.limit() - Integer.BYTES;
        for (int i = from.position(); i <= end; i++) {
            if (from.get(i) == '\r' && from.getInt(i) == END_OF_HEAD) {
                return i + Integer.BYTES - from.position();
            }
        }
        return 0;
    }

    /** Reads a head of so many bytes, whose first is at the position, which moves behind it. */
    void read(ByteBuffer from, int bytes) {
        byte[] head = new byte[bytes];
        from.get(head);
        status = (head[STATUS_AT] - '0') * 100 + (head[STATUS_AT + 1] - '0') * 10 + head[STATUS_AT + 2] - '0';
        contentLength = 0;
        lines.restart();
        lines.add(STATUS, head, STATUS_AT, STATUS_BYTES);
        int at = STATUS_AT;
        while (head[at] != '\r') {
            at++;
        }
        at += 2;
        while (head[at] != '\r') {
            at = readLine(head, at);
        }
    }

    private int readLine(byte[] head, int from) {
        int colon = from;
        while (head[colon] != ':') {
            byte b = head[colon];
            if (b >= 'A' && b <= 'Z') {
                head[colon] = (byte) (b | 0x20);
            }
            colon++;
        }
        int start = colon + 1;
        while (head[start] == ' ') {
            start++;
        }
        int end = start;
        while (head[end] != '\r') {
            end++;
        }
        if (!isSame(CONNECTION, head, from, colon - from)) {
            lines.add(head, from, colon - from, start, end - start);
        }
        if (isSame(CONTENT_LENGTH, head, from, colon - from)) {
            contentLength = new AsciiString(head, start, end - start, false).parseLong();
        }
        return end + 2;
    }

    private static boolean isSame(AsciiString text, byte[] in, int from, int length) {
        int start = text.arrayOffset();
        return Arrays.equals(text.array(), start, start + text.length(), in, from, from + length);
    }

    /** Whether another head follows this one. */
    boolean isInformational() {
        return status < INFORMATIONAL_END;
    }

    /** Length of the body that follows the head, if the request was not HEAD. */
    long bodyBytes() {
        return status == NO_CONTENT || status == NOT_MODIFIED ? 0 : contentLength;
    }

    /** Room that the frames of a head take at most. */
    static int bytesMax(int headBytes) {
        int fields = headBytes / 5 + 1; // a field has one letter, a colon and a line end at least, or a blank for it
        int block = TABLE_UPDATES_BYTES_MAX + headBytes + fields * FIELD_BYTES_MORE;
        return block + Frames.HEADER_BYTES * (1 + block / Frames.PAYLOAD_BYTES_MAX);
    }

    /** Writes the head that was read last into the output, which has room for it. */
    void write(int stream, boolean isEnd, ByteBuf to) throws ConnectionException {
        int start = to.writerIndex();
        Output.putHeader(to, 0, Frames.HEADERS, (isEnd ? Frames.END_STREAM : 0) | Frames.END_HEADERS, stream);
        int blockStart = to.writerIndex();
        try {
            writeTableBytes();
            hpack.encodeHeaders(stream, lines, to);
        } catch (Http2Exception e) {
            throw new ConnectionException(Http2Error.INTERNAL_ERROR, "a head that cannot be encoded");
        }
        lines.forgetIfLong();
        int block = to.writerIndex() - blockStart;
        if (block <= Frames.PAYLOAD_BYTES_MAX) {
            to.setMedium(start, block);
        } else {
            ByteBuf whole = Unpooled.copiedBuffer(to.slice(blockStart, block));
            to.writerIndex(start);
            writeInParts(stream, isEnd, to, whole);
        }
    }

    private static void writeInParts(int stream, boolean isEnd, ByteBuf to, ByteBuf whole) {
        int type = Frames.HEADERS;
        int flags = isEnd ? Frames.END_STREAM : 0;
        while (whole.isReadable()) {
            int part = Math.min(whole.readableBytes(), Frames.PAYLOAD_BYTES_MAX);
            boolean isLast = part == whole.readableBytes();
            Output.putHeader(to, part, type, flags | (isLast ? Frames.END_HEADERS : 0), stream);
            to.writeBytes(whole, part);
            type = Frames.CONTINUATION;
            flags = 0;
        }
    }

    /** The client has said how much it keeps. However often it does before the next head, two of the sizes matter (RFC 7541 4.2). */
    void tableBytes(long bytes) {
        tableBytes = (int) Math.min(bytes, TABLE_BYTES_MAX);
        tableBytesLeast = isTableDue ? Math.min(tableBytesLeast, tableBytes) : tableBytes;
        isTableDue = true;
    }

    private void writeTableBytes() throws Http2Exception {
        if (isTableDue) {
            isTableDue = false;
            hpack.maxHeaderTableSize(tableBytesLeast);
            hpack.maxHeaderTableSize(tableBytes);
        }
    }

    /** The encoder asks for nothing but the fields, one after the other. */
    private static final class Lines extends DefaultHttp2Headers {
        private static final int FIELDS_AT_FIRST = 16;

        private @Nullable AsciiString[] fields = new AsciiString[2 * FIELDS_AT_FIRST];
        private int used;
        private int bytes; // of names and values

        Lines() {
            super(false);
        }

        /** What was there stays, to be used again where the next head says the same. */
        void restart() {
            used = 0;
            bytes = 0;
        }

        void add(AsciiString name, byte[] head, int value, int valueBytes) {
            makeRoom();
            fields[used++] = name;
            addText(head, value, valueBytes);
        }

        void add(byte[] head, int name, int nameBytes, int value, int valueBytes) {
            makeRoom();
            addText(head, name, nameBytes);
            addText(head, value, valueBytes);
        }

        private void makeRoom() {
            if (used == fields.length) {
                fields = Arrays.copyOf(fields, 2 * used);
            }
        }

        /** A copy of its own: the table keeps it, and must not keep the head with it. */
        private void addText(byte[] head, int from, int length) {
            AsciiString before = fields[used];
            if (before == null || !HeadEncoder.isSame(before, head, from, length)) {
                fields[used] = new AsciiString(head, from, length, true);
            }
            used++;
            bytes += length;
        }

        /** What is longer than the table is not kept until the next head. */
        void forgetIfLong() {
            if (bytes > TABLE_BYTES_MAX) {
                Arrays.fill(fields, null);
            }
        }

        @Override
        public int size() {
            return used / 2;
        }

        @Override
        public Iterator<Map.Entry<CharSequence, CharSequence>> iterator() {
            return new Cursor();
        }

        /** An iterator whose entry is itself. */
        private final class Cursor
                implements Iterator<Map.Entry<CharSequence, CharSequence>>, Map.Entry<CharSequence, CharSequence> {
            private int at = -2;

            @Override
            public boolean hasNext() {
                return at + 2 < used;
            }

            @Override
            public Map.Entry<CharSequence, CharSequence> next() {
                if (!hasNext()) {
                    throw new NoSuchElementException();
                }
                at += 2;
                return this;
            }

            @Override
            public CharSequence getKey() {
                return Objects.requireNonNull(fields[at]);
            }

            @Override
            public CharSequence getValue() {
                return Objects.requireNonNull(fields[at + 1]);
            }

            @Override
            public CharSequence setValue(CharSequence value) {
                throw new UnsupportedOperationException();
            }
        }
    }
}
