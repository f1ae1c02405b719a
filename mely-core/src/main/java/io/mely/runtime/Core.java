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

    // between steps
    private int picks;
    private boolean isSearching;

    private int stepsToLook;
    private int lookInterval = 1;
    private boolean hasLooked; // since it has run dry

    private long idleSinceNs;
    private boolean hasSpun;
    private int declined;

    /** What a core shares with others or is told by its runtime. */
    record Wiring(
            MelyRuntime runtime,
            CoreQueue queue,
            ColorHomes homes,
            Thief thief,
            boolean canSteal,
            RuntimeConfig config,
            long spinNs) {}

    Core(int index, Wiring wiring, Poller.Factory pollers) {
        super(index, wiring.runtime(), wiring.config(), pollers);
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
        ColoredWorker first = newWorker();
        queue.own(first.turn);
        employ(first);
    }

    @Override
    ColoredWorker newWorker() {
        return new ColoredWorker(this, new Sender(runtime.depot()), queue.newTurn());
    }

    // ------------------------------------------------------------------ sending, by a worker of this core

    /** Sends an event from a handler of a worker, or from the poller or a timer while it has the core. */
    boolean send(ColoredWorker from, int number, StageImpl<?> stage, @Nullable Object event) {
        return send(from, number, stage, event, false);
    }

    private boolean send(
            ColoredWorker from, int number, StageImpl<?> stage, @Nullable Object event, boolean isOfTimer) {
        if (!maySend(from.turn.isRunning)) {
            from.sender.countRefused();
            return false;
        }
        boolean isSent;
        try {
            isSent = sendWhole(from, number, stage, event, isOfTimer);
        } catch (Throwable e) {
            from.brokenBy = e; // a bare store: there may be no stack left for a call
            throw e;
        }
        if (isSent) {
            from.observeSent(number - 1, stage);
        }
        return isSent;
    }

    private boolean sendWhole(
            ColoredWorker from, int number, StageImpl<?> stage, @Nullable Object event, boolean isOfTimer) {
        Turn turn = from.turn;
        if (turn.isRunning) {
            if (!turn.isFused
                    && turn.fuseRoom > 0
                    && turn.number == number
                    && !isLong(stage)
                    && queue.runsAlone(turn)) {
                sendFused(from, stage, event);
                return true;
            }
        } else {
            queue.sendBehindInbox(); // the poller's and the timers' reasons come from elsewhere
        }
        Sender sender = from.sender;
        RecordPool pool = sender.pool;
        if (!pool.hasRecord() || !(isOfTimer || pool.hasCredit())) {
            sender.countRefused();
            return false;
        }
        pool.takeCreditAnyway(); // what becomes due has been promised a run
        sender.countAccepted();
        boolean isSent = (homes.coreOfColor(number) == index && sendHome(from, number, stage, event))
                || runtime.handIn(number, stage, event, from, null);
        if (!isSent) { // no memory for a larger inbox
            pool.giveCredit();
            sender.uncountAccepted();
            sender.countRefused();
        }
        return isSent;
    }

    private static void sendFused(ColoredWorker from, StageImpl<?> stage, @Nullable Object event) {
        Turn turn = from.turn;
        EventRecord current = turn.first();
        assert current != null : "it runs";
        turn.ranWeight += (long) current.weight() - stage.weight();
        current.set(stage, event, stage.weight());
        turn.color().raiseUrgency(stage.priority()); // a hint: racy
        from.sender.countAccepted();
        turn.isFused = true;
        turn.fuseRoom -= stage.hasPenalty() ? 0 : 1; // its data would be pushed out of the cache by another color's
    }

    /** Sends to a color of this core, in place. False if it has been stolen, if something came before, or if the core is another worker's now. */
    private boolean sendHome(ColoredWorker from, int number, StageImpl<?> stage, @Nullable Object event) {
        int sent;
        queue.lock();
        try {
            sent = queue.send(from.turn, number, stage, event, from.sender.pool);
        } finally {
            queue.unlock();
        }
        if ((sent == CoreQueue.IN_WORTHIER || from.turn.isEngaged) && canSteal) {
            runtime.wakeups().lootLinked(this);
        }
        return sent != CoreQueue.AWAY;
    }

    /** Whether a handler is expected to keep what waits behind it waiting for longer than it takes to wake a thief. */
    private boolean isLong(StageImpl<?> stage) {
        return stage.residualNs() >= engagedNs && stage.isTimed();
    }

    // ------------------------------------------------------------------ stepping

    @Override
    public int step() {
        ColoredWorker me = worker();
        seeSeal();
        int done = queue.looksReady() ? slice(me, false) : 0;
        if (me.hasCore() && isPollDue(done)) {
            done += poll();
            runtime.wakeups().goesOn(this);
            runtime.watch().lookIfDue(clock.nanoTime());
        }
        if (done == 0 && canSteal && --stepsToLook <= 0) {
            hasLooked = true;
            stepsToLook = lookInterval;
            lookInterval = Math.min(2 * lookInterval, LOOK_INTERVAL_MAX);
            done = stepSteal(me);
        }
        if (done != 0 && me.hasCore()) {
            stepActive();
        }
        return done;
    }

    private int stepSteal(ColoredWorker me) {
        ColorQueue color = thief.steal(me.sender.pool);
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
        return Math.max(1, slice(me, true));
    }

    private void stepActive() {
        if (isSearching) {
            isSearching = false;
            runtime.wakeups().endSearch();
        }
        idleSinceNs = 0;
        hasSpun = false;
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

    /**
     * Runs turns until the slice is used up, nothing is ready, or the core was given to another worker, which the caller asks next. Begins with a color that was stolen, if there
     * is one.
     */
    private int slice(ColoredWorker me, boolean isGiven) {
        boolean isHeld = isGiven || sliceNext(me, false, true);
        int ran = 0;
        while (isHeld) {
            ran += turn(me);
            boolean isOver = me.isSliceOver() || runtime.isStopped();
            isHeld = isOver ? sliceEnd(me) : sliceNext(me, true, false);
        }
        return ran;
    }

    /**
     * Ends the color of the last turn, moves the inbox, and picks the next: one hold of the lock. A slice begins with all of the inbox, as far as that takes no more than half
     * a slice, so that no flood of one color in there keeps others waiting, nor what is urgent.
     */
    private boolean sliceNext(ColoredWorker me, boolean hasRun, boolean isFirst) {
        RecordPool pool = me.sender.pool;
        pool.reserve();
        boolean isWorthier = false;
        boolean isHeld = false;
        queue.lock();
        try {
            if (hasRun) {
                isWorthier = endTurn(me);
            }
            if (me.hasCore()) {
                boolean isFromBelow = ++picks == FROM_BELOW_INTERVAL;
                picks = isFromBelow ? 0 : picks;
                if (isFirst || picks % INBOX_INTERVAL == 0 || !queue.hasReady()) {
                    isWorthier |= queue.drain(pool);
                }
                for (int drains = 1; isFirst && drains < DRAINS_MAX && queue.isBacklogged(); drains++) {
                    queue.unlock();
                    pool.reserve();
                    queue.lock();
                    isWorthier |= queue.drain(pool);
                }
                isHeld = queue.pick(isFromBelow);
            }
        } finally {
            queue.unlock();
        }
        if (isHeld && isSearching) {
            isSearching =
                    false; // before the loot is announced: a searcher with work of its own must not keep others asleep
            runtime.wakeups().endSearch();
        }
        turnEnded(me, isWorthier);
        return isHeld;
    }

    /** Ends the color of the last turn, and says that nothing runs: else thieves would take this core for busy. */
    private boolean sliceEnd(ColoredWorker me) {
        boolean isWorthier;
        queue.lock();
        try {
            isWorthier = endTurn(me);
            if (me.hasCore()) {
                queue.endTurn();
            }
        } finally {
            queue.unlock();
        }
        turnEnded(me, isWorthier);
        return false;
    }

    /** Ends the color of the last turn, with the lock. */
    private boolean endTurn(ColoredWorker me) {
        Turn turn = me.turn;
        if (turn.isEngaged) {
            turn.isEngaged = false;
            if (me.hasCore()) {
                runtime.wakeups().disengage(this);
            }
        }
        return queue.end(turn);
    }

    /** Without the lock: wakes a thief for what was linked; or who has the core, as that may sleep by now, if it is another worker. */
    private void turnEnded(ColoredWorker me, boolean isWorthier) {
        if (!me.hasCore()) {
            runtime.wakeups().handedIn(index, 0);
        }
        if (isWorthier && canSteal) {
            runtime.wakeups().lootLinked(this);
        }
    }

    /**
     * Runs events of the color that was picked, at least one, up to what was pending then, the batch threshold, the end of the time slice, and the next event that is expected to be
     * long: that begins a turn of its own.
     *
     * @return how many
     */
    private int turn(ColoredWorker me) {
        Turn turn = me.turn;
        EventRecord record = turn.first();
        if (record != null && isLong(stageOf(record))) {
            turn.isEngaged = true;
            runtime.wakeups().engage(this);
        }
        int ran = 0;
        turn.fuseRoom = FUSED_MAX;
        turn.isRunning = true;
        queue.beginHandlers();
        try {
            while (record != null && (ran == 0 || turnMayGoOn(me, record, ran))) {
                ran++;
                me.handle(stageOf(record), record.event());
                if (turn.isFused) {
                    turn.isFused = false; // the record holds the next event already
                    continue;
                }
                turn.ranWeight += record.weight();
                EventRecord next = turn.next(record);
                me.sender.pool.give(record);
                record = next;
            }
        } finally { // the books close even if the core breaks down
            turn.isRunning = false;
            me.countRun(ran); // after the handlers' own sends were counted: see Sender
        }
        return ran;
    }

    private boolean turnMayGoOn(ColoredWorker me, EventRecord next, int ran) {
        return ran < batchThresholdEvents && !me.isSliceOver() && !isLong(stageOf(next)) && !runtime.isStopped();
    }

    private static StageImpl<?> stageOf(EventRecord record) {
        StageImpl<?> stage = (StageImpl<?>) record.profile();
        assert stage != null : "a record that runs is filled";
        return stage;
    }

    // ------------------------------------------------------------------ relief

    @Override
    long steps() {
        return super.steps() + queue.turn();
    }

    /** {@inheritDoc} The lock may be taken by who has lost its CPU: then the next look tries again. */
    @Override
    void standsStill(long steps) {
        ColoredWorker next = queue.isInHandlers() ? (ColoredWorker) crew().take() : null;
        if (next == null) {
            runtime.wakeups().standsStill(this);
            return;
        }
        boolean isGiven = false;
        if (queue.tryLockSoon()) {
            try {
                isGiven = queue.isInHandlers() && steps == steps() && worker().loseCore();
                if (isGiven) {
                    queue.own(next.turn);
                    worker(next);
                    sleepFlag.set(Wakeups.AWAKE); // engaged no more
                }
            } finally {
                queue.unlock();
            }
        }
        if (isGiven) {
            next.giveCore();
        } else {
            crew().give(next);
        }
    }

    // ------------------------------------------------------------------ idling

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
        runtime.wakeups().announce(this, isSearching);
        isSearching = false;
        if (!restMayBlock()) {
            return false;
        }
        countSleep();
        return true;
    }

    void restEnd() {
        int woken = runtime.wakeups().retract(this);
        if (woken != Wakeups.SLEEPING) {
            countWakeup();
            if (woken >= Wakeups.CALLED) {
                restEndCalled(woken - Wakeups.CALLED);
            }
        }
        runtime.watch().coreWoke();
        looksAfter(0);
        hasLooked = false;
        hasSpun = woken == Wakeups.SLEEPING;
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
            timeoutNs = declined >= DECLINED_MAX ? DECLINED_NAP_NS : timeoutNs;
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
    ColoredWorker worker() {
        return (ColoredWorker) super.worker();
    }

    @Override
    int runningSlot(Worker of) {
        return ((ColoredWorker) of).turn.number - 1;
    }

    @Override
    @Nullable
    ColorImpl runningColor(Worker of) {
        Turn turn = ((ColoredWorker) of).turn;
        return turn.isRunning ? runtime.colorOf(turn.number) : null;
    }

    @Override
    protected boolean fire(EngineColor color, EngineStage<?> stage, @Nullable Object event) {
        return send(worker(), ((ColorImpl) color).number(), (StageImpl<?>) stage, event, true);
    }

    @Override
    protected void wakeForTimers() {
        VarHandle.fullFence(); // a timer has no claim in the inbox
        runtime.wakeups().wake(this);
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
