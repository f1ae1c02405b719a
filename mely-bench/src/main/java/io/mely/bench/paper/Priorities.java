// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.paper;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * <i>priorities</i>: low events that send themselves again keep all workers busy, and a high one arrives each millisecond; the time from
 * its planned arrival until it runs. Contenders without priorities show what theirs is without.
 */
final class Priorities extends OpenLoop {
    private static final int LOW_KIND = 1;
    private static final int HIGH_KIND = 2;

    /**
     * The load.
     *
     * @param lows colors with an event each
     * @param lowNs of a low event
     * @param highs colors of the high events, in turn
     * @param gapNs between high events
     */
    record Options(int lows, int lowNs, int highs, int gapNs) {
        static Options usual() {
            return new Options(64, 20_000, 16, 1_000_000);
        }
    }

    private final Options options;
    private final int lowCycles;
    private final List<Low> lows = new ArrayList<>();
    private final List<High> highs = new ArrayList<>();
    private final Lane[] highLanes;
    /** Low colors and high events under way. */
    private final AtomicInteger left = new AtomicInteger();

    private volatile boolean isOver;

    Priorities(Options options) {
        this.options = options;
        lowCycles = (int) (options.lowNs() / Cycles.measureNs());
        for (int i = 0; i < options.lows(); i++) {
            lows.add(new Low(1 + i));
        }
        highLanes = new Lane[options.highs()];
        for (int i = 0; i < highLanes.length; i++) {
            highLanes[i] = new Lane();
        }
    }

    private final class Low extends Event {
        private final int key;
        private final Lane lane = new Lane();
        private int sent;
        private int ran;

        Low(int key) {
            this.key = key;
        }

        @Override
        void handle() {
            lane.begin(ran++);
            lane.end(Cycles.burn(lane.sum(), lowCycles));
            if (ran > sent) {
                throw new CheckFailedException("key " + key + ": more events than were sent");
            }
            if (isOver) {
                arrive();
            } else {
                send();
            }
        }

        void send() {
            sent++;
            executor().execute(key, LOW_KIND, this);
        }
    }

    private final class High extends Request {
        private final int number;

        High(int index, long plannedNs) {
            super(1 + options.lows() + index % options.highs(), HIGH_KIND, plannedNs);
            number = index / options.highs();
        }

        @Override
        void handle() {
            stop();
            Lane lane = highLanes[key - 1 - options.lows()];
            lane.begin(number);
            lane.end(number);
            arrive();
        }
    }

    private void arrive() {
        int now = left.decrementAndGet();
        if (now == 0) {
            finish();
        } else if (now < 0) {
            throw new CheckFailedException("more events than were sent");
        }
    }

    @Override
    List<High> plan(long warmNs, long endNs) {
        for (long at = options.gapNs(); at < endNs || highs.isEmpty(); at += options.gapNs()) {
            highs.add(new High(highs.size(), at));
        }
        left.set(highs.size() + lows.size());
        return highs;
    }

    @Override
    void startBackground() {
        lows.forEach(Low::send);
    }

    @Override
    void awaitAll() throws InterruptedException {
        isOver = true;
        awaitFinish();
    }

    @Override
    int keys() {
        return 1 + options.lows() + options.highs();
    }

    @Override
    List<Kind> kinds() {
        return List.of(Rounds.DRIVER, new Kind("low", options.lowNs(), 1, 0), new Kind("high", 1_000, 1, 7));
    }

    @Override
    int home(int key) {
        return key;
    }

    @Override
    void check() {
        long ran = 0;
        for (Low low : lows) {
            low.lane.check(low.key, low.sent);
            ran += low.ran;
        }
        for (int i = 0; i < highLanes.length; i++) {
            highLanes[i].check(1 + options.lows() + i, (highs.size() - i + highLanes.length - 1) / highLanes.length);
        }
        note("low events", (double) ran);
    }
}
