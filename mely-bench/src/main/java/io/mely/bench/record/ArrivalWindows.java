// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.record;

import io.mely.bench.record.WorkloadProfile.Dispersion;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * How many events arrived in each window of a recording. Windows begin at 1 ms and double when there would be more than {@link #WINDOWS_MAX}, so
 * that a recording may last as long as it likes.
 *
 * <p><b>Threads.</b> One writer.
 */
final class ArrivalWindows {
    private static final long WINDOW_NS_MIN = 1_000_000;

    /** Room: 64 KiB. */
    static final int WINDOWS_MAX = 1 << 14;

    /** A variance of fewer windows says little. Guess. */
    private static final int WINDOWS_MIN = 32;

    private long windowNs = WINDOW_NS_MIN;
    private int[] counts = new int[16];
    private long total;

    /** Counts one that came so long after the recording began. */
    void add(long sinceStartNs) {
        long at = Math.max(0, sinceStartNs);
        while (at / windowNs >= WINDOWS_MAX) {
            fold();
        }
        int window = (int) (at / windowNs);
        if (window >= counts.length) {
            counts = Arrays.copyOf(counts, Integer.highestOneBit(window) << 1);
        }
        counts[window]++;
        total++;
    }

    /** Makes windows twice as long. */
    private void fold() {
        int[] folded = new int[counts.length];
        for (int i = 0; i < counts.length; i++) {
            folded[i / 2] += counts[i];
        }
        counts = folded;
        windowNs *= 2;
    }

    void addAll(ArrivalWindows other) {
        while (windowNs < other.windowNs) {
            fold();
        }
        int factor = (int) (windowNs / other.windowNs);
        int needed = (other.counts.length + factor - 1) / factor;
        if (counts.length < needed) {
            counts = Arrays.copyOf(counts, needed);
        }
        for (int i = 0; i < other.counts.length; i++) {
            counts[i / factor] += other.counts[i];
        }
        total += other.total;
    }

    long total() {
        return total;
    }

    /** Of the windows that the recording filled, by their length, doubled as long as there are enough of them. */
    List<Dispersion> dispersion(long recordedNs) {
        List<Dispersion> all = new ArrayList<>();
        for (long factor = 1; recordedNs / (windowNs * factor) >= WINDOWS_MIN; factor *= 2) {
            int windows = (int) Math.min(WINDOWS_MAX, recordedNs / (windowNs * factor));
            double index = dispersion(windows, (int) factor);
            if (Double.isFinite(index)) {
                all.add(new Dispersion(windowNs * factor / 1e6, index));
            }
        }
        return all;
    }

    /** Not a number without arrivals. */
    private double dispersion(int windows, int factor) {
        double sum = 0;
        double squares = 0;
        for (int window = 0; window < windows; window++) {
            double count = 0;
            for (int i = window * factor; i < Math.min(counts.length, (window + 1) * factor); i++) {
                count += counts[i];
            }
            sum += count;
            squares += count * count;
        }
        double mean = sum / windows;
        return (squares - sum * mean) / (windows - 1) / mean;
    }
}
