// SPDX-License-Identifier: Apache-2.0
package io.mely.bench;

import io.mely.StageOptions;
import io.mely.Stealing;
import io.mely.profile.HandlerProfile;
import io.mely.queue.ColorIndex;
import io.mely.queue.ColorQueue;
import io.mely.queue.CoreQueue;
import io.mely.queue.EventRecord;
import io.mely.queue.RecordDepot;
import io.mely.queue.RecordIndex;
import io.mely.queue.RecordPool;
import io.mely.spi.NanoClock;
import io.mely.steal.StealCosts;
import io.mely.steal.Thief;
import java.time.Duration;

/**
 * Two cores without threads: their queues, full of worthy colors, and their thieves. Each steals from the other in turn, so that the
 * number of pending events stays as it was, to within one color.
 *
 * <p><b>Threads.</b> One at a time, handed on with release and acquire.
 */
final class StealTable {
    private static final int DISTANCE = 3;

    private final CoreQueue[] queues = new CoreQueue[2];
    private final Thief[] thieves = new Thief[2];
    private final int colors;
    private final int pending;
    private long steals;

    private static final class Lane extends ColorQueue {
        int events;

        Lane(int slot, int home, RecordIndex records) {
            super(slot, home, records);
        }
    }

    /**
     * Fills both cores alike.
     *
     * @param pending events on each core
     * @param colors they are spread over
     * @param clock read by the thieves
     */
    StealTable(int pending, int colors, NanoClock clock) {
        this.colors = colors;
        this.pending = pending;
        StealCosts costs = new StealCosts(new int[] {DISTANCE}, true);
        int[][] distances = {{0, DISTANCE}, {DISTANCE, 0}};
        ColorIndex index = new ColorIndex();
        for (int core = 0; core < 2; core++) {
            queues[core] = new CoreQueue(core, costs.intervals(), index);
            thieves[core] = new Thief(core, queues, distances, Stealing.mely(), costs, clock);
        }
        RecordPool pool = new RecordPool(new RecordDepot(2 * pending));
        HandlerProfile profile = new HandlerProfile(
                "stolen", StageOptions.defaults().withProcessingTime(Duration.ofMillis(1)), Stealing.mely());
        for (int core = 0; core < 2; core++) {
            fill(core, pool, profile);
        }
    }

    private void fill(int core, RecordPool pool, HandlerProfile profile) {
        CoreQueue queue = queues[core];
        Lane[] lanes = new Lane[colors];
        for (int i = 0; i < colors; i++) {
            lanes[i] = new Lane(core * colors + i, core, pool.index());
        }
        for (int i = 0; i < pending; i++) {
            Lane lane = lanes[i % colors];
            EventRecord record = pool.take();
            if (record == null) {
                throw new IllegalStateException("no record");
            }
            record.set(profile, null, profile.weight());
            lane.events++;
            if (lane.append(record)) {
                lane.opened(profile.weight(), profile.priority());
            } else {
                lane.addLeft(profile.weight(), true);
            }
        }
        queue.lock();
        for (Lane lane : lanes) {
            queue.link(lane);
        }
        queue.runs(new Lane(2 * colors + core, core, pool.index())); // the owner is busy
        queue.unlock();
    }

    /**
     * One steal, and putting the loot in the thief's own queue as it does after a batch.
     *
     * @param thief 0 or 1
     * @return the color
     */
    ColorQueue stealAndLink(int thief) {
        ColorQueue color = thieves[thief].steal();
        if (color == null) {
            throw new IllegalStateException("nothing to steal: " + queues[1 - thief]);
        }
        steals++;
        CoreQueue own = queues[thief];
        own.lock();
        own.link(color);
        own.unlock();
        own.beginTurn(); // else it would look stuck, and be rescued
        return color;
    }

    /**
     * The part of it that is no steal: an owner picks a color and links it again.
     *
     * @param core 0 or 1
     * @return the color
     */
    ColorQueue pickAndLink(int core) {
        CoreQueue own = queues[core];
        own.lock();
        ColorQueue color = own.pick(false);
        own.unlock();
        if (color == null) {
            throw new IllegalStateException("nothing ready: " + own);
        }
        own.lock();
        own.link(color);
        own.unlock();
        return color;
    }

    /** Checks the queues, that each steal took one color the ordinary way, and that no event was lost. */
    void check() {
        int events = 0;
        int ready = 0;
        for (CoreQueue queue : queues) {
            queue.lock();
            queue.validate();
            ready += queue.readyCount();
            for (ColorQueue color = queue.pick(false); color != null; color = queue.pick(false)) {
                events += ((Lane) color).events;
            }
            queue.unlock();
        }
        long counted = thieves[0].steals() + thieves[1].steals();
        long rescues = thieves[0].rescues() + thieves[1].rescues();
        if (ready != 2 * colors || events != 2 * pending || counted != steals || rescues > steals / 10_000) {
            throw new IllegalStateException("ready=" + ready + ", events=" + events + ", counted=" + counted
                    + ", steals=" + steals + ", rescues=" + rescues);
        }
    }
}
