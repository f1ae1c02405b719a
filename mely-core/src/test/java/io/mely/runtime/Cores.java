// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;

/** The queues of some cores without a runtime, driven by one thread, one step of a core, a sender or a thief at a time. */
public final class Cores {
    /** All of them. */
    public final CoreQueue[] queues;

    private static final int COLORS = 200_000;

    private final List<Lane> lanes = new ArrayList<>(); // by slot
    final ColorHomes homes = new ColorHomes(COLORS, slot -> 0);
    final ColorIndex index = new ColorIndex(homes);
    final RecordDepot depot = new RecordDepot(1 << 22);
    final RecordIndex records = depot.index();

    /** To whose inboxes something was forwarded. */
    final List<Integer> forwardedTo = new ArrayList<>();

    private final RecordPool[] pools;
    private final long[] ranWeight;

    /** Empty ones. */
    Cores(int count, TimeLeftIntervals intervals) {
        queues = new CoreQueue[count];
        pools = new RecordPool[count];
        ranWeight = new long[count];
        for (int core = 0; core < count; core++) {
            queues[core] = new CoreQueue(core, intervals, index, records);
            pools[core] = new RecordPool(depot);
        }
        CoreQueue.connect(queues, forwardedTo::add);
    }

    /** The records of a core's thread. */
    public RecordPool pool(int core) {
        return pools[core];
    }

    <T> T locked(int core, Function<CoreQueue, T> body) {
        queues[core].lock();
        try {
            return body.apply(queues[core]);
        } finally {
            queues[core].unlock();
        }
    }

    // ------------------------------------------------------------------ colors

    /** A new color without events. */
    public Lane lane(int home) {
        Lane lane = new Lane(this, lanes.size());
        if (home != 0) {
            homes.move(lane.number(), home);
        }
        lanes.add(lane);
        return lane;
    }

    /** A new color with events that its home has sent. */
    public Lane ready(int home, HandlerProfile handler, int events) {
        return lane(home).send(handler, events);
    }

    /** The color of a queue; null of null. */
    public Lane of(ColorQueue color) {
        return color == null ? null : of(color.number());
    }

    Lane of(int number) {
        return number == ColorIndex.NONE ? null : lanes.get(number - 1);
    }

    // ------------------------------------------------------------------ a core

    /** Moves the inbox, as far as one hold of the lock goes. */
    public boolean drain(int core) {
        pools[core].reserve();
        return locked(core, queue -> queue.arrivals.drain(pools[core]));
    }

    /** Moves every inbox until all are empty. */
    void drainAll() {
        while (Arrays.stream(queues).anyMatch(queue -> !queue.inbox.isEmpty() || queue.migration.hasArriving())) {
            for (int core = 0; core < queues.length; core++) {
                drain(core);
            }
        }
    }

    /** Takes the next color to run; null if none is ready. */
    public Lane pick(int core) {
        return pick(core, false);
    }

    Lane pick(int core, boolean isFromBelow) {
        return locked(core, queue -> queue.pick(isFromBelow)) ? of(queues[core].running) : null;
    }

    /** Runs one event of the color that was picked. */
    public Object runOne(int core) {
        EventRecord record = queues[core].owner.first();
        Object event = record.event();
        ranWeight[core] += record.weight();
        queues[core].owner.next(record);
        pools[core].give(record);
        return event;
    }

    /** Runs all that was picked. */
    public List<Object> runAll(int core) {
        List<Object> ran = new ArrayList<>();
        while (queues[core].owner.first() != null) {
            ran.add(runOne(core));
        }
        return ran;
    }

    /** Ends the run of the color that was picked. */
    public boolean end(int core) {
        long weight = ranWeight[core];
        ranWeight[core] = 0;
        return locked(core, queue -> QueueLook.end(queue, weight));
    }

    /** Picks a color, runs all that is pending there, and ends it. Null if none is ready. */
    public Lane runNext(int core) {
        Lane lane = pick(core);
        if (lane != null) {
            runAll(core);
            end(core);
        }
        return lane;
    }

    /** Picks and runs until nothing is ready; what ran, in order. */
    List<Object> runRest(int core) {
        List<Object> ran = new ArrayList<>();
        while (pick(core) != null) {
            ran.addAll(runAll(core));
            end(core);
        }
        return ran;
    }

    /** Takes in what was stolen; the first runs. */
    public boolean adopt(int core, ColorQueue stolen, boolean isSettling) {
        return locked(core, queue -> queue.adopt(stolen, isSettling ? 0 : -1));
    }

    /** Takes in what was stolen, runs all that was pending in the first, and ends it. */
    public List<Object> runStolen(int core, ColorQueue stolen, boolean isSettling) {
        adopt(core, stolen, isSettling);
        List<Object> ran = runAll(core);
        end(core);
        return ran;
    }

    /** Colors that leave a core. */
    int leaving(int core) {
        return queues[core].migration.leavingCount();
    }

    /** The structure of all. */
    public void validate() {
        for (int core = 0; core < queues.length; core++) {
            locked(core, queue -> {
                queue.ready.validate();
                return null;
            });
        }
    }
}
