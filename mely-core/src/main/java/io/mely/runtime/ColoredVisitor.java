// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import io.mely.spi.StageGroup;
import io.mely.spi.Worker;

/**
 * What a core does for the colors that live on it, and for those of others: it runs turns of ready colors, and steals when it has none.
 *
 * <p><b>Turns.</b> A color runs what was pending when it was picked, up to the end of the slice. Then it goes to the end of its
 * level: see {@link EventWorker#runTurn}.
 *
 * <p>What to steal is {@link Thief}'s, whom to wake {@link Wakeups}'.
 *
 * <p><b>Threads.</b> The worker that has the core.
 */
final class ColoredVisitor implements StageGroup.Visitor {
    /** Each so-many-th pick begins at the next level in turn, so that none starves. A prime, so as not to beat with a pattern. */
    private static final int FROM_BELOW_INTERVAL = 61;

    /**
     * A look into the inbox costs a line transfer from the last sender. As long as there is something to run without, only each so-many-th
     * pick looks, and the first of a slice: what is urgent in there waits for no more than that.
     */
    private static final int INBOX_INTERVAL = 8;

    /** Most drains of an inbox at the beginning of a slice: half a slice at 25 ns an entry. */
    private static final int DRAINS_MAX = 32;

    /** A look at a core that is busy costs both a line transfer or two. So the pause after each look in vain is twice as long, up to so many steps. Guess: 8 us. */
    private static final int LOOK_INTERVAL_MAX = 8;

    /** Loot seen so often in a row and not got: it is not worth it to this thief. */
    private static final int DECLINED_MAX = 3;

    static final long DECLINED_NAP_NS = 200_000;

    private final Core core;
    private final Lifecycle life;
    private final Wakeups wakeups;
    private final CoreQueue queue;
    final Thief thief;
    private final boolean canSteal;
    private final boolean isOfMany;

    private int picks;

    // looks at others
    private boolean isSearching;
    private int stepsToLook;
    private int lookInterval = 1;
    private boolean hasLooked; // since it has run dry
    private int declined;

    ColoredVisitor(Core core, Core.Wiring wiring) {
        this.core = core;
        MelyRuntime runtime = wiring.runtime();
        life = runtime.life();
        wakeups = runtime.wakeups();
        queue = wiring.queue();
        thief = wiring.thief();
        canSteal = wiring.canSteal();
        isOfMany = thief.order.isInTurns();
    }

    // ------------------------------------------------------------------ running

    @Override
    public int run(Worker worker) {
        return queue.looksReady() ? slice((CoreWorker) worker, false) : 0;
    }

    @Override
    public boolean hasWork() {
        return queue.hasWork();
    }

    /**
     * Runs turns until the slice is used up, nothing is ready, or the core was given to another worker, which the caller asks next. Begins with a color that was stolen, if there
     * is one.
     */
    private int slice(CoreWorker me, boolean isGiven) {
        boolean isHeld = isGiven || sliceNext(me, true);
        int ran = 0;
        while (isHeld) {
            ran += me.runTurn(true);
            isHeld = sliceNext(me, false);
        }
        return ran;
    }

    /**
     * Ends the color of the last turn, moves the inbox, and picks the next: one hold of the lock. A slice begins with all of the inbox, as far as that takes no more than half
     * a slice, so that no flood of one color in there keeps others waiting, nor what is urgent. At its end the core says that nothing runs: else thieves would take it for busy. Then a thief is woken
     * for what was linked; or who has the core, as that may sleep by now, if it is another worker.
     *
     * <p><b>Size.</b> Not inlined, see {@code CompiledSizeTest}.
     *
     * @return false if the slice is over, nothing is ready, or the core is another worker's
     */
    private boolean sliceNext(CoreWorker me, boolean isFirst) {
        boolean isOver = !isFirst && (me.isSliceOver() || life.isStopped());
        RecordPool pool = me.sender.pool;
        pool.reserve();
        boolean isWorthier = false;
        boolean isHeld = false;
        StageImpl<?> refused = isFirst ? null : me.turn.refused;
        ColorQueue parked = refused == null ? null : me.turn.color();
        queue.lock();
        try {
            if (!isFirst) {
                me.disengage();
                isWorthier = queue.end(me.turn);
            }
            if (me.hasCore() && isOver) {
                queue.endTurn();
            } else if (me.hasCore()) {
                boolean isFromBelow = ++picks == FROM_BELOW_INTERVAL;
                picks = isFromBelow ? 0 : picks;
                boolean isLook = isFirst || picks % INBOX_INTERVAL == 0 || queue.ready.count() == 0;
                for (int drains = isFirst ? DRAINS_MAX : isLook ? 1 : 0; drains > 0; drains--) {
                    isWorthier |= queue.arrivals.drain(pool);
                    if (drains == 1 || !queue.arrivals.isBacklogged()) {
                        break;
                    }
                    queue.unlock();
                    pool.reserve();
                    queue.lock();
                }
                isHeld = queue.pick(isFromBelow);
            }
        } finally {
            queue.unlock();
        }
        if (isHeld) {
            endSearch(); // before the loot is announced: a searcher with work of its own must not keep others asleep
        }
        if (parked != null && refused != null) {
            me.park(parked, refused);
        }
        if (!me.hasCore()) {
            wakeups.handedIn(core.core(), 0);
        }
        if (isWorthier && canSteal) {
            wakeups.lootLinked(core);
        }
        return isHeld;
    }

    // ------------------------------------------------------------------ stealing

    /** Of the steps without work, one in some looks. */
    @Override
    public int help(Worker worker) {
        if (!canSteal || --stepsToLook > 0) {
            return 0;
        }
        hasLooked = true;
        stepsToLook = lookInterval;
        lookInterval = Math.min(2 * lookInterval, LOOK_INTERVAL_MAX);
        CoreWorker me = (CoreWorker) worker;
        ColorQueue color = thief.steal(me.sender.pool);
        return color == null ? 0 : helpWith(color, me);
    }

    private int helpWith(ColorQueue color, CoreWorker me) {
        boolean isWorthier;
        queue.lock();
        try {
            isWorthier = queue.adopt(color, thief.until);
        } finally {
            queue.unlock();
        }
        looksSoon();
        declined = 0;
        endSearch();
        if (isWorthier) {
            wakeups.lootLinked(core);
        }
        return Math.max(1, slice(me, true));
    }

    /** The core has done something. */
    void isActive() {
        endSearch();
        declined = 0;
        if (hasLooked) {
            looksSoon();
        }
    }

    private void looksSoon() {
        hasLooked = false;
        stepsToLook = 0;
        lookInterval = 1;
    }

    private void beginSearch() {
        if (!isSearching) {
            isSearching = true;
            wakeups.beginSearch();
        }
    }

    private void endSearch() {
        if (isSearching) {
            isSearching = false;
            wakeups.endSearch();
        }
    }

    // ------------------------------------------------------------------ idling

    /** The core spins. Whoever has not begun to look, or may lose its CPU, is no searcher: others would rely on it. */
    void spins(boolean givesWay) {
        if (canSteal && hasLooked && !givesWay) {
            beginSearch();
        } else {
            endSearch();
        }
    }

    /** The spin is over. Whose steps are long looks once, too: then it goes on. */
    boolean looksAtTheEnd() {
        if (!canSteal || hasLooked) {
            return false;
        }
        stepsToLook = 0;
        return true;
    }

    void announceSleep() {
        wakeups.announce(core, isSearching);
        isSearching = false;
    }

    /** The last look before a sleep, after it was announced. */
    boolean maySleep() {
        if (hasWorkUnderLock()) {
            return false;
        }
        if (mustLook() && thief.seesLoot() && declined < DECLINED_MAX) {
            declined++;
            if (isOfMany) {
                beginSearch(); // whoever goes to sleep from now on relies on it
            }
            return false;
        }
        return true;
    }

    /** A peek can miss a color that a thief is just moving from the inbox to the core-queue; the lock cannot. */
    private boolean hasWorkUnderLock() {
        queue.lock();
        try {
            return queue.hasWork();
        } finally {
            queue.unlock();
        }
    }

    /** Of many idle cores one looks at all others before it sleeps: see {@link Wakeups}. */
    private boolean mustLook() {
        return canSteal && !(isOfMany && wakeups.searchers.get() != 0);
    }

    @Override
    public long sleepNsMax() {
        if (!canSteal) {
            return Long.MAX_VALUE;
        }
        thief.costs.forget(); // what steals were found to cost may no longer hold
        boolean hasDeclined = declined >= DECLINED_MAX;
        declined = 0;
        return hasDeclined ? DECLINED_NAP_NS : Long.MAX_VALUE;
    }

    /** Whether only an entry that its sender has not published yet kept the core awake. */
    boolean isKeptByASender() {
        return !isSearching && !queue.inbox.isEmpty() && !queue.looksReady();
    }

    /** The sleep is over. Whoever called has counted this core as a searcher. */
    void woken(int by) {
        if (by >= Wakeups.CALLED) {
            thief.order.turnTo(by - Wakeups.CALLED);
            endSearch();
            isSearching = true;
        }
        looksSoon();
    }
}
