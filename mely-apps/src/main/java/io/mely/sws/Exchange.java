// SPDX-License-Identifier: Apache-2.0
package io.mely.sws;

import io.mely.stingy.StingyMemory;
import io.mely.sws.files.NativeMemory;
import io.mely.sws.http.BodySkipper;
import io.mely.sws.http.HeadFields;
import io.mely.sws.http.HeadLimits;
import io.mely.sws.http.HeadParser;
import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What a connection needs while it has a request: the bytes read, the parser, and the output. Idle connections have none, so ten
 * thousand of them cost little; a core hands the same few out again and again ({@link ExchangePool}).
 *
 * <pre>
 *   in:   │ done │ head of this request │ rest, maybe the next request │ room │
 *         0      start                                                 end
 *   out:  │ responses not written yet │ room │       written from the left by one write(2) for all pipelined responses
 * </pre>
 *
 * <p>Output may lie in a region of the core's cache, as long as the request waits for nobody: see {@link StingyBuffers}.
 *
 * <p><b>Threads.</b> The connection's color, as long as it holds it. <b>Costs.</b> {@link #IN_BYTES} of heap and
 * {@link #OUT_BYTES} of native memory.
 */
final class Exchange {
    /** Room for input: some ten ordinary requests. Longer heads get more for a while. */
    static final int IN_BYTES = 8 << 10;

    /** Room for output: some ten pipelined responses of 1 KB. */
    static final int OUT_BYTES = 16 << 10;

    /** Below this room the input is moved to the front, or grown. */
    private static final int ROOM_MIN = 1 << 10;

    private final HeadLimits limits;
    private final NativeMemory memory;
    private final InputMemory inputs;
    private final byte[] ordinaryIn = new byte[IN_BYTES];
    private final ByteBuf ordinaryOutMemory;
    private final ByteBuffer ordinaryOut;
    private byte[] in = ordinaryIn;
    private ByteBuffer home; // where output goes that is not too large
    private ByteBuffer out;
    private @Nullable StingyMemory region;
    private long place = StingyMemory.NONE; // in that region, if it has one
    private @Nullable ByteBuf largeOutMemory;

    final HeadParser parser;
    final BodySkipper skipper;

    /** Whose body is being collected, or waits until the answers before it are written; null if an application wants none. */
    @Nullable
    Request request;

    /** The path that is answered in place of the one asked for, encoded; null: that one. */
    byte @Nullable [] rewritten;

    /** Name that the client has given where one is asked for, for the log; null: none. */
    byte @Nullable [] user;

    /** Whose rules have let the request look for its file; null if none has yet. */
    @Nullable
    Site judge;

    int start;
    int end;

    /** How much of the output is written. */
    int written;

    /** The runtime's clock when bytes were read last: what the date and the cache go by. */
    long nowNs;

    /**
     * @param inputs of which {@link #IN_BYTES} are taken
     * @param outMemory {@link #OUT_BYTES} of it
     */
    Exchange(
            HeadLimits limits,
            HeadFields fields,
            long bodyBytesMax,
            NativeMemory memory,
            InputMemory inputs,
            ByteBuf outMemory) {
        this.limits = limits;
        this.memory = memory;
        this.inputs = inputs;
        parser = new HeadParser(limits, fields);
        skipper = new BodySkipper(bodyBytesMax);
        ordinaryOutMemory = outMemory;
        ordinaryOut = ordinaryOutMemory.nioBuffer(0, OUT_BYTES);
        home = ordinaryOut;
        out = ordinaryOut;
    }

    byte[] in() {
        return in;
    }

    ByteBuffer out() {
        return out;
    }

    boolean hasInput() {
        return start != end;
    }

    boolean hasOutput() {
        return out.position() != 0;
    }

    /** Bytes that can be read now; makes room first. The parser keeps a head below its limit, so there is some, or no memory: 0. */
    int room() {
        return room(ROOM_MIN);
    }

    /** The same where more is wanted; there is room for any head that is not too long. */
    int room(int wanted) {
        if (in.length - end < wanted) {
            if (start > 0) {
                System.arraycopy(in, start, in, 0, end - start);
                end -= start;
                start = 0;
            }
            if (in.length - end < wanted) {
                int largerBytes = Math.max(in.length, limits.headBytesMax()) + IN_BYTES;
                if (!inputs.take(largerBytes)) {
                    return 0;
                }
                byte[] larger = new byte[largerBytes];
                System.arraycopy(in, 0, larger, 0, end);
                releaseLargeIn();
                in = larger;
            }
        }
        return in.length - end;
    }

    /** Moves on behind a finished request. */
    void consume(int bytes) {
        rewritten = null;
        user = null;
        judge = null;
        start += bytes;
        assert start <= end : start;
        if (start == end) {
            start = 0;
            end = 0;
        }
        parser.reset();
    }

    /**
     * Makes sure that a response fits.
     *
     * @return false if what is there must be written first; if nothing is, there is no memory for it
     */
    boolean hasRoom(int bytes) {
        if (out.remaining() >= bytes) {
            return true;
        }
        if (hasOutput()) {
            return false;
        }
        releaseLarge();
        ByteBuf large = memory.take(bytes);
        if (large == null) {
            return false;
        }
        largeOutMemory = large;
        out = large.nioBuffer(0, bytes);
        return true;
    }

    /** All output is written. */
    void clearOut() {
        releaseLarge();
        out.clear();
        written = 0;
    }

    private void releaseLarge() {
        ByteBuf large = largeOutMemory;
        if (large != null) {
            large.release();
            largeOutMemory = null;
        }
        out = home;
    }

    /** Whether it may have a place in a region: it has none, and nothing that would have to move there. */
    boolean mayEnterRegion() {
        return place == StingyMemory.NONE && !hasOutput();
    }

    /** Its output goes into a region from now on, until {@link #leaveRegion}. */
    void enterRegion(StingyMemory memory, long taken) {
        assert mayEnterRegion() : "has a place, or output";
        region = memory;
        place = taken;
        home = memory.at(taken, OUT_BYTES);
        out = home;
    }

    /** It is going to wait for somebody else, and holds no place meanwhile. What is not written yet moves along. */
    void leaveRegion() {
        if (place == StingyMemory.NONE) {
            return;
        }
        if (largeOutMemory == null) {
            int rest = out.position() - written;
            ordinaryOut.clear().put(0, out, written, rest).position(rest);
            written = 0;
            out = ordinaryOut;
        }
        givePlace();
    }

    private void givePlace() {
        home = ordinaryOut;
        Objects.requireNonNull(region).give(place);
        place = StingyMemory.NONE;
    }

    private void releaseLargeIn() {
        if (in != ordinaryIn) {
            inputs.giveBack(in.length);
            in = ordinaryIn;
        }
    }

    /** Ready for another connection. */
    void clear() {
        if (request != null) {
            request.discard();
            request = null;
            skipper.dropSink();
        }
        releaseLargeIn();
        rewritten = null;
        user = null;
        judge = null;
        start = 0;
        end = 0;
        parser.reset();
        clearOut();
        if (place != StingyMemory.NONE) {
            out = ordinaryOut;
            givePlace();
        }
    }

    void free() {
        clear();
        ordinaryOutMemory.release();
        inputs.giveBack(IN_BYTES);
    }
}
