// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.simulate;

import com.sun.management.ThreadMXBean;
import io.mely.bench.paper.Trial;
import io.mely.bench.report.Stat;
import io.mely.topology.CacheMap;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.channels.Selector;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.DoubleSupplier;
import java.util.function.LongSupplier;

/**
 * What of a machine a program can see: each probe is one short try, in nanoseconds of a step; {@link Tries} makes many of them. What two CPUs share is
 * {@link HandOvers}'.
 */
final class Probes {
    private static final int LOADS = 500_000;
    private static final int OPERATIONS = 200_000;
    private static final int WAKES = 2_000;
    /** Of which a waker can be sure that the other sleeps. */
    private static final long REST_NS = 30_000;

    private static final int MEMORY_BYTES = 512 << 20;
    /** Times the last cache, for it is memory that walks are to be measured in. */
    private static final int CACHES_WALKED = 2;
    /** Of a try, and most of a walk, which is repeated. */
    private static final int WALKED_BYTES = 256 << 20;

    private static final int LINE_BYTES = 64;
    private static final int LINE_LONGS = LINE_BYTES / Long.BYTES;
    static final int PAGE_LINES = 64;
    private static final int PAGE_LONGS = PAGE_LINES * LINE_LONGS;
    /** Pages to the next one of a walk that always begins anew. */
    private static final int PAGES_APART = 64;

    private final Bound bound = new Bound();
    private long sink;

    /** The probe of a cache's level, from 0. */
    static String level(int level) {
        return "level " + (level + 1);
    }

    /** What the probes have added up: to be looked at, so that the compiler leaves none out. */
    long sink() {
        return sink;
    }

    /**
     * What takes little memory, by name.
     *
     * @param cacheBytes of each level, the nearest first: a load is measured in half of it, in the last in the {@linkplain LastLevel steps}
     * @param selector without keys
     */
    Map<String, DoubleSupplier> near(List<Long> cacheBytes, Selector selector) {
        AtomicLong own = new AtomicLong();
        AtomicLong another = new AtomicLong();
        Map<String, DoubleSupplier> probes = new LinkedHashMap<>();
        probes.put("cycle", Trial::nsPerCycle);
        for (int level = 0; level < cacheBytes.size() - 1; level++) {
            probes.put(level(level), cached(cacheBytes.get(level) / 2));
        }
        new LastLevel(cacheBytes).steps().forEach(bytes -> probes.put(LastLevel.probe(bytes), cached(bytes)));
        probes.put(
                "CAS",
                () -> nsPer(OPERATIONS, () -> {
                    for (long i = 0; i < OPERATIONS; i++) {
                        own.compareAndSet(i, i + 1);
                    }
                    return own.getAndSet(0);
                }));
        probes.put(
                "fence",
                () -> nsPer(OPERATIONS, () -> {
                    long sum = 0;
                    for (int i = 0; i < OPERATIONS; i++) {
                        own.set(i);
                        sum += another.get(); // else the compiler leaves all fences but the last out
                    }
                    own.set(0);
                    return sum;
                }));
        probes.put(
                "pause",
                () -> nsPer(OPERATIONS, () -> {
                    for (int i = 0; i < OPERATIONS; i++) {
                        Thread.onSpinWait();
                    }
                    return 1;
                }));
        probes.put(
                "clock",
                () -> nsPer(OPERATIONS, () -> {
                    long sum = 0;
                    for (int i = 0; i < OPERATIONS; i++) {
                        sum += System.nanoTime();
                    }
                    return sum;
                }));
        probes.put(
                "poll",
                () -> nsPer(OPERATIONS / 10, () -> {
                    for (int i = 0; i < OPERATIONS / 10; i++) {
                        poll(selector);
                    }
                    return 1;
                }));
        return probes;
    }

    private double nsPer(int operations, LongSupplier work) {
        long start = System.nanoTime();
        sink += work.getAsLong();
        return (double) (System.nanoTime() - start) / operations;
    }

    /** Of a cache: what others have pushed out since the last try is fetched first. */
    private DoubleSupplier cached(long bytes) {
        int lines = (int) (bytes / LINE_BYTES);
        int[] ring = Rings.ring(lines);
        return () -> {
            sink += Rings.follow(ring, 0, lines);
            return nsPer(LOADS, () -> Rings.follow(ring, 0, LOADS));
        };
    }

    /**
     * A load in memory, in order of pages; and one in another package's, if there is one, which a CPU there has touched first.
     *
     * @param map of the CPUs
     */
    Map<String, DoubleSupplier> memory(CacheMap map) {
        Map<String, DoubleSupplier> probes = new LinkedHashMap<>();
        int near = map.cpus().first();
        probes.put("memory", memory(near, near));
        HandOvers.Pair far = HandOvers.pairs(map).get(HandOvers.Place.OTHER_PACKAGE);
        if (far != null) {
            probes.put("remote memory", memory(far.to(), far.from()));
        }
        return probes;
    }

    private DoubleSupplier memory(int home, int reader) {
        int[] ring = bound.on(home, () -> Rings.ring(MEMORY_BYTES / LINE_BYTES));
        int[] at = {0}; // goes on where the last try ended
        return () -> bound.on(reader, () -> nsPer(LOADS, () -> at[0] = Rings.follow(ring, at[0], LOADS)));
    }

    /**
     * A line of a walk that adds to each: one thread's, from page to page; the machine's, when two walk; of pages that lie apart; and when each word of the
     * line is added to, in memory and in the nearest cache.
     *
     * @param cacheBytes of each level, the nearest first
     */
    Map<String, DoubleSupplier> walks(List<Long> cacheBytes) {
        long lastBytes = cacheBytes.get(cacheBytes.size() - 1);
        int pages = (int) (Math.min(CACHES_WALKED * lastBytes, WALKED_BYTES) / (PAGE_LINES * LINE_BYTES));
        long[] whole = new long[pages * PAGE_LONGS];
        // two walk through as much as one does, so that as much of it is in the caches
        long[] half = new long[pages / 2 * PAGE_LONGS];
        long[] other = new long[pages / 2 * PAGE_LONGS];
        long[] near = new long[(int) (cacheBytes.get(0) / 2 / Long.BYTES)];
        Map<String, DoubleSupplier> probes = new LinkedHashMap<>();
        probes.put("walk", () -> walkNs(whole, 1, LINE_LONGS));
        probes.put("walk of two", () -> {
            Thread thread = new Thread(() -> walk(other, 1, LINE_LONGS), "calibration");
            return nsPer(2 * linesWalked(half), () -> {
                thread.start();
                long sum = walk(half, 1, LINE_LONGS);
                Bound.join(thread);
                return sum;
            });
        });
        probes.put("walk of pages", () -> walkNs(whole, PAGES_APART, LINE_LONGS));
        probes.put("computing walk", () -> walkNs(whole, 1, 1));
        probes.put("computing", () -> walkNs(near, 1, 1));
        return probes;
    }

    private double walkNs(long[] array, int pagesApart, int longsApart) {
        return nsPer(linesWalked(array), () -> walk(array, pagesApart, longsApart));
    }

    private static int linesWalked(long[] array) {
        return walks(array) * array.length / LINE_LONGS;
    }

    private static int walks(long[] array) {
        return WALKED_BYTES / Long.BYTES / array.length;
    }

    private static long walk(long[] array, int pagesApart, int longsApart) {
        int pages = array.length / PAGE_LONGS;
        long sum = 0;
        for (int walk = 0; walk < walks(array); walk++) {
            for (int first = 0; first < pagesApart; first++) {
                for (int page = first; page < pages; page += pagesApart) {
                    sum += page(array, page * PAGE_LONGS, longsApart);
                }
            }
        }
        return sum;
    }

    private static long page(long[] array, int from, int longsApart) {
        long sum = 0;
        if (longsApart == 1) { // a loop of its own, as handlers have it, which compilers can make faster
            for (int i = from; i < from + PAGE_LONGS; i++) {
                sum += array[i]++;
            }
        } else {
            for (int i = from; i < from + PAGE_LONGS; i += LINE_LONGS) {
                sum += array[i]++;
            }
        }
        return sum;
    }

    /** A thread that sleeps, and one that wakes it when it is sure to. */
    private static final class Sleeper implements Runnable {
        private final AtomicInteger rung = new AtomicInteger();
        private final AtomicLong wokenNs = new AtomicLong();
        private volatile long cpuNs;

        @Override
        public void run() {
            ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
            long begin = threads.getCurrentThreadCpuTime();
            for (int i = 1; i <= WAKES; i++) {
                while (rung.get() < i) {
                    LockSupport.park(this);
                }
                wokenNs.set(System.nanoTime());
            }
            cpuNs = threads.getCurrentThreadCpuTime() - begin;
        }
    }

    /**
     * What a sleep takes, in nanoseconds.
     *
     * @param blockNs CPU time of a thread that parks and is woken, mean
     * @param wakeNs unpark of a thread that sleeps, median
     * @param wakeLatencyNs from the end of that until it runs, median
     */
    record Sleep(double blockNs, double wakeNs, double wakeLatencyNs) {}

    Sleep sleep() throws InterruptedException {
        Sleeper sleeper = new Sleeper();
        Thread thread = new Thread(sleeper, "calibration");
        thread.start();
        double[] calls = new double[WAKES];
        double[] latencies = new double[WAKES];
        for (int i = 0; i < WAKES; i++) {
            for (long until = System.nanoTime() + REST_NS; System.nanoTime() < until; ) {
                Thread.onSpinWait();
            }
            sleeper.wokenNs.set(0);
            sleeper.rung.incrementAndGet();
            long start = System.nanoTime();
            LockSupport.unpark(thread);
            long end = System.nanoTime();
            while (sleeper.wokenNs.get() == 0) {
                Thread.onSpinWait();
            }
            calls[i] = end - start;
            latencies[i] = Math.max(0, sleeper.wokenNs.get() - end);
        }
        thread.join();
        return new Sleep(
                (double) sleeper.cpuNs / WAKES,
                Stat.of(calls).median(),
                Math.max(1, Stat.of(latencies).median()));
    }

    private static void poll(Selector selector) {
        try {
            selector.selectNow();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
