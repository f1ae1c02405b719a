// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import io.mely.Policy;
import io.mely.spi.Lane;
import io.mely.spi.NanoClock;
import io.mely.spi.StageGroup;
import io.mely.spi.Supply;
import io.mely.spi.Worker;
import java.util.concurrent.atomic.AtomicLongFieldUpdater;
import org.jspecify.annotations.Nullable;

/**
 * A thread that calls handlers, and what it must have for itself while one runs: records, its part of the books, the time slice.
 *
 * <p><b>Threads.</b> Its own, where nothing else is said; a test or a simulator may be it.
 */
abstract class EventWorker extends HeadPad implements Worker {
    /** A clock is read after events that are expected to take as long: what it costs is a thirtieth of that. */
    private static final long READ_NS = 1_000;

    /** What an event is thought to take at least: measured, with an empty handler 20 to 30 (docs/benchmarks-costs.md). */
    private static final int EVENT_NS = 25;

    /** Events that took so many times as long as was expected were expected wrongly: the next one is timed. Guess: below, it is chance. */
    private static final int OVERRUN = 4;

    /** Most events without a penalty that one turn fuses: they were not pending when it began. The report's batch threshold. */
    private static final int FUSED_MAX = Policy.BATCH_THRESHOLD_EVENTS;

    private static final AtomicLongFieldUpdater<EventWorker> RUN =
            AtomicLongFieldUpdater.newUpdater(EventWorker.class, "run");

    final Sender sender;
    final Turn turn;
    final CallChain calls = new CallChain();
    final MelyRuntime runtime;
    private final NanoClock clock;
    private final long timeSliceNs;
    private final int batchThresholdEvents;

    /** Its thread; none in a test or a simulator. */
    volatile @Nullable CoreThread thread;

    // of Stalls
    long stallRan = -1;
    long stallSinceNs;
    boolean isStallTold;

    private boolean isNextTimed;

    // the slice; what it has done since the core's last poll
    private long sliceFromNs;
    private long nowNs; // the last reading of the clock
    private boolean isNowFresh; // nothing but a turn's book-keeping came after it
    private long unreadNs; // what has run since, as expected
    private boolean hasRun; // in this slice

    private volatile long run; // counters; one writer
    private long failed;

    /**
     * Makes a worker.
     *
     * @param core that it works for, for its observer; {@link HandlerObserver#OUTSIDE} for none
     */
    EventWorker(MelyRuntime runtime, int core, Turn turn) {
        this.runtime = runtime;
        this.turn = turn;
        RuntimeConfig config = runtime.config();
        clock = config.hooks().clock();
        sender = new Sender(runtime, core);
        timeSliceNs = config.tuning().timeSliceNs();
        batchThresholdEvents = config.tuning().batchThresholdEvents();
    }

    // ------------------------------------------------------------------ what kinds of workers differ in

    /** The core it has; -1 for none. */
    abstract int coreIndex();

    /** Whether a handler is expected to keep what waits behind it waiting for longer than it takes to wake a thief. */
    abstract boolean isLong(HandlerProfile stage);

    /** The handlers of a turn begin, of which the first is known to be long or not. */
    abstract void beginHandlers(boolean isLong);

    /** The core whose stock its events take from: see {@link Supply}. */
    abstract int stockCore();

    /** Takes what the next event needs. False: the turn ends before it. */
    abstract boolean takes(StageImpl<?> stage, Supply supply, boolean isFirst);

    /** Puts a lane aside whose first event was refused what it needs. */
    abstract void park(Lane lane, StageImpl<?> stage);

    /** Sends an event from a handler, or from what the worker does between handlers. False if refused. See {@link Sends}. */
    abstract boolean send(int number, StageImpl<?> stage, @Nullable Object event);

    // ------------------------------------------------------------------ running

    /** The next event begins a slice. */
    final void endSlice() {
        hasRun = false;
        isNowFresh = false;
    }

    /** {@inheritDoc} By the last reading of the clock. */
    @Override
    public final boolean isSliceOver() {
        return hasRun && nowNs - sliceFromNs >= timeSliceNs;
    }

    /**
     * Runs events of the lane that was begun, at least one, up to what was pending then, the batch threshold, the end of the time slice, the next event that is expected to be
     * long, which begins a turn of its own, the next that is of another group, and the next that does not get what it needs of its stage's {@link Supply}.
     *
     * <p><b>Fusing.</b> An event that the running handler sends into its own color, while nothing else waits there, takes the place of the
     * running one in its record, and runs when that returns: no lock, and the order is what it would be anyway. A turn fuses a few events only, as others wait.
     *
     * <p><b>Size.</b> One of the methods that HotSpot does not inline, see {@code CompiledSizeTest}.
     *
     * @param isColored whether it is a color that lives on this core, run for the cores' own group: events are fused only then
     * @return how many
     */
    final int runTurn(boolean isColored) {
        Turn turn = this.turn;
        EventRecord record = turn.first();
        StageGroup.Sink group = record == null ? null : stageOf(record).sink;
        int ran = 0;
        assert !turn.isRunning : "one turn at a time";
        turn.fuseRoom = isColored ? FUSED_MAX : 0;
        turn.isRunning = true;
        beginHandlers(record != null && isLong(stageOf(record)));
        try {
            while (record != null) {
                StageImpl<?> stage = stageOf(record);
                boolean mayGoOn = ran == 0
                        || (ran < batchThresholdEvents
                                && !isSliceOver()
                                && stage.sink == group
                                && !isLong(stage)
                                && !runtime.life().isStopped());
                if (!mayGoOn) {
                    break;
                }
                Supply supply = supplyOf(stage, record);
                if (supply != null && !takes(stage, supply, ran == 0)) {
                    refused(stage, ran == 0);
                    break;
                }
                ran++;
                assert stage.sink == group && (isColored == (group == null) || turn.entry != Turn.ANEW)
                        : "runs what is another group's";
                handle(stage, record.event());
                if (supply != null) {
                    supply.giveBack(stockCore());
                }
                if (turn.isFused) {
                    turn.isFused = false; // the record holds the next event already
                    continue;
                }
                turn.ranWeight += record.weight();
                EventRecord next = turn.next(record);
                sender.pool.give(record);
                record = next;
            }
        } finally { // the books close even if the core breaks down
            turn.isRunning = false;
            sender.stages.running(-1);
            countRun(ran); // after the handlers' own sends were counted: see Sender
            CoreThread thread = this.thread;
            if (thread != null) {
                thread.restore();
            }
        }
        return ran;
    }

    /** Where an event takes what it needs from; null if it needs nothing. */
    private static @Nullable Supply supplyOf(StageImpl<?> stage, EventRecord record) {
        Supply supply = stage.supply;
        if (supply == null) {
            return null;
        }
        Object sent = record.event();
        Object event = sent != null && sent.getClass() == Stamp.class ? ((Stamp) sent).event() : sent; // as in handle
        return supply.isNeededBy(event) ? supply : null;
    }

    /** An event did not get what it needs. That takes time of the slice, too: all that is ready may be refused. */
    private void refused(StageImpl<?> stage, boolean isFirst) {
        turn.refuse(stage, isFirst);
        if (!hasRun) {
            hasRun = true;
            sliceFromNs = readClock();
        }
        isNowFresh = false;
        unreadNs += EVENT_NS;
        if (unreadNs >= READ_NS) {
            handleReadClock();
        }
    }

    private static StageImpl<?> stageOf(EventRecord record) {
        StageImpl<?> stage = (StageImpl<?>) record.profile();
        assert stage != null : "a record that runs is filled";
        return stage;
    }

    /** Begins a lane of a group, runs events of it, and ends it. A color stays where it lives, and counts as running there. */
    final void runLane(Lane lane) {
        lane.link(Lane.NONE);
        if (lane instanceof ColorQueue color) {
            runColor(color);
        } else {
            turn.begin((EventRecord) lane);
            int unused = runTurn(false);
            StageImpl<?> refused = turn.refused;
            if (refused != null) {
                park(turn.endRefusedSingle(), refused);
            } else {
                turn.endSingle();
            }
        }
    }

    private void runColor(ColorQueue color) {
        Core home = runtime.core(color.home());
        CoreQueue queue = home.queue();
        queue.lock();
        queue.begin(turn, color);
        queue.unlock();
        int unused = runTurn(false);
        boolean isWorthier;
        queue.lock();
        try {
            isWorthier = queue.end(turn);
        } finally {
            queue.unlock();
        }
        StageImpl<?> refused = turn.refused;
        if (refused != null) {
            park(color, refused);
        }
        if (queue.ready.count() != 0) {
            runtime.wakeups().handedIn(home.core(), 0);
        }
        if (isWorthier && home.canSteal()) {
            runtime.wakeups().lootLinked(home);
        }
    }

    /** Calls a handler, reports what it throws, and keeps the time. The run is counted by {@link #countRun}. */
    private void handle(StageImpl<?> stage, @Nullable Object sent) {
        if (!hasRun) {
            hasRun = true;
            sliceFromNs = readClock();
        }
        stage.leave(); // first, as it may call who waits for room: what they send comes from no handler
        sender.stages.countRun(stage.index());
        // not instanceof: HotSpot would bet on one class of events
        Stamp stamp = sent != null && sent.getClass() == Stamp.class ? (Stamp) sent : null;
        boolean isTimed = stamp != null || stage.isTimed() || isNextTimed;
        long sentNs = stamp == null ? 0 : stamp.sentNs();
        long startNs = isTimed && !isNowFresh ? readClock() : nowNs;
        Object event = stamp == null ? sent : stamp.take();
        call(stage, event);
        isNowFresh = isTimed;
        if (isTimed) {
            isNextTimed = false;
            stage.sample(readClock() - startNs);
            if (stamp != null) {
                sender.stages.sample(stage.index(), nowNs - startNs, nowNs - sentNs);
                stage.ran(event, nowNs - sentNs);
            }
        } else {
            unreadNs += stage.processingTimeNs() + EVENT_NS;
            if (unreadNs >= READ_NS) {
                handleReadClock();
            }
        }
    }

    private void handleReadClock() {
        long expectedNs = unreadNs;
        long fromNs = nowNs;
        if (readClock() - fromNs > OVERRUN * expectedNs) {
            isNextTimed = true;
        }
    }

    private long readClock() {
        unreadNs = 0;
        nowNs = clock.nanoTime();
        return nowNs;
    }

    private void call(StageImpl<?> stage, @Nullable Object event) {
        HandlerObserver observer = sender.observer;
        if (observer == null) {
            callHandler(stage, event);
            return;
        }
        observer.began(stage, turn.number - 1);
        try {
            callHandler(stage, event);
        } finally {
            observer.ended();
        }
    }

    private void callHandler(StageImpl<?> stage, @Nullable Object event) {
        try {
            stage.handle(event);
        } catch (Throwable e) {
            failed++;
            stage.countFailed();
            clearInterrupt(); // nor is it for the error handler, whose log it may close
            runtime.handlerFailed(this, stage, event, e);
        }
        clearInterrupt();
    }

    /** An interrupt that a handler has left is not for the next one, whose channels it would close. */
    static void clearInterrupt() {
        boolean unused = Thread.interrupted();
    }

    /** Enters events as run, after their handlers' own sends were counted: see {@link Sender}. */
    final void countRun(int events) {
        RUN.lazySet(this, run + events);
    }

    // ------------------------------------------------------------------ looked at by others

    final long runAcquire() {
        return run;
    }

    final long failed() {
        return failed;
    }
}
