// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.http2;

import io.netty.handler.codec.http2.Http2Error;
import io.netty.util.collection.IntObjectHashMap;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The streams under way, and what is remembered of those that are gone, so that frames which were on their way are told from frames that must not be (RFC 9113 5.1): those reset last,
 * and the numbers skipped last.
 *
 * <p><b>Bounds.</b> As many as there may be streams, of each.
 */
final class Streams {
    private final IntObjectHashMap<Stream> open = new IntObjectHashMap<>();
    private final int[] reset;
    private final int[] lateBytes; // of each of these: what may still come
    private int next;
    private int skippedFrom;
    private int skippedTo;
    private int last;
    private int lastAnswered = Integer.MAX_VALUE;

    Streams(int most) {
        reset = new int[most];
        lateBytes = new int[most];
    }

    boolean isEmpty() {
        return open.isEmpty();
    }

    /** How many there may be. */
    int most() {
        return reset.length;
    }

    boolean isFull() {
        return open.size() >= reset.length;
    }

    /** Null if it is not under way. */
    @Nullable
    Stream get(int id) {
        return open.get(id);
    }

    boolean has(Stream stream) {
        return open.get(stream.id) == stream;
    }

    void put(Stream stream) {
        open.put(stream.id, stream);
    }

    void remove(Stream stream) {
        open.remove(stream.id);
    }

    Collection<Stream> all() {
        return open.values();
    }

    List<Stream> copy() {
        return List.copyOf(open.values());
    }

    /** Those who answer them. */
    List<Stream.Owner> owners() {
        List<Stream.Owner> owners = new ArrayList<>();
        for (Stream each : open.values()) {
            if (each.owner != null) {
                owners.add(each.owner);
            }
        }
        return owners;
    }

    /** The last one that is answered. */
    int lastAnswered() {
        return Math.min(last, lastAnswered);
    }

    /** Those that begin from now on are not. */
    void answerNoMore() {
        lastAnswered = last;
    }

    /** One was reset by this side: the client may not know it yet, and send as much as its window allows. */
    void addReset(int id, int windowBytes) {
        reset[next] = id;
        lateBytes[next] = windowBytes;
        next = (next + 1) % reset.length;
    }

    /** One begins: the numbers in between never will (5.1.1). */
    void begin(int id) {
        if (id > last + 2) {
            skippedFrom = last;
            skippedTo = id;
        }
        last = id;
    }

    boolean hasBegun(int id) {
        return id <= last;
    }

    boolean isSkipped(int id) {
        return id > skippedFrom && id < skippedTo;
    }

    /** A part of a body of one that was reset by this side; false if it is none, or more than its window. */
    boolean takeLate(int id, int bytes) {
        for (int i = 0; i < reset.length; i++) {
            if (reset[i] == id && lateBytes[i] >= bytes) {
                lateBytes[i] -= bytes;
                return true;
            }
        }
        return false;
    }

    /** A frame of one that is not under way: true if it may have been sent before the client knew. */
    boolean isLate(int id) throws ConnectionException {
        for (int each : reset) {
            if (each == id) {
                return true;
            }
        }
        if (id > lastAnswered) {
            return true;
        }
        throw hasBegun(id)
                ? new ConnectionException(Http2Error.STREAM_CLOSED, "a frame of a stream that has ended")
                : new ConnectionException(Http2Error.PROTOCOL_ERROR, "a frame of a stream that has not begun");
    }
}
