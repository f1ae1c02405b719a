// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.simulate;

import com.sun.management.ThreadMXBean;
import io.mely.bench.paper.Trial;
import io.mely.bench.simulate.Tries.Found;
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
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.DoubleSupplier;
import java.util.function.DoubleUnaryOperator;
import java.util.function.LongSupplier;

/**
 * Measures what a machine's file asks for and a program can see, on two CPUs, by {@link Tries}. What stayed unsure is marked, and no line for the file.
 *
 * <p>A cycle is that of the handlers' work in {@code paper}. What the runtime's own code takes is found with the runtime itself on one core, where nobody
 * steals and nothing moves, and with the simulator: two constants are those with which both take the same time in two workloads.
 */
final class Calibration {
    /** Of each group of things that are measured in turn. */
    private static final long BUDGET_NS = TimeUnit.SECONDS.toNanos(15);

    /** That one thread hands to another, to be read and then changed: they fit the first level. */
    private static final int HANDED_LINES = 256;

    /** Hand-overs of a try: fewer would be over before they are compiled. */
    private static final int HANDS = 200;

    private static final int LINE_INTS = 16;
    /** 1 MB: random steps stay so near for a while, since a page that is not in the TLB is not what a cache's latency means. Less is prefetched. */
    private static final int BLOCK_LINES = 16_384;

    private static final int LOADS = 500_000;
    private static final int OPERATIONS = 200_000;
    private static final int HOPS = 20_000;
    private static final int WAKES = 2_000;
    /** Of which a waker can be sure that the other sleeps. */
    private static final long REST_NS = 30_000;

    private static final int MEMORY_BYTES = 512 << 20;
    private static final int STREAM_BYTES = 256 << 20;
    private static final int TRIAL_MS = 100;
    private static final double LINE_BYTES = 64;
    private static final int FIT_STEPS = 6;
    /** Colors, with their events larger than a core's caches. */
    private static final Map<String, Double> MANY = Map.of("colors", 50_000.0);

    private final Path machine;
    private double gigahertz;
    private final Map<String, Double> values = new LinkedHashMap<>();
    private final Map<String, Found> found = new LinkedHashMap<>();
    private final StringBuilder text = new StringBuilder();
    private long sink;

    /**
     * Of this machine.
     *
     * @param machine its file, which has what cannot be measured
     */
    Calibration(Path machine) {
        this.machine = machine;
    }

    /** The measured lines of a machine's file. */
    String text() throws InterruptedException, IOException {
        try (Selector selector = Selector.open()) {
            measure(near(selector));
        }
        measure(Map.of("memory", loads(MEMORY_BYTES)));
        measure(streams());
        gigahertz = 1 / of("cycle").value();
        put("gigahertz", gigahertz, of("cycle"), "a fifth of a step of shift, xor and multiply");
        caches();
        instructions();
        sleeping();
        code();
        return text + (sink == 42 ? "\n" : "");
    }

    private void measure(Map<String, DoubleSupplier> probes) {
        found.putAll(Tries.measure(probes, System::nanoTime, BUDGET_NS));
    }

    private Found of(String probe) {
        return Objects.requireNonNull(found.get(probe), probe);
    }

    private void put(String key, double value, Found found, String what) {
        values.put(key, value);
        line(found.isSure() ? "" : "# unsure: ", key, value, found, what);
    }

    /** Of all wake-ups. */
    private void putMean(String key, double value, String what) {
        values.put(key, value);
        text.append(String.format(Locale.ROOT, "%-24s = %9.3f   # measured: %s%n", key, value, what));
    }

    /** A probe's nanoseconds in cycles. */
    private void put(String key, String probe, String what) {
        put(key, of(probe).value() * gigahertz, of(probe), what);
    }

    /** The lists of a file cannot be replaced in part: for the reader. */
    private void comment(String key, String probe, String what) {
        line("# ", key, of(probe).value() * gigahertz, of(probe), what);
    }

    private void line(String before, String key, double value, Found found, String what) {
        text.append(String.format(
                Locale.ROOT,
                "%-24s = %9.3f   # measured: %s (%d tries, spread %.0f %%)%n",
                before + key,
                value,
                what,
                found.tries(),
                100 * found.spread()));
    }

    private void caches() {
        comment("caches[0].latency", "16 KB", "a load in 16 KB");
        comment("caches[1].latency", "1 MB", "a load in 1 MB");
        comment("caches[2].latency", "8 MB", "a load in 8 MB");
        for (String place : new String[] {"sharedCache", "sharedLast", "samePackage", "otherPackage"}) {
            put("transfer." + place, "hop", "a line goes to the other CPU; there is one distance");
        }
        comment(
                "a CAS after a read",
                "CAS after read",
                "of a line from the other CPU: transfer.migrates if it is like cpu.atomic");
        put("memory.latency", "memory", "a load in 512 MB, in order of pages");
        put("memory.remoteLatency", "memory", "one node");
        Found walk = of("walk");
        put(
                "memory.streamOverlap",
                of("memory").value() / walk.value(),
                walk,
                "how much faster a walk through 256 MB is");
        put("memory.busCycles", "walk of two", "a line, when both CPUs walk");
    }

    private void instructions() {
        put("cpu.atomic", "CAS", "a CAS on an own line");
        put("cpu.fence", "fence", "a volatile store, then a volatile load");
        put("cpu.pause", "pause", "onSpinWait");
        put("cpu.clock", "clock", "nanoTime");
        put("os.pollNs", of("poll").value(), of("poll"), "selectNow of a Selector without keys");
    }

    /** What takes little memory. */
    Map<String, DoubleSupplier> near(Selector selector) {
        AtomicLong own = new AtomicLong();
        AtomicLong another = new AtomicLong();
        Map<String, DoubleSupplier> probes = new LinkedHashMap<>();
        probes.put("cycle", Trial::nsPerCycle);
        probes.put("16 KB", loads(16 << 10));
        probes.put("1 MB", loads(1 << 20));
        probes.put("8 MB", loads(8 << 20));
        probes.put("hop", this::hopNs);
        probes.put("CAS after read", this::casAfterReadNs);
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

    /** Follows a ring through so many bytes, a line a step: block after block, in each at random. */
    private DoubleSupplier loads(int bytes) {
        int[] ring = ring(bytes / (LINE_INTS * Integer.BYTES));
        int[] at = {0}; // goes on where the last try ended
        return () -> nsPer(LOADS, () -> {
            int place = at[0];
            for (int i = 0; i < LOADS; i++) {
                place = ring[place];
            }
            at[0] = place;
            return place;
        });
    }

    private static int[] ring(int lines) {
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
        return ring;
    }

    /** A line of a walk that adds to each: one thread's; then the machine's, when two walk. */
    private Map<String, DoubleSupplier> streams() {
        int lines = STREAM_BYTES / (LINE_INTS * Integer.BYTES);
        long[] mine = new long[STREAM_BYTES / Long.BYTES];
        long[] other = new long[STREAM_BYTES / Long.BYTES];
        return Map.of("walk", () -> nsPer(lines, () -> walk(mine)), "walk of two", () -> {
            Thread thread = new Thread(() -> walk(other), "calibration");
            return nsPer(2 * lines, () -> {
                thread.start();
                long sum = walk(mine);
                join(thread);
                return sum;
            });
        });
    }

    private static void join(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    private static long walk(long[] array) {
        long sum = 0;
        for (int i = 0; i < array.length; i += (int) LINE_BYTES / Long.BYTES) {
            sum += ++array[i];
        }
        return sum;
    }

    /** Two threads hand a number on. */
    private double hopNs() {
        AtomicInteger turn = new AtomicInteger();
        Thread other = new Thread(() -> hop(turn, 1), "calibration");
        other.start();
        double ns = nsPer(2 * HOPS, () -> {
            hop(turn, 0);
            return 1;
        });
        join(other);
        return ns;
    }

    private double casAfterReadNs() {
        double sum = 0;
        for (int i = 0; i < HANDS; i++) {
            sum += handedNs();
        }
        return sum / HANDS;
    }

    /** Another thread writes lines, this one follows the ring through them; then a CAS of each: an own line's, or another transfer. */
    private double handedNs() {
        AtomicIntegerArray lines = new AtomicIntegerArray(ring(HANDED_LINES));
        AtomicBoolean areWritten = new AtomicBoolean();
        Thread other = new Thread(
                () -> {
                    for (int i = 0; i < lines.length(); i += LINE_INTS) {
                        lines.set(i, lines.get(i));
                    }
                    areWritten.set(true);
                },
                "calibration");
        other.start();
        while (!areWritten.get()) {
            Thread.onSpinWait(); // asleep this thread would leave its CPU to the other
        }
        int place = 0;
        for (int i = 0; i < HANDED_LINES; i++) {
            place = lines.get(place);
        }
        int start = place;
        double ns = nsPer(HANDED_LINES, () -> {
            int at = start;
            for (int i = 0; i < HANDED_LINES; i++) {
                at = lines.getAndAdd(at, 0);
            }
            return at;
        });
        join(other);
        return ns;
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

    private void sleeping() throws InterruptedException {
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
        putMean("os.blockNs", (double) sleeper.cpuNs / WAKES, "CPU time of a thread that parks and is woken");
        putMean("os.wakeNs", median(calls), "unpark of a thread that sleeps, median");
        putMean("os.wakeLatencyNs", Math.max(1, median(latencies)), "from the end of that until it runs, median");
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
        measure(Map.of("small", () -> realNs("chains", Map.of()), "large", () -> realNs("spread-short", MANY)));
        double small = of("small").value();
        double large = of("large").value();
        double perBytecode = 0.15;
        double overlap = 4;
        for (int i = 0; i < FIT_STEPS; i++) {
            double kept = overlap;
            perBytecode = fit(0.02, 1, value -> simulatedNs("chains", Map.of(), value, kept) - small);
            double fitted = perBytecode;
            overlap = fit(1, 16, value -> large - simulatedNs("spread-short", MANY, fitted, value));
        }
        put(
                "cpu.perBytecode",
                perBytecode,
                of("small"),
                "chains takes as long on one core as simulated; cpu.hit the same");
        put("cpu.missOverlap", overlap, of("large"), "so does spread-short with 50,000 colors");
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
        return 1e6
                / Trial.run(workload, parameters, "mely-off", 1, TRIAL_MS, TRIAL_MS)
                        .kEventsPerS();
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
