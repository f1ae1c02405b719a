// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import io.mely.HandlerObserver;
import io.mely.MelyBuilder;
import io.mely.spi.Lane;
import io.mely.spi.StageGroup;
import io.mely.spi.Worker;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A thread that calls the handlers of one core, and what it must have for itself while a handler runs: records, its part of the books, the time slice.
 *
 * <p>A core has one worker at a time. When that one stands still in a handler, {@link Watch} gives the core to another: see {@link Crew}.
 *
 * <p><b>Threads.</b> Its own, where nothing else is said; a test or a simulator may be it.
 */
final class CoreWorker extends HeadPad implements Worker {
    /** A clock is read after events that are expected to take as long: what it costs is a thirtieth of that. */
    private static final long READ_NS = 1_000;

    /** What an event is thought to take at least. Guess: that of an empty handler. */
    private static final int EVENT_NS = 25;

    /** Events that took so many times as long as was expected were expected wrongly: the next one is timed. Guess: below, it is chance. */
    private static final int OVERRUN = 4;

    /** Of short runs each so-many-th is timed. Two clock reads cost 66 ns: 1 ns an event. A prime, so as not to beat with a pattern. */
    private static final int SAMPLE_INTERVAL = 61;

    /** Most events without a penalty that one turn fuses: they were not pending when it began. The report's batch threshold. */
    private static final int FUSED_MAX = MelyBuilder.BATCH_THRESHOLD_EVENTS;

    private static final VarHandle RUN;
    private static final VarHandle HAS_CORE;

    static {
        try {
            RUN = MethodHandles.lookup().findVarHandle(CoreWorker.class, "run", long.class);
            HAS_CORE = MethodHandles.lookup().findVarHandle(CoreWorker.class, "hasCore", boolean.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** The core it works for, now or when that needs it. */
    final Core core;

    final Sender sender;
    final Turn turn;
    private final MelyRuntime runtime;
    private final int batchThresholdEvents;
    private final @Nullable HandlerObserver observer;

    /** Its thread; none in a test or a simulator. */
    volatile @Nullable CoreThread thread;

    /** Whether the core is its own: see {@link #giveCore} and {@link #loseCore}. */
    volatile boolean hasCore;

    /** What broke a send off half-way, a stack overflow for instance: a lock may be held or a color in no place. */
    @Nullable
    Throwable brokenBy;

    private int sampleCountdown = SAMPLE_INTERVAL;

    // the slice; what it has done since the core's last poll
    private long sliceFromNs;
    private long nowNs; // the last reading of the clock
    private boolean isNowFresh; // nothing but a turn's book-keeping came after it
    private long unreadNs; // what has run since, as expected
    private boolean hasRun; // in this slice

    private long run; // counters; one writer
    private long failed;

    CoreWorker(Core core, Sender sender, Turn turn) {
        this.core = core;
        this.sender = sender;
        this.turn = turn;
        runtime = core.runtime();
        batchThresholdEvents = runtime.config().batchThresholdEvents();
        observer = runtime.newObserver(core.core());
    }

    // ------------------------------------------------------------------ its core

    /** Makes the core its own, and wakes it if it waits for that. Any thread. */
    void giveCore() {
        hasCore = true;
        LockSupport.unpark(thread);
    }

    /** Whether the core is its own. Any thread; a hint to all but itself. */
    boolean hasCore() {
        return hasCore;
    }

    /** Waits until it has the core. Its thread. False if everything stops before, and nobody is about to give it the core. */
    boolean awaitCore() {
        while (!hasCore) {
            if (runtime.life().isStopped() && core.crew().leave(this)) {
                return false;
            }
            LockSupport.park(this);
        }
        return true;
    }

    /**
     * Takes the core from it: the holder of the lock under which the core is given to another worker; or itself when everything stops, to end the core's life.
     *
     * @return true for one of them
     */
    boolean loseCore() {
        return HAS_CORE.compareAndSet(this, true, false);
    }

    // ------------------------------------------------------------------ sending

    /** Nothing can be promised after a send that ended half-way, so the core ends too, before it touches its lock again. */
    void checkUnbroken() {
        Throwable cause = brokenBy;
        if (cause != null) {
            throw new IllegalStateException("a send broke off half-way", cause);
        }
    }

    /** Tells the observer, if there is one, of an event that was accepted. */
    void observeSent(int slot, StageImpl<?> stage) {
        HandlerObserver observer = this.observer;
        if (observer != null) {
            observer.sent(stage, slot);
        }
    }

    // ------------------------------------------------------------------ running

    /** The next event begins a slice. */
    void endSlice() {
        hasRun = false;
        isNowFresh = false;
    }

    /** {@inheritDoc} By the last reading of the clock. */
    @Override
    public boolean isSliceOver() {
        return hasRun && nowNs - sliceFromNs >= core.timeSliceNs;
    }

    /**
     * Runs events of the lane that was begun, at least one, up to what was pending then, the batch threshold, the end of the time slice, the next event that is expected to be
     * long, which begins a turn of its own, and the next that is of another group.
     *
     * <p><b>Fusing.</b> An event that the running handler sends into its own color, while nothing else waits there, takes the place of the
     * running one in its record, and runs when that returns: no lock, and the order is what it would be anyway. A turn fuses a few events only, as others wait.
     *
     * @param isColored whether it is a color that lives on this core, run for the cores' own group: events are fused only then
     * @return how many
     */
    int runTurn(boolean isColored) {
        Turn turn = this.turn;
        EventRecord record = turn.first();
        StageGroup.Sink group = record == null ? null : stageOf(record).sink;
        if (record != null && core.isLong(stageOf(record))) {
            turn.isEngaged = true;
            runtime.wakeups().engage(core);
        }
        int ran = 0;
        turn.fuseRoom = isColored ? FUSED_MAX : 0;
        turn.isRunning = true;
        core.queue().beginHandlers();
        try {
            while (record != null && (ran == 0 || mayGoOn(record, group, ran))) {
                ran++;
                assert stageOf(record).sink == group && isColored == (group == null) : "runs what is another group's";
                handle(stageOf(record), record.event());
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
            countRun(ran); // after the handlers' own sends were counted: see Sender
        }
        return ran;
    }

    private boolean mayGoOn(EventRecord next, StageGroup.@Nullable Sink group, int ran) {
        StageImpl<?> stage = stageOf(next);
        return ran < batchThresholdEvents
                && !isSliceOver()
                && stage.sink == group
                && !core.isLong(stage)
                && !runtime.life().isStopped();
    }

    private static StageImpl<?> stageOf(EventRecord record) {
        StageImpl<?> stage = (StageImpl<?>) record.profile();
        assert stage != null : "a record that runs is filled";
        return stage;
    }

    /** The core is said to be engaged no more, with its lock, if this worker has said so and still has it. */
    void disengage() {
        if (turn.isEngaged) {
            turn.isEngaged = false;
            if (hasCore) {
                runtime.wakeups().disengage(core);
            }
        }
    }

    /** {@inheritDoc} A color that is run for a group stays where it lives, and counts as running there. */
    @Override
    public boolean run(Lane lane) {
        CoreQueue own = core.queue();
        own.beginVisit();
        lane.link(Lane.NONE);
        if (lane instanceof ColorQueue color) {
            runColor(color, own);
        } else {
            turn.begin((EventRecord) lane);
            int unused = runTurn(false);
            turn.endSingle();
        }
        own.lock();
        try {
            disengage();
            if (hasCore) {
                own.endTurn();
            }
        } finally {
            own.unlock();
        }
        return hasCore && !runtime.life().isStopped();
    }

    private void runColor(ColorQueue color, CoreQueue own) {
        CoreQueue home = runtime.core(color.home()).queue();
        home.lock();
        home.begin(turn, color);
        home.unlock();
        int unused = runTurn(false);
        boolean isWorthier;
        home.lock();
        try {
            isWorthier = home.end(turn);
        } finally {
            home.unlock();
        }
        if (home != own || !hasCore) {
            runtime.wakeups().handedIn(home.core(), 0);
        }
        if (isWorthier && core.canSteal()) {
            runtime.wakeups().lootLinked(runtime.core(home.core()));
        }
    }

    /** Calls a handler, reports what it throws, and keeps the time. The run is counted by {@link #countRun}. */
    void handle(@Nullable StageImpl<?> stage, @Nullable Object event) {
        assert stage != null : "a record that runs is filled";
        if (!hasRun) {
            hasRun = true;
            sliceFromNs = readClock();
        }
        if (stage.isTimed() || --sampleCountdown <= 0) {
            handleTimed(stage, event);
        } else {
            call(stage, event);
            isNowFresh = false;
            unreadNs += stage.processingTimeNs() + EVENT_NS;
            if (unreadNs >= READ_NS) {
                handleReadClock();
            }
        }
    }

    private void handleTimed(StageImpl<?> stage, @Nullable Object event) {
        sampleCountdown = SAMPLE_INTERVAL;
        long startNs = isNowFresh ? nowNs : readClock();
        call(stage, event);
        stage.sample(readClock() - startNs);
        isNowFresh = true;
    }

    private void handleReadClock() {
        long expectedNs = unreadNs;
        long fromNs = nowNs;
        if (readClock() - fromNs > OVERRUN * expectedNs) {
            sampleCountdown = 0;
        }
    }

    private long readClock() {
        unreadNs = 0;
        nowNs = core.clock.nanoTime();
        return nowNs;
    }

    private void call(StageImpl<?> stage, @Nullable Object event) {
        HandlerObserver observer = this.observer;
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
            clearInterrupt(); // nor is it for the error handler, whose log it may close
            runtime.handlerFailed(this, stage, event, e);
        }
        clearInterrupt();
        checkUnbroken();
    }

    /** An interrupt that a handler has left is not for the next one, whose channels it would close. */
    static void clearInterrupt() {
        boolean unused = Thread.interrupted();
    }

    /** Enters events as run, after their handlers' own sends were counted: see {@link Sender}. */
    void countRun(int events) {
        RUN.setRelease(this, run + events);
    }

    // ------------------------------------------------------------------ looked at by others

    long runAcquire() {
        return (long) RUN.getAcquire(this);
    }

    long failed() {
        return failed;
    }
}
