// SPDX-License-Identifier: Apache-2.0
package io.mely.queue;

import io.mely.profile.HandlerProfile;
import java.util.ArrayList;
import java.util.List;
import org.jetbrains.lincheck.datastructures.Validate;

/**
 * Two cores, and two colors that start on core 0, for Lincheck: production queues, driven by the steps that senders, cores and thieves
 * take, with nothing between the steps. Events weigh 1; a color of two events is worthy.
 *
 * <p>The small methods at the end are what the broken twins replace.
 */
public class ColorModel {
    private static final int BATCH = 2;
    private static final HandlerProfile HANDLER = Lane.handler(1);

    final RecordIndex records = new RecordIndex();
    final CoreQueue[] queues;
    final ColorQueue[] colors;
    private final List<List<Integer>> ran = List.of(new ArrayList<>(), new ArrayList<>());
    private final ColorQueue[] runs = new ColorQueue[2]; // what each core runs now

    /** All idle. */
    public ColorModel() {
        TimeLeftIntervals intervals = new TimeLeftIntervals(1);
        ColorIndex index = new ColorIndex();
        queues = new CoreQueue[] {new CoreQueue(0, intervals, index), new CoreQueue(1, intervals, index)};
        colors = new ColorQueue[] {new Lane(0, 0, records), new Lane(1, 0, records)};
    }

    // ------------------------------------------------------------------ operations

    /** A thread that is no core sends. */
    public void send(int slot, int event) {
        ColorQueue color = colors[slot];
        if (append(color, record(event))) {
            color.opened(1, 3);
            handInOpened(color);
        } else if (color.addLeft(1, false) == 2) {
            handIn(color.home(), color); // a promotion
        }
    }

    /** A core sends; its own thread. */
    public void sendFrom(int me, int slot, int event) {
        ColorQueue color = colors[slot];
        boolean isOpener = color.tryOpen();
        if (isOpener) {
            color.set(HANDLER, event, 1);
        } else {
            isOpener = append(color, record(event));
        }
        if (isOpener) {
            color.opened(1, 3);
        } else if (color.addLeft(1, color.home() == me) != 2) {
            return;
        }
        int home = color.home();
        if (home == me && queues[me].tryLock()) {
            try {
                if (isOpener) {
                    queues[me].link(color);
                } else {
                    queues[me].touch(color);
                }
            } finally {
                queues[me].unlock();
            }
        } else if (isOpener) {
            handInOpened(color);
        } else {
            handIn(home, color);
        }
    }

    /** An entry that nothing asked for: a promotion that is late, doubled, or at a core where the color no longer lives. */
    public void promote(int core, int slot) {
        handIn(core, colors[slot]);
    }

    /** One turn of a core; its own thread. */
    public void core(int me) {
        ColorQueue color;
        queues[me].lock();
        try {
            drain(me);
            queues[me].validate();
            color = queues[me].pick(false);
        } finally {
            queues[me].unlock();
        }
        if (color != null) {
            batch(me, color);
        }
    }

    /** One attempt of a core to take whatever is ready from the other; the thief's own thread. */
    public void steal(int me) {
        steal(me, false);
    }

    /** The same for a color that pays. */
    public void stealWorthy(int me) {
        steal(me, true);
    }

    private void steal(int me, boolean isWorthy) {
        CoreQueue victim = queues[1 - me];
        if (!victim.tryLock()) {
            return;
        }
        ColorQueue color;
        try {
            drain(1 - me);
            color = isWorthy ? victim.takeWorthy(me, 1) : victim.takeNext(me, 2);
            victim.validate();
        } finally {
            victim.unlock();
        }
        if (color != null) {
            queues[me].lock();
            queues[me].linkRest(color);
            queues[me].unlock();
            batch(me, color);
        }
    }

    private void batch(int me, ColorQueue color) {
        boolean wasLast = false;
        EventRecord record = color.head();
        if (record.isConsumed()) { // consumed: a sender had not linked the next event
            record = advance(color, record);
        }
        for (int i = 0; i < BATCH && !wasLast && record != ColorQueue.LINKING; i++) {
            runs[me] = color;
            check(runs[1 - me] != color, "invariant 1: two runners");
            check(color.home() == me, "invariant 1: runs away from home");
            ran.get(color.slot()).add((Integer) record.event());
            color.subtractLeft(1);
            runs[me] = null; // after the next step it may be another's
            record = advance(color, record);
            wasLast = record == null;
        }
        queues[me].lock();
        try {
            if (!isIdle(color, wasLast)) {
                queues[me].link(color);
            }
            queues[me].runs(null);
            queues[me].validate();
        } finally {
            queues[me].unlock();
        }
    }

    /** What ran of a color when all is done; after the threads. */
    public List<Integer> ran(int slot) {
        runAll();
        return ran.get(slot);
    }

    /** Everything is at rest. */
    @Validate
    public void validate() {
        runAll();
        for (ColorQueue color : colors) {
            check(color.isIdle(), "invariant 3: an event was lost");
            check(color.placeAcquire() == ColorQueue.DETACHED, "invariant 5: idle and somewhere");
        }
    }

    private void runAll() {
        for (int turns = 0; hasWork(0) || hasWork(1); turns++) {
            check(turns < 100, "work that never ends");
            core(turns % 2);
        }
    }

    private EventRecord record(int event) {
        EventRecord record = records.make();
        record.set(HANDLER, event, 1);
        return record;
    }

    static void check(boolean isTrue, String what) {
        if (!isTrue) {
            throw new AssertionError(what);
        }
    }

    // ------------------------------------------------------------------ what the twins break

    boolean append(ColorQueue color, EventRecord record) {
        return color.append(record);
    }

    void handInOpened(ColorQueue color) {
        color.markOpened();
        handIn(color.home(), color);
    }

    void handIn(int core, ColorQueue color) {
        queues[core].handIn(color);
    }

    void drain(int core) {
        queues[core].drain();
    }

    boolean hasWork(int core) {
        return queues[core].hasWork();
    }

    EventRecord advance(ColorQueue color, EventRecord record) {
        return color.advance(record);
    }

    boolean isIdle(ColorQueue color, boolean wasLast) {
        return wasLast;
    }

    // ------------------------------------------------------------------ specification

    /** What it should be: a list for each color. Only {@code ran} shows what the other operations did. */
    public static class Specification {
        private final List<List<Integer>> sent = List.of(new ArrayList<>(), new ArrayList<>());

        /** Appends. */
        public void send(int slot, int event) {
            sent.get(slot).add(event);
        }

        /** Appends. */
        public void sendFrom(int me, int slot, int event) {
            sent.get(slot).add(event);
        }

        /** Nothing that is seen. */
        public void promote(int core, int slot) {}

        /** Nothing that is seen. */
        public void core(int me) {}

        /** Nothing that is seen. */
        public void steal(int me) {}

        /** Nothing that is seen. */
        public void stealWorthy(int me) {}

        /** All of them, in order. */
        public List<Integer> ran(int slot) {
            return sent.get(slot);
        }
    }
}
