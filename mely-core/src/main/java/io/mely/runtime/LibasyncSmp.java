// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * libasync-smp: one list per core, which mixes colors; a color lives on the core its slot hashes to, until it is stolen.
 *
 * <p>A sender looks up the color's core, locks its list, and looks again: a thief may have moved the color. While the color is in transit from
 * one list to the other it waits.
 *
 * <p><b>Source.</b> spec: libasync-smp §3; Mely §3.1, §3.6.
 */
public final class LibasyncSmp extends LibasyncRuntime {
    private final boolean canSteal;

    /** Set while a sleeping thief that was called is on its way: one at a time. */
    private final AtomicBoolean isThiefCalled = new AtomicBoolean();

    /**
     * Builds a runtime.
     *
     * @param config checked by the builder
     */
    public LibasyncSmp(RuntimeConfig config) {
        this(config, Machine.of(config));
    }

    /** Builds one on a machine that was looked at before. */
    LibasyncSmp(RuntimeConfig config, Machine machine) {
        super(config, machine);
        canSteal = config.stealing().enabled() && cores() > 1;
        for (int i = 0; i < cores(); i++) {
            setCore(new SmpCore(i, this, config));
        }
    }

    boolean canSteal() {
        return canSteal;
    }

    SmpCore smpCore(int index) {
        return (SmpCore) engineCore(index);
    }

    @Override
    void put(EventRecord record, LibasyncColor color, boolean isFirst) {
        SmpCore home = lockHome(color);
        MixedList list = home.list();
        try {
            if (isFirst) {
                list.appendFirst(record);
            } else {
                list.append(record);
            }
        } finally {
            home.lock().unlock();
        }
        VarHandle.fullFence(); // pairs with the one in LibasyncCore.rest
        if (home.isAsleep()) {
            home.wake(false);
        } else if (canSteal && home.hasLoot()) {
            callThief(home.core());
        }
    }

    /** Locks the list of the core that a color lives on. */
    private SmpCore lockHome(LibasyncColor color) {
        for (int spins = 0; ; spins++) {
            int core = color.homeAcquire();
            if (core >= 0) {
                SmpCore home = smpCore(core);
                home.lock().lock();
                if (color.homeAcquire() == core) {
                    return home;
                }
                home.lock().unlock();
            }
            SpinLock.pause(spins);
        }
    }

    /** Wakes one sleeping thief. After a full fence. */
    private void callThief(int victim) {
        if (sleepers.get() == 0 || isThiefCalled.get() || !isThiefCalled.compareAndSet(false, true)) {
            return;
        }
        boolean isCalled = false;
        try {
            for (int i = 1; i < cores() && !isCalled; i++) {
                isCalled = smpCore((victim + i) % cores()).wake(true);
            }
        } finally {
            if (!isCalled) {
                isThiefCalled.set(false);
            }
        }
    }

    /** The thief that was called has looked at every victim. It may have left loot behind, which nobody was called for meanwhile. */
    void callEnded(boolean hasFound) {
        isThiefCalled.set(false);
        VarHandle.fullFence(); // pairs with the one in put
        for (int i = 0; hasFound && i < cores(); i++) {
            if (smpCore(i).hasLoot()) {
                callThief(i);
                return;
            }
        }
    }

    /** The core with most events: where a round of victims begins. */
    int mostLoaded() {
        int best = 0;
        for (int i = 1; i < cores(); i++) {
            if (smpCore(i).list().size() > smpCore(best).list().size()) {
                best = i;
            }
        }
        return best;
    }

    /** The colors of a list are of this engine. */
    static LibasyncColor colorOf(MixedColor color) {
        return (LibasyncColor) color;
    }
}
