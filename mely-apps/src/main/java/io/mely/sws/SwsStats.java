// SPDX-License-Identifier: Apache-2.0
package io.mely.sws;

/**
 * The counters of a server at one moment, summed over its cores. Exact when it is idle or closed.
 *
 * @param responses2xx responses begun with a status of 200 to 299
 * @param responses3xx redirects and "not modified"
 * @param responses4xx the client's faults; 408 is among them
 * @param responses5xx this server's faults and limits; the 503 of refused clients are among them, the 429 among the 4xx
 * @param bytesWritten bytes given to the kernel, heads and bodies
 * @param accepted connections accepted, refused ones included
 * @param refused of these, answered 503 or 429 because there were too many clients, of one address or at all, or too much to do
 * @param closed connections closed; accepted less closed are open
 * @param lost of these, lost: reset, or gone while they were written to
 * @param timeouts of these, closed because the client was too slow or idle
 * @param failures of these, closed because a handler threw: faults of this program
 * @param limited requests answered 429 because their client's rate was too high
 * @param shed requests answered 503 because they had waited too long
 * @param handshakes handshakes of TLS done
 * @param handshakesFailed handshakes that ended with an alert: no common version or cipher, a bad certificate, or no TLS at all
 * @param streams requests by HTTP/2
 * @param exchanges buffers of requests under way; 0 when all connections are idle
 * @param cacheEntries answers in the cache
 * @param cacheBytes native memory held by answers
 * @param openFiles large files kept open
 * @param logDropped lines of the access log that were not written
 */
public record SwsStats(
        long responses2xx,
        long responses3xx,
        long responses4xx,
        long responses5xx,
        long bytesWritten,
        long accepted,
        long refused,
        long closed,
        long lost,
        long timeouts,
        long failures,
        long limited,
        long shed,
        long handshakes,
        long handshakesFailed,
        StreamStats streams,
        long exchanges,
        int cacheEntries,
        long cacheBytes,
        int openFiles,
        long logDropped) {

    /**
     * All responses begun.
     *
     * @return requests answered
     */
    public long responses() {
        return responses2xx + responses3xx + responses4xx + responses5xx;
    }

    /**
     * Connections that are open, those that are just being refused included.
     *
     * @return connections
     */
    public long open() {
        return accepted - closed;
    }

    /** Sums cores up. */
    static final class Builder {
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
        private StreamStats streams = new StreamStats(0, 0, 0, 0);

        Builder add(
                long[] moreResponses,
                long moreBytes,
                long moreAccepted,
                long moreRefused,
                long moreClosed,
                long moreLost,
                long moreTimeouts,
                long moreFailures,
                long moreLimited,
                long moreShed) {
            for (int i = 0; i < responses.length; i++) {
                responses[i] += moreResponses[i];
            }
            bytesWritten += moreBytes;
            accepted += moreAccepted;
            refused += moreRefused;
            closed += moreClosed;
            lost += moreLost;
            timeouts += moreTimeouts;
            failures += moreFailures;
            limited += moreLimited;
            shed += moreShed;
            return this;
        }

        Builder addHandshakes(long more, long moreFailed) {
            handshakes += more;
            handshakesFailed += moreFailed;
            return this;
        }

        Builder addStreams(long began, long ended, long reset, long refused) {
            streams = new StreamStats(
                    streams.began() + began,
                    streams.ended() + ended,
                    streams.reset() + reset,
                    streams.refused() + refused);
            return this;
        }

        SwsStats build(long exchanges, int cacheEntries, long cacheBytes, int openFiles, long logDropped) {
            return new SwsStats(
                    responses[2],
                    responses[3],
                    responses[4],
                    responses[5],
                    bytesWritten,
                    accepted,
                    refused,
                    closed,
                    lost,
                    timeouts,
                    failures,
                    limited,
                    shed,
                    handshakes,
                    handshakesFailed,
                    streams,
                    exchanges,
                    cacheEntries,
                    cacheBytes,
                    openFiles,
                    logDropped);
        }
    }
}
