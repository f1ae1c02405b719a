// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import io.mely.spi.NanoClock;
import io.mely.spi.Poller;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Objects;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.ToLongFunction;
import org.jctools.queues.varhandle.MpscUnboundedVarHandleArrayQueue;
import org.jspecify.annotations.Nullable;

/**
 * What a core is in every engine: its poller, its timers, and its life on the threads of its {@link Crew}. The engine adds what a send does with an event, what
 * runs next, and how the core rests.
 *
 * <p><b>Threads.</b> The worker that has the core, outside of handlers, but where a method says otherwise: a worker that stands still in a handler loses the core.
 */
public abstract class EngineCore extends HeadPad implements Poller.Seat {
    private static final int FIRE_MAX = 64;
    private static final long RETRY_NS = 1_000_000;

    private static final VarHandle POLLS;

    static {
        try {
            POLLS = MethodHandles.lookup().findVarHandle(EngineCore.class, "polls", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** 0 to cores - 1. */
    protected final int index;

    private final EngineRuntime engine;
    final NanoClock clock;
    final long timeSliceNs;
    private final int workersMax;
    final TimerHeap timers = new TimerHeap();
    final MpscUnboundedVarHandleArrayQueue<TimerEntry> timerInbox = new MpscUnboundedVarHandleArrayQueue<>(64);
    final Poller poller;

    /** Whether this core sleeps or is engaged, and how a sleep ended, see {@link Wakeups}. On a line of its own, as senders on other cores read it. */
    protected final AtomicInteger sleepFlag = new PaddedFlag();

    private boolean isPollerStarted;
    private boolean hasPollerFailed;

    private @Nullable Crew crew; // from employ on
    private @Nullable Worker worker; // the one that has the core

    /** The core has seen the seal: from now on its poller and timers send nothing. */
    private volatile boolean isSealSeen;

    // counters of the worker that has the core
    long sleeps;
    long wakeups;
    private long polls;
    private long droppedTimers;
    volatile int cpu = -1;
    private volatile boolean isOver;

    /**
     * Makes a core.
     *
     * @param index 0 to cores - 1
     * @param engine the runtime
     * @param config clock and time slice
     * @param pollers makes its poller
     */
    EngineCore(int index, EngineRuntime engine, RuntimeConfig config, Poller.Factory pollers) {
        this.index = index;
        this.engine = engine;
        clock = config.clock();
        timeSliceNs = config.timeSliceNs();
        workersMax = config.workersPerCore();
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
        this(index, engine, config, engine.pollers());
    }

    /** Gives the core its first worker. At the end of the subclass's constructor. */
    final void employ(Worker first) {
        crew = new Crew(this, first, workersMax);
        worker = first;
        first.giveCore();
    }

    /** Whether it sleeps, and nobody has woken it. Any thread. */
    final boolean isAsleep() {
        return sleepFlag.get() == Wakeups.SLEEPING;
    }

    /** A number that changes with every turn and every look at the poller. Any thread; a peek. */
    long steps() {
        return polls();
    }

    /**
     * The core is awake and has made no step for a while: see {@link Watch}, whose thread calls this.
     *
     * @param steps when it was seen
     */
    void standsStill(long steps) {}

    /** Makes one more worker. Any thread. */
    Worker newWorker() {
        return new Worker(this, new Sender(engine.depot()));
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

    /** The color whose event a worker of this core runs; null between events. That worker. */
    abstract @Nullable EngineColor runningColor(Worker of);

    /** The slot of the color whose event a worker of this core runs. In a handler of that worker. */
    abstract int runningSlot(Worker of);

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
        return done == 0 || worker().isSliceOver();
    }

    /**
     * Polls, and fires timers.
     *
     * @return how many things were done
     */
    protected final int poll() {
        POLLS.setOpaque(this, polls + 1);
        worker().endSlice();
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
        Worker.clearInterrupt();
        worker().checkUnbroken();
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

    // ------------------------------------------------------------------ timers

    /** Starts a timer on this core, at its next look at its timers. Any thread. */
    final void addTimer(TimerEntry timer) {
        timerInbox.offer(timer);
        wakeForTimers();
    }

    /** Takes a cancelled timer out, at the next look. Any thread. */
    final void forget(TimerEntry timer) {
        timerInbox.offer(timer); // no wake-up: there is nothing to be late for
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
        Worker.clearInterrupt(); // as after poll: it handles what is ready
        worker().checkUnbroken();
    }

    /** Enters a sleep. An interrupted thread cannot park: somebody outside may have been at it. */
    protected final void countSleep() {
        sleeps++;
        Worker.clearInterrupt();
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

    /** The worker's thread is the one that polls from now on. */
    final void takeOver() {
        if (isPollerStarted) {
            poller.takeOver();
        } else {
            isPollerStarted = true;
            poller.start();
        }
    }

    /** What a worker does from the moment that it has the core until it loses it, or everything stops; then {@link #loopEnd} must follow. */
    final void loop(Worker of) {
        while (of.hasCore() && !engine.isStopped()) {
            if (step() == 0) {
                rest();
            }
        }
    }

    final void loopEnd() {
        dropTimersForGood();
        poller.close();
    }

    /** Whether no worker has the core any more, nor will. */
    final boolean isOver() {
        return isOver;
    }

    /** Drops every timer, those on their way in included. When no thread steps the core any more, or its own at its end. */
    final void dropTimersForGood() {
        isOver = true;
        engine.watch().coreWoke();
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

    /** The workers that there are. Any thread. */
    final Crew crew() {
        return Objects.requireNonNull(crew);
    }

    /** The worker that has the core: itself, or the holder of the lock under which the core is given to another. */
    Worker worker() {
        return Objects.requireNonNull(worker);
    }

    /** The core is another worker's from now on. Under that lock. */
    final void worker(Worker next) {
        worker = next;
    }

    final boolean isSealSeen() {
        return isSealSeen;
    }

    final long runAcquire() {
        return sum(Worker::runAcquire);
    }

    final long acceptedAcquire() {
        return sum(each -> each.sender.acceptedAcquire());
    }

    final long refusedAcquire() {
        return sum(each -> each.sender.refusedAcquire());
    }

    final long failed() {
        return sum(Worker::failed);
    }

    private long sum(ToLongFunction<Worker> figure) {
        long sum = 0;
        for (Worker each : crew().all()) {
            sum += figure.applyAsLong(each);
        }
        return sum;
    }

    final long sleeps() {
        return sleeps;
    }

    final long wakeups() {
        return wakeups;
    }

    final long polls() {
        return (long) POLLS.getOpaque(this);
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
