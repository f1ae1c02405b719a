// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.paper;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * <i>skewed server</i>: Poisson arrivals in colors of Zipf's law; most requests are short, some are a hundred times as long. The time
 * from a request's planned arrival to its end.
 */
final class SkewedServer extends OpenLoop {
    static final String NAME = "skewed-server";

    private static final int SHORT_KIND = 1;
    private static final int LONG_KIND = 2;

    /**
     * The load.
     *
     * @param workers of the contender
     * @param load share of what the workers can do, 0 to 1
     * @param colors of Zipf's law with exponent 1: the first has 13 % of 1,000
     * @param shortNs of a short request
     * @param longNs of a long one
     * @param longShare of the requests that are long
     * @param isByKey whether they are those of some keys, the rarest, and not any
     */
    record Options(int workers, double load, int colors, int shortNs, int longNs, double longShare, boolean isByKey) {
        Options(int workers, double load, int colors, int shortNs, int longNs, double longShare) {
            this(workers, load, colors, shortNs, longNs, longShare, false);
        }

        static Options usual(int workers) {
            return new Options(workers, 0.7, 1_000, 5_000, 500_000, 0.05);
        }

        /** The usual one and others, by the names of their workloads: which of them are long, and how many, decides what a scheduler must do. */
        static Map<String, Options> shapes(int workers) {
            Map<String, Options> shapes = new LinkedHashMap<>();
            shapes.put(NAME, usual(workers));
            shapes.put("skewed-50", usual(workers).withLoad(0.5));
            shapes.put("skewed-20us-1ms", new Options(workers, 0.6, 1_000, 20_000, 1_000_000, 0.02));
            shapes.put("skewed-5us-5ms", new Options(workers, 0.6, 1_000, 5_000, 5_000_000, 0.005));
            shapes.put("skewed-2us-200us", new Options(workers, 0.5, 5_000, 2_000, 200_000, 0.02));
            shapes.put("skewed-slow-keys", new Options(workers, 0.6, 1_000, 5_000, 5_000_000, 0.005, true));
            return shapes;
        }

        Options withLoad(double share) {
            return new Options(workers, share, colors, shortNs, longNs, longShare, isByKey);
        }

        double meanNs() {
            return shortNs * (1 - longShare) + longNs * longShare;
        }
    }

    private final Options options;
    private final Capacity capacity;
    private final Lane[] lanes;
    private final int[] sent;
    private final double[] zipf;
    private final int shortCycles;
    private final int longCycles;
    private final AtomicInteger left = new AtomicInteger();

    /** Of workers that are as fast as one thread each. */
    SkewedServer(Options options) {
        this(options, new Capacity());
    }

    /**
     * Of workers as fast as they were found to be.
     *
     * @param capacity shared by the runs of a round; measured by {@link #calibrate}
     */
    SkewedServer(Options options, Capacity capacity) {
        this.options = options;
        this.capacity = capacity;
        lanes = new Lane[options.colors()];
        zipf = new double[options.colors()];
        sent = new int[options.colors()];
        double sum = 0;
        for (int i = 0; i < lanes.length; i++) {
            lanes[i] = new Lane();
            sum += 1.0 / (i + 1);
            zipf[i] = sum;
        }
        double nsPerCycle = capacity.isMeasured() ? capacity.nsPerCycle() : Cycles.measureNs();
        shortCycles = (int) (options.shortNs() / nsPerCycle);
        longCycles = (int) (options.longNs() / nsPerCycle);
    }

    @Override
    void calibrate() {
        capacity.measure(options);
    }

    @Override
    String calibration() {
        return capacity.text();
    }

    @Override
    void calibrateAs(String calibration) {
        capacity.read(calibration);
    }

    /** Of all workers together, each request. */
    private double serviceNs() {
        return capacity.isMeasured() ? capacity.nsPerRequest() : options.meanNs() / options.workers();
    }

    private final class Call extends Request {
        private final int number;
        private long result;

        Call(int key, int kind, long plannedNs, int number) {
            super(key, kind, plannedNs);
            this.number = number;
        }

        @Override
        void handle() {
            Lane lane = lanes[key - 1];
            lane.begin(number);
            int cycles = kind == LONG_KIND ? longCycles : shortCycles;
            result = Cycles.burn(number, cycles);
            lane.end(kind);
            stop();
            int now = left.decrementAndGet();
            if (now == 0) {
                finish();
            } else if (now < 0) {
                throw new CheckFailedException("more events than were sent");
            }
        }
    }

    private final List<Call> calls = new ArrayList<>();

    @Override
    List<Call> plan(long warmNs, long endNs) {
        SplittableRandom random = new SplittableRandom(capacity.seed());
        double gapNs = serviceNs() / options.load();
        double at = 0;
        double offeredNs = 0;
        // At least one is measured.
        while (at < endNs || calls.isEmpty()) {
            int found = Arrays.binarySearch(zipf, random.nextDouble() * zipf[zipf.length - 1]);
            int color = Math.min(zipf.length - 1, found < 0 ? -found - 1 : found);
            int kind = isLong(color, random) ? LONG_KIND : SHORT_KIND;
            calls.add(new Call(1 + color, kind, (long) at, sent[color]++));
            offeredNs += at < warmNs ? 0 : kind == LONG_KIND ? options.longNs() : options.shortNs();
            at -= Math.log(1 - random.nextDouble()) * gapNs;
        }
        left.set(calls.size());
        // What chance made of the load while it is measured: there are few long requests in a short run.
        note("load %", 100 * offeredNs / options.meanNs() * serviceNs() / Math.max(1, endNs - warmNs));
        return calls;
    }

    private boolean isLong(int color, SplittableRandom random) {
        double of = options.isByKey() ? 1 - zipf[color] / zipf[zipf.length - 1] : random.nextDouble();
        return of < options.longShare();
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
        return List.of(Rounds.DRIVER, new Kind("short", options.shortNs(), 1), new Kind("long", options.longNs(), 1));
    }

    /** As a good hash does: neighbours in popularity are anywhere. */
    @Override
    int home(int key) {
        return (key * 0x9E3779B9) >>> 16;
    }

    @Override
    void check() {
        long[] sums = new long[lanes.length];
        for (Call call : calls) {
            sums[call.key - 1] = sums[call.key - 1] * 31 + call.kind;
        }
        for (int i = 0; i < lanes.length; i++) {
            lanes[i].check(i + 1, sent[i]);
            if (lanes[i].sum() != sums[i]) {
                throw new CheckFailedException("key " + (i + 1) + ": wrong checksum");
            }
        }
        for (int i = 0; i < calls.size(); i += Math.max(1, calls.size() / 64)) {
            Call call = calls.get(i);
            if (call.result != Cycles.burn(call.number, call.kind == LONG_KIND ? longCycles : shortCycles)) {
                throw new CheckFailedException("key " + call.key + ": wrong result");
            }
        }
    }
}
