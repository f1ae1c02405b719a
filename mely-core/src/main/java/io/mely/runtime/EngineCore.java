// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import io.mely.HandlerObserver;
import io.mely.spi.NanoClock;
import io.mely.spi.Poller;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jctools.queues.varhandle.MpscUnboundedVarHandleArrayQueue;
import org.jspecify.annotations.Nullable;

/**
 * What a core is in every engine: its half of the books, its poller, its timers, the call of a handler, and its life on a thread. The
 * engine adds what a send does with an event, what runs next, and how the core rests.
 *
 * <p><b>Threads.</b> The stepping thread, but where a method says otherwise.
 */
public abstract class EngineCore extends HeadPad implements Poller.Seat {
    /** A clock is read after events that are expected to take as long: what it costs is a thirtieth of that. */
    private static final long READ_NS = 1_000;

    /** What an event is thought to take at least. Guess: that of an empty handler. */
    private static final int EVENT_NS = 25;

    /** Events that took so many times as long as was expected were expected wrongly: the next one is timed. Guess: below, it is chance. */
    private static final int OVERRUN = 4;

    /** Of short runs each so-many-th is timed. Two clock reads cost 66 ns: 1 ns an event. A prime, so as not to beat with a pattern. */
    private static final int SAMPLE_INTERVAL = 61;

    private static final int FIRE_MAX = 64;
    private static final long RETRY_NS = 1_000_000;

    static final VarHandle RUN;

    static {
        try {
            RUN = MethodHandles.lookup().findVarHandle(EngineCore.class, "run", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** 0 to cores - 1. */
    protected final int index;

    private final EngineRuntime engine;
    final NanoClock clock;
    final long timeSliceNs;
    final Sender sender;
    final TimerHeap timers = new TimerHeap();
    final MpscUnboundedVarHandleArrayQueue<TimerEntry> timerInbox = new MpscUnboundedVarHandleArrayQueue<>(64);
    final Poller poller;
    private final @Nullable HandlerObserver observer;

    /** Whether this core sleeps or is engaged, and how a sleep ended, see {@link Wakeups}. On a line of its own, as senders on other cores read it. */
    protected final AtomicInteger sleepFlag = new PaddedFlag();

    /** What broke a send off half-way, a stack overflow for instance: a lock may be held or a color in no place. */
    protected @Nullable Throwable brokenBy;

    private boolean hasPollerFailed;

    private int sampleCountdown = SAMPLE_INTERVAL;

    // the slice; what the core has done since its last poll
    private long sliceFromNs;
    private long nowNs; // the last reading of the clock
    private boolean isNowFresh; // nothing but a turn's book-keeping came after it
    private long unreadNs; // what has run since, as expected
    private boolean hasRun; // in this slice

    /** The core has seen the seal: from now on its poller and timers send nothing. */
    private volatile boolean isSealSeen;

    // counters; one writer
    long run;
    private long failed;
    long sleeps;
    long wakeups;
    private long polls;
    private long droppedTimers;
    volatile int cpu = -1;

    /**
     * Makes a core.
     *
     * @param index 0 to cores - 1
     * @param engine the runtime
     * @param sender its half of the books
     * @param config clock and time slice
     * @param pollers makes its poller
     */
    EngineCore(int index, EngineRuntime engine, Sender sender, RuntimeConfig config, Poller.Factory pollers) {
        this.index = index;
        this.engine = engine;
        this.sender = sender;
        clock = config.clock();
        timeSliceNs = config.timeSliceNs();
        observer = engine.newObserver(index);
        poller = pollers.create(this);
    }

    /**
     * Makes a core.
     *
     * @param index 0 to cores - 1
     * @param engine the runtime
     * @param config clock, time slice and pollers
     */
    protected EngineCore(int index, EngineRuntime engine, RuntimeConfig config) {
        this(index, engine, new Sender(engine.depot()), config, engine.pollers());
    }

    // ------------------------------------------------------------------ the engine's part

    /**
     * Does one turn of the loop, without blocking.
     *
     * @return how much was done: events run, things polled, timers fired; 0 means that the core may {@link #rest}
     */
    public abstract int step();

    /** After a step that did nothing: spins on the first calls, blocks on a later one. */
    public abstract void rest();

    /**
     * The color whose event runs.
     *
     * @return null between events
     */
    protected abstract @Nullable EngineColor runningColor();

    /**
     * The slot of the color whose event runs. While a handler runs.
     *
     * @return &gt;= 0
     */
    protected abstract int runningSlot();

    /**
     * Sends the event of a timer.
     *
     * @param color its color
     * @param stage its stage
     * @param event what to send
     * @return false if refused
     */
    protected abstract boolean fire(EngineColor color, EngineStage<?> stage, @Nullable Object event);

    /** After something was put where only this core looks, its timers: wakes it if it sleeps. Any thread. */
    protected abstract void wakeForTimers();

    /** Wakes it because of a close or a breakdown, whatever earlier wakers have done. Any thread. */
    void wakeForPhase() {
        sleepFlag.compareAndSet(Wakeups.SLEEPING, Wakeups.AWAKE);
        poller.wakeup();
    }

    /**
     * Colors taken from others.
     *
     * @return steals
     */
    protected long steals() {
        return 0;
    }

    /**
     * Victims locked.
     *
     * @return attempts
     */
    protected long stealAttempts() {
        return 0;
    }

    /**
     * Steals from cores that were stuck.
     *
     * @return rescues
     */
    protected long rescues() {
        return 0;
    }

    /**
     * Time spent in successful steals.
     *
     * @return nanoseconds
     */
    protected long stealTimeNs() {
        return 0;
    }

    /**
     * Work in the colors taken, as estimated when they were.
     *
     * @return in units of weight
     */
    protected long stolenTime() {
        return 0;
    }

    // ------------------------------------------------------------------ sending, on this core's thread

    /**
     * Whether the books are open: to handlers until the runtime stops; to pollers and timers until everything has run, see
     * {@link EngineRuntime}.
     *
     * @return false if a send must be refused
     */
    final boolean maySend(boolean isRunning) {
        return isRunning ? !engine.isStopped() : !engine.isSealed();
    }

    /**
     * Begins a send: takes a record, fills it, and enters it in the books.
     *
     * @param stage of the event
     * @param event what to send
     * @return the record, to be published; null if the event is refused, which is in the books too
     */
    protected final @Nullable EventRecord accept(EngineStage<?> stage, @Nullable Object event) {
        RecordPool pool = sender.pool;
        if (!maySend(runningColor() != null) || !pool.hasRecord() || !pool.takeCredit()) {
            sender.countRefused();
            return null;
        }
        EventRecord record = pool.take();
        assert record != null : "there was one";
        record.set(stage, event, stage.weight());
        sender.countAccepted();
        return record;
    }

    /**
     * Gives the record of an event back that has run.
     *
     * @param record in no list
     */
    protected final void giveBack(EventRecord record) {
        sender.pool.give(record);
    }

    /** Nothing can be promised after a send that ended half-way, so the core ends too, before it touches its lock again. */
    final void checkUnbroken() {
        Throwable cause = brokenBy;
        if (cause != null) {
            throw new IllegalStateException("a send broke off half-way", cause);
        }
    }

    /**
     * Tells the observer, if there is one, of an event that was accepted.
     *
     * @param slot of the color where it went
     * @param stage of the event
     */
    protected final void observeSent(int slot, EngineStage<?> stage) {
        HandlerObserver observer = this.observer;
        if (observer != null) {
            observer.sent(stage, slot);
        }
    }

    // ------------------------------------------------------------------ stepping

    /** Tells the close that what this core polls and fires from now on is refused. Between two turns. */
    protected final void seeSeal() {
        if (engine.isSealed()) {
            isSealSeen = true;
        }
    }

    /**
     * Whether the core must look at its poller and its timers: it found nothing to do, or its slice is over.
     *
     * @param done what the step has done so far
     * @return true if {@link #poll} is to be called
     */
    protected final boolean isPollDue(int done) {
        return done == 0 || isSliceOver();
    }

    /**
     * Whether the core has run events for as long as it may without a look at its poller, by the last reading of the clock.
     *
     * @return true if it must poll
     */
    protected final boolean isSliceOver() {
        return hasRun && nowNs - sliceFromNs >= timeSliceNs;
    }

    /**
     * Polls, and fires timers.
     *
     * @return how many things were done
     */
    protected final int poll() {
        polls++;
        hasRun = false; // the next event begins a slice
        isNowFresh = false;
        int done = pollPoller();
        if (timers.size() != 0 || !timerInbox.isEmpty()) {
            done += fireTimers();
        }
        return done;
    }

    private int pollPoller() {
        int done = 0;
        try {
            done = poller.poll();
        } catch (RejectedExecutionException e) {
            pollerRefused(e);
        }
        clearInterrupt();
        checkUnbroken();
        return done;
    }

    /**
     * The runtime refuses what a poller sends if it is full, and at the end of a close. A poller should see to that itself; the core goes on in any case. What a refused poller had to say
     * is lost, so it is said once.
     */
    private void pollerRefused(RejectedExecutionException refusal) {
        if (!engine.isSealed() && !hasPollerFailed) {
            hasPollerFailed = true;
            EngineRuntime.logError(
                    "the poller of core " + index + " does not catch the rejection of what it sends; the core goes on",
                    refusal);
        }
    }

    /**
     * Calls a handler, reports what it throws, and keeps the time. The run counters are the caller's.
     *
     * @param stage of the event
     * @param event as sent
     */
    protected final void batchHandle(@Nullable EngineStage<?> stage, @Nullable Object event) {
        assert stage != null : "a record that runs is filled";
        if (!hasRun) {
            hasRun = true;
            sliceFromNs = readClock();
        }
        if (stage.isTimed() || --sampleCountdown <= 0) {
            batchHandleTimed(stage, event);
        } else {
            call(stage, event);
            isNowFresh = false;
            unreadNs += stage.processingTimeNs() + EVENT_NS;
            if (unreadNs >= READ_NS) {
                batchReadClock();
            }
        }
    }

    private void batchHandleTimed(EngineStage<?> stage, @Nullable Object event) {
        sampleCountdown = SAMPLE_INTERVAL;
        long startNs = isNowFresh ? nowNs : readClock();
        call(stage, event);
        stage.sample(readClock() - startNs);
        isNowFresh = true;
    }

    private void batchReadClock() {
        long expectedNs = unreadNs;
        long fromNs = nowNs;
        if (readClock() - fromNs > OVERRUN * expectedNs) {
            sampleCountdown = 0;
        }
    }

    private long readClock() {
        unreadNs = 0;
        nowNs = clock.nanoTime();
        return nowNs;
    }

    private void call(EngineStage<?> stage, @Nullable Object event) {
        HandlerObserver observer = this.observer;
        if (observer == null) {
            callHandler(stage, event);
            return;
        }
        observer.began(stage, runningSlot());
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
            engine.handlerFailed(this, stage, event, e);
        }
        clearInterrupt();
        checkUnbroken();
    }

    /** An interrupt that a handler has left is not for the next one, whose channels it would close. */
    private static void clearInterrupt() {
        boolean unused = Thread.interrupted();
    }

    /** Enters one event as run, after its handler's own sends were counted: see {@link Sender}. */
    protected final void countRun() {
        RUN.setRelease(this, run + 1);
    }

    // ------------------------------------------------------------------ timers

    /** Starts a timer on this core. Its own thread. */
    final void addTimer(TimerEntry timer) {
        if (engine.isDraining()) {
            dropTimer(timer);
            return;
        }
        try {
            timers.add(timer);
        } catch (Throwable e) {
            brokenBy = e; // as in send
            throw e;
        }
    }

    /** Starts a timer on this core. Any other thread. */
    final void addTimerFromOutside(TimerEntry timer) {
        timerInbox.offer(timer);
        wakeForTimers();
    }

    /** Takes a cancelled timer out. Any thread. */
    final void forget(TimerEntry timer) {
        if (CoreThread.coreOf(Thread.currentThread(), engine) == this) {
            timers.remove(timer);
        } else {
            timerInbox.offer(timer); // no wake-up: there is nothing to be late for
        }
    }

    private int fireTimers() {
        boolean isDraining = engine.isDraining();
        for (int i = 0; i < CoreQueue.DRAIN_MAX; i++) {
            TimerEntry timer = timerInbox.relaxedPoll();
            if (timer == null) {
                break;
            }
            if (timer.isPending()) {
                timers.add(timer);
            } else {
                timers.remove(timer);
            }
        }
        if (isDraining) {
            return dropTimers();
        }
        long nowNs = clock.nanoTime();
        int fired = 0;
        TimerEntry timer = timers.first();
        while (timer != null && timer.deadlineNs - nowNs <= 0 && fired < FIRE_MAX) {
            timers.remove(timer);
            if (timer.tryFire() && !fire(timer.color, timer.stage, timer.event)) {
                timer.retry();
                timer.deadlineNs = nowNs + RETRY_NS;
                timers.add(timer);
            }
            fired++;
            timer = timers.first();
        }
        return fired;
    }

    private int dropTimers() {
        int dropped = 0;
        TimerEntry timer = timers.first();
        while (timer != null) {
            timers.remove(timer);
            dropTimer(timer);
            dropped++;
            timer = timers.first();
        }
        return dropped;
    }

    private void dropTimer(TimerEntry timer) {
        if (timer.tryDrop()) {
            droppedTimers++;
        }
    }

    // ------------------------------------------------------------------ resting

    /** Whether nothing but events keeps the core from a sleep: no timer to take in or drop, no phase to see. */
    protected final boolean mayBlockForTimersAndPhase() {
        return timerInbox.isEmpty()
                && engine.isSealed() == isSealSeen
                && !engine.isStopped()
                && !(engine.isDraining() && timers.size() != 0);
    }

    /**
     * How long the core may block for its timers.
     *
     * @param atMostNs what else bounds it
     * @return nanoseconds, &gt; 0
     */
    protected final long untilNextTimerNs(long atMostNs) {
        TimerEntry first = timers.first();
        return first == null ? atMostNs : Math.max(1, Math.min(atMostNs, first.deadlineNs - clock.nanoTime()));
    }

    /**
     * Blocks in the poller.
     *
     * @param timeoutNs &gt; 0
     */
    protected final void restBlock(long timeoutNs) {
        try {
            poller.block(timeoutNs);
        } catch (RejectedExecutionException e) {
            pollerRefused(e);
        }
        clearInterrupt(); // as after poll: it handles what is ready
        checkUnbroken();
    }

    /** Enters a sleep. An interrupted thread cannot park: somebody outside may have been at it. */
    protected final void countSleep() {
        sleeps++;
        clearInterrupt();
    }

    /** Enters a sleep that another thread has ended. */
    protected final void countWakeup() {
        wakeups++;
    }

    /** The last three quarters of a spin go to whoever else wants this CPU: it may be the sender that is waited for. */
    protected static boolean givesWay(long spunNs, long spinNs) {
        return spunNs >= spinNs / 4;
    }

    /**
     * One step of a spin.
     *
     * @param spunNs since it began
     * @param spinNs how long it will be
     */
    @SuppressWarnings("ThreadPriorityCheck") // a hint; right without it
    protected static void spin(long spunNs, long spinNs) {
        if (givesWay(spunNs, spinNs)) {
            Thread.yield();
        } else {
            Thread.onSpinWait();
        }
    }

    /** The life of the core on its own thread; {@link #loopEnd} must follow. */
    final void loop() {
        poller.start();
        while (!engine.isStopped()) {
            if (step() == 0) {
                rest();
            }
        }
    }

    final void loopEnd() {
        dropTimersForGood();
        poller.close();
    }

    /** Drops every timer, those on their way in included. When no thread steps the core any more, or its own at its end. */
    final void dropTimersForGood() {
        for (TimerEntry timer = lastOfInbox(); timer != null; timer = lastOfInbox()) {
            timers.remove(timer);
            dropTimer(timer);
        }
        dropTimers();
    }

    /** Waits for a sender inside its offer, unless one may never come back from it. */
    private @Nullable TimerEntry lastOfInbox() {
        return engine.isBroken() ? timerInbox.relaxedPoll() : timerInbox.poll();
    }

    // ------------------------------------------------------------------ looked at by others

    /** {@inheritDoc} */
    @Override
    public final int core() {
        return index;
    }

    final EngineRuntime engine() {
        return engine;
    }

    /**
     * What the core blocks in.
     *
     * @return for its {@code wakeup}
     */
    protected final Poller poller() {
        return poller;
    }

    /**
     * The clock the runtime reads.
     *
     * @return as configured
     */
    protected final NanoClock clock() {
        return clock;
    }

    final Sender sender() {
        return sender;
    }

    final boolean isSealSeen() {
        return isSealSeen;
    }

    final long runAcquire() {
        return (long) RUN.getAcquire(this);
    }

    final long failed() {
        return failed;
    }

    final long sleeps() {
        return sleeps;
    }

    final long wakeups() {
        return wakeups;
    }

    final long polls() {
        return polls;
    }

    final long droppedTimers() {
        return droppedTimers;
    }

    /** A flag with a cache line of its own on either side. */
    private static final class PaddedFlag extends AtomicInteger {
        private static final long serialVersionUID = 1L;

        @SuppressWarnings("unused")
        private long q00, q01, q02, q03, q04, q05, q06, q07, q08, q09, q10, q11, q12, q13, q14, q15;
    }
}
