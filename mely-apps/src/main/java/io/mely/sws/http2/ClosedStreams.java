// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.http2;

/**
 * What is remembered of streams that are gone, so that frames which were on their way are told from frames that must not be: those reset last, and the numbers skipped last.
 *
 * <p><b>Bounds.</b> As many as there may be streams.
 */
final class ClosedStreams {
    private final int[] reset;
    private int next;
    private int skippedFrom;
    private int skippedTo;

    ClosedStreams(int most) {
        reset = new int[most];
    }

    /** A stream was reset by this side: the client may not know it yet. */
    void add(int stream) {
        reset[next] = stream;
        next = (next + 1) % reset.length;
    }

    boolean has(int stream) {
        for (int each : reset) {
            if (each == stream) {
                return true;
            }
        }
        return false;
    }

    /** A stream begins: the numbers in between never will (RFC 9113 5.1.1). */
    void begin(int last, int stream) {
        if (stream > last + 2) {
            skippedFrom = last;
            skippedTo = stream;
        }
    }

    boolean isSkipped(int stream) {
        return stream > skippedFrom && stream < skippedTo;
    }
}
