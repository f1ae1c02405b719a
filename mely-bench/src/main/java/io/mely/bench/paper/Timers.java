// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.paper;

import java.util.List;
import java.util.SplittableRandom;
import org.HdrHistogram.Histogram;

/**
 * <i>timers</i>: a round schedules as many timers to fire as time-outs that never do: these are cancelled when all are scheduled.
 * Counted are both, started and fired or cancelled.
 */
final class Timers extends Rounds {
    private static final int KIND = 1;

    /**
     * The size.
     *
     * @param timers of a round, half of them time-outs
     * @param colors they fire in
     * @param delayNsMax of those that fire, evenly spread from 0
     * @param timeoutNs delay of those that do not
     */
    record Options(int timers, int colors, int delayNsMax, long timeoutNs) {
        Options(int timers, int colors, int delayNsMax) {
            this(timers, colors, delayNsMax, 30_000_000_000L);
        }

        static Options usual() {
            return new Options(20_000, 1_024, 5_000_000);
        }

        Options withTimeoutNs(long newTimeoutNs) {
            return new Options(timers, colors, delayNsMax, newTimeoutNs);
        }
    }

    private final Options options;
    private final Lane[] lanes;
    private final Shot[] shots;
    private final Shot[] timeouts;
    private final KeyedExecutor.Cancel[] cancels;
    private final Join join = new Join();

    Timers(Options options) {
        this.options = options;
        SplittableRandom random = new SplittableRandom(1);
        lanes = new Lane[options.colors()];
        for (int i = 0; i < lanes.length; i++) {
            lanes[i] = new Lane();
        }
        shots = new Shot[options.timers() / 2];
        timeouts = new Shot[shots.length];
        for (int i = 0; i < shots.length; i++) {
            shots[i] = new Shot(i, random.nextInt(options.delayNsMax()));
            timeouts[i] = new Shot(i, options.timeoutNs());
        }
        cancels = new KeyedExecutor.Cancel[shots.length];
    }

    private final class Shot extends Event {
        private final int index;
        private final long delayNs;
        private final int lane;
        private int fired;
        private long dueNs;
        private long lateNs;

        Shot(int index, long delayNs) {
            this.index = index;
            this.delayNs = delayNs;
            lane = index % options.colors();
        }

        KeyedExecutor.Cancel start() {
            dueNs = System.nanoTime() + delayNs;
            return executor().schedule(1 + lane, KIND, delayNs, this);
        }

        @Override
        void handle() {
            if (delayNs == options.timeoutNs()) {
                throw new CheckFailedException("a time-out fired");
            }
            Lane books = lanes[lane];
            books.begin(books.ran());
            lateNs = System.nanoTime() - dueNs;
            fired++;
            books.end(0);
            if (lateNs < 0) {
                throw new CheckFailedException("a timer fired " + -lateNs + " ns early");
            }
            if (join.arrive(index)) {
                roundDone();
            }
        }
    }

    @Override
    boolean suits(KeyedExecutor contender) {
        return contender.hasTimers();
    }

    @Override
    int keys() {
        return 1 + options.colors();
    }

    @Override
    List<Kind> kinds() {
        return List.of(DRIVER, new Kind("timer", 0, 1));
    }

    @Override
    int home(int key) {
        return key;
    }

    @Override
    boolean startsAtHome() {
        return false;
    }

    @Override
    int eventsPerRound() {
        return shots.length * 2;
    }

    @Override
    void register(int round) {
        // One more than timers, so that the round does not end while this still cancels.
        join.arm(shots.length + 1, 1);
        for (int i = 0; i < shots.length; i++) {
            shots[i].start();
            cancels[i] = timeouts[i].start();
        }
        for (KeyedExecutor.Cancel cancel : cancels) {
            if (!cancel.cancel()) {
                throw new CheckFailedException("a time-out could not be cancelled long before it was due");
            }
        }
        if (join.arrive(shots.length)) {
            roundDone();
        }
    }

    @Override
    Metric metric() {
        return Metric.K_TIMERS_PER_S;
    }

    @Override
    void check(int roundsRun) {
        Histogram late = new Histogram(3);
        for (Shot shot : shots) {
            if (shot.fired != roundsRun) {
                throw new CheckFailedException("a timer fired " + shot.fired + " of " + roundsRun + " times");
            }
            late.recordValue(shot.lateNs);
        }
        for (int i = 0; i < lanes.length; i++) {
            lanes[i].check(i + 1, roundsRun * ((shots.length - i + lanes.length - 1) / lanes.length));
        }
        // Of the last round.
        note("late p50 us", late.getValueAtPercentile(50) / 1e3);
        note("late p99 us", late.getValueAtPercentile(99) / 1e3);
    }
}
