// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.http;

import org.jspecify.annotations.Nullable;

/**
 * Finds the end of a request body, from ranges of bytes that may end anywhere. The data goes to a sink, or nobody wants it.
 *
 * <p><b>Threads.</b> One at a time. <b>Costs.</b> A fixed body: O(1) a call; a chunked one: linear in its framing, data is
 * jumped over, or given away in ranges. No allocation. <b>Bounds.</b> The data, and beside it {@link #FRAMING_BYTES_MAX} of sizes, extensions and
 * trailers. <b>Source.</b> RFC 9112 6.2, 7.1.
 */
public final class BodySkipper {
    /** The body goes on. */
    public static final int NEED_MORE = 0;

    /** The body has ended. */
    public static final int DONE = 1;

    /** Most bytes of chunk framing with data of {@code dataBytesMax}: a guess, far above what clients send. */
    static final int FRAMING_BYTES_MAX = 64 << 10;

    private static final int SIZE_DIGITS_MAX = 15;

    /** Gets the data of a body. */
    public interface Sink {
        /**
         * Gets a range of it.
         *
         * @param bytes holds it
         * @param from its first byte
         * @param length its bytes
         * @param announced bytes of the body, or of its chunk, from there on
         * @return false if there is no room for it
         */
        boolean take(byte[] bytes, int from, int length, long announced);
    }

    private enum State {
        FIXED,
        UNTIL_END,
        SIZE,
        BEFORE_EXTENSION,
        NAME_START,
        NAME,
        BEFORE_EQUALS,
        VALUE_START,
        VALUE_TOKEN,
        VALUE_QUOTED,
        VALUE_ESCAPED,
        VALUE_END,
        SIZE_LF,
        DATA,
        DATA_CR,
        DATA_LF,
        TRAILER_START,
        TRAILER_NAME,
        TRAILER_VALUE,
        TRAILER_LF,
        END_LF,
        ENDED
    }

    private final long skippedBytesMax;
    private long dataBytesMax;
    private @Nullable Sink sink;
    private State state = State.ENDED;
    private long remaining;
    private long dataBytes;
    private int framingBytes;
    private int sizeDigits;
    private int consumed;

    /**
     * Makes a skipper.
     *
     * @param skippedBytesMax longest body that nobody wants; longer is 413
     */
    public BodySkipper(long skippedBytesMax) {
        this.skippedBytesMax = skippedBytesMax;
    }

    /**
     * Begins a body that nobody wants.
     *
     * @param head a complete head
     * @return {@link #NEED_MORE}, {@link #DONE} if there is no body, or 413
     */
    public int start(RequestHead head) {
        return start(head, skippedBytesMax, null);
    }

    /**
     * Begins a body.
     *
     * @param head a complete head
     * @param bytesMax its longest data; longer is 413
     * @param newSink gets the data until the body ends, or is dropped; null: nobody wants it
     * @return {@link #NEED_MORE}, {@link #DONE} if there is no body, or 413
     */
    public int start(RequestHead head, long bytesMax, @Nullable Sink newSink) {
        dataBytesMax = bytesMax;
        sink = newSink;
        dataBytes = 0;
        framingBytes = 0;
        sizeDigits = 0;
        remaining = 0;
        state = switch (head.body()) {
            case NONE -> State.ENDED;
            case FIXED -> State.FIXED;
            case CHUNKED -> State.SIZE;
            case STREAM -> State.UNTIL_END;
        };
        if (state == State.FIXED) {
            remaining = head.contentLength();
            return remaining > dataBytesMax ? Status.CONTENT_TOO_LARGE : NEED_MORE;
        }
        return state == State.ENDED ? DONE : NEED_MORE;
    }

    /**
     * The stream has ended that a body comes by.
     *
     * @return false if the body ends by something else
     */
    public boolean endOfStream() {
        boolean isEnd = state == State.UNTIL_END;
        if (isEnd) {
            state = State.ENDED;
        }
        return isEnd;
    }

    /** Lets go of the sink of a body that does not come to its end. */
    public void dropSink() {
        sink = null;
    }

    /**
     * How many of the bytes given last belonged to the body.
     *
     * @return bytes; valid after {@link #skip}
     */
    public int consumed() {
        return consumed;
    }

    /**
     * Skips what is there.
     *
     * @param bytes holds it
     * @param from first byte not skipped yet
     * @param end after the last byte received
     * @return {@link #NEED_MORE}, {@link #DONE}, or the status of a refusal, after which the connection must be closed; 503 if the sink has no room
     */
    public int skip(byte[] bytes, int from, int end) {
        int i = from;
        while (i < end && state != State.ENDED) {
            if (state == State.FIXED || state == State.DATA) {
                long skipped = Math.min(remaining, end - i);
                if (sink != null && !sink.take(bytes, i, (int) skipped, remaining)) {
                    consumed = i - from;
                    return Status.SERVICE_UNAVAILABLE;
                }
                remaining -= skipped;
                i += (int) skipped;
                if (remaining == 0) {
                    state = state == State.FIXED ? State.ENDED : State.DATA_CR;
                }
                continue;
            }
            int status = state == State.UNTIL_END ? skipStream(bytes, i, end) : skipFraming(bytes[i]);
            if (status != 0) {
                consumed = i - from;
                return status;
            }
            i = state == State.UNTIL_END ? end : i + 1;
        }
        consumed = i - from;
        if (state != State.ENDED) {
            return NEED_MORE;
        }
        sink = null;
        return DONE;
    }

    /** All that is here. */
    private int skipStream(byte[] bytes, int from, int end) {
        dataBytes += end - from;
        if (dataBytes > dataBytesMax) {
            return Status.CONTENT_TOO_LARGE;
        }
        return sink == null || sink.take(bytes, from, end - from, end - from) ? 0 : Status.SERVICE_UNAVAILABLE;
    }

    /** One byte of a size line, of the line end after data, or of a trailer. */
    private int skipFraming(byte b) {
        if (++framingBytes > FRAMING_BYTES_MAX) {
            return Status.CONTENT_TOO_LARGE;
        }
        return switch (state) {
            case SIZE -> skipSize(b);
            case BEFORE_EXTENSION -> enter(b == ';' ? State.NAME_START : isBlank(b) ? state : null);
            case NAME_START, NAME, BEFORE_EQUALS, VALUE_START, VALUE_TOKEN, VALUE_QUOTED, VALUE_ESCAPED, VALUE_END ->
                enter(extension(b));
            case SIZE_LF -> {
                sizeDigits = 0;
                yield expect(b, '\n', remaining == 0 ? State.TRAILER_START : State.DATA);
            }
            case DATA_CR -> expect(b, '\r', State.DATA_LF);
            case DATA_LF -> expect(b, '\n', State.SIZE);
            case TRAILER_START -> skipTrailerStart(b);
            case TRAILER_NAME -> skipTrailerName(b);
            case TRAILER_VALUE -> lineByte(b, State.TRAILER_LF);
            case TRAILER_LF -> expect(b, '\n', State.TRAILER_START);
            case END_LF -> expect(b, '\n', State.ENDED);
            case FIXED, UNTIL_END, DATA, ENDED -> throw new AssertionError("no framing in state " + state);
        };
    }

    private int skipSize(byte b) {
        int digit = HttpBytes.hex(b);
        if (digit >= 0) {
            if (++sizeDigits > SIZE_DIGITS_MAX) {
                return Status.BAD_REQUEST;
            }
            remaining = (remaining << 4) | digit;
            return 0;
        }
        if (sizeDigits == 0) {
            return Status.BAD_REQUEST;
        }
        dataBytes += remaining;
        if (dataBytes > dataBytesMax || dataBytes < 0) {
            return Status.CONTENT_TOO_LARGE;
        }
        return enter(afterPart(b));
    }

    /** What follows a size, a name or a value: the line's end, an extension, or "bad whitespace", legal before an extension only. */
    private static @Nullable State afterPart(byte b) {
        return switch (b) {
            case '\r' -> State.SIZE_LF;
            case ';' -> State.NAME_START;
            case ' ', '\t' -> State.BEFORE_EXTENSION;
            default -> null;
        };
    }

    /** {@code BWS ";" BWS name [ BWS "=" BWS ( token / quoted-string ) ]}; null is a fault. */
    private @Nullable State extension(byte b) {
        boolean isToken = HttpBytes.isToken(b);
        return switch (state) {
            case NAME_START -> isToken ? State.NAME : isBlank(b) ? state : null;
            case NAME ->
                isToken ? state : isBlank(b) ? State.BEFORE_EQUALS : b == '=' ? State.VALUE_START : afterPart(b);
            case BEFORE_EQUALS ->
                isBlank(b) ? state : b == '=' ? State.VALUE_START : b == ';' ? State.NAME_START : null;
            case VALUE_START -> isToken ? State.VALUE_TOKEN : b == '"' ? State.VALUE_QUOTED : isBlank(b) ? state : null;
            case VALUE_TOKEN -> isToken ? state : afterPart(b);
            case VALUE_QUOTED ->
                b == '"' ? State.VALUE_END : b == '\\' ? State.VALUE_ESCAPED : isText(b) ? state : null;
            case VALUE_ESCAPED -> isText(b) ? State.VALUE_QUOTED : null;
            default -> afterPart(b);
        };
    }

    private static boolean isBlank(byte b) {
        return b == ' ' || b == '\t';
    }

    /** No control character but a tab. */
    private static boolean isText(byte b) {
        return (b < 0 || b >= ' ' || b == '\t') && b != 0x7f;
    }

    private int enter(@Nullable State next) {
        if (next == null) {
            return Status.BAD_REQUEST;
        }
        state = next;
        return 0;
    }

    private int skipTrailerStart(byte b) {
        if (b == '\r') {
            state = State.END_LF;
            return 0;
        }
        state = State.TRAILER_NAME;
        return HttpBytes.isToken(b) ? 0 : Status.BAD_REQUEST;
    }

    private int skipTrailerName(byte b) {
        if (b == ':') {
            state = State.TRAILER_VALUE;
            return 0;
        }
        return HttpBytes.isToken(b) ? 0 : Status.BAD_REQUEST;
    }

    private int lineByte(byte b, State atCarriageReturn) {
        if (b == '\r') {
            state = atCarriageReturn;
            return 0;
        }
        return isText(b) ? 0 : Status.BAD_REQUEST;
    }

    private int expect(byte b, char wanted, State next) {
        state = next;
        return b == wanted ? 0 : Status.BAD_REQUEST;
    }
}
