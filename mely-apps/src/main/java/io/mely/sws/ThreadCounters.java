// SPDX-License-Identifier: Apache-2.0
package io.mely.sws;

/**
 * What one thread has done. Plain fields: each has one writer, and a reader may be a little late.
 *
 * <p><b>Threads.</b> Written by the thread, read by any.
 */
final class ThreadCounters {
    /** Index: first digit of the status; 1 is not used. */
    private final long[] responses = new long[6];

    private long bytesWritten;
    private long accepted;
    private long refused;
    private long closed;
    private long lost;
    private long timeouts;
    private long failures;
    private long limited;
    private long shed;
    private long handshakes;
    private long handshakesFailed;
    private long streamsBegan;
    private long streamsEnded;
    private long streamsReset;
    private long streamsRefused;

    void response(int status) {
        responses[status / 100]++;
    }

    void written(long bytes) {
        bytesWritten += bytes;
    }

    void accepted() {
        accepted++;
    }

    void refused() {
        refused++;
    }

    void closed() {
        closed++;
    }

    void lost() {
        lost++;
    }

    void timeout() {
        timeouts++;
    }

    void failure() {
        failures++;
    }

    void limited() {
        limited++;
    }

    void shed() {
        shed++;
    }

    void handshake() {
        handshakes++;
    }

    void handshakeFailed() {
        handshakesFailed++;
    }

    void streamBegan() {
        streamsBegan++;
    }

    void streamEnded() {
        streamsEnded++;
    }

    void streamReset() {
        streamsReset++;
    }

    void streamRefused() {
        streamsRefused++;
    }

    SwsStats.Builder addTo(SwsStats.Builder sum) {
        return sum.add(responses, bytesWritten, accepted, refused, closed, lost, timeouts, failures, limited, shed)
                .addHandshakes(handshakes, handshakesFailed)
                .addStreams(streamsBegan, streamsEnded, streamsReset, streamsRefused);
    }
}
