// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.record;

import io.mely.bench.record.WorkloadProfile.TimeBucket;
import java.util.ArrayList;
import java.util.List;

/**
 * Counts of times in buckets whose width is a sixteenth of the power of two below them, so that none is wider than 6.25 % of its least time.
 * Below 32 ns each has one of its own.
 *
 * <p><b>Threads.</b> One writer.
 */
final class TimeHistogram {
    private static final int SUB_BITS = 4;
    private static final int SUBS = 1 << SUB_BITS;
    private static final int BUCKETS = (Long.SIZE - SUB_BITS) * SUBS;

    private final long[] counts = new long[BUCKETS];

    void add(long ns) {
        counts[bucketOf(Math.max(0, ns))]++;
    }

    void addAll(TimeHistogram other) {
        for (int i = 0; i < BUCKETS; i++) {
            counts[i] += other.counts[i];
        }
    }

    private static int bucketOf(long ns) {
        int shift = Long.SIZE - 1 - Long.numberOfLeadingZeros(ns | 1) - SUB_BITS;
        return shift <= 0 ? (int) ns : shift * SUBS + (int) (ns >>> shift);
    }

    private static TimeBucket bucket(int index, long events) {
        int shift = Math.max(0, index / SUBS - 1);
        long sub = index - (long) shift * SUBS;
        return new TimeBucket(sub << shift, (sub + 1) << shift, events);
    }

    /** Those that are not empty, in order. */
    List<TimeBucket> buckets() {
        List<TimeBucket> all = new ArrayList<>();
        for (int i = 0; i < BUCKETS; i++) {
            if (counts[i] != 0) {
                all.add(bucket(i, counts[i]));
            }
        }
        return all;
    }
}
