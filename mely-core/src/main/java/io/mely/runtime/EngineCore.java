// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import io.mely.memory.HeadPad;
import io.mely.profile.Recorder;
import io.mely.profile.Track;
import io.mely.queue.CoreQueue;
import io.mely.queue.EventRecord;
import io.mely.queue.RecordPool;
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
    /** Most events in one slice, in case the expected times are far too low. Guess: 25 us of the shortest events. */
    static final int SLICE_EVENTS_MAX = 1024;

    /** After so many events a core that has run dry polls before it looks for more: bounds the delay under a trickle. Guess. */
    private static final int POLL_EVENTS = 32;

    /** Each so-many-th run is timed. Two clock reads cost 66 ns: 1 ns an event. A prime, so as not to beat with a pattern. */
    private static final int SAMPLE_INTERVAL = 61;

    /** Of {@link #ranNs}. Guess: as in {@link #SLICE_EVENTS_MAX}. */
    private static final int EVENT_NS = 25;

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

    /** Whether this core sleeps or is engaged, and how a sleep ended, see {@link Wakeups}. On a line of its own, as senders on other cores read it. */
    protected final AtomicInteger sleepFlag = new PaddedFlag();

    /** What broke a send off half-way, a stack overflow for instance: a lock may be held or a color in no place. */
    protected @Nullable Throwable brokenBy;

    /** Set between two turns; null while nobody records. */
    private @Nullable Track track;

    private int sampleCountdown = SAMPLE_INTERVAL;
    /** Of a group that runs: ns that were taken to prefetch for one event, and that a timed run of its handler lacks. 0 if that was not measured. */
    int prefetchNs;

    /** Fewer while another core waits for the end of a slice, see {@link Gathering}. */
    int sliceEventsMax = SLICE_EVENTS_MAX;

    long spentNs;
    private long earlierNs;
    int spentEvents;

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
     * Colors taken from cores with which this one talks, and back.
     *
     * @return colors; none is a steal
     */
    protected long gathered() {
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
     * Enters an event in the recording, if there is one. After it was accepted.
     *
     * @param slot of the color where it went
     * @param stage of the event
     */
    protected final void recordSent(int slot, EngineStage<?> stage) {
        Track track = this.track;
        if (track != null) {
            track.sent(stage, slot);
        }
    }

    // ------------------------------------------------------------------ stepping

    /** Tells the close that what this core polls and fires from now on is refused, and learns what is recorded. Between two turns. */
    protected final void seeSeal() {
        if (engine.isSealed()) {
            isSealSeen = true;
        }
        Track track = this.track;
        if ((track == null ? null : track.recorder()) != engine.recorder()) {
            seeRecorder();
        }
    }

    private void seeRecorder() {
        Recorder recorder = engine.recorder();
        track = recorder == null ? null : recorder.newTrack();
        sampleCountdown = 0;
    }

    /**
     * Whether the turn has come to look at the poller and the timers; begins a new slice if so.
     *
     * @param done what the turn has done so far
     * @param hasWork whether events wait
     * @return true if {@link #poll} is to be called
     */
    protected final boolean isPollDue(int done, boolean hasWork) {
        boolean isDue = done == 0 || isSliceOver() || (spentEvents >= POLL_EVENTS && !hasWork);
        if (isDue) {
            earlierNs = ranNs();
            spentNs = 0;
            spentEvents = 0;
        }
        return isDue;
    }

    /** What the core has run so far, as expected, and a little for each event: expectations may be far too low. */
    final long ranNs() {
        return earlierNs + spentNs + (long) EVENT_NS * spentEvents;
    }

    /**
     * Whether the core has run events for as long as it may without a look at its poller.
     *
     * @return true if it must poll
     */
    protected final boolean isSliceOver() {
        return spentNs >= timeSliceNs || spentEvents >= sliceEventsMax;
    }

    /**
     * Polls, and fires timers.
     *
     * @return how many things were done
     */
    protected final int poll() {
        polls++;
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
            checkSealed(e);
        }
        clearInterrupt();
        checkUnbroken();
        return done;
    }

    /** What a poller hands to a color's {@code execute} at the end of a close is refused by an exception: no bug of the poller. */
    private void checkSealed(RejectedExecutionException refusal) {
        if (!engine.isSealed()) {
            throw refusal;
        }
    }

    /**
     * Calls a handler, and reports what it throws. The run counters are the caller's.
     *
     * @param stage of the event
     * @param event as sent
     */
    protected final void batchHandle(@Nullable EngineStage<?> stage, @Nullable Object event) {
        assert stage != null : "a record that runs is filled";
        spentNs += stage.processingTimeNs();
        try {
            if (--sampleCountdown > 0 && !stage.isCold()) {
                stage.handle(event);
            } else if (track != null) {
                batchHandleRecorded(track, stage, event);
            } else if (stage.isAnnotated()) {
                sampleCountdown = SAMPLE_INTERVAL;
                stage.handle(event);
            } else {
                sampleCountdown = SAMPLE_INTERVAL;
                long startNs = clock.nanoTime();
                stage.handle(event);
                stage.sample(clock.nanoTime() - startNs + prefetchNs(stage));
            }
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

    private int prefetchNs(EngineStage<?> stage) {
        return stage.isPrefetched() ? prefetchNs : 0;
    }

    /** Whether a run will be timed within so many, unless its stage's time is given. */
    final boolean isSampleDue(int events) {
        return sampleCountdown <= events;
    }

    /** Times each run, as the countdown stays at its end; but the estimate moves no faster than without a recording. */
    private void batchHandleRecorded(Track track, EngineStage<?> stage, @Nullable Object event) throws Exception {
        sampleCountdown = 0;
        boolean isSampled = track.isSampleDue(SAMPLE_INTERVAL) || stage.isCold();
        track.begin(stage, runningSlot());
        long elapsedNs = 0;
        long startNs = clock.nanoTime();
        try {
            stage.handle(event);
        } finally {
            elapsedNs = clock.nanoTime() - startNs + prefetchNs(stage);
            track.end(elapsedNs);
        }
        if (isSampled) {
            stage.sample(elapsedNs);
        }
    }

    /** Enters one event as run, after its handler's own sends were counted: see {@link Sender}. */
    protected final void countRun() {
        spentEvents++;
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
            checkSealed(e);
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
