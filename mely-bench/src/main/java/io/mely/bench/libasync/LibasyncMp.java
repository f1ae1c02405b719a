// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.libasync;

import io.mely.Stage;
import io.mely.spi.Lane;
import io.mely.spi.StageGroup;
import io.mely.spi.Workers;

/**
 * libasync-mp: one list that all cores share. A core takes the heaviest of the first few events whose color does not run on another; see
 * {@link MixedList}.
 *
 * <p>The original polls by a callback of its own, so that no worker blocks in a poll while others could run. Here each core has a poller and
 * blocks in it only when nothing is eligible, which is the same promise.
 *
 * <p><b>No sleep on work.</b> Call a core free if it is awake and runs no event of this group. A free core looks at the list before it sleeps. Invariant: while some core
 * sleeps, there are at least as many free cores as eligible colors. A color becomes eligible in three ways:
 *
 * <ul>
 *   <li>A sender adds an event to a color that does not run. The sender then wakes a core. It adds, fences, and looks for sleepers; a sleeper announces its sleep, fences, and
 *       looks at the list. So one of them sees the other. If nobody sleeps, the invariant says nothing.
 *   <li>A color ends and has more events. The core that ran it is free from then on. It takes an event under the same lock; at the end of its time slice it goes to the
 *       network instead, and wakes another core.
 *   <li>A color ends on a thread that has lost its core, and has more events. That thread frees no core, so it wakes one: see {@link MixedVisitor}.
 * </ul>
 *
 * <p>A core that takes an event is no longer free, and its color no longer eligible. A core falls asleep only after it has seen that nothing is eligible. An event that is added to a
 * running color wakes nobody: the lock puts it before the color's end, which sees it. Events of other groups may hold up a free core; nothing is lost by that.
 *
 * <p><b>Costs.</b> A pick follows the links over every event whose color runs. <b>Source.</b> spec: libasync-smp §2.
 */
final class LibasyncMp implements StageGroup, StageGroup.Sink {
    private final Workers workers;
    private final MixedColors colors = new MixedColors(slot -> 0);
    private final MixedList list;

    LibasyncMp(Workers workers) {
        this.workers = workers;
        list = new MixedList(workers, colors);
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
    public Visitor visitor(int core) {
        return new MixedVisitor(list, workers::wakeOne);
    }

    @Override
    public void add(Lane lane) {
        MixedColor color = colors.of(lane);
        boolean isEligible;
        list.lock.lock();
        try {
            list.append(lane, color);
            isEligible = !color.isRunning;
        } finally {
            list.lock.unlock();
        }
        if (isEligible) {
            workers.wakeOne();
        }
    }

    MixedList list() {
        return list;
    }
}
