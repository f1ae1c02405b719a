// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * What one sender or worker has counted for each stage.
 *
 * <p><b>Threads.</b> One writer; what others read may be old.
 */
final class StageCounts {
    /** Of one stage. Apart from those of other workers, which write theirs all the time. */
    static final class Count extends HeadPad {
        private long sent;
        private long run;
        private long @Nullable [] service;
        private long @Nullable [] sojourn;

        /** Takes the times of one event. */
        private void sample(long serviceNs, long sojournNs) {
            long[] service = this.service;
            long[] sojourn = this.sojourn;
            if (service == null || sojourn == null) {
                this.sojourn = sojourn = new long[Histogram.CLASSES];
                this.service = service = new long[Histogram.CLASSES];
            }
            service[Histogram.classOf(serviceNs)]++;
            sojourn[Histogram.classOf(sojournNs)]++;
        }

        long sent() {
            return sent;
        }

        long run() {
            return run;
        }

        void add(Count other) {
            sent += other.sent;
            run += other.run;
            service = sum(service, other.service);
            sojourn = sum(sojourn, other.sojourn);
        }

        private static long @Nullable [] sum(long @Nullable [] one, long @Nullable [] other) {
            if (one == null || other == null) {
                return one != null ? one : other == null ? null : other.clone();
            }
            Arrays.setAll(one, i -> one[i] + other[i]);
            return one;
        }

        Histogram service() {
            return new Histogram(service != null ? service : new long[Histogram.CLASSES]);
        }

        Histogram sojourn() {
            return new Histogram(sojourn != null ? sojourn : new long[Histogram.CLASSES]);
        }
    }

    private @Nullable Count[] counts = new @Nullable Count[0]; // by the stage's index
    private final Count lost = new Count(); // what is counted while there is no memory

    void countSent(int stage) {
        of(stage).sent++;
    }

    void countRun(int stage) {
        of(stage).run++;
    }

    /** Takes the times of one event, in nanoseconds. */
    void sample(int stage, long serviceNs, long sojournNs) {
        try {
            of(stage).sample(serviceNs, sojournNs);
        } catch (OutOfMemoryError e) {
            // a sample is lost, and no event
        }
    }

    private Count of(int stage) {
        Count[] known = counts;
        Count count = stage < known.length ? known[stage] : null;
        return count != null ? count : made(stage);
    }

    private Count made(int stage) {
        try {
            if (stage >= counts.length) {
                counts = Arrays.copyOf(counts, stage + 1);
            }
            Count fresh = new Count();
            counts[stage] = fresh;
            return fresh;
        } catch (OutOfMemoryError e) {
            return lost;
        }
    }

    // ------------------------------------------------------------------ looked at by others

    /** Adds what was counted for a stage. */
    void addTo(Count sum, int stage) {
        @Nullable Count[] known = counts;
        Count count = stage < known.length ? known[stage] : null;
        if (count != null) {
            sum.add(count);
        }
    }

    /** Adds all that another has counted, who counts no more. */
    void addAll(StageCounts other) {
        for (int stage = 0; stage < other.counts.length; stage++) {
            other.addTo(of(stage), stage);
        }
    }
}
