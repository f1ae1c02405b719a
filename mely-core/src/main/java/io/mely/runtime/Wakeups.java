// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Who is woken, by whom, and when: as seldom as possible, for waking a thread costs the waker about 2 us and the work 7 us more.
 *
 * <h2>No sleep on work (invariant 6)</h2>
 *
 * A sender claims an entry of the inbox, by a CAS, and later reads the sleeper's flag. A sleeper sets its flag, then fences, then looks for work, and a
 * claim is work, published or not. Whatever the interleaving, one of them sees the other. The flag is taken back by a CAS, so that one of many wakers makes the call;
 * the poller asks {@link Core#mayBlock} after its own announcement, which covers a flag taken back before the poller slept.
 *
 * <h2>One searcher at a time</h2>
 *
 * A sleeping thief is woken for loot only if nobody searches already, and counts as a searcher from that moment. A searcher that found
 * something, and was the last one, wakes a successor if there is more: so loot is never left behind because a searcher was around
 * when it appeared. A searcher that found nothing looks once more after it has announced its sleep.
 *
 * <p>Where there are so many cores that a look is at a part of them, whoever goes to sleep looks at all only if no searcher is left, which will do
 * one or the other; and who sees loot then is a searcher again. So of many idle cores one reads what the busy ones write.
 *
 * <h2>Nobody waits behind a long handler while a core sleeps</h2>
 *
 * A core says that it is engaged before such a handler, fences, and then looks at what else it has; a sender claims, and then reads the flag. One of
 * them sees the other, and calls a thief, to whom everything at an engaged core is loot, however short.
 *
 * <p><b>Source.</b> design of Tokio's and Go's schedulers; the figures are those of the development machine.
 */
final class Wakeups {
    static final int AWAKE = 0;
    static final int SLEEPING = 1;
    /** Awake, and in a handler known to be long: whatever else is there waits for longer than it takes to wake a thief. */
    static final int ENGAGED = 2;
    /** Plus the core that has the loot: the last of these, for any number of cores. */
    static final int CALLED = 3;

    private final Core[] cores;
    private final AtomicInteger[] sleepFlags; // beside the cores, as what a core writes all the time is in those
    private final boolean canSteal;
    private final long wakeWeight;
    final AtomicInteger sleepers = new AtomicInteger();

    /** Who searches will call a core that has announced its sleep, or look at all before its own. */
    final AtomicInteger searchers = new AtomicInteger();

    /** The cores are filled in later, see {@link #add}. Loot below {@code wakeWeight} is not worth a wake-up. */
    Wakeups(Core[] cores, boolean canSteal, long wakeWeight) {
        this.cores = cores;
        sleepFlags = new AtomicInteger[cores.length];
        this.canSteal = canSteal;
        this.wakeWeight = wakeWeight;
    }

    /** A core has been made. */
    void add(Core core) {
        sleepFlags[core.core()] = core.sleepFlag;
    }

    // ------------------------------------------------------------------ any thread

    /**
     * After an event was handed to the inbox of a core: wakes the core if it sleeps; or a thief if it is engaged, or busy and the
     * event is long. Touches nothing that the core writes while it is busy, unless the event is long.
     */
    void handedIn(int core, long weight) {
        boolean isLoot = canSteal && weight >= wakeWeight;
        if (isLoot) {
            cores[core].queue().arrivals.hintLong();
            // a volatile write: with the volatile reads that follow it pairs with announce; the owner finds the claim
            // without
        }
        int state = sleepFlags[core].get();
        if (state == SLEEPING) {
            wake(cores[core]);
        } else if (state == ENGAGED || (isLoot && cores[core].queue().looksBusy())) {
            callThief(cores[core]);
        }
    }

    /** Wakes a core for work of its own. Returns whether it slept. */
    boolean wake(Core target) {
        return wake(target, AWAKE);
    }

    private boolean wake(Core target, int state) {
        boolean isWoken = target.sleepFlag.get() == SLEEPING && target.sleepFlag.compareAndSet(SLEEPING, state);
        if (isWoken) {
            try {
                target.poller().wakeup();
            } catch (Throwable e) { // it may sleep on: the next waker must not pass it over
                if (target.sleepFlag.compareAndSet(state, SLEEPING) && state >= CALLED) {
                    searchers.decrementAndGet();
                }
                throw e;
            }
        }
        return isWoken;
    }

    /** Wakes one of some cores, from the first to before the end, if one sleeps. After a full fence. */
    boolean wakeOne(int first, int end) {
        boolean isWoken = false;
        for (int core = first; core < end && !isWoken && sleepers.get() != 0; core++) {
            isWoken = wake(cores[core]);
        }
        return isWoken;
    }

    /** After a core linked worthy colors: wakes the nearest sleeping thief if the loot pays for it and nobody searches. */
    void lootLinked(Core victim) {
        if (isWorthWaking(victim)) {
            VarHandle.fullFence(); // pairs with the one in announce
            callThief(victim);
        }
    }

    private boolean isWorthWaking(Core victim) {
        CoreQueue queue = victim.queue();
        boolean isLong = queue.ready.worthyFloor() >= wakeWeight || queue.arrivals.hasLong();
        return isLong ? queue.looksBusy() : isEngaged(victim.core()) && queue.hasWork();
    }

    /** Whether a core is in a handler known to be long. */
    boolean isEngaged(int core) {
        return sleepFlags[core].get() == ENGAGED;
    }

    private void callThief(Core victim) {
        if (sleepers.get() == 0 || searchers.get() != 0 || !searchers.compareAndSet(0, 1)) {
            return;
        }
        int called = CALLED + victim.core();
        for (int core : victim.thief().order.nearestFirst()) {
            if (wake(cores[core], called)) {
                return;
            }
        }
        searchers.decrementAndGet();
    }

    // ------------------------------------------------------------------ the core itself

    /** A handler known to be long begins. */
    void engage(Core core) {
        core.sleepFlag.set(ENGAGED);
        VarHandle.fullFence(); // pairs with a claim in the inbox, and with the one in announce
        if (core.queue().hasWork()) {
            callThief(core);
        }
    }

    /** It has ended. */
    void disengage(Core core) {
        core.sleepFlag.set(AWAKE);
    }

    /** A core is seen to stand still, and keeps its worker: what waits in its queues is loot, until it says {@link #goesOn}. Any thread. */
    void standsStill(Core core) {
        if (core.queue().hasWork()) {
            core.sleepFlag.compareAndSet(AWAKE, ENGAGED);
            callThief(core);
        }
    }

    /** After each look of a core at its poller. */
    void goesOn(Core core) {
        if (core.sleepFlag.get() == ENGAGED) {
            core.sleepFlag.set(AWAKE);
        }
    }

    void beginSearch() {
        searchers.incrementAndGet();
    }

    /** The core found something to run. Whoever goes to sleep after the look for sleepers sees the loot by itself. */
    void endSearch() {
        if (searchers.decrementAndGet() == 0 && sleepers.get() != 0) {
            for (Core core : cores) {
                if (isWorthWaking(core)) {
                    callThief(core);
                    return;
                }
            }
        }
    }

    /** Announces a sleep; the core looks for work once more before it blocks. */
    void announce(Core core, boolean isSearching) {
        core.sleepFlag.set(SLEEPING);
        sleepers.incrementAndGet(); // with the fence below: pairs with handedIn and lootLinked
        if (isSearching) {
            searchers.decrementAndGet();
        }
        VarHandle.fullFence(); // some of the looks that follow are plain reads
    }

    /** Takes the announcement back; returns how the sleep ended: SLEEPING if by itself, AWAKE or, from CALLED on, a victim if woken. */
    int retract(Core core) {
        sleepers.decrementAndGet();
        return core.sleepFlag.getAndSet(AWAKE);
    }
}
