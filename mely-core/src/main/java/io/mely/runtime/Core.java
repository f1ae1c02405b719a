// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import io.mely.profile.HandlerProfile;
import io.mely.queue.ColorHomes;
import io.mely.queue.ColorIndex;
import io.mely.queue.ColorQueue;
import io.mely.queue.CoreQueue;
import io.mely.queue.EventRecord;
import io.mely.queue.IdleColors;
import io.mely.queue.RecordPool;
import io.mely.spi.Poller;
import io.mely.steal.Thief;
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
 * <p>It reads no clock but the one it is given, and no clock at all for events of known length: how much of the slice is used up is the sum
 * of the stages' expected times.
 *
 * <p><b>Turns.</b> A color runs a batch of events, or all that was pending when it was picked if the others have as much pending (ADR 0017). A turn that the
 * slice cuts is paused: its color is the next of its list. A turn ends, or is paused if it began so, before a lengthy event while something brief waits (ADR 0023).
 *
 * <p><b>Fusing.</b> An event that the running handler sends into its own color, while nothing else waits there, takes the place of the
 * running one in its record, and runs when that returns: no lock, and the order is what it would be anyway.
 *
 * <p>Long, as its loop is one: sending, stepping and idling share what runs now and how much of the slice is used up. What to steal is {@link Thief}'s, whom to wake
 * {@link Wakeups}', which color to give away {@link Following}'s, with which core to be one {@link Gathering}'s.
 *
 * <p><b>Threads.</b> The stepping thread, but where a method says otherwise.
 */
public final class Core extends EngineCore {
    /** Each so-many-th pick begins at the next level in turn, so that none starves. A prime, as above. */
    private static final int FROM_BELOW_INTERVAL = 61;

    /**
     * A look into the inbox costs a line transfer from the last sender. As long as there is something to run without, only each so-many-th
     * pick looks, and the first of a slice: what is urgent in there waits for no more than that, and for short events in front of it.
     */
    private static final int INBOX_INTERVAL = 8;

    /** The same while short events are left in there, which run 16 a look, and others wait in the short-queue. Guess. */
    private static final int LEFT_INTERVAL = 3;

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

    /** A handler that runs as long is worth waking a thief for what waits behind it. Guess: five wake-ups. */
    static final long ENGAGED_NS = 50_000;

    /** A poll of so many is followed by a look for idle colors, as is the last before a sleep. Guess: 25 ms of work, 20 us of a spin. */
    private static final int POLLS_TO_LOOK = 256;

    private final MelyRuntime runtime;
    private final CoreQueue queue;
    private final ColorHomes homes;
    private final Thief thief;
    private final boolean canSteal;
    private final boolean isOfMany;
    private final int[] neighbours;
    private final int batchThresholdEvents;
    private final long batchRoom;
    private final boolean isPenaltyInBatches;
    private final boolean isGated;
    private final long engagedNs;
    private final int lookAfter;
    private final long spinNs;
    private final IdleColors idle;
    private final boolean follows;
    private final boolean gathers;
    private final Following following;
    private final Gathering gathering;
    private final Talk talk;
    // what runs now: a handler, in the color that the queue names, with the event at its head
    private boolean isRunning;
    private boolean isFused;
    private int fuseRoom; // of a group of short events
    private boolean prefetches; // set by whoever makes a stage with a prefetcher, before anybody sends to it

    private long prefetched; // read by nobody: so that the compiler leaves no load out

    private boolean isEngaged;
    private long ranWeight;
    private boolean hasYielded; // to what is brief

    // of the last batch, which a poll may have cut
    private int cutColor;
    private long cutRoom; // of the batch threshold
    private long cutBeganNs; // as spentNs
    private long cutRanNs;

    // between steps
    private int picks;
    private int pollsToLook = POLLS_TO_LOOK;
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
            Gatherings gatherings,
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
        isPenaltyInBatches = wiring.config().isPenaltyInBatches();
        batchThresholdEvents = wiring.config().batchThresholdEvents();
        batchRoom = (long) batchThresholdEvents * HandlerProfile.BATCH_SHARE_MAX;
        isGated = wiring.config().isGated();
        spinNs = wiring.spinNs();
        idle = new IdleColors(queue, wiring.config().idleKeptNs());
        follows = canSteal && wiring.config().isFollowing() && queue.hasShortQueue();
        following = new Following(index);
        gathers = canSteal && wiring.config().isGathering() && queue.hasShortQueue();
        talk = new Talk(this, wiring.gatherings().cores());
        gathering = new Gathering(this, wiring.gatherings(), talk);
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
            recordSent(number - 1, stage);
        }
        return isSent;
    }

    private boolean sendWhole(int number, StageImpl<?> stage, @Nullable Object event) {
        if (isRunning) {
            if (!isFused && queue.isRunning(number) && queue.runsAlone() && sendFused(stage, event)) {
                return true;
            }
        } else {
            queue.sendBehindInbox(); // the poller's and the timers' reasons come from elsewhere
            talk.sentBetweenTurns();
        }
        RecordPool pool = sender.pool;
        if (!pool.hasRecord() || !pool.takeCredit()) {
            sender.countRefused();
            return false;
        }
        sender.countAccepted();
        int home = homes.coreOfColor(number);
        if (home != index) {
            following.sentAway(number, home);
            if (gathers && isRunning) {
                talk.sentAway(home);
            }
        }
        if (home != index || !sendHome(number, stage, event)) {
            runtime.handIn(number, stage, event, this, null);
        }
        return true;
    }

    private boolean sendFused(StageImpl<?> stage, @Nullable Object event) {
        if (queue.hasShorts()) {
            if (fuseRoom == 0 || !queue.replaceShort(stage, event)) {
                return false;
            }
            fuseRoom--;
        } else {
            EventRecord current = queue.runFirst();
            assert current != null : "it runs";
            ranWeight += (long) current.weight() - stage.weight();
            current.replace(stage, event, stage.weight());
            queue.raiseUrgency(stage.priority());
        }
        sender.countAccepted();
        isFused = true;
        return true;
    }

    /** Sends to a color of this core, in place. False if it has been stolen, or something came before. */
    private boolean sendHome(int number, StageImpl<?> stage, @Nullable Object event) {
        int sent;
        queue.lock();
        try {
            sent = queue.sendShort(number, stage, event) ? CoreQueue.IN : queue.send(number, stage, event, sender.pool);
        } finally {
            queue.unlock();
        }
        if ((sent == CoreQueue.IN_WORTHIER || isEngaged) && canSteal) {
            runtime.wakeups().lootLinked(this);
        }
        return sent != CoreQueue.AWAY;
    }

    /** From now on there are stages with a {@link io.mely.Prefetcher}. Any thread. */
    void prefetches() {
        prefetches = true;
    }

    // ------------------------------------------------------------------ stepping

    @Override
    public int step() {
        seeSeal();
        int helped = thief.hasMarks() ? thief.drainMarked() : 0;
        int done = queue.looksReady() ? slice(false) : 0;
        if (follows && following.isDue()) {
            following.give(this);
        }
        if (isPollDue(done, queue.looksReady())) {
            done += poll();
            if (--pollsToLook == 0) {
                lookForIdle();
            }
            if (gathers) {
                done += gathering.step(done == 0);
            }
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

    private void lookForIdle() {
        pollsToLook = POLLS_TO_LOOK;
        if (idle.isOn()) {
            idle.look(clock.nanoTime());
        }
    }

    private int stepSteal() {
        ColorQueue color = thief.steal(hasNapped);
        if (color == null) {
            return 0;
        }
        cutColor = ColorIndex.NONE;
        boolean isWorthier;
        queue.lock();
        try {
            isWorthier = queue.adopt(color, thief.isMarked());
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

    /** Runs batches until the slice is used up or nothing is ready. Begins with a color that was stolen, if there is one. */
    private int slice(boolean isGiven) {
        boolean isHeld = isGiven || sliceNext(false);
        int ran = 0;
        while (isHeld) {
            ran += !queue.hasShorts() ? batch() : prefetches ? prefetchedGroup() : group();
            if (isSliceOver() || runtime.isStopped()) {
                sliceEnd();
                return ran;
            }
            if (queue.runFirst() != null && !queue.looksReady()) {
                queue.beginTurn();
            } else {
                isHeld = sliceNext(true);
            }
        }
        return ran;
    }

    /** Ends the color of the last batch, moves the inbox, and picks the next: one hold of the lock. */
    private boolean sliceNext(boolean hasRun) {
        boolean isWorthier = false;
        boolean isHeld;
        queue.lock();
        try {
            if (hasRun) {
                isWorthier = sliceEndTurn(hasYielded && queue.isLengthyTurn());
            }
            boolean isFromBelow = ++picks == FROM_BELOW_INTERVAL;
            picks = isFromBelow ? 0 : picks;
            int interval = !queue.hasLeftShorts() ? INBOX_INTERVAL : queue.hasOwnShorts() ? LEFT_INTERVAL : 1;
            boolean isInboxDue = spentNs == 0 || picks % interval == 0 || !queue.hasBriefNext();
            if (isInboxDue) {
                isWorthier |= queue.drainToShorts(sender.pool);
            }
            isHeld = queue.hasShorts() // the runtime stops
                    || queue.claimShorts(isInboxDue, !hasRun, isFromBelow, ranNs())
                    || queue.pick(isFromBelow, ranNs());
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

    /** Ends the color of the last batch, and says that nothing runs: else thieves would take this core for busy. */
    private void sliceEnd() {
        boolean isWorthier;
        queue.lock();
        try {
            isWorthier = sliceEndTurn(true);
            queue.endTurn();
        } finally {
            queue.unlock();
        }
        if (isWorthier && canSteal) {
            runtime.wakeups().lootLinked(this);
        }
    }

    private boolean sliceEndTurn(boolean isCut) {
        if (queue.hasShorts()) {
            return queue.endShorts();
        }
        boolean isPaused = isCut && (cutsBatch() || isTurnOpen());
        if (!isGated) {
            queue.closeTurn(); // of batches none outlasts another color
        }
        long weight = ranWeight;
        ranWeight = 0;
        return isPaused ? queue.pause(weight) : queue.end(weight);
    }

    /**
     * Runs the short events that were claimed: all of them, as they take less than a part of a slice.
     *
     * @return how many
     */
    private int group() {
        int ran = 0;
        fuseRoom = batchThresholdEvents;
        isRunning = true;
        try {
            while (!runtime.isStopped() && queue.nextShort()) {
                do {
                    isFused = false;
                    ran++;
                    batchHandle((StageImpl<?>) queue.shortStage(), queue.shortEvent());
                } while (isFused);
            }
        } finally { // as in batch
            isRunning = false;
            spentEvents += ran;
            sender.pool.giveCredits(ran - (batchThresholdEvents - fuseRoom)); // a fused one has taken none
            RUN.setRelease(this, run + ran);
        }
        following.ran(ran, queue.running(), sender.accepted);
        return ran;
    }

    /** Lets the handlers of a group wait for memory at once (ADR 0025), and runs it. What that takes is part of the handlers' time, so it is measured when that is. */
    private int prefetchedGroup() {
        int count = queue.claimedShorts();
        if (count == 1 || runtime.isStopped()) {
            return group(); // one alone would wait here instead of there
        }
        if (isSampleDue(count)) {
            long startNs = clock.nanoTime();
            int loads = prefetch(count);
            prefetchNs = (int) Math.min((clock.nanoTime() - startNs) / Math.max(1, loads), Integer.MAX_VALUE);
        } else {
            prefetch(count);
        }
        int ran = group();
        prefetchNs = 0;
        return ran;
    }

    /** Returns for how many events. A thief may take some back meanwhile, and clear them. */
    private int prefetch(int count) {
        int loads = 0;
        for (int i = 0; i < count; i++) {
            Object event = queue.claimedEvent(i);
            StageImpl<?> stage = (StageImpl<?>) queue.claimedStage(i);
            if (event != null && stage.isPrefetched()) {
                loads++;
                prefetch(stage, event);
            }
        }
        return loads;
    }

    private void prefetch(StageImpl<?> stage, Object event) {
        try {
            prefetched ^= stage.prefetch(event);
        } catch (Throwable e) {
            runtime.prefetcherFailed(stage, e);
            checkUnbroken(); // it may have sent, though it must not
        }
    }

    /**
     * Runs events of the color that was picked, at least one, up to the batch threshold or the end of its turn, and the end of the time slice.
     *
     * @return how many
     */
    private int batch() {
        EventRecord record = queue.runFirst();
        long room = batchRoom;
        hasYielded = false;
        following.reset();
        cutBeganNs = spentNs;
        if (cutColor != ColorIndex.NONE) {
            room = resumedRoom();
        }
        int ran = 0;
        isRunning = true;
        try {
            while (record != null && (ran == 0 || batchMayGoOn(room))) {
                StageImpl<?> stage = (StageImpl<?>) record.profile();
                assert stage != null : "a record that runs is filled";
                if (ran != 0 && queue.yieldsToBrief(stage)) {
                    hasYielded = true;
                    break;
                }
                ran++;
                room -= isPenaltyInBatches ? stage.batchShare() : HandlerProfile.BATCH_SHARE_MAX;
                if (stage.processingTimeNs() >= engagedNs && !isEngaged) {
                    isEngaged = true;
                    runtime.wakeups().engage(this);
                }
                batchHandle(stage, record.event());
                if (isFused) {
                    isFused = false; // the record holds the next event already
                    queue.closeTurn(); // it was not pending when the turn began
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
            spentEvents += ran;
            cutRoom = room;
            RUN.setRelease(this, run + ran); // after the handlers' own sends were counted: see Sender
        }
        return ran;
    }

    private boolean batchMayGoOn(long room) {
        boolean isInBatch = room > 0 && spentNs - cutBeganNs < timeSliceNs;
        return spentNs < timeSliceNs && (isInBatch || isTurnOpen()) && !runtime.isStopped();
    }

    /** Whether events are left, and some of the batch and of a time slice for them: the poll came first. */
    private boolean cutsBatch() {
        cutRanNs = spentNs - cutBeganNs;
        boolean isCut = queue.runFirst() != null && cutRoom > 0 && cutRanNs < timeSliceNs;
        cutColor = isCut ? queue.running() : ColorIndex.NONE;
        return isCut;
    }

    /** Of the batch that was cut, if that goes on; else another came first. */
    private long resumedRoom() {
        boolean isResumed = queue.isRunning(cutColor);
        cutColor = ColorIndex.NONE;
        if (!isResumed) {
            return batchRoom;
        }
        cutBeganNs -= cutRanNs;
        return cutRoom;
    }

    private boolean isTurnOpen() {
        return isGated && ranWeight < queue.turnLeft();
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
        } else if (gathering.isReturning() || (!isSearching && queue.hasInbox() && !queue.looksReady())) {
            Thread.yield(); // to who has what is taken back, or has claimed an entry and lost its CPU
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
        lookForIdle();
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
        return sleepFlag.get() == Wakeups.SLEEPING
                && !queue.hasWork()
                && !gathering.isReturning()
                && mayBlockForTimersAndPhase();
    }

    long restTimeoutNs() {
        long timeoutNs = Long.MAX_VALUE;
        if (canSteal) {
            thief.foundNothing();
            boolean isShort = declined >= DECLINED_MAX || thief.hasMarks();
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

    Gathering gathering() {
        return gathering;
    }

    Talk talk() {
        return talk;
    }

    Following following() {
        return following;
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
    protected long gathered() {
        return thief.gathered();
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
