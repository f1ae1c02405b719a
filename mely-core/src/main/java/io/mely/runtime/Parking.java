// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import io.mely.spi.Lane;
import io.mely.spi.SpinLock;
import io.mely.spi.Supply;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import org.jspecify.annotations.Nullable;

/**
 * The lanes of one core that wait for what their first event needs: see {@link Supply}. A list for each stage that has a supply.
 *
 * <p>A worker whose {@link Supply#tryTake} has failed parks the lane at the end of its turn. Before each step the core runs the first lanes of those lists whose stock suffices. A policy has chosen them
 * before, so they go before what is ready.
 *
 * <h2>Nothing waits for a wake-up</h2>
 *
 * Objects are freed by any thread, and their freeing tells nobody. A core with a parked lane is awake: it looks before each step, which is a time slice at most, and instead of going to sleep it runs
 * a lane without. So no wake-up can be lost, and no free pays for one. A core that has nothing to run takes parked colors of others, if it may steal and has stock.
 *
 * <h2>Invariants</h2>
 *
 * <ol>
 *   <li>A parked lane is in one list, and in no other place. A color counts as running, so no thief takes it.
 *   <li>While lanes of a stage are parked on a core, no other event of the stage takes from the core's stock: first in, first out.
 *   <li>A core does not sleep while a lane is parked on it.
 * </ol>
 *
 * <p><b>Threads.</b> As each method says; the lists under the lock, rank 45. <b>Costs.</b> O(1) for each lane, and a few loads for each list and step. A runtime without supplies: two loads a step.
 */
final class Parking extends HeadPad {
    private static final AtomicIntegerFieldUpdater<Parking> COUNT =
            AtomicIntegerFieldUpdater.newUpdater(Parking.class, "count");

    /** Of one stage. */
    private static final class Line {
        final StageImpl<?> stage;
        final Supply supply;
        int first = Lane.NONE;
        int last;
        volatile int count;
        volatile long firstSince; // the core's polls when the first lane became that

        Line(StageImpl<?> stage, Supply supply) {
            this.stage = stage;
            this.supply = supply;
        }

        /** Parked colors of the cores' own group may run on any core that steals. Other lanes run where their policy has put them. */
        boolean mayMove() {
            return stage.sink == null;
        }
    }

    private final Core core;
    private final ColorIndex colors;
    private final RecordIndex records;
    private final AtomicInteger everywhere;
    private final SpinLock lock = new SpinLock();
    private volatile Line[] lines = {}; // by the number of the stage's supply; a longer array replaces it
    private volatile int count;
    private int rotor;

    /** Makes empty lists; {@code everywhere} counts the lanes on all cores. */
    Parking(Core core, ColorIndex colors, RecordIndex records, AtomicInteger everywhere) {
        this.core = core;
        this.colors = colors;
        this.records = records;
        this.everywhere = everywhere;
    }

    /** Makes the list of a stage, before anybody knows the stage. One thread at a time; the numbers of supplies count up. */
    void add(StageImpl<?> stage, Supply supply) {
        Line[] longer = Arrays.copyOf(lines, lines.length + 1);
        longer[lines.length] = new Line(stage, supply);
        assert stage.supplyNumber == lines.length : "numbers count up";
        lines = longer;
    }

    // ------------------------------------------------------------------ a worker of the core, with it or without

    /** Whether lanes of a stage are parked here: who comes later waits behind them. A peek. */
    boolean isWaiting(StageImpl<?> stage) {
        return lines[stage.supplyNumber].count != 0;
    }

    /**
     * Parks a lane whose turn has ended, under no lock. Wakes the core, which another worker may have by now; and a core that has stock for it and sleeps.
     *
     * @param isFirst whether it was the first of its list
     */
    void park(Lane lane, StageImpl<?> stage, boolean isFirst) {
        Line line = lines[stage.supplyNumber];
        everywhere.incrementAndGet(); // first: it is never less than there are
        lock.lock();
        try {
            put(line, lane, isFirst);
        } finally {
            lock.unlock();
        }
        VarHandle.fullFence(); // pairs with the one in Wakeups.announce
        Wakeups wakeups = core.runtime().wakeups();
        boolean unused = wakeups.wake(core);
        if (line.mayMove() && core.canSteal() && wakeups.sleepers.get() != 0) {
            wakeOneWithStock(line, wakeups);
        }
    }

    private void put(Line line, Lane lane, boolean isFirst) {
        int id = lane.laneId();
        lane.link(Lane.NONE); // in the core-queue it may have had another
        if (line.first == Lane.NONE) {
            line.first = id;
            line.last = id;
            line.firstSince = core.polls();
        } else if (isFirst) {
            lane.link(line.first);
            line.first = id;
        } else {
            lane(line.last).link(id);
            line.last = id;
        }
        count(line, 1);
    }

    private void wakeOneWithStock(Line line, Wakeups wakeups) {
        MelyRuntime runtime = core.runtime();
        boolean isWoken = false;
        for (int i = 0; i < runtime.cores() && !isWoken; i++) {
            Core other = runtime.core(i);
            isWoken = other != core && other.isAsleep() && line.supply.isAvailable(i) && wakeups.wake(other);
        }
    }

    private Lane lane(int id) {
        return id < 0 ? colors.at(-id) : records.at(id);
    }

    private void count(Line line, int change) {
        assert lock.isLocked();
        int lanes = line.count + change;
        line.count = lanes;
        COUNT.lazySet(this, count + change);
    }

    // ------------------------------------------------------------------ the worker that has a core

    /** Whether no lane is parked here. A peek. */
    boolean isEmpty() {
        return count == 0;
    }

    /** Runs the lanes that may run by now: those with stock, first in first out, and the first of a list that has waited too long. Up to the end of the slice. Returns how many. */
    int run(CoreWorker me) {
        int ran = 0;
        Line[] all = lines;
        int from = rotor++ & Integer.MAX_VALUE;
        for (int i = 0; i < all.length && me.mayGoOn(); i++) {
            Line line = all[(from + i) % all.length];
            boolean isRun = true;
            while (isRun && line.count != 0 && me.mayGoOn()) {
                byte entry = entry(line);
                isRun = entry != Turn.ANEW && runFirst(me, line, entry);
                ran += isRun ? 1 : 0;
            }
        }
        return ran;
    }

    /** How the first lane of a list may run; {@link Turn#ANEW} if it may not. */
    private byte entry(Line line) {
        if (line.supply.isAvailable(core.core())) {
            return Turn.RESUMED;
        }
        return core.polls() - line.firstSince > line.supply.slicesMax() ? Turn.PASSING : Turn.ANEW;
    }

    /**
     * The core has found nothing to run, poll or steal: runs a lane of another core, if there is stock for it here. If the core would sleep otherwise, it runs one of its own without what that needs first: of the stage
     * that was made first, which is mostly nearest to the end of the pipeline, and so frees most.
     *
     * @param wouldSleep whether the core has spun in vain. While it spins, others free objects
     * @return how many it ran
     */
    int help(CoreWorker me, boolean wouldSleep) {
        if (everywhere.get() == 0) {
            return 0;
        }
        if (wouldSleep && count != 0) {
            for (Line line : lines) {
                if (line.count != 0 && runFirst(me, line, Turn.PASSING)) {
                    return 1;
                }
            }
        }
        Parking other = seesLoot();
        return other == null ? 0 : other.lend(me);
    }

    /** Runs the first color of those that the worker's core has stock for. Returns how many. */
    private int lend(CoreWorker me) {
        Line line = loot(me.core);
        return line != null && runFirst(me, line, Turn.RESUMED) ? 1 : 0;
    }

    /** Whether the core must not sleep. After its announcement. */
    boolean hasWork() {
        return count != 0 || (everywhere.get() != 0 && seesLoot() != null);
    }

    /** The lists of another core with a parked color for which there is stock here; null if there are none. */
    private @Nullable Parking seesLoot() {
        MelyRuntime runtime = core.runtime();
        for (int i = 0; i < runtime.cores() && core.canSteal(); i++) {
            Core other = runtime.core(i);
            if (other != core && other.parking().loot(core) != null) {
                return other.parking();
            }
        }
        return null;
    }

    private @Nullable Line loot(Core thief) {
        if (count == 0) {
            return null;
        }
        for (Line line : lines) {
            if (line.count != 0 && line.mayMove() && line.supply.isAvailable(thief.core())) {
                return line;
            }
        }
        return null;
    }

    /** Runs the first lane of a list on a worker of whatever core. False if there was none, or if it is parked again. */
    private boolean runFirst(CoreWorker me, Line line, byte entry) {
        Lane lane = poll(line);
        if (lane == null) {
            return false;
        }
        everywhere.decrementAndGet();
        me.turn.entry = entry;
        boolean unused = me.run(lane);
        me.turn.entry = Turn.ANEW;
        return !me.turn.isFirstRefused;
    }

    private @Nullable Lane poll(Line line) {
        lock.lock();
        try {
            if (line.first == Lane.NONE) {
                return null;
            }
            Lane lane = lane(line.first);
            line.first = lane.link();
            line.firstSince = core.polls();
            lane.link(Lane.NONE);
            count(line, -1);
            return lane;
        } finally {
            lock.unlock();
        }
    }

    // ------------------------------------------------------------------ checks

    /** Checks the lists; an AssertionError names what is broken. O(lanes); takes the lock. */
    void validate() {
        lock.lock();
        try {
            int sum = 0;
            for (Line line : lines) {
                int lanes = 0;
                int last = Lane.NONE;
                for (int id = line.first; id != Lane.NONE; id = lane(id).link()) {
                    last = id;
                    lanes++;
                    check(lanes <= line.count, "more lanes than are counted", line);
                    check(isStill(lane(id)), "a parked color does not count as running", line);
                }
                check(lanes == line.count, "fewer lanes than are counted", line);
                check(lanes == 0 || last == line.last, "last of a list", line);
                sum += lanes;
            }
            check(sum == count, "count", null);
        } finally {
            lock.unlock();
        }
    }

    private static boolean isStill(Lane lane) {
        return !(lane instanceof ColorQueue color) || color.place == ColorQueue.RUNNING;
    }

    private void check(boolean isTrue, String what, @Nullable Line line) {
        if (!isTrue) {
            throw new AssertionError("parking of core " + core.core() + ": " + what
                    + (line == null ? "" : ": stage=" + line.stage.name()));
        }
    }

    @Override
    public String toString() {
        return "Parking{core=" + core.core() + ", lanes=" + count + "}";
    }
}
