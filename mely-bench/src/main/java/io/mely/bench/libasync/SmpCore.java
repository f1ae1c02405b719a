// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.libasync;

import io.mely.spi.StageGroup;
import io.mely.spi.Worker;
import io.mely.spi.Workers;

/**
 * A core of libasync-smp, owner of its list and thief of the others'.
 *
 * <p>A steal locks the victim, takes all events of one color out of its list, unlocks it, and only then locks the thief's own list: no core
 * holds two locks. In between the color is in transit.
 *
 * <p>A thief that sees loot stays awake. The base algorithm may be unable to take that loot, so after a few looks the thief naps, looks once, and naps twice as long.
 *
 * <p><b>Threads.</b> The core's, but for the list. <b>Source.</b> spec: Mely §3.6.
 */
final class SmpCore implements StageGroup.Visitor {
    private static final long NAP_NS_MIN = 1_000_000;
    private static final long NAP_NS_MAX = 32_000_000;

    /** Loot seen so often in a row and not got is none that the base algorithm may take. Guess. */
    private static final int DECLINED_MAX = 3;

    final int index;
    final MixedList list;

    private final LibasyncSmp smp;
    private final int cores;
    private final MixedVisitor visitor;
    private final EventChain chain = new EventChain();

    private int declined;
    private long napNs = NAP_NS_MIN;

    SmpCore(int index, LibasyncSmp smp, Workers workers, MixedColors colors) {
        this.index = index;
        this.smp = smp;
        cores = workers.cores();
        list = new MixedList(workers, colors);
        visitor = new MixedVisitor(list, () -> workers.wake(index));
    }

    /** Whether two colors wait, so that one may be taken. A peek. */
    boolean hasLoot() {
        return list.distinct() >= 2;
    }

    @Override
    public int run(Worker worker) {
        if (list.eligible() != 0) {
            isBusy(); // not afterwards: the core may be another thread's by then
        }
        return visitor.run(worker);
    }

    private void isBusy() {
        declined = 0;
        napNs = NAP_NS_MIN;
    }

    // ------------------------------------------------------------------ as a thief

    @Override
    public int help(Worker worker) {
        if (!smp.steals()) {
            return 0;
        }
        boolean hasStolen = steal();
        smp.callEnded(hasStolen);
        if (!hasStolen) {
            return 0;
        }
        isBusy();
        return visitor.run(worker);
    }

    private boolean steal() {
        int start = smp.mostLoaded();
        for (int i = 0; i < cores; i++) {
            int victim = (start + i) % cores;
            if (victim != index && stealFrom(smp.visitor(victim).list)) {
                return true;
            }
        }
        return false;
    }

    private boolean stealFrom(MixedList victim) {
        return victim.size() >= 2 // else it cannot hold two colors: an idle thief need not lock those who have nothing
                && move(victim);
    }

    /** Senders to the color wait until this has ended. The simulator runs nobody else meanwhile: it has one thread, on which they would wait for ever. */
    private boolean move(MixedList victim) {
        MixedColor taken;
        victim.lock.lock();
        try {
            taken = victim.steal(chain);
            if (taken != null) {
                taken.home(~index);
            }
        } finally {
            victim.lock.unlock();
        }
        if (taken == null) {
            return false;
        }
        list.lock.lock();
        try {
            list.adopt(taken, chain);
            taken.home(index);
        } finally {
            list.lock.unlock();
        }
        return true;
    }

    // ------------------------------------------------------------------ resting

    @Override
    public boolean hasWork() {
        if (visitor.hasWork()) {
            return true;
        }
        if (!smp.steals() || declined == DECLINED_MAX || !smp.seesLoot(index)) {
            return false;
        }
        declined++;
        return true;
    }

    /** Each call doubles what the next one says. */
    @Override
    public long sleepNsMax() {
        if (!smp.steals()) {
            return Long.MAX_VALUE;
        }
        long nowNs = napNs;
        napNs = Math.min(2 * nowNs, NAP_NS_MAX);
        return nowNs;
    }
}
