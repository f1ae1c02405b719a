// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * A core of a libasync engine: takes one event after the other from a list that mixes colors, with one hold of its lock each.
 *
 * <p><b>No sleep on work (invariant 6).</b> A sender links its event, fences, then reads the sleepers' flags. A sleeper sets its flag, fences,
 * then looks at the list. One of them sees the other. An idle thief looks after the others at growing intervals besides.
 */
abstract class LibasyncCore extends EngineCore {
    private static final int AWAKE = 0;
    private static final int SLEEPING = 1;
    private static final int CALLED = 2;

    private static final long NAP_NS_MIN = 1_000_000;
    private static final long NAP_NS_MAX = 32_000_000;

    /** Loot seen so often in a row and not got is none that the base algorithm may take. */
    private static final int DECLINED_MAX = 3;

    private final LibasyncRuntime runtime;
    private final int batchThresholdEvents;
    private final long spinNs;

    private @Nullable LibasyncColor running;
    private @Nullable LibasyncColor last;
    private int inARow;

    private long idleSinceNs;
    private boolean hasSpun;
    private long napNs = NAP_NS_MIN;
    private int declined;
    private boolean isCalled;

    LibasyncCore(int index, LibasyncRuntime runtime, RuntimeConfig config) {
        super(index, runtime, config);
        this.runtime = runtime;
        batchThresholdEvents = config.batchThresholdEvents();
        spinNs = runtime.spinTimeNs();
        employ(newWorker());
    }

    // ------------------------------------------------------------------ the engine's part

    /** Whether the core finds something to run in its list. A peek. */
    abstract boolean hasWork();

    /**
     * Ends one event and takes the next: one hold of the lock.
     *
     * @param ended color of the event that has run; null for none
     * @param favoured the color to go on with, see {@link io.mely.runtime.MixedList}
     * @param takesNext false only to end
     */
    abstract @Nullable EventRecord next(
            @Nullable LibasyncColor ended, @Nullable LibasyncColor favoured, boolean takesNext);

    /** Steals one color into this core's list; false if there is none to take. */
    boolean steal() {
        return false;
    }

    /** Whether a steal now may succeed. A peek. */
    boolean seesLoot() {
        return false;
    }

    /** Whether this core is a thief at all. */
    boolean canSteal() {
        return false;
    }

    /** A call for loot has been followed. */
    void callEnded(boolean hasFound) {}

    // ------------------------------------------------------------------ sending, on this core's thread

    final boolean send(LibasyncColor color, EngineStage<?> stage, @Nullable Object event, boolean isFirst) {
        Worker worker = worker();
        try {
            EventRecord record = worker.accept(stage, event, running != null);
            if (record == null) {
                return false;
            }
            MixedRecord.color(record, color);
            runtime.put(record, color, isFirst);
        } catch (Throwable e) {
            worker.brokenBy = e; // a bare store: there may be no stack left for a call
            throw e;
        }
        worker.observeSent(color.slot(), stage);
        return true;
    }

    @Override
    protected final boolean fire(EngineColor color, EngineStage<?> stage, @Nullable Object event) {
        return send((LibasyncColor) color, stage, event, false);
    }

    // ------------------------------------------------------------------ stepping

    @Override
    public final int step() {
        seeSeal();
        int done = hasWork() ? slice() : 0;
        if (isPollDue(done)) {
            done += poll();
        }
        boolean hasFound = done != 0;
        if (!hasFound && canSteal()) {
            hasFound = steal();
            done = hasFound ? Math.max(1, slice()) : 0;
        }
        if (isCalled) {
            isCalled = false;
            callEnded(hasFound);
        }
        if (hasFound) {
            idleSinceNs = 0;
            hasSpun = false;
            napNs = NAP_NS_MIN;
            declined = 0;
        }
        return done;
    }

    private int slice() {
        int ran = 0;
        EventRecord record = next(null, sliceFavoured(), true);
        while (record != null) {
            LibasyncColor color = (LibasyncColor) MixedRecord.colorOf(record);
            inARow = color == last ? inARow + 1 : 1;
            last = color;
            sliceRun(record, color);
            ran++;
            boolean takesNext = !worker().isSliceOver() && !runtime.isOver();
            record = next(color, sliceFavoured(), takesNext);
        }
        return ran;
    }

    /** The color that ran last, until it has run a batch in a row. */
    private @Nullable LibasyncColor sliceFavoured() {
        return inARow < batchThresholdEvents ? last : null;
    }

    private void sliceRun(EventRecord record, LibasyncColor color) {
        running = color;
        try {
            worker().handle((EngineStage<?>) record.profile(), record.event());
        } finally { // the books close even if the core breaks down
            running = null;
            worker().countRun(1);
        }
        worker().sender.pool.give(record);
    }

    // ------------------------------------------------------------------ resting

    @Override
    public final void rest() {
        if (restSpins()) {
            return;
        }
        restAnnounce();
        if (mayBlock() && !restSeesLoot()) {
            countSleep();
            restBlock(untilNextTimerNs(canSteal() ? napNs : Long.MAX_VALUE));
            napNs = Math.min(napNs * 2, NAP_NS_MAX);
        }
        runtime.sleepers.decrementAndGet();
        int woken = sleepFlag.getAndSet(AWAKE);
        if (woken != SLEEPING) {
            countWakeup();
            isCalled = woken == CALLED;
            napNs = NAP_NS_MIN;
        }
        hasSpun = woken == SLEEPING;
        idleSinceNs = 0;
    }

    /** Announces a sleep; a look for work must follow. */
    void restAnnounce() {
        sleepFlag.set(SLEEPING);
        runtime.sleepers.incrementAndGet();
        VarHandle.fullFence(); // pairs with the one before each look at who sleeps
    }

    private boolean restSpins() {
        if (spinNs == 0 || hasSpun) {
            return false;
        }
        long nowNs = clock().nanoTime();
        if (idleSinceNs == 0) {
            idleSinceNs = nowNs == 0 ? 1 : nowNs;
        }
        long spunNs = nowNs - idleSinceNs;
        if (spunNs >= spinNs) {
            return false;
        }
        spin(spunNs, spinNs);
        return true;
    }

    private boolean restSeesLoot() {
        if (!canSteal() || !seesLoot()) {
            return false;
        }
        boolean isTried = declined == DECLINED_MAX;
        declined = isTried ? 0 : declined + 1;
        return !isTried;
    }

    @Override
    public final boolean mayBlock() {
        return sleepFlag.get() == SLEEPING && !hasWork() && mayBlockForTimersAndPhase();
    }

    // ------------------------------------------------------------------ any thread

    /** Ends a sleep, if this call is the one to do so. */
    final boolean wake(boolean isCall) {
        int woken = isCall ? CALLED : AWAKE;
        if (!sleepFlag.compareAndSet(SLEEPING, woken)) {
            return false;
        }
        try {
            poller().wakeup();
        } catch (Throwable e) {
            sleepFlag.compareAndSet(woken, SLEEPING); // it may sleep on: the next waker must not pass it over
            throw e;
        }
        return true;
    }

    @Override
    protected final void wakeForTimers() {
        VarHandle.fullFence(); // pairs with the one in rest
        if (isAsleep()) {
            wake(false);
        }
    }

    @Override
    final int runningSlot(Worker of) {
        LibasyncColor color = running;
        assert color != null : "a handler runs in a color";
        return color.slot();
    }

    @Override
    final @Nullable LibasyncColor runningColor(Worker of) {
        return running;
    }
}
