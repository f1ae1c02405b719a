// SPDX-License-Identifier: Apache-2.0
package io.mely.sws;

/**
 * Keeps what a connection is sent to a rate: what was sent must be paid for by time before more is. So the rate holds in the long run, and a response that is in memory goes out at
 * once.
 *
 * <p><b>Threads.</b> The connection's color. <b>Units.</b> Nanoseconds of the runtime's clock.
 */
final class Pace {
    private static final double NS_PER_S = 1e9;

    private final int bytesPerSecond;
    private long freeNs;

    /** An event is due when it may go on. */
    boolean isWaiting;

    Pace(int bytesPerSecond, long nowNs) {
        this.bytesPerSecond = bytesPerSecond;
        freeNs = nowNs;
    }

    /** How long until more may be sent; 0 or less: it may. */
    long waitNs(long nowNs) {
        return freeNs - nowNs;
    }

    /** So much was sent. */
    void sent(long bytes, long nowNs) {
        long fromNs = freeNs - nowNs > 0 ? freeNs : nowNs;
        freeNs = fromNs + (long) (bytes * NS_PER_S / bytesPerSecond);
    }

    /** Most bytes of a file to send at once: those of a second. */
    int bytesAtOnce() {
        return bytesPerSecond;
    }
}
