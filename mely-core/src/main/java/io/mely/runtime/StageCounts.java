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
    private static final int FROM_MIN = 8;

    /** Of one stage. Apart from those of other workers, which write theirs all the time. */
    static final class Count extends HeadPad {
        private long[] sentFrom = new long[FROM_MIN]; // by the index of the stage that sent, plus one; 0: none
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
            return Arrays.stream(sentFrom).sum();
        }

        /** How many events the handlers of a stage have sent; of -1: those that came from no handler. */
        long sentFrom(int stage) {
            return stage + 1 < sentFrom.length ? sentFrom[stage + 1] : 0;
        }

        private void countSent(int from) {
            if (from + 1 >= sentFrom.length) {
                sentFrom = Arrays.copyOf(sentFrom, from + 1 + FROM_MIN);
            }
            sentFrom[from + 1]++;
        }

        long run() {
            return run;
        }

        void add(Count other) {
            long[] more = other.sentFrom;
            if (more.length > sentFrom.length) {
                sentFrom = Arrays.copyOf(sentFrom, more.length);
            }
            for (int i = 0; i < more.length; i++) {
                sentFrom[i] += more[i];
            }
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
    private int running = -1; // the stage whose handler runs; -1 for none

    /** The handler that runs, if one does, has sent an event to a stage. */
    void countSent(int stage) {
        try {
            of(stage).countSent(running);
        } catch (OutOfMemoryError e) {
            // a count is lost, and no event
        }
    }

    /** A handler of a stage is called. */
    void countRun(int stage) {
        running = stage;
        of(stage).run++;
    }

    /** The stage whose handler runs; -1 for none. */
    int running() {
        return running;
    }

    /** A handler that was called by another has returned to that; or no handler runs any more, -1. */
    void running(int stage) {
        running = stage;
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
