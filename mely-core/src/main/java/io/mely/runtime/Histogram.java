// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import io.mely.Durations;
import java.util.Arrays;

/** Times counted in classes, of which eight double a time. */
final class Histogram implements Durations {
    private static final int BITS = 3;
    private static final int EACH = 1 << BITS;

    /** Of times up to 2^47 ns, a day and a half. */
    static final int CLASSES = 45 * EACH;

    private final long[] counts;
    private final long count;

    /** Of counts by class, which it keeps. */
    Histogram(long[] counts) {
        this.counts = counts;
        count = Arrays.stream(counts).sum();
    }

    static int classOf(long ns) {
        if (ns < EACH) {
            return (int) Math.max(0, ns);
        }
        int shift = Long.SIZE - 1 - BITS - Long.numberOfLeadingZeros(ns);
        return Math.min(CLASSES - 1, shift * EACH + (int) (ns >>> shift));
    }

    private static long longestOf(int index) {
        int shift = Math.max(0, index / EACH - 1);
        return ((index - shift * EACH + 1L) << shift) - 1;
    }

    @Override
    public long count() {
        return count;
    }

    @Override
    public long percentileNs(double percent) {
        if (!(percent >= 0 && percent <= 100)) {
            throw new IllegalArgumentException("percent must be 0 to 100: percent=" + percent);
        }
        long left = Math.max(1, (long) Math.ceil(count * percent / 100));
        for (int i = 0; i < CLASSES; i++) {
            left -= counts[i];
            if (left <= 0) {
                return longestOf(i);
            }
        }
        return 0;
    }

    @Override
    public Durations since(Durations earlier) {
        long[] before = ((Histogram) earlier).counts;
        long[] newer = new long[CLASSES];
        Arrays.setAll(newer, i -> counts[i] - before[i]);
        return new Histogram(newer);
    }

    @Override
    public String toString() {
        return "Durations[count=" + count + ", p50Ns=" + percentileNs(50) + ", p99Ns=" + percentileNs(99) + "]";
    }
}
