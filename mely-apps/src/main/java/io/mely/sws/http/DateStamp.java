// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.http;

import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * The value of the Date field of now, written once a second.
 *
 * <p><b>Threads.</b> One at a time; each core has its own. <b>Costs.</b> A comparison, and once a second about a microsecond.
 */
public final class DateStamp {
    private static final long SECOND_NS = TimeUnit.SECONDS.toNanos(1);
    private static final long MILLI_NS = TimeUnit.MILLISECONDS.toNanos(1);

    private final LongSupplier wallClockMs;
    private final byte[] text = new byte[HttpDate.BYTES];
    private long second;
    private long nextSecondNs;
    private boolean isWritten;

    /**
     * Makes one.
     *
     * @param wallClockMs milliseconds since 1970
     */
    public DateStamp(LongSupplier wallClockMs) {
        this.wallClockMs = wallClockMs;
    }

    /**
     * The date of now.
     *
     * @param nowNs the runtime's clock, which the caller has read anyway
     * @return {@link HttpDate#BYTES} bytes, overwritten by a later call
     */
    public byte[] at(long nowNs) {
        if (!isWritten || nowNs - nextSecondNs >= 0) {
            write(nowNs);
        }
        return text;
    }

    /**
     * The second that {@link #at} says.
     *
     * @param nowNs the runtime's clock, which the caller has read anyway
     * @return seconds since 1970
     */
    public long secondAt(long nowNs) {
        at(nowNs);
        return second;
    }

    private void write(long nowNs) {
        long nowMs = wallClockMs.getAsLong();
        second = Math.floorDiv(nowMs, 1000L);
        byte[] bytes = HttpDate.format(second).getBytes(StandardCharsets.US_ASCII);
        System.arraycopy(bytes, 0, text, 0, text.length);
        nextSecondNs = nowNs + SECOND_NS - (nowMs - second * 1000) * MILLI_NS;
        isWritten = true;
    }
}
