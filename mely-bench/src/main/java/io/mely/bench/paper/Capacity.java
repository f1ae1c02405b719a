// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.paper;

import io.mely.bench.Instants;
import io.mely.bench.report.Stat;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * What all workers together can do, as they are now: threads that run the bodies of requests one after the other, and nothing else, beside
 * one that keeps the sender's time and sends nothing. A load is a share of that, not of what the clock promises: two CPUs are seldom twice
 * as much as one, neighbours take some, and so does the sender, which needs a fourth of one.
 *
 * <p>Measured once a round, so that in it all contenders get the same requests at the same instants.
 */
final class Capacity {
    /** The first is thrown away: its code is not compiled. */
    private static final int TRIES = 6;

    private static final long TRY_NS = TimeUnit.MILLISECONDS.toNanos(20);

    private long seed;
    private double nsPerCycle = Double.NaN;
    private double nsPerRequest = Double.NaN;

    /** Whether {@link #measure} has run. */
    boolean isMeasured() {
        return !Double.isNaN(nsPerRequest);
    }

    /** Of the requests: another one in each round, so that the rounds differ by more than the machine. */
    long seed() {
        return seed;
    }

    /** Of one thread, when the capacity was measured. */
    double nsPerCycle() {
        return nsPerCycle;
    }

    /** Time in which all workers together get one request done. */
    double nsPerRequest() {
        return nsPerRequest;
    }

    /** What was measured, for another JVM. */
    String text() {
        return seed + ":" + nsPerCycle + ":" + nsPerRequest;
    }

    /** Takes over what another JVM has measured. */
    void read(String text) {
        String[] parts = text.split(":", -1);
        seed = Long.parseLong(parts[0]);
        nsPerCycle = Double.parseDouble(parts[1]);
        nsPerRequest = Double.parseDouble(parts[2]);
    }

    /** Measures; the median of some tries. */
    void measure(SkewedServer.Options options) {
        seed++;
        nsPerCycle = Cycles.measureNs();
        double[] rates = new double[TRIES - 1];
        for (int i = 0; i < TRIES; i++) {
            double rate = requestsPerNs(options);
            if (i > 0) {
                rates[i - 1] = rate;
            }
        }
        nsPerRequest = 1 / Stat.of(rates).median();
    }

    private double requestsPerNs(SkewedServer.Options options) {
        AtomicBoolean isOver = new AtomicBoolean();
        Thread sender = new Thread(() -> keepTime(options, isOver), "capacity-sender");
        sender.start();
        try {
            return Threads.sum(options.workers(), "capacity", worker -> work(options, worker));
        } finally {
            isOver.set(true);
            Threads.join(sender);
        }
    }

    /** As {@link OpenLoop} does between two sends. */
    private static void keepTime(SkewedServer.Options options, AtomicBoolean isOver) {
        SplittableRandom random = new SplittableRandom(1);
        double gapNs = options.meanNs() / options.workers() / options.load();
        double dueNs = System.nanoTime();
        while (!isOver.get()) {
            dueNs -= Math.log(1 - random.nextDouble()) * gapNs;
            Instants.await((long) dueNs);
        }
    }

    private double work(SkewedServer.Options options, int seed) {
        int shortCycles = (int) (options.shortNs() / nsPerCycle);
        int longCycles = (int) (options.longNs() / nsPerCycle);
        long startNs = System.nanoTime();
        long x = seed;
        long requests = 0;
        double longDue = 0;
        long ranNs = 0;
        while (ranNs < TRY_NS || longDue >= options.longShare()) {
            // Ends where the mix is whole.
            longDue += options.longShare();
            boolean isLong = longDue >= 1;
            longDue -= isLong ? 1 : 0;
            x = Cycles.burn(x, isLong ? longCycles : shortCycles);
            requests++;
            ranNs = System.nanoTime() - startNs;
        }
        // Never true, and the compiler does not know.
        return x == 0 ? 1 : (double) requests / ranNs;
    }
}
