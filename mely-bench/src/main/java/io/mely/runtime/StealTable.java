// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import io.mely.StageOptions;
import io.mely.Stealing;
import io.mely.spi.NanoClock;
import java.time.Duration;

/**
 * Two cores without threads: their queues, full of worthy colors, and their thieves. Each steals from the other in turn, so that the
 * number of pending events stays as it was, to within one color.
 *
 * <p><b>Threads.</b> One at a time, handed on with release and acquire.
 */
public final class StealTable {
    private static final int DISTANCE = 3;
    private static final Stealing ONE_COLOR = Stealing.mely().withColorsMax(1);
    private static final Duration EVENT = Duration.ofMillis(10);

    private final CoreQueue[] queues = new CoreQueue[2];
    private final Thief[] thieves = new Thief[2];
    private final int colors;
    private final int pending;
    private final RecordPool pool;
    private long steals;

    /**
     * Fills both cores alike.
     *
     * @param pending events on each core
     * @param colors they are spread over
     * @param clock read by the thieves
     */
    public StealTable(int pending, int colors, NanoClock clock) {
        this.colors = colors;
        this.pending = pending;
        StealCosts costs = new StealCosts(new int[] {DISTANCE}, ONE_COLOR);
        int[][] distances = {{0, DISTANCE}, {DISTANCE, 0}};
        ColorIndex index = new ColorIndex(new ColorHomes(2 * colors, slot -> slot / colors));
        pool = new RecordPool(new RecordDepot(2 * pending));
        for (int core = 0; core < 2; core++) {
            queues[core] = new CoreQueue(core, costs.intervals(), index, pool.index());
        }
        CoreQueue.connect(queues, unused -> {});
        for (int core = 0; core < 2; core++) {
            thieves[core] = new Thief(core, queues, victim -> false, distances, ONE_COLOR, costs, clock);
        }
        HandlerProfile profile =
                new HandlerProfile("stolen", StageOptions.defaults().withProcessingTime(EVENT), ONE_COLOR);
        for (int core = 0; core < 2; core++) {
            fill(core, pool, profile);
        }
    }

    private void fill(int core, RecordPool pool, HandlerProfile profile) {
        CoreQueue queue = queues[core];
        queue.lock();
        for (int i = 0; i < pending; i++) {
            int number = 1 + core * colors + i % colors;
            if (!pool.hasRecord() || queue.send(queue.owner, number, profile, null, pool) == CoreQueue.AWAY) {
                throw new IllegalStateException("no record, or away from home: number=" + number);
            }
        }
        queue.unlock();
        pickAndLink(core); // from here on the owner looks busy
    }

    /**
     * One steal, and putting the loot in the thief's own queue as it does after a batch.
     *
     * @param thief 0 or 1
     * @return the color
     */
    public Object stealAndLink(int thief) {
        ColorQueue color = thieves[thief].steal(pool);
        if (color == null) {
            throw new IllegalStateException("nothing to steal: " + queues[1 - thief]);
        }
        steals++;
        CoreQueue own = queues[thief];
        own.lock();
        own.adopt(color, thieves[thief].until);
        own.end(own.owner);
        own.unlock();
        return color;
    }

    /**
     * The part of it that is no steal: an owner picks a color and links it again.
     *
     * @param core 0 or 1
     * @return the color's number
     */
    public int pickAndLink(int core) {
        CoreQueue own = queues[core];
        own.lock();
        boolean isPicked = own.pick(false);
        own.unlock();
        if (!isPicked) {
            throw new IllegalStateException("nothing ready: " + own);
        }
        own.lock();
        own.end(own.owner);
        own.unlock();
        return own.running;
    }

    /** Checks the queues, that each steal took one color the ordinary way, and that no event was lost. */
    public void check() {
        int events = 0;
        int ready = 0;
        for (CoreQueue queue : queues) {
            queue.lock();
            queue.ready.validate();
            ready += queue.ready.count();
            while (queue.pick(false)) {
                Turn turn = queue.owner;
                for (EventRecord record = turn.first(); record != null; record = turn.next(record)) {
                    events++;
                }
                queue.end(turn);
            }
            queue.unlock();
        }
        long counted = thieves[0].steals + thieves[1].steals;
        long rescues = thieves[0].rescues + thieves[1].rescues;
        if (ready != 2 * colors || events != 2 * pending || counted != steals || rescues != 0) {
            throw new IllegalStateException("ready=" + ready + ", events=" + events + ", counted=" + counted
                    + ", steals=" + steals + ", rescues=" + rescues);
        }
    }
}
