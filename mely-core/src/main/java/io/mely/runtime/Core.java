// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import io.mely.MelyBuilder;
import io.mely.spi.Poller;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * One core: an object that is stepped, by its thread, a test or a simulator.
 *
 * <pre>
 * step:  run ready colors, a turn of each, up to a time slice
 *        poll, when the slice is used up or nothing ran; fire timers
 *        nothing happened for some steps: try to steal, and run that
 * rest:  nothing again: spin a little, then block in the poller until woken
 * </pre>
 *
 * <p>It reads no clock but the one it is given: see {@link EngineCore#batchHandle}.
 *
 * <p><b>Turns.</b> A color runs what was pending when it was picked, up to the end of the slice. Then it goes to the end of its
 * level.
 *
 * <p><b>Fusing.</b> An event that the running handler sends into its own color, while nothing else waits there, takes the place of the
 * running one in its record, and runs when that returns: no lock, and the order is what it would be anyway. A turn fuses a few events only, as others wait.
 *
 * <p>What to steal is {@link Thief}'s, whom to wake {@link Wakeups}'.
 *
 * <p><b>Threads.</b> The stepping thread, but where a method says otherwise.
 */
final class Core extends EngineCore {
    /** Each so-many-th pick begins at the next level in turn, so that none starves. A prime, so as not to beat with a pattern. */
    private static final int FROM_BELOW_INTERVAL = 61;

    /**
     * A look into the inbox costs a line transfer from the last sender. As long as there is something to run without, only each so-many-th
     * pick looks, and the first of a slice: what is urgent in there waits for no more than that.
     */
    private static final int INBOX_INTERVAL = 8;

    /** Most events without a penalty that one turn fuses: they were not pending when it began. The report's batch threshold. */
    private static final int FUSED_MAX = MelyBuilder.BATCH_THRESHOLD_EVENTS;

    /** Most drains of an inbox at the beginning of a slice: half a slice at 25 ns an entry. */
    private static final int DRAINS_MAX = 32;

    /**
     * With time-left, a core looks again at the so-many-th step without work after a steal: what was short and has just run out will mostly be followed by
     * more. Steps with work in between do not begin the count anew, so that a trickle of events keeps no core from looking. Guess: 1 us.
     */
    private static final int LOOK_AFTER = 8;

    /** A look at a core that is busy costs both a line transfer or two. So the pause after each look in vain is twice as long, up to so many steps. Guess: 8 us. */
    private static final int LOOK_INTERVAL_MAX = 64;

    /** An idle core looks after the others at growing intervals, in case one of them is stuck with short colors. */
    private static final long NAP_NS_MIN = 1_000_000;

    private static final long NAP_NS_MAX = 32_000_000;

    /** Loot seen so often in a row and not got: it is not worth it to this thief. */
    private static final int DECLINED_MAX = 3;

    static final long DECLINED_NAP_NS = 200_000;

    /** What waits behind a handler for as long is worth waking a thief for. Guess: two or three wake-ups. */
    static final long ENGAGED_NS = 25_000;

    private final MelyRuntime runtime;
    private final CoreQueue queue;
    private final ColorHomes homes;
    private final Thief thief;
    private final boolean canSteal;
    private final boolean isOfMany;
    private final int[] neighbours;
    private final int batchThresholdEvents;
    private final long engagedNs;
    private final int lookAfter;
    private final long spinNs;

    // what runs now: a handler, in the color that the queue names, with the event at its head
    private boolean isRunning;
    private boolean isFused;
    private int fuseRoom; // of this turn
    private boolean isEngaged;
    private long ranWeight;

    // between steps
    private int picks;
    private boolean isSearching;

    private int stepsToLook;
    private int lookInterval = 1;
    private boolean hasLooked; // since it has run dry

    private long idleSinceNs;
    private boolean hasSpun;
    private boolean hasNapped;
    private long napNs = NAP_NS_MIN;
    private int declined;

    /** What a core shares with others or is told by its runtime. */
    record Wiring(
            MelyRuntime runtime,
            CoreQueue queue,
            ColorHomes homes,
            Thief thief,
            boolean canSteal,
            Sender sender,
            RuntimeConfig config,
            long spinNs) {}

    Core(int index, Wiring wiring, Poller.Factory pollers) {
        super(index, wiring.runtime(), wiring.sender(), wiring.config(), pollers);
        runtime = wiring.runtime();
        queue = wiring.queue();
        homes = wiring.homes();
        thief = wiring.thief();
        canSteal = wiring.canSteal();
        isOfMany = thief.looksAtParts();
        neighbours = thief.neighbours();
        batchThresholdEvents = wiring.config().batchThresholdEvents();
        spinNs = wiring.spinNs();
        boolean usesTime = canSteal && wiring.config().stealing().timeLeft();
        engagedNs = usesTime ? ENGAGED_NS : Long.MAX_VALUE;
        lookAfter = usesTime && spinNs != 0 ? LOOK_AFTER : 0;
    }

    // ------------------------------------------------------------------ sending, on this core's thread

    /** Sends an event from a handler, the poller or a timer of this core. */
    boolean send(int number, StageImpl<?> stage, @Nullable Object event) {
        if (!maySend(isRunning)) {
            sender.countRefused();
            return false;
        }
        boolean isSent;
        try {
            isSent = sendWhole(number, stage, event);
        } catch (Throwable e) {
            brokenBy = e; // a bare store: there may be no stack left for a call
            throw e;
        }
        if (isSent) {
            observeSent(number - 1, stage);
        }
        return isSent;
    }

    private boolean sendWhole(int number, StageImpl<?> stage, @Nullable Object event) {
        if (isRunning) {
            if (!isFused && fuseRoom > 0 && queue.isRunning(number) && queue.runsAlone()) {
                sendFused(stage, event);
                return true;
            }
        } else {
            queue.sendBehindInbox(); // the poller's and the timers' reasons come from elsewhere
        }
        RecordPool pool = sender.pool;
        if (!pool.hasRecord() || !pool.takeCredit()) {
            sender.countRefused();
            return false;
        }
        sender.countAccepted();
        boolean isSent = (homes.coreOfColor(number) == index && sendHome(number, stage, event))
                || runtime.handIn(number, stage, event, this, null);
        if (!isSent) { // no memory for a larger inbox
            pool.giveCredit();
            sender.uncountAccepted();
            sender.countRefused();
        }
        return isSent;
    }

    private void sendFused(StageImpl<?> stage, @Nullable Object event) {
        EventRecord current = queue.runFirst();
        assert current != null : "it runs";
        ranWeight += (long) current.weight() - stage.weight();
        current.set(stage, event, stage.weight());
        queue.raiseUrgency(stage.priority());
        sender.countAccepted();
        isFused = true;
        fuseRoom -= stage.hasPenalty() ? 0 : 1; // its data would be pushed out of the cache by another color's
    }

    /** Sends to a color of this core, in place. False if it has been stolen, or something came before. */
    private boolean sendHome(int number, StageImpl<?> stage, @Nullable Object event) {
        int sent;
        queue.lock();
        try {
            sent = queue.send(number, stage, event, sender.pool);
        } finally {
            queue.unlock();
        }
        if ((sent == CoreQueue.IN_WORTHIER || isEngaged) && canSteal) {
            runtime.wakeups().lootLinked(this);
        }
        return sent != CoreQueue.AWAY;
    }

    // ------------------------------------------------------------------ stepping

    @Override
    public int step() {
        seeSeal();
        int helped = thief.hasLeft() ? thief.drainLeft() : 0;
        int done = queue.looksReady() ? slice(false) : 0;
        if (isPollDue(done)) {
            done += poll();
        }
        if (done == 0 && canSteal && --stepsToLook <= 0) {
            hasLooked = true;
            stepsToLook = lookInterval;
            lookInterval = Math.min(2 * lookInterval, LOOK_INTERVAL_MAX);
            done = stepSteal();
        }
        done += helped;
        if (done != 0) {
            stepActive();
        }
        return done;
    }

    private int stepSteal() {
        ColorQueue color = thief.steal(hasNapped);
        if (color == null) {
            return 0;
        }
        boolean isWorthier;
        queue.lock();
        try {
            isWorthier = queue.adopt(color, thief.until());
        } finally {
            queue.unlock();
        }
        looksAfter(lookAfter);
        declined = 0;
        if (isSearching) {
            isSearching = false;
            runtime.wakeups().endSearch();
        }
        if (isWorthier) {
            runtime.wakeups().lootLinked(this);
        }
        return Math.max(1, slice(true));
    }

    private void stepActive() {
        if (isSearching) {
            isSearching = false;
            runtime.wakeups().endSearch();
        }
        idleSinceNs = 0;
        hasSpun = false;
        hasNapped = false;
        napNs = NAP_NS_MIN;
        declined = 0;
        if (hasLooked) {
            hasLooked = false;
            if (lookAfter == 0) {
                looksAfter(0);
            }
        }
    }

    private void looksAfter(int steps) {
        stepsToLook = steps;
        lookInterval = Math.max(1, lookAfter);
    }

    /** Runs turns until the slice is used up or nothing is ready. Begins with a color that was stolen, if there is one. */
    private int slice(boolean isGiven) {
        boolean isHeld = isGiven || sliceNext(false, true);
        int ran = 0;
        while (isHeld) {
            ran += turn();
            if (isSliceOver() || runtime.isStopped()) {
                sliceEnd();
                return ran;
            }
            isHeld = sliceNext(true, false);
        }
        return ran;
    }

    /**
     * Ends the color of the last turn, moves the inbox, and picks the next: one hold of the lock. A slice begins with all of the inbox, as far as that takes no more than half
     * a slice, so that no flood of one color in there keeps others waiting, nor what is urgent.
     */
    private boolean sliceNext(boolean hasRun, boolean isFirst) {
        sender.pool.reserve();
        boolean isWorthier = false;
        boolean isHeld;
        queue.lock();
        try {
            if (hasRun) {
                isWorthier = sliceEndTurn();
            }
            boolean isFromBelow = ++picks == FROM_BELOW_INTERVAL;
            picks = isFromBelow ? 0 : picks;
            if (isFirst || picks % INBOX_INTERVAL == 0 || !queue.hasReady()) {
                isWorthier |= queue.drain(sender.pool);
            }
            for (int drains = 1; isFirst && drains < DRAINS_MAX && queue.isBacklogged(); drains++) {
                queue.unlock();
                sender.pool.reserve();
                queue.lock();
                isWorthier |= queue.drain(sender.pool);
            }
            isHeld = queue.pick(isFromBelow);
        } finally {
            queue.unlock();
        }
        if (isHeld && isSearching) {
            isSearching =
                    false; // before the loot is announced: a searcher with work of its own must not keep others asleep
            runtime.wakeups().endSearch();
        }
        if (isWorthier && canSteal) {
            runtime.wakeups().lootLinked(this);
        }
        return isHeld;
    }

    /** Ends the color of the last turn, and says that nothing runs: else thieves would take this core for busy. */
    private void sliceEnd() {
        boolean isWorthier;
        queue.lock();
        try {
            isWorthier = sliceEndTurn();
            queue.endTurn();
        } finally {
            queue.unlock();
        }
        if (isWorthier && canSteal) {
            runtime.wakeups().lootLinked(this);
        }
    }

    private boolean sliceEndTurn() {
        long weight = ranWeight;
        ranWeight = 0;
        return queue.end(weight);
    }

    /**
     * Runs events of the color that was picked, at least one, up to what was pending then, the batch threshold, and the end of the time slice.
     *
     * @return how many
     */
    private int turn() {
        EventRecord record = queue.runFirst();
        int ran = 0;
        fuseRoom = FUSED_MAX;
        isRunning = true;
        try {
            while (record != null && (ran == 0 || turnMayGoOn(ran))) {
                StageImpl<?> stage = (StageImpl<?>) record.profile();
                assert stage != null : "a record that runs is filled";
                ran++;
                if (!isEngaged && stage.residualNs() >= engagedNs && stage.isTimed()) {
                    isEngaged = true;
                    runtime.wakeups().engage(this);
                }
                batchHandle(stage, record.event());
                if (isFused) {
                    isFused = false; // the record holds the next event already
                    continue;
                }
                ranWeight += record.weight();
                EventRecord next = queue.runNext(record);
                sender.pool.give(record);
                record = next;
            }
        } finally { // the books close even if the core breaks down
            isRunning = false;
            if (isEngaged) {
                isEngaged = false;
                runtime.wakeups().disengage(this);
            }
            RUN.setRelease(this, run + ran); // after the handlers' own sends were counted: see Sender
        }
        return ran;
    }

    private boolean turnMayGoOn(int ran) {
        return ran < batchThresholdEvents && !isSliceOver() && !runtime.isStopped();
    }

    // ------------------------------------------------------------------ idling

    /** {@inheritDoc} A nap that ends by itself is not followed by a spin. */
    @Override
    @SuppressWarnings("ThreadPriorityCheck") // a hint; right without it
    public void rest() {
        if (restSpins()) {
            return;
        }
        if (restBegin()) {
            restBlock(restTimeoutNs());
        } else if (!isSearching && queue.hasInbox() && !queue.looksReady()) {
            Thread.yield(); // to who has claimed an entry and lost its CPU
        }
        restEnd();
    }

    /** As {@link #spin}. Whoever has not begun to look, or may lose its CPU, is no searcher: others would rely on it. */
    boolean restSpins() {
        if (spinNs == 0 || hasSpun) {
            return false;
        }
        long nowNs = clock.nanoTime();
        if (idleSinceNs == 0) {
            idleSinceNs = nowNs == 0 ? 1 : nowNs;
        }
        long spunNs = nowNs - idleSinceNs;
        if (spunNs >= spinNs) {
            if (!canSteal || hasLooked) {
                return false;
            }
            stepsToLook = 0; // whose steps are long looks once, too
            return true;
        }
        boolean isSearch = canSteal && hasLooked && !givesWay(spunNs, spinNs);
        if (isSearch && !isSearching) {
            isSearching = true;
            runtime.wakeups().beginSearch();
        } else if (isSearching && !isSearch) {
            isSearching = false;
            runtime.wakeups().endSearch();
        }
        spin(spunNs, spinNs);
        return true;
    }

    /** Announces the sleep; {@link #restEnd} must follow. True if the core is to block in its poller in between. */
    boolean restBegin() {
        hasNapped = false;
        runtime.wakeups().announce(this, isSearching);
        isSearching = false;
        if (!restMayBlock()) {
            return false;
        }
        countSleep();
        hasNapped = true;
        return true;
    }

    void restEnd() {
        int woken = runtime.wakeups().retract(this);
        if (woken != Wakeups.SLEEPING) {
            countWakeup();
            if (woken >= Wakeups.CALLED) {
                restEndCalled(woken - Wakeups.CALLED);
            }
            napNs = NAP_NS_MIN;
        }
        looksAfter(0);
        hasLooked = false;
        hasSpun = woken == Wakeups.SLEEPING;
        hasNapped &= hasSpun;
        idleSinceNs = 0;
    }

    /** Of many idle cores one looks at all others before it sleeps: see {@link Wakeups}. */
    private boolean restMustLook() {
        return canSteal && !(isOfMany && runtime.wakeups().hasSearcher());
    }

    /** Whoever called has counted this core as a searcher. */
    private void restEndCalled(int victim) {
        thief.calledTo(victim);
        if (isSearching) {
            runtime.wakeups().endSearch();
        }
        isSearching = true;
    }

    private boolean restMayBlock() {
        if (!mayBlock() || restHasWorkUnderLock()) {
            return false;
        }
        if (restMustLook() && thief.seesLoot() && declined < DECLINED_MAX) {
            declined++;
            if (isOfMany) {
                isSearching = true; // whoever goes to sleep from now on relies on it
                runtime.wakeups().beginSearch();
            }
            return false;
        }
        return true;
    }

    /** A peek can miss a color that a thief is just moving from the inbox to the core-queue; the lock cannot. */
    private boolean restHasWorkUnderLock() {
        queue.lock();
        try {
            return queue.hasWork();
        } finally {
            queue.unlock();
        }
    }

    /** {@inheritDoc} */
    @Override
    public boolean mayBlock() {
        return sleepFlag.get() == Wakeups.SLEEPING && !queue.hasWork() && mayBlockForTimersAndPhase();
    }

    long restTimeoutNs() {
        long timeoutNs = Long.MAX_VALUE;
        if (canSteal) {
            thief.foundNothing();
            boolean isShort = declined >= DECLINED_MAX || thief.hasLeft();
            timeoutNs = isShort ? DECLINED_NAP_NS : napNs;
            napNs = Math.min(napNs * 2, NAP_NS_MAX);
            declined = 0;
        }
        return untilNextTimerNs(timeoutNs);
    }

    // ------------------------------------------------------------------ looked at by others

    MelyRuntime runtime() {
        return runtime;
    }

    CoreQueue queue() {
        return queue;
    }

    Thief thief() {
        return thief;
    }

    /** The other cores, nearest first. */
    int[] neighbours() {
        return neighbours;
    }

    @Override
    protected int runningSlot() {
        return queue.running() - 1;
    }

    @Override
    protected @Nullable ColorImpl runningColor() {
        return isRunning ? runtime.colorOf(queue.running()) : null;
    }

    @Override
    protected boolean fire(EngineColor color, EngineStage<?> stage, @Nullable Object event) {
        return send(((ColorImpl) color).number(), (StageImpl<?>) stage, event);
    }

    @Override
    protected void wakeForTimers() {
        VarHandle.fullFence(); // a timer has no claim in the inbox
        runtime.wakeups().handedIn(index, 0);
    }

    @Override
    void wakeForPhase() {
        runtime.wakeups().wakeForPhase(this);
    }

    @Override
    protected long steals() {
        return thief.steals();
    }

    @Override
    protected long stealAttempts() {
        return thief.attempts();
    }

    @Override
    protected long rescues() {
        return thief.rescues();
    }

    @Override
    protected long stealTimeNs() {
        return thief.stealTimeNs();
    }

    @Override
    protected long stolenTime() {
        return thief.stolenTime();
    }
}
