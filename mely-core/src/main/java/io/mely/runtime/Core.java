// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import io.mely.queue.ColorQueue;
import io.mely.queue.CoreQueue;
import io.mely.queue.EventRecord;
import io.mely.queue.TimeLeftIntervals;
import io.mely.spi.Poller;
import io.mely.steal.Thief;
import org.jspecify.annotations.Nullable;

/**
 * One core: an object that is stepped, by its thread, a test or a simulator.
 *
 * <pre>
 * step:  run ready colors, a batch of each, up to a time slice
 *        poll, when the slice is used up or nothing ran; fire timers
 *        nothing happened: try to steal one color, and run it
 * rest:  nothing again: spin a little, then block in the poller until woken
 * </pre>
 *
 * <p>It reads no clock but the one it is given, and no clock at all for events of known length: how much of the slice is used up is the sum
 * of the stages' expected times.
 *
 * <p><b>Fusing.</b> An event that the running handler sends into its own color, while nothing else waits there, takes the place of the
 * running one in its record, and runs when that returns: no atomic operation, and the order is what it would be anyway.
 *
 * <p><b>Threads.</b> The stepping thread, but where a method says otherwise.
 */
public final class Core extends EngineCore {
    /** Each so-many-th pick begins at the next level in turn, so that none starves. A prime, as above. */
    private static final int FROM_BELOW_INTERVAL = 61;

    /**
     * A look into the inbox costs a line transfer from the last sender. As long as there is something to run without, only each so-many-th
     * pick looks, and the first of a slice: what is urgent in there waits for no more than that.
     */
    private static final int INBOX_INTERVAL = 8;

    /** An idle core looks after the others at growing intervals, in case one of them is stuck with short colors. */
    private static final long NAP_NS_MIN = 1_000_000;

    private static final long NAP_NS_MAX = 32_000_000;

    /** Loot seen so often in a row and not got: it is not worth it to this thief. */
    private static final int DECLINED_MAX = 3;

    static final long DECLINED_NAP_NS = 200_000;

    private final MelyRuntime runtime;
    private final CoreQueue queue;
    private final Thief thief;
    private final TimeLeftIntervals intervals;
    private final boolean canSteal;
    private final int[] neighbours;
    private final int batchThresholdEvents;
    private final long spinNs;
    // what runs now: a handler, in the color that the queue names, with the event at its head
    private boolean isRunning;
    private boolean isFused;

    // between steps
    private int picks;
    private boolean isSearching;

    private long idleSinceNs;
    private boolean hasSpun;
    private long napNs = NAP_NS_MIN;
    private int declined;

    /** What a core shares with others or is told by its runtime. */
    record Wiring(
            MelyRuntime runtime,
            CoreQueue queue,
            Thief thief,
            TimeLeftIntervals intervals,
            boolean canSteal,
            Sender sender,
            RuntimeConfig config,
            long spinNs) {}

    Core(int index, Wiring wiring, Poller.Factory pollers) {
        super(index, wiring.runtime(), wiring.sender(), wiring.config(), pollers);
        runtime = wiring.runtime();
        queue = wiring.queue();
        thief = wiring.thief();
        intervals = wiring.intervals();
        canSteal = wiring.canSteal();
        neighbours = thief.neighbours();
        batchThresholdEvents = wiring.config().batchThresholdEvents();
        spinNs = wiring.spinNs();
        sender.pool.useCredits();
    }

    // ------------------------------------------------------------------ sending, on this core's thread

    /** Sends an event from a handler, the poller or a timer of this core. */
    boolean send(ColorImpl color, StageImpl<?> stage, @Nullable Object event) {
        if (!maySend(isRunning)) {
            sender.countRefused();
            return false;
        }
        try {
            return sendWhole(color, stage, event);
        } catch (Throwable e) {
            brokenBy = e; // a bare store: there may be no stack left for a call
            throw e;
        }
    }

    private boolean sendWhole(ColorImpl color, StageImpl<?> stage, @Nullable Object event) {
        int weight = stage.weight();
        if (isRunning(color) && !isFused) {
            EventRecord current = color.onlyRecord();
            if (current != null) {
                color.subtractLeft((long) current.weight() - weight);
                current.set(stage, event, weight);
                color.raiseUrgency(stage.priority());
                sender.countAccepted();
                isFused = true;
                return true;
            }
        }
        if (color.isIdle() && sendOpening(color, stage, event, weight)) {
            return true;
        }
        EventRecord record = sender.pool.take();
        if (record == null) {
            sender.countRefused();
            return false;
        }
        record.set(stage, event, weight);
        sender.countAccepted();
        if (color.append(record)) {
            color.opened(weight, stage.priority());
            sendOpened(color, weight);
        } else {
            sendGrown(color, weight, stage.priority());
        }
        return true;
    }

    /** Sends to an idle color, in the color's own record. False if another sender was faster, or at the bound. */
    private boolean sendOpening(ColorImpl color, StageImpl<?> stage, @Nullable Object event, int weight) {
        if (!sender.pool.takeCredit()) {
            return false;
        }
        if (!color.tryOpen()) {
            sender.pool.giveCredit();
            return false;
        }
        color.set(stage, event, weight);
        sender.countAccepted();
        color.opened(weight, stage.priority());
        sendOpened(color, weight);
        return true;
    }

    private boolean isRunning(ColorQueue color) {
        return isRunning && queue.isRunning(color);
    }

    /** Makes a color ready that this thread opened: in place if it lives here, else through its home's inbox. */
    private void sendOpened(ColorImpl color, int weight) {
        int home = color.home();
        if (home == index && queue.tryLock()) {
            boolean isWorthier;
            try {
                isWorthier = queue.link(color);
            } finally {
                queue.unlock();
            }
            if (isWorthier && canSteal) {
                runtime.wakeups().lootLinked(this);
            }
            return;
        }
        color.markOpened();
        handIn(home, color, weight);
    }

    /** Lets the color's home know that it has become worthier or more urgent (a promotion). */
    private void sendGrown(ColorImpl color, int weight, int priority) {
        int home = color.home();
        long left = color.addLeft(weight, home == index);
        boolean isRaised = color.raiseUrgency(priority);
        if (!isRaised && !isPromotion(left, weight)) {
            return;
        }
        if (isRunning(color)) {
            return; // classified when its batch ends, by this thread
        }
        if (home == index && queue.tryLock()) {
            boolean isWorthier;
            try {
                isWorthier = queue.touch(color);
            } finally {
                queue.unlock();
            }
            if (isWorthier && canSteal) {
                runtime.wakeups().lootLinked(this);
            }
            return;
        }
        handIn(home, color, left);
    }

    /** Whether a send has lifted a color into another interval, which its home must then learn. */
    boolean isPromotion(long left, int weight) {
        return intervals.intervalOf(left) != intervals.intervalOf(left - weight);
    }

    private void handIn(int home, ColorImpl color, long left) {
        Core target = runtime.core(home);
        target.queue.handIn(color);
        runtime.wakeups().handedIn(target, left); // for this core too: what a thief's hold of the lock kept out is loot
    }

    // ------------------------------------------------------------------ stepping

    @Override
    public int step() {
        seeSeal();
        int done = queue.hasWork() ? slice(null) : 0;
        if (isPollDue(done, queue.hasWork())) {
            done += poll();
        }
        if (done == 0 && canSteal) {
            done = stepSteal();
        }
        if (done != 0) {
            stepActive();
        }
        return done;
    }

    private int stepSteal() {
        ColorQueue color = thief.steal();
        if (color == null) {
            return 0;
        }
        queue.runs(color);
        boolean isWorthier = false;
        if (queue.hasRest(color)) {
            queue.lock();
            try {
                isWorthier = queue.linkRest(color);
            } finally {
                queue.unlock();
            }
        }
        declined = 0;
        if (isSearching) {
            isSearching = false;
            runtime.wakeups().endSearch();
        }
        if (isWorthier) {
            runtime.wakeups().lootLinked(this);
        }
        return Math.max(1, slice(color));
    }

    private void stepActive() {
        if (isSearching) {
            isSearching = false;
            runtime.wakeups().endSearch();
        }
        idleSinceNs = 0;
        hasSpun = false;
        napNs = NAP_NS_MIN;
        declined = 0;
    }

    /** Runs batches until the slice is used up or nothing is ready. Begins with a color that is in no queue, if one is given. */
    private int slice(@Nullable ColorQueue given) {
        ColorQueue held = given != null ? given : sliceNext(null);
        int ran = 0;
        while (held != null) {
            int batch = batch((ColorImpl) held);
            ran += Math.abs(batch);
            if (batch < 0) {
                held = null; // idle now
            }
            boolean isOver = isSliceOver() || runtime.isStopped();
            if (isOver || batch == 0) {
                sliceEnd(held);
                return ran;
            }
            if (held == null || queue.hasWork()) {
                held = sliceNext(held);
            } else {
                queue.beginTurn();
            }
        }
        return ran;
    }

    /** Puts the color of the last batch back, moves the inbox, and picks the next: one hold of the lock. */
    private @Nullable ColorQueue sliceNext(@Nullable ColorQueue held) {
        boolean isWorthier = false;
        ColorQueue next;
        queue.lock();
        try {
            if (held != null) {
                isWorthier = queue.link(held);
            }
            boolean isFromBelow = ++picks == FROM_BELOW_INTERVAL;
            picks = isFromBelow ? 0 : picks;
            boolean isInboxDue = spentNs == 0 || picks % INBOX_INTERVAL == 0 || queue.readyCount() == 0;
            if (isInboxDue && queue.hasInbox()) {
                isWorthier |= queue.drain();
            }
            next = queue.pick(isFromBelow);
        } finally {
            queue.unlock();
        }
        if (next != null && isSearching) {
            isSearching =
                    false; // before the loot is announced: a searcher with work of its own must not keep others asleep
            runtime.wakeups().endSearch();
        }
        if (isWorthier && canSteal) {
            runtime.wakeups().lootLinked(this);
        }
        return next;
    }

    /** Puts the color of the last batch back, if it is not idle, and says that nothing runs: else thieves would take this core for busy. */
    private void sliceEnd(@Nullable ColorQueue held) {
        if (held == null) {
            queue.endTurn();
            return;
        }
        boolean isWorthier;
        queue.lock();
        try {
            isWorthier = queue.link(held);
            queue.endTurn();
        } finally {
            queue.unlock();
        }
        if (isWorthier && canSteal) {
            runtime.wakeups().lootLinked(this);
        }
    }

    /**
     * Runs events of one color, at least one, up to the batch threshold and the end of the time slice.
     *
     * @return how many; negative if the color is idle after them, and no longer this core's to touch; 0 if a sender has not linked the
     *     next event yet
     */
    private int batch(ColorImpl color) {
        assert color.home() == index : "invariant 1: runs away from home";
        assert queue.isRunning(color) : "runs another color than thieves see";
        EventRecord record = batchFirst(color);
        int ran = 0;
        boolean isIdle = false;
        isRunning = true;
        try {
            while (record != null && ran < batchThresholdEvents && (ran == 0 || batchMayGoOn())) {
                ran++;
                batchHandle((StageImpl<?>) record.profile(), record.event());
                if (isFused) {
                    isFused = false; // the record holds the next event already
                    continue;
                }
                color.subtractLeft(record.weight());
                EventRecord next = color.advance(record);
                if (next == ColorQueue.LINKING) {
                    break;
                }
                sender.pool.give(record);
                record = next;
                isIdle = next == null;
            }
            if (record != null && !isIdle && !record.isConsumed() && record.profile() instanceof StageImpl<?> next) {
                color.raiseLeft(next.weight());
            }
        } finally { // the books close even if the core breaks down
            isRunning = false;
            spentEvents += ran;
            RUN.setRelease(this, run + ran); // after the handlers' own sends were counted: see Sender
        }
        return isIdle ? -ran : ran;
    }

    private boolean batchMayGoOn() {
        return spentNs < timeSliceNs && !runtime.isStopped();
    }

    /** The first event to run; null if the head has run already and its successor is still not linked. */
    @SuppressWarnings("ThreadPriorityCheck") // a hint for the case that the sender lost its CPU; right without it
    private @Nullable EventRecord batchFirst(ColorImpl color) {
        EventRecord record = color.head();
        if (!record.isConsumed()) {
            return record;
        }
        EventRecord next = color.advance(record);
        assert next != null : "a sender had exchanged the tail";
        if (next == ColorQueue.LINKING) {
            Thread.yield(); // the sender lost its CPU, maybe to this thread
            return null;
        }
        sender.pool.give(record);
        return next;
    }

    // ------------------------------------------------------------------ idling

    /** {@inheritDoc} A nap that ends by itself is not followed by a spin. */
    @Override
    public void rest() {
        if (restSpins()) {
            return;
        }
        if (restBegin()) {
            restBlock(restTimeoutNs());
        }
        restEnd();
    }

    boolean restSpins() {
        if (spinNs == 0 || hasSpun) {
            return false;
        }
        long nowNs = clock.nanoTime();
        if (idleSinceNs == 0) {
            idleSinceNs = nowNs == 0 ? 1 : nowNs;
        }
        if (nowNs - idleSinceNs >= spinNs) {
            return false;
        }
        if (canSteal && !isSearching) {
            isSearching = true;
            runtime.wakeups().beginSearch();
        }
        Thread.onSpinWait();
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
            isSearching = woken == Wakeups.CALLED;
            napNs = NAP_NS_MIN;
        }
        hasSpun = woken == Wakeups.SLEEPING;
        idleSinceNs = 0;
    }

    private boolean restMayBlock() {
        if (!mayBlock() || restHasWorkUnderLock()) {
            return false;
        }
        if (canSteal && thief.seesLoot() && declined < DECLINED_MAX) {
            declined++;
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
            timeoutNs = declined >= DECLINED_MAX ? DECLINED_NAP_NS : napNs;
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

    boolean canBeRobbed() {
        return canSteal;
    }

    /** The other cores, nearest first. */
    int[] neighbours() {
        return neighbours;
    }

    @Override
    protected @Nullable ColorImpl runningColor() {
        return isRunning ? (ColorImpl) queue.running() : null;
    }

    @Override
    protected boolean fire(EngineColor color, EngineStage<?> stage, @Nullable Object event) {
        return send((ColorImpl) color, (StageImpl<?>) stage, event);
    }

    @Override
    protected void wakeForTimers() {
        runtime.wakeups().handedIn(this, 0);
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
