// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.simulate;

import com.sun.management.ThreadMXBean;
import io.mely.bench.paper.Trial;
import io.mely.bench.simulate.machine.Experiment;
import io.mely.bench.simulate.machine.MachineSpec;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.channels.Selector;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.DoubleUnaryOperator;
import java.util.function.LongSupplier;

/**
 * Measures what a machine's file asks for and a program can see, on two CPUs. The least of several tries: neighbours only add.
 *
 * <p>A cycle is that of the handlers' work in {@code paper}. What the runtime's own code takes is found with the runtime itself on one core, where nobody
 * steals and nothing moves, and with the simulator: two constants are those with which both take the same time in two workloads.
 */
final class Calibration {
    private static final int TRIES = 9;
    private static final int LINE_INTS = 16;
    /** 1 MB: random steps stay so near for a while, since a page that is not in the TLB is not what a cache's latency means. Less is prefetched. */
    private static final int BLOCK_LINES = 16_384;

    private static final int LOADS = 2_000_000;
    private static final int OPERATIONS = 1_000_000;
    private static final int HOPS = 100_000;
    private static final int WAKES = 2_000;
    /** Of which a waker can be sure that the other sleeps. */
    private static final long REST_NS = 30_000;

    private static final int MEMORY_BYTES = 512 << 20;
    private static final int STREAM_BYTES = 256 << 20;
    private static final int TRIAL_MS = 400;
    private static final double LINE_BYTES = 64;
    private static final int FIT_STEPS = 6;
    /** Colors, with their events larger than a core's caches. */
    private static final Map<String, Double> MANY = Map.of("colors", 50_000.0);

    private final Path machine;
    private final double gigahertz;
    private final Map<String, Double> values = new LinkedHashMap<>();
    private final StringBuilder text = new StringBuilder();
    private long sink;

    /**
     * Of this machine.
     *
     * @param machine its file, which has what cannot be measured
     */
    Calibration(Path machine) {
        this.machine = machine;
        double least = Double.MAX_VALUE;
        for (int i = 0; i < TRIES; i++) {
            least = Math.min(least, Trial.nsPerCycle());
        }
        gigahertz = 1 / least;
    }

    /** The measured lines of a machine's file. */
    String text() throws InterruptedException, IOException {
        put("gigahertz", gigahertz, "a fifth of a step of shift, xor and multiply");
        caches();
        instructions();
        sleeping();
        code();
        return text + (sink == 42 ? "\n" : "");
    }

    private void put(String key, double value, String what) {
        values.put(key, value);
        text.append(String.format(Locale.ROOT, "%-24s = %9.3f   # measured: %s%n", key, value, what));
    }

    private void caches() throws InterruptedException {
        comment("caches[0].latency", loadNs(16 << 10) * gigahertz, "a load in 16 KB");
        comment("caches[1].latency", loadNs(1 << 20) * gigahertz, "a load in 1 MB");
        comment("caches[2].latency", loadNs(8 << 20) * gigahertz, "a load in 8 MB");
        double hop = hopNs() * gigahertz;
        for (String place : new String[] {"sharedCache", "sharedLast", "samePackage", "otherPackage"}) {
            put("transfer." + place, hop, "a line goes to the other CPU; there is one distance");
        }
        double memory = loadNs(MEMORY_BYTES) * gigahertz;
        put("memory.latency", memory, "a load in 512 MB, in order of pages");
        put("memory.remoteLatency", memory, "one node");
        double[] ns = streamNs();
        put("memory.streamOverlap", memory / (ns[0] * gigahertz), "how much faster a walk through 256 MB is");
        put("memory.busCycles", ns[1] * gigahertz, "a line, when both CPUs walk");
    }

    /** The lists of a file cannot be replaced in part: for the reader. */
    private void comment(String key, double value, String what) {
        text.append(String.format(Locale.ROOT, "# %-22s = %9.3f   # measured: %s%n", key, value, what));
    }

    private void instructions() {
        AtomicLong own = new AtomicLong();
        AtomicLong another = new AtomicLong();
        put(
                "cpu.atomic",
                gigahertz
                        * nsPer(OPERATIONS, () -> {
                            for (long i = 0; i < OPERATIONS; i++) {
                                own.compareAndSet(i, i + 1);
                            }
                            return own.getAndSet(0);
                        }),
                "a CAS on an own line");
        put(
                "cpu.fence",
                gigahertz
                        * nsPer(OPERATIONS, () -> {
                            long sum = 0;
                            for (int i = 0; i < OPERATIONS; i++) {
                                own.set(i);
                                sum += another.get(); // else the compiler leaves all fences but the last out
                            }
                            return sum;
                        }),
                "a volatile store, then a volatile load");
        put(
                "cpu.pause",
                gigahertz
                        * nsPer(OPERATIONS, () -> {
                            for (int i = 0; i < OPERATIONS; i++) {
                                Thread.onSpinWait();
                            }
                            return 1;
                        }),
                "onSpinWait");
        put(
                "cpu.clock",
                gigahertz
                        * nsPer(OPERATIONS, () -> {
                            long sum = 0;
                            for (int i = 0; i < OPERATIONS; i++) {
                                sum += System.nanoTime();
                            }
                            return sum;
                        }),
                "nanoTime");
    }

    private double nsPer(int operations, LongSupplier work) {
        double least = Double.MAX_VALUE;
        for (int i = 0; i < TRIES; i++) {
            long start = System.nanoTime();
            sink += work.getAsLong();
            least = Math.min(least, (double) (System.nanoTime() - start) / operations);
        }
        return least;
    }

    /** Follows a ring through so many bytes, a line a step: block after block, in each at random. */
    private double loadNs(int bytes) {
        int lines = bytes / (LINE_INTS * Integer.BYTES);
        int[] order = new int[lines];
        Arrays.setAll(order, i -> i);
        SplittableRandom random = new SplittableRandom(1);
        for (int i = lines - 1; i > 0; i--) {
            int block = i / BLOCK_LINES * BLOCK_LINES;
            int j = block + random.nextInt(i - block + 1);
            int kept = order[i];
            order[i] = order[j];
            order[j] = kept;
        }
        int[] ring = new int[lines * LINE_INTS];
        for (int i = 0; i < lines; i++) {
            ring[order[i] * LINE_INTS] = order[(i + 1) % lines] * LINE_INTS;
        }
        int[] at = {0}; // goes on where the last try ended
        return nsPer(LOADS, () -> {
            int place = at[0];
            for (int i = 0; i < LOADS; i++) {
                place = ring[place];
            }
            at[0] = place;
            return place;
        });
    }

    /** A line of a walk that adds to each: one thread's; then the machine's, when two walk. */
    private double[] streamNs() throws InterruptedException {
        int lines = STREAM_BYTES / (LINE_INTS * Integer.BYTES);
        long[] mine = new long[STREAM_BYTES / Long.BYTES];
        long[] other = new long[STREAM_BYTES / Long.BYTES];
        double alone = nsPer(lines, () -> walk(mine));
        double both = Double.MAX_VALUE;
        for (int i = 0; i < TRIES; i++) {
            Thread thread = new Thread(() -> walk(other), "calibration");
            long start = System.nanoTime();
            thread.start();
            sink += walk(mine);
            thread.join();
            both = Math.min(both, (double) (System.nanoTime() - start) / (2 * lines));
        }
        return new double[] {alone, both};
    }

    private static long walk(long[] array) {
        long sum = 0;
        for (int i = 0; i < array.length; i += (int) LINE_BYTES / Long.BYTES) {
            sum += ++array[i];
        }
        return sum;
    }

    /** Two threads hand a number on. */
    private double hopNs() throws InterruptedException {
        double least = Double.MAX_VALUE;
        for (int i = 0; i < TRIES; i++) {
            AtomicInteger turn = new AtomicInteger();
            Thread other = new Thread(() -> hop(turn, 1), "calibration");
            other.start();
            long start = System.nanoTime();
            hop(turn, 0);
            least = Math.min(least, (double) (System.nanoTime() - start) / (2.0 * HOPS));
            other.join();
        }
        return least;
    }

    @SuppressWarnings("ThreadPriorityCheck") // with one CPU the other must get it
    private static void hop(AtomicInteger turn, int parity) {
        for (int i = 0; i < HOPS; i++) {
            for (int spins = 0; turn.getAcquire() % 2 != parity; spins++) {
                if (spins > 10_000) {
                    Thread.yield();
                }
            }
            turn.setRelease(2 * i + parity + 1);
        }
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

    private void sleeping() throws InterruptedException, IOException {
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
        put("os.blockNs", (double) sleeper.cpuNs / WAKES, "CPU time of a thread that parks and is woken");
        put("os.wakeNs", median(calls), "unpark of a thread that sleeps, median");
        put("os.wakeLatencyNs", Math.max(1, median(latencies)), "from the end of that until it runs, median");
        try (Selector selector = Selector.open()) {
            put(
                    "os.pollNs",
                    nsPer(OPERATIONS / 10, () -> {
                        for (int i = 0; i < OPERATIONS / 10; i++) {
                            poll(selector);
                        }
                        return 1;
                    }),
                    "selectNow of a Selector without keys");
        }
    }

    private static void poll(Selector selector) {
        try {
            selector.selectNow();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static double median(double[] all) {
        double[] sorted = all.clone();
        Arrays.sort(sorted);
        return sorted[sorted.length / 2];
    }

    /** What the runtime's code takes, and how much of its waiting for memory is hidden: with colors that fit the cache, and with many more. */
    private void code() {
        double small = realNs("chains", Map.of());
        double large = realNs("spread-short", MANY);
        double perBytecode = 0.15;
        double overlap = 4;
        for (int i = 0; i < FIT_STEPS; i++) {
            double kept = overlap;
            perBytecode = fit(0.02, 1, value -> simulatedNs("chains", Map.of(), value, kept) - small);
            double found = perBytecode;
            overlap = fit(1, 16, value -> large - simulatedNs("spread-short", MANY, found, value));
        }
        put("cpu.perBytecode", perBytecode, "chains takes as long on one core as simulated; cpu.hit the same");
        put("cpu.missOverlap", overlap, "so does spread-short with 50,000 colors");
    }

    /** Where a rising function is 0. */
    private static double fit(double from, double to, DoubleUnaryOperator rising) {
        double low = from;
        double high = to;
        for (int i = 0; i < FIT_STEPS; i++) {
            double middle = (low + high) / 2;
            if (rising.applyAsDouble(middle) > 0) {
                high = middle;
            } else {
                low = middle;
            }
        }
        return (low + high) / 2;
    }

    private static double realNs(String workload, Map<String, Double> parameters) {
        double least = Double.MAX_VALUE;
        for (int i = 0; i < TRIES; i++) {
            least = Math.min(
                    least,
                    1e6
                            / Trial.run(workload, parameters, "mely-off", 1, TRIAL_MS, TRIAL_MS)
                                    .kEventsPerS());
        }
        return least;
    }

    private double simulatedNs(String workload, Map<String, Double> parameters, double perBytecode, double overlap) {
        StringBuilder better = new StringBuilder();
        values.forEach(
                (key, value) -> better.append(key).append('=').append(value).append('\n'));
        better.append("cpu.perBytecode=")
                .append(perBytecode)
                .append("\ncpu.hit=")
                .append(perBytecode);
        better.append("\ncpu.missOverlap=").append(overlap);
        MachineSpec spec = MachineSpec.read(machine, better.toString());
        Map<String, Double> all = new TreeMap<>(Validation.SETTINGS);
        all.putAll(parameters);
        return 1e6
                / new Experiment(spec, 1, workload, "mely-off", all, 1, 8_000, 12_000, 100, false)
                        .run()
                        .kEventsPerS();
    }
}
