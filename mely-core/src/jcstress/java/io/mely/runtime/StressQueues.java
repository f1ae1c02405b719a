// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import io.mely.StageOptions;
import io.mely.Stealing;

/** Two cores without a runtime, and the steps of senders, owners and thieves that the cases are made of. An event is a digit. */
public final class StressQueues {
    /** Of events that are not worth a steal. */
    public static final HandlerProfile LIGHT = stage(1, 3);

    /** Of events that are: ten times the bound. */
    public static final HandlerProfile HEAVY = stage(10_000, 3);

    /** Of events that raise the level of their color, too. */
    static final HandlerProfile URGENT = stage(10_000, 6);

    /** The pool of whoever is not one of the cores. */
    static final int SENDER = 2;

    private final ColorHomes homes = new ColorHomes(8, slot -> 0);
    private final ColorIndex index = new ColorIndex(homes);
    private final CoreQueue[] cores = new CoreQueue[2];
    private final RecordPool[] pools = new RecordPool[3];

    /** The plain memory of the handlers. */
    int state;

    /** Makes empty queues. */
    public StressQueues() {
        this(new TimeLeftIntervals(1_000));
    }

    /** Makes empty queues for which so much is worthy. */
    public StressQueues(TimeLeftIntervals intervals) {
        RecordDepot depot = new RecordDepot(2 * RecordDepot.CHAIN);
        for (int i = 0; i < pools.length; i++) {
            pools[i] = new RecordPool(depot);
        }
        for (int i = 0; i < cores.length; i++) {
            cores[i] = new CoreQueue(i, intervals, index, depot.index());
        }
        CoreQueue.connect(cores, core -> {});
    }

    static HandlerProfile stage(long timeNs, int priority) {
        return new HandlerProfile("stress", new StageOptions(timeNs, 1, priority, false), Stealing.mely());
    }

    /** The number of a color of core 0. */
    public static int color(int slot) {
        return slot + 1;
    }

    /** Where colors live: all of them on core 0 at first. */
    public ColorHomes homes() {
        return homes;
    }

    /** All of them, by index. */
    public CoreQueue[] cores() {
        return cores;
    }

    CoreQueue core(int core) {
        return cores[core];
    }

    /** Of a core as owner or thief, or of {@link #SENDER}. */
    public RecordPool pool(int owner) {
        return pools[owner];
    }

    ColorQueue queueOf(int number) {
        return index.at(number);
    }

    // ------------------------------------------------------------------ senders

    /** The owner sends to a color of its own. What {@link CoreQueue#send} says. */
    public int send(int core, int number, HandlerProfile stage, int event) {
        pools[core].hasRecord();
        cores[core].lock();
        int sent = cores[core].send(cores[core].owner, number, stage, event, pools[core]);
        cores[core].unlock();
        return sent;
    }

    /** Another thread puts an event into the inbox of a core, where its color lives. The position. */
    long offerAt(int core, int number, HandlerProfile stage, int event) {
        return cores[core].inbox.offer(number, stage, event, null, 0, null);
    }

    /** The same, if the color lives where it did. */
    long offer(int where, int number, HandlerProfile stage, int event) {
        Inbox inbox = cores[ColorHomes.coreOf(where)].inbox;
        return inbox.offer(number, stage, event, homes, where, null);
    }

    /** A whole send by another thread, as in {@code MelyRuntime}: the core that it went to; 2 if the color had moved at the first look. */
    int handIn(int number, HandlerProfile stage, int event) {
        boolean hasMoved = false;
        while (true) {
            int where = homes.where(number);
            if (offer(where, number, stage, event) != Inbox.MOVED) {
                return hasMoved ? 2 : ColorHomes.coreOf(where);
            }
            hasMoved = true;
        }
    }

    // ------------------------------------------------------------------ owners

    /** Moves the inbox of a core, as its owner. */
    void drain(int core) {
        pools[core].reserve();
        cores[core].lock();
        cores[core].arrivals.drain(pools[core]);
        cores[core].unlock();
    }

    /** Picks what a core runs next, inbox included. */
    public boolean pick(int core) {
        pools[core].reserve();
        cores[core].lock();
        cores[core].arrivals.drain(pools[core]);
        boolean isPicked = cores[core].pick(false);
        cores[core].unlock();
        return isPicked;
    }

    /** Runs the first event of what was picked, and no more. */
    void runFirst(int core) {
        EventRecord first = cores[core].owner.first();
        EventRecord unused = cores[core].owner.next(first);
        pools[core].give(first);
    }

    /** Ends what was picked. */
    void end(int core) {
        cores[core].lock();
        QueueLook.end(cores[core], 1);
        cores[core].unlock();
    }

    /** Runs and ends what was picked or stolen: its events in order, as digits. */
    public int runPicked(int core) {
        int order = 0;
        while (cores[core].owner.first() != null) {
            Object event = cores[core].owner.first().event();
            order = order * 10 + (event == null ? 0 : (int) event);
            runFirst(core);
        }
        end(core);
        return order;
    }

    /** The same with all that is ready and in the inbox. */
    int runAll(int core) {
        int order = 0;
        while (pick(core)) {
            int batch = runPicked(core);
            for (int i = batch; i > 0; i /= 10) {
                order *= 10;
            }
            order += batch;
        }
        cores[core].lock();
        cores[core].ready.validate();
        cores[core].unlock();
        return order;
    }

    // ------------------------------------------------------------------ thieves

    /** Core 1 takes what pays from core 0, as {@code Thief} and {@code Core} do. False if the lock was taken, or nothing pays. */
    boolean steal(boolean isDrained) {
        CoreQueue victim = cores[0];
        if (!victim.lock.tryLock()) {
            return false;
        }
        if (isDrained) {
            pools[1].reserve();
            victim.arrivals.drain(pools[1]);
        }
        ColorQueue color = victim.take(CoreQueue.WORTHY, cores[1], 0, 1);
        long until = color == null ? -1 : victim.migration.leave(color);
        victim.unlock();
        if (color != null) {
            cores[1].lock();
            cores[1].adopt(color, until);
            cores[1].unlock();
        }
        return color != null;
    }

    /** In the end core 1 has stolen the color: runs all that is pending anywhere. Its events in order; -1 if core 0 has some. */
    int runStolen() {
        int order = runPicked(1);
        if (runAll(0) != 0) {
            return -1;
        }
        int rest = runAll(1);
        for (int i = rest; i > 0; i /= 10) {
            order *= 10;
        }
        return runAll(0) != 0 ? -1 : order + rest;
    }
}
