// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.libasync;

import io.mely.Stage;
import io.mely.spi.Lane;
import io.mely.spi.StageGroup;
import io.mely.spi.Workers;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.IntUnaryOperator;

/**
 * libasync-smp: one list per core, which mixes colors; a color lives on core {@code slot mod cores}, until it is stolen.
 *
 * <p>A sender looks up the color's core, locks its list, and looks again: a thief may have moved the color. While the color is in transit from
 * one list to the other the sender waits.
 *
 * <p><b>No sleep on work.</b> What is eligible in a list is run by the list's core, or by a thief that takes it:
 *
 * <ul>
 *   <li>A sender wakes the core to whose list it has added. It adds, fences, and looks whether the core sleeps; the core announces its sleep, fences, and looks at the list. So
 *       one of them sees the other. If a thief has taken the color in between, the thief is awake and looks at its own list before it sleeps.
 *   <li>A color ends and has more events. The core that ran it looks at the list before it sleeps. A thread that has lost the core wakes the core: see
 *       {@link MixedVisitor}. A running color is not stolen, so it ends in the list in which it was picked.
 * </ul>
 *
 * <p>Calls to thieves only make loot wait less: no event depends on them. <b>Source.</b> spec: libasync-smp §3; Mely §3.1, §3.6.
 */
final class LibasyncSmp implements StageGroup, StageGroup.Sink, Libasync.Places {
    private static final int SPINS_BEFORE_YIELD = 128;

    private final Workers workers;
    private final boolean steals;
    private final MixedColors colors;
    private final SmpCore[] cores;

    /** Set while a sleeping thief that was called is on its way: one at a time. */
    private final AtomicBoolean isThiefCalled = new AtomicBoolean();

    LibasyncSmp(Workers workers, boolean steals, IntUnaryOperator homes) {
        this.workers = workers;
        this.steals = steals && workers.cores() > 1;
        colors = new MixedColors(slot -> Math.floorMod(homes.applyAsInt(slot), workers.cores()));
        cores = new SmpCore[workers.cores()];
        for (int i = 0; i < cores.length; i++) {
            cores[i] = new SmpCore(i, this, workers, colors);
        }
    }

    @Override
    public boolean keepsColors() {
        return true;
    }

    @Override
    public Sink sink(Stage<?> stage) {
        return this;
    }

    @Override
    public SmpCore visitor(int core) {
        return cores[core];
    }

    boolean steals() {
        return steals;
    }

    // ------------------------------------------------------------------ places, while nobody else runs

    @Override
    public boolean isIdle(int slot) {
        MixedColor color = colors.at(slot);
        return color.pending == 0 && !color.isRunning;
    }

    @Override
    public int home(int slot) {
        return colors.at(slot).home();
    }

    @Override
    public void home(int slot, int core) {
        colors.at(slot).home(core);
    }

    // ------------------------------------------------------------------ sending

    @Override
    public void add(Lane lane) {
        MixedColor color = colors.of(lane);
        SmpCore home = lockHome(color);
        try {
            home.list.append(lane, color);
        } finally {
            home.list.lock.unlock();
        }
        if (!workers.wake(home.index) && steals && home.hasLoot()) {
            callThief();
        }
    }

    /** Locks the list of the core that a color lives on. */
    private SmpCore lockHome(MixedColor color) {
        for (int spins = 0; ; spins++) {
            int core = color.home();
            if (core >= 0) {
                SmpCore home = cores[core];
                home.list.lock.lock();
                if (color.home() == core) {
                    return home;
                }
                home.list.lock.unlock();
            }
            pause(spins);
        }
    }

    /** One turn of a wait for a thief that holds a color in transit. */
    @SuppressWarnings("ThreadPriorityCheck") // a hint for the case that the thief lost its CPU; right without it
    private static void pause(int spins) {
        if (spins < SPINS_BEFORE_YIELD) {
            Thread.onSpinWait();
        } else {
            Thread.yield();
        }
    }

    // ------------------------------------------------------------------ thieves

    private void callThief() {
        if (!isThiefCalled.get() && isThiefCalled.compareAndSet(false, true) && !workers.wakeOne()) {
            isThiefCalled.set(false);
        }
    }

    /**
     * A thief has looked at every victim, maybe the one that was called. It may have left loot behind, which nobody was called for meanwhile.
     *
     * @param hasStolen whether there may be more
     */
    void callEnded(boolean hasStolen) {
        if (!isThiefCalled.get()) {
            return;
        }
        isThiefCalled.set(false);
        if (hasStolen && seesLoot(-1)) {
            callThief();
        }
    }

    /**
     * Whether a core has loot. A peek.
     *
     * @param thief the core that does not count; -1 if all do
     */
    boolean seesLoot(int thief) {
        for (SmpCore core : cores) {
            if (core.index != thief && core.hasLoot()) {
                return true;
            }
        }
        return false;
    }

    /** The core with most events: where a round of victims begins. A peek. */
    int mostLoaded() {
        int best = 0;
        for (int i = 1; i < cores.length; i++) {
            if (cores[i].list.size() > cores[best].list.size()) {
                best = i;
            }
        }
        return best;
    }
}
