// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.paper;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * <i>idle wake</i>: one event from outside, then idleness of 2 ms; the time from the planned instant until it runs, and the CPU that
 * all Java threads take while nothing at all is sent.
 */
final class IdleWake extends OpenLoop {
    private static final int KIND = 1;
    /** Until spinning contenders have gone to sleep. */
    private static final long SETTLE_NS = TimeUnit.MILLISECONDS.toNanos(20);

    /**
     * The load.
     *
     * @param gapNs between events
     * @param colors of the events, in turn
     * @param idleNs without any event, at first; no longer than the run is measured
     */
    record Options(long gapNs, int colors, long idleNs) {
        static Options usual() {
            return new Options(2_000_000, 16, 200_000_000);
        }
    }

    private final Options options;
    private final Lane[] lanes;
    private final List<Wake> wakes = new ArrayList<>();
    private final AtomicInteger left = new AtomicInteger();
    private double idleCpuPercent;

    IdleWake(Options options) {
        this.options = options;
        lanes = new Lane[options.colors()];
        for (int i = 0; i < lanes.length; i++) {
            lanes[i] = new Lane();
        }
    }

    private final class Wake extends Request {
        private final int number;

        Wake(int index, long plannedNs) {
            super(1 + index % options.colors(), KIND, plannedNs);
            number = index / options.colors();
        }

        @Override
        void handle() {
            stop();
            Lane lane = lanes[key - 1];
            lane.begin(number);
            lane.end(number);
            int now = left.decrementAndGet();
            if (now == 0) {
                finish();
            } else if (now < 0) {
                throw new CheckFailedException("more events than were sent");
            }
        }
    }

    @Override
    List<Wake> plan(long warmNs, long endNs) {
        for (long at = options.gapNs(); at < endNs || wakes.isEmpty(); at += options.gapNs()) {
            wakes.add(new Wake(wakes.size(), at));
        }
        left.set(wakes.size());
        return wakes;
    }

    @Override
    void startBackground() {
        try {
            pause(SETTLE_NS);
            long cpuNs = -threadsCpuNs();
            long startNs = System.nanoTime();
            pause(Math.min(options.idleNs(), measureNs()));
            cpuNs += threadsCpuNs();
            idleCpuPercent = 100.0 * cpuNs / (System.nanoTime() - startNs);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Of all Java threads, to the nanosecond; that of the process comes in steps of 10 ms, and has the compiler in it. */
    private static long threadsCpuNs() {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        long sum = 0;
        for (long id : threads.getAllThreadIds()) {
            // -1 for one that is gone.
            sum += Math.max(0, threads.getThreadCpuTime(id));
        }
        return sum;
    }

    @Override
    void awaitAll() throws InterruptedException {
        awaitFinish();
    }

    @Override
    int keys() {
        return 1 + options.colors();
    }

    @Override
    List<Kind> kinds() {
        return List.of(Rounds.DRIVER, new Kind("wake", 0, 1));
    }

    @Override
    int home(int key) {
        return key;
    }

    @Override
    void check() {
        for (int i = 0; i < lanes.length; i++) {
            lanes[i].check(1 + i, (wakes.size() - i + lanes.length - 1) / lanes.length);
        }
        note("idle CPU %", idleCpuPercent);
    }
}
