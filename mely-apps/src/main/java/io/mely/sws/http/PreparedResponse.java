// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.http;

import java.nio.ByteBuffer;

/**
 * A response that is ready but for its date: head and body, or its first part, in one piece of memory. Many connections copy
 * from it at once, so it is read by absolute positions only and never written.
 *
 * <p>Sending is a copy into the connection's output, where the 29 bytes of the date are put over the gap: one block copy and one
 * write(2) for a small file. Gathering head, date and body from three places took longer than copying a kilobyte.
 *
 * <p><b>Threads.</b> Any number of readers. <b>Costs.</b> {@link #appendHead}: one copy; nothing allocated.
 */
public final class PreparedResponse {
    /** What a head says about the connection. */
    public enum Option {
        /** Nothing: HTTP/1.1 keeps it open. */
        NONE,
        /** It is closed after this response. */
        CLOSE,
        /** It is kept, for a client of HTTP/1.0 that asked. */
        KEEP_ALIVE
    }

    private static final byte[] CLOSE = ascii("Connection: close\r\n");
    private static final byte[] VARY = ascii("\nVary: ");
    private static final byte[] NOTHING = {};
    private static final byte[] KEEP_ALIVE = ascii("Connection: keep-alive\r\n");

    /** Most bytes that an option adds to a head. */
    public static final int OPTION_BYTES_MAX = KEEP_ALIVE.length;

    private final int status;
    private final ByteBuffer bytes;
    private final int headBytes;
    private final int dateOffset;
    private final int optionsOffset;

    /**
     * Wraps what a caller has filled.
     *
     * @param status the status in the head
     * @param bytes head and body, from index 0 to the capacity; not written afterwards
     * @param head what the first bytes were made from
     * @param headBytes its length
     */
    public PreparedResponse(int status, ByteBuffer bytes, ResponseHead head, int headBytes) {
        this.status = status;
        this.bytes = bytes;
        this.headBytes = headBytes;
        dateOffset = head.dateOffset();
        optionsOffset = head.optionsOffset();
    }

    private PreparedResponse(int status, ByteBuffer bytes, int dateOffset, int optionsOffset, int headBytes) {
        this.status = status;
        this.bytes = bytes;
        this.headBytes = headBytes;
        this.dateOffset = dateOffset;
        this.optionsOffset = optionsOffset;
    }

    /**
     * A copy with more fields.
     *
     * @param lines printable ASCII, each with its line end
     * @return on the heap
     */
    public PreparedResponse with(byte[] lines) {
        return with(optionsOffset, lines);
    }

    private PreparedResponse with(int at, byte[] more) {
        ByteBuffer copy = ByteBuffer.allocate(bytes.capacity() + more.length);
        copy.put(0, bytes, 0, at);
        copy.put(at, more);
        copy.put(at + more.length, bytes, at, bytes.capacity() - at);
        return new PreparedResponse(status, copy, dateOffset, optionsOffset, headBytes + more.length);
    }

    /**
     * A copy that varies by more fields of the request.
     *
     * @param names of those fields, with commas between them
     * @return on the heap, with one line of Vary
     */
    public PreparedResponse varyingBy(String names) {
        for (int i = optionsOffset; i < headBytes - VARY.length; i++) {
            if (bytes.slice(i, VARY.length).equals(ByteBuffer.wrap(VARY))) {
                return with(i + VARY.length, ascii(names + ", "));
            }
        }
        return with(ascii("Vary: " + names + "\r\n"));
    }

    /**
     * Makes a response on the heap.
     *
     * @param status the status in the head
     * @param head its head
     * @param body its body; the head says its length
     * @return the response
     */
    public static PreparedResponse onHeap(int status, ResponseHead head, byte[] body) {
        byte[] headText = head.toBytes();
        ByteBuffer bytes =
                ByteBuffer.allocate(headText.length + body.length).put(headText).put(body);
        bytes.clear();
        return new PreparedResponse(status, bytes, head, headText.length);
    }

    /**
     * The status in the head.
     *
     * @return one of {@link Status}
     */
    public int status() {
        return status;
    }

    /**
     * Length of the head, without options.
     *
     * @return bytes
     */
    public int headBytes() {
        return headBytes;
    }

    /**
     * Length of the body that is in memory.
     *
     * @return bytes; 0 if the body is sent from a file
     */
    public int bodyBytes() {
        return bytes.capacity() - headBytes;
    }

    /**
     * Copies the head.
     *
     * @param out has room for {@link #headBytes()} and {@link #OPTION_BYTES_MAX}
     * @param date {@link HttpDate#BYTES} bytes
     * @param option what to say about the connection
     */
    public void appendHead(ByteBuffer out, byte[] date, Option option) {
        append(out, date, option, NOTHING, headBytes);
    }

    /**
     * Copies the head, with more fields.
     *
     * @param out has room for {@link #headBytes()}, the fields and {@link #OPTION_BYTES_MAX}
     * @param date {@link HttpDate#BYTES} bytes
     * @param option what to say about the connection
     * @param lines of the fields, each with its line end
     */
    public void appendHead(ByteBuffer out, byte[] date, Option option, byte[] lines) {
        append(out, date, option, lines, headBytes);
    }

    /**
     * Copies head and body.
     *
     * @param out has room for {@link #headBytes()}, {@link #bodyBytes()} and {@link #OPTION_BYTES_MAX}
     * @param date {@link HttpDate#BYTES} bytes
     * @param option what to say about the connection
     */
    public void appendAll(ByteBuffer out, byte[] date, Option option) {
        append(out, date, option, NOTHING, bytes.capacity());
    }

    /**
     * Copies head and body, with more fields.
     *
     * @param out has room for {@link #headBytes()}, {@link #bodyBytes()}, the fields and {@link #OPTION_BYTES_MAX}
     * @param date {@link HttpDate#BYTES} bytes
     * @param option what to say about the connection
     * @param lines of the fields, each with its line end
     */
    public void appendAll(ByteBuffer out, byte[] date, Option option, byte[] lines) {
        append(out, date, option, lines, bytes.capacity());
    }

    /**
     * The body's memory, to be written without a copy.
     *
     * @return a view with its own position and limit
     */
    public ByteBuffer body() {
        return bytes.duplicate().position(headBytes);
    }

    private void append(ByteBuffer out, byte[] date, Option option, byte[] lines, int length) {
        int at = out.position();
        if (option == Option.NONE && lines.length == 0) {
            out.put(at, bytes, 0, length);
            out.position(at + length);
        } else {
            byte[] field = option == Option.NONE ? NOTHING : option == Option.CLOSE ? CLOSE : KEEP_ALIVE;
            out.put(at, bytes, 0, optionsOffset);
            out.position(at + optionsOffset);
            out.put(field).put(lines);
            int rest = length - optionsOffset;
            out.put(out.position(), bytes, optionsOffset, rest);
            out.position(out.position() + rest);
        }
        out.put(at + dateOffset, date, 0, HttpDate.BYTES);
    }

    private static byte[] ascii(String text) {
        return text.getBytes(java.nio.charset.StandardCharsets.US_ASCII);
    }
}
