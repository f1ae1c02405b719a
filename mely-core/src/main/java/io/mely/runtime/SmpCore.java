// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import org.jspecify.annotations.Nullable;

/**
 * A core of libasync-smp, owner of its list and thief of the others'.
 *
 * <p>A steal locks the victim, takes all events of one color out of its list, unlocks it, and only then locks the thief's own list: no core
 * holds two locks. In between the color is in transit.
 *
 * <p><b>Source.</b> spec: Mely §3.6.
 */
final class SmpCore extends LibasyncCore {
    private final LibasyncSmp smp;
    private final SpinLock lock = new SpinLock();
    private final MixedList list;
    private final EventChain chain = new EventChain();

    private long steals;
    private long attempts;
    private long stealTimeNs;
    private long stolenTime;

    SmpCore(int index, LibasyncSmp smp, RuntimeConfig config) {
        super(index, smp, config);
        this.smp = smp;
        list = new MixedList(MixedList.LOOK_AHEAD, smp.recordIndex());
    }

    SpinLock lock() {
        return lock;
    }

    MixedList list() {
        return list;
    }

    /** Whether two colors wait, so that one may be taken. A peek. */
    boolean hasLoot() {
        return list.distinct() >= 2;
    }

    @Override
    boolean hasWork() {
        return list.size() != 0;
    }

    @Override
    @Nullable
    EventRecord next(@Nullable LibasyncColor ended, @Nullable LibasyncColor favoured, boolean takesNext) {
        lock.lock();
        try {
            if (ended != null) {
                list.ended(ended);
            }
            return takesNext ? list.pick(favoured) : null;
        } finally {
            lock.unlock();
        }
    }

    // ------------------------------------------------------------------ as a thief

    @Override
    boolean canSteal() {
        return smp.canSteal();
    }

    @Override
    boolean steal() {
        int start = smp.mostLoaded();
        for (int i = 0; i < smp.cores(); i++) {
            int victim = (start + i) % smp.cores();
            if (victim != index && stealFrom(smp.smpCore(victim))) {
                return true;
            }
        }
        return false;
    }

    private boolean stealFrom(SmpCore victim) {
        if (victim.list.size() < 2) {
            return false; // cannot hold two colors: an idle thief need not lock those who have nothing
        }
        long startNs = clock().nanoTime();
        MixedColor taken;
        victim.lock.lock();
        attempts++;
        try {
            taken = victim.list.steal(chain);
            if (taken != null) {
                LibasyncSmp.colorOf(taken).homeRelease(~index);
            }
        } finally {
            victim.lock.unlock();
        }
        if (taken == null) {
            return false;
        }
        long weight = chain.weight();
        lock.lock();
        try {
            list.adopt(taken, chain);
            LibasyncSmp.colorOf(taken).homeRelease(index);
        } finally {
            lock.unlock();
        }
        steals++;
        stolenTime += weight;
        stealTimeNs += clock().nanoTime() - startNs;
        return true;
    }

    @Override
    boolean seesLoot() {
        for (int i = 0; i < smp.cores(); i++) {
            if (i != index && smp.smpCore(i).hasLoot()) {
                return true;
            }
        }
        return false;
    }

    @Override
    void callEnded(boolean hasFound) {
        smp.callEnded(hasFound);
    }

    @Override
    protected long steals() {
        return steals;
    }

    @Override
    protected long stealAttempts() {
        return attempts;
    }

    @Override
    protected long stealTimeNs() {
        return stealTimeNs;
    }

    @Override
    protected long stolenTime() {
        return stolenTime;
    }

    /** Links followed so far in this core's list. */
    long scanned() {
        lock.lock();
        try {
            return list.scanned();
        } finally {
            lock.unlock();
        }
    }
}
