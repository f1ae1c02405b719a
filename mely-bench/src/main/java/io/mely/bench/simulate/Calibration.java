// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.simulate;

import java.util.Arrays;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

/**
 * Measures what a machine's file asks for and a program can see: loads, a locked instruction, a volatile store, a clock read, a line that goes from core
 * to core, a thread that is woken. Medians; a busy machine makes them longer, so the least of several is nearest to the truth.
 */
final class Calibration {
    private static final int TRIES = 7;
    private static final int LINE_INTS = 16;
    private static final int LOADS = 2_000_000;
    private static final int OPERATIONS = 2_000_000;
    private static final int HOPS = 100_000;
    private static final int WAKES = 2_000;

    private final double gigahertz;
    private long sink;

    Calibration(double gigahertz) {
        this.gigahertz = gigahertz;
    }

    /** The measured lines of a machine's file. */
    String text() throws InterruptedException {
        AtomicLong own = new AtomicLong();
        double cas = nsPer(OPERATIONS, () -> {
            for (long i = 0; i < OPERATIONS; i++) {
                own.compareAndSet(i, i + 1);
            }
            return own.getAndSet(0);
        });
        double store = nsPer(OPERATIONS, () -> {
            for (int i = 0; i < OPERATIONS; i++) {
                own.set(i);
            }
            return own.getAndSet(0);
        });
        double clock = nsPer(OPERATIONS / 8, () -> {
            long sum = 0;
            for (int i = 0; i < OPERATIONS / 8; i++) {
                sum += System.nanoTime();
            }
            return sum;
        });
        StringBuilder text = new StringBuilder();
        line(text, "caches[0].latency", cycles(loadNs(16 << 10)), "a load in 16 KB");
        line(text, "caches[1].latency", cycles(loadNs(512 << 10)), "a load in 512 KB");
        line(text, "caches[2].latency", cycles(loadNs(8 << 20)), "a load in 8 MB");
        line(text, "memory.latency", cycles(loadNs(128 << 20)), "a load in 128 MB");
        line(text, "transfer", cycles(hopNs()), "a line goes to the other core");
        line(text, "cpu.atomic", cycles(cas), "a CAS on an own line");
        line(text, "cpu.fence", cycles(store), "a volatile store");
        line(text, "cpu.clock", cycles(clock), "nanoTime");
        line(text, "os.wakeLatencyNs", wakeNs(), "park and unpark, one way");
        return text + (sink == 42 ? "\n" : "");
    }

    private static void line(StringBuilder text, String key, double value, String what) {
        text.append(String.format(Locale.ROOT, "%-20s %8.1f   # measured: %s%n", key, value, what));
    }

    private double cycles(double ns) {
        return ns * gigahertz;
    }

    private double nsPer(int operations, LongSupplier work) {
        double[] ns = new double[TRIES];
        for (int i = 0; i < TRIES; i++) {
            long start = System.nanoTime();
            sink += work.getAsLong();
            ns[i] = (double) (System.nanoTime() - start) / operations;
        }
        Arrays.sort(ns);
        return ns[TRIES / 2];
    }

    /** Follows a random ring through so many bytes, a line a step. */
    private double loadNs(int bytes) {
        int lines = bytes / (LINE_INTS * Integer.BYTES);
        int[] order = new int[lines];
        Arrays.setAll(order, i -> i);
        SplittableRandom random = new SplittableRandom(1);
        for (int i = lines - 1; i > 0; i--) {
            int j = random.nextInt(i + 1);
            int kept = order[i];
            order[i] = order[j];
            order[j] = kept;
        }
        int[] ring = new int[lines * LINE_INTS];
        for (int i = 0; i < lines; i++) {
            ring[order[i] * LINE_INTS] = order[(i + 1) % lines] * LINE_INTS;
        }
        return nsPer(LOADS, () -> {
            int at = 0;
            for (int i = 0; i < LOADS; i++) {
                at = ring[at];
            }
            return at;
        });
    }

    /** Two threads hand a number on. */
    private double hopNs() throws InterruptedException {
        double[] ns = new double[TRIES];
        for (int i = 0; i < TRIES; i++) {
            AtomicInteger turn = new AtomicInteger();
            Thread other = new Thread(() -> hop(turn, 1), "calibration");
            other.start();
            long start = System.nanoTime();
            hop(turn, 0);
            ns[i] = (double) (System.nanoTime() - start) / (2.0 * HOPS);
            other.join();
        }
        Arrays.sort(ns);
        return ns[TRIES / 2];
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

    private double wakeNs() throws InterruptedException {
        AtomicInteger turn = new AtomicInteger();
        Thread main = Thread.currentThread();
        Thread other = new Thread(() -> wake(turn, 1, main), "calibration");
        other.start();
        long start = System.nanoTime();
        wake(turn, 0, other);
        double ns = (double) (System.nanoTime() - start) / (2.0 * WAKES);
        other.join();
        return ns;
    }

    private static void wake(AtomicInteger turn, int parity, Thread other) {
        for (int i = 0; i < WAKES; i++) {
            while (turn.get() % 2 != parity) {
                LockSupport.park(turn);
            }
            turn.incrementAndGet();
            LockSupport.unpark(other);
        }
    }
}
