// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import io.mely.HandlerObserver;
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
class Worker extends HeadPad {
    /** A clock is read after events that are expected to take as long: what it costs is a thirtieth of that. */
    private static final long READ_NS = 1_000;

    /** What an event is thought to take at least. Guess: that of an empty handler. */
    private static final int EVENT_NS = 25;

    /** Events that took so many times as long as was expected were expected wrongly: the next one is timed. Guess: below, it is chance. */
    private static final int OVERRUN = 4;

    /** Of short runs each so-many-th is timed. Two clock reads cost 66 ns: 1 ns an event. A prime, so as not to beat with a pattern. */
    private static final int SAMPLE_INTERVAL = 61;

    private static final VarHandle RUN;
    private static final VarHandle HAS_CORE;

    static {
        try {
            RUN = MethodHandles.lookup().findVarHandle(Worker.class, "run", long.class);
            HAS_CORE = MethodHandles.lookup().findVarHandle(Worker.class, "hasCore", boolean.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** The core it works for, now or when that needs it. */
    final EngineCore core;

    final Sender sender;
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

    Worker(EngineCore core, Sender sender) {
        this.core = core;
        this.sender = sender;
        observer = core.engine().newObserver(core.core());
    }

    // ------------------------------------------------------------------ its core

    /** Makes the core its own, and wakes it if it waits for that. Any thread. */
    final void giveCore() {
        hasCore = true;
        LockSupport.unpark(thread);
    }

    /** Whether the core is its own. Any thread; a hint to all but itself. */
    final boolean hasCore() {
        return hasCore;
    }

    /** Waits until it has the core. Its thread. False if everything stops before, and nobody is about to give it the core. */
    final boolean awaitCore() {
        while (!hasCore) {
            if (core.engine().isStopped() && core.crew().leave(this)) {
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
    final boolean loseCore() {
        return HAS_CORE.compareAndSet(this, true, false);
    }

    // ------------------------------------------------------------------ sending

    /**
     * Begins a send: takes a record, fills it, and enters it in the books.
     *
     * @param stage of the event
     * @param event what to send
     * @param isRunning whether a handler sends
     * @return the record, to be published; null if the event is refused, which is in the books too
     */
    final @Nullable EventRecord accept(EngineStage<?> stage, @Nullable Object event, boolean isRunning) {
        RecordPool pool = sender.pool;
        if (!core.maySend(isRunning) || !pool.hasRecord() || !pool.takeCredit()) {
            sender.countRefused();
            return null;
        }
        EventRecord record = pool.take();
        assert record != null : "there was one";
        record.set(stage, event, stage.weight());
        sender.countAccepted();
        return record;
    }

    /** Nothing can be promised after a send that ended half-way, so the core ends too, before it touches its lock again. */
    final void checkUnbroken() {
        Throwable cause = brokenBy;
        if (cause != null) {
            throw new IllegalStateException("a send broke off half-way", cause);
        }
    }

    /** Tells the observer, if there is one, of an event that was accepted. */
    final void observeSent(int slot, EngineStage<?> stage) {
        HandlerObserver observer = this.observer;
        if (observer != null) {
            observer.sent(stage, slot);
        }
    }

    // ------------------------------------------------------------------ running

    /** The next event begins a slice. */
    final void endSlice() {
        hasRun = false;
        isNowFresh = false;
    }

    /** Whether it has run events for as long as it may without a look at the core's poller, by the last reading of the clock. */
    final boolean isSliceOver() {
        return hasRun && nowNs - sliceFromNs >= core.timeSliceNs;
    }

    /** Calls a handler, reports what it throws, and keeps the time. The run is counted by {@link #countRun}. */
    final void handle(@Nullable EngineStage<?> stage, @Nullable Object event) {
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

    private void handleTimed(EngineStage<?> stage, @Nullable Object event) {
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

    private void call(EngineStage<?> stage, @Nullable Object event) {
        HandlerObserver observer = this.observer;
        if (observer == null) {
            callHandler(stage, event);
            return;
        }
        observer.began(stage, core.runningSlot(this));
        try {
            callHandler(stage, event);
        } finally {
            observer.ended();
        }
    }

    private void callHandler(EngineStage<?> stage, @Nullable Object event) {
        try {
            stage.handle(event);
        } catch (Throwable e) {
            failed++;
            clearInterrupt(); // nor is it for the error handler, whose log it may close
            core.engine().handlerFailed(this, stage, event, e);
        }
        clearInterrupt();
        checkUnbroken();
    }

    /** An interrupt that a handler has left is not for the next one, whose channels it would close. */
    static void clearInterrupt() {
        boolean unused = Thread.interrupted();
    }

    /** Enters events as run, after their handlers' own sends were counted: see {@link Sender}. */
    final void countRun(int events) {
        RUN.setRelease(this, run + events);
    }

    // ------------------------------------------------------------------ looked at by others

    final long runAcquire() {
        return (long) RUN.getAcquire(this);
    }

    final long failed() {
        return failed;
    }
}
