// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import io.mely.Color;
import io.mely.ErrorHandler;
import io.mely.Handler;
import io.mely.HandlerObserver;
import io.mely.Mely;
import io.mely.MelyStats;
import io.mely.StageOptions;
import io.mely.Timer;
import io.mely.spi.Poller;
import java.lang.System.Logger;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * What a runtime is whatever its engine: its threads' life, its phases, and the books, which it closes. Long, as all of that turns on the one phase:
 * what sends and schedules from outside reads it, and the close waits for them.
 *
 * <h2>Phases</h2>
 *
 * <pre>
 *   NEW ──start──► RUNNING ──close──► DRAINING ──nothing pending──► SEALED ──nothing pending──► STOPPED
 *    │                                   └───────────────────────── deadline ──────────────────►
 *    └────────────────────────────────── close ────────────────────────────────────────────────►
 *
 *   NEW, RUNNING  everybody sends
 *   DRAINING      only cores send, and results of blocking work; timers are dropped
 *   SEALED        only handlers send, and results of blocking work: pollers are refused
 *   STOPPED       nobody sends; each core leaves its loop after its batch
 * </pre>
 *
 * <h2>Nothing lost (invariant 3)</h2>
 *
 * An outside sender counts its send, then, after a full fence (the claim in the inbox), reads the phase, and only then publishes. The close sets the phase, then, after a full fence, reads
 * the counters. So either the sender sees the close and refuses, or the close sees the send and waits for it. Quiescence is found by
 * reading all run counters before all accepted ones: see {@link Sender}. A poller could still send right after that, so the close
 * seals the pollers, waits until each core has seen it between two steps, and looks again: what is pending then comes from handlers
 * alone, and a pending event or blocking call that could send shows in the counters.
 *
 * <p>Long, as every way in from outside must keep to these phases, and is here beside the close that it races with.
 */
public abstract class EngineRuntime implements Mely {
    private static final Logger LOGGER = System.getLogger("io.mely");

    private static final VarHandle PHASE;
    private static final VarHandle UNTOLD;

    static {
        try {
            UNTOLD = MethodHandles.lookup().findVarHandle(EngineRuntime.class, "untold", Throwable.class);
            PHASE = MethodHandles.lookup().findVarHandle(EngineRuntime.class, "phase", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private static final int NEW = 0;
    private static final int RUNNING = 1;
    private static final int DRAINING = 2;
    private static final int SEALED = 3;
    private static final int STOPPED = 4;

    private static final long DRAIN_POLL_NS_MIN = 20_000;
    private static final long DRAIN_POLL_NS_MAX = 1_000_000;

    /** How often the result of blocking work asks for room. Guess: a tenth of what blocking work usually takes. */
    private static final long FULL_RETRY_NS = 100_000;

    /** Even a close without patience lets the handlers that run come to their end. */
    private static final long JOIN_NS_MIN = 1_000_000_000;

    private final RuntimeConfig config;
    private final int colors;
    private final Machine machine;
    private final RecordDepot depot;
    private final OutsideSenders outside;
    private final EngineCore[] cores;
    private final BlockingWork blockingWork;
    private final ColorExecutors executors = new ColorExecutors();
    private final Watch watch;
    private final ErrorHandler errorHandler;
    private final @Nullable ClassLoader contextLoader = Thread.currentThread().getContextClassLoader();

    private volatile int phase = NEW; // forward only: by CAS, or to STOPPED

    private final Object lifeLock = new Object();
    private volatile boolean hasThreads; // written under lifeLock
    private @Nullable CloseReport report; // guarded by lifeLock
    private volatile @Nullable Throwable brokenBy;
    /** What a thread outside has broken the runtime by, until a thread that has stack left for it wakes the cores and says so. */
    private volatile @Nullable Throwable untold;

    private final AtomicLong droppedOutside = new AtomicLong();

    /**
     * Takes over what all engines need; the engine's constructor fills the cores.
     *
     * @param config checked by the builder
     * @param machine looked at before
     * @param cores filled by the engine before its constructor returns
     * @param records makes them
     */
    EngineRuntime(RuntimeConfig config, Machine machine, EngineCore[] cores, RecordIndex records) {
        this.config = config;
        colors = config.colors();
        this.machine = machine;
        this.cores = cores;
        depot = new RecordDepot(config.pendingEventsMax(), records);
        outside = new OutsideSenders(this, depot);
        ErrorHandler handler = config.errorHandler();
        errorHandler = handler != null ? handler : EngineRuntime::logFailure;
        blockingWork = new BlockingWork(this, config.name(), config.blockingLimit());
        watch = new Watch(cores);
    }

    /**
     * The same, with records of its own.
     *
     * @param config checked by the builder
     * @param machine looked at before
     */
    protected EngineRuntime(RuntimeConfig config, Machine machine) {
        this(config, machine, new EngineCore[machine.cores()], new RecordIndex(true));
    }

    /**
     * Puts a core in its place. In the engine's constructor, in order.
     *
     * @param core whose poller has been made
     */
    protected final void setCore(EngineCore core) {
        cores[core.core()] = core;
    }

    /**
     * Publishes an event of an outside thread, which has counted it, unless a close came first.
     *
     * @param admission to be asked after a full fence and before the event is published
     * @param pool of its sender, see {@link #hasRoom}
     * @param color where it goes; null if the engine does with its slot
     * @param slot of the color
     * @param stage of the event
     * @param event what was sent
     * @param isFirst whether it goes to the front part, see {@link io.mely.Stage#sendFirst}
     * @return what the admission said
     */
    protected abstract boolean sendUndecided(
            Inbox.Admission admission,
            RecordPool pool,
            @Nullable EngineColor color,
            int slot,
            EngineStage<?> stage,
            @Nullable Object event,
            boolean isFirst);

    /**
     * Whether one more event of an outside thread can be accepted.
     *
     * @param pool of its sender
     * @return true if there is a credit, and whatever {@link #sendUndecided} needs
     */
    protected boolean hasRoom(RecordPool pool) {
        return pool.hasCredit();
    }

    /**
     * The stage of commands.
     *
     * @return one per runtime
     */
    protected abstract EngineStage<Runnable> executeStage();

    // ------------------------------------------------------------------ life

    @Override
    public Mely start() {
        synchronized (lifeLock) {
            if (phase != NEW) {
                throw new IllegalStateException("start() needs a new runtime: phase=" + phaseName());
            }
            startAccepting();
            hasThreads = true;
            try {
                CoreThread.startingThreads(this::startThreads);
            } catch (Throwable e) {
                stopBroken("the runtime's threads could not be started; it stops", e);
                for (EngineCore core : cores) {
                    if (core.worker().thread == null) {
                        endUnstarted(core);
                    }
                }
                throw e;
            }
        }
        return this;
    }

    private void startThreads() {
        for (EngineCore core : cores) {
            startThread(core.worker(), config.name() + "-" + core.core());
        }
        watch.start(config.name() + "-watch");
    }

    private void startThread(Worker worker, String name) {
        CoreThread thread = new CoreThread(() -> runWorker(worker), name);
        thread.worker = worker;
        takeContext(thread);
        thread.start();
        worker.thread = thread; // before anybody knows the worker, who could wake it
    }

    /**
     * Starts the thread of one more worker of a core, which waits until it has that.
     *
     * @param number of the worker
     * @return false if no thread is to be had
     */
    final boolean startWorker(Worker worker, int number) {
        if (!hasThreads) {
            return true; // stepped by somebody else
        }
        try {
            startThread(worker, config.name() + "-" + worker.core.core() + "." + number);
            return true;
        } catch (OutOfMemoryError e) {
            return false;
        }
    }

    /** Gives a thread the context class loader of who made the runtime: handlers find the same classes wherever they run. Some JDKs would give it the system's. */
    final void takeContext(Thread thread) {
        thread.setContextClassLoader(contextLoader);
    }

    /** Whoever steps the cores without their threads begins here. */
    void startAccepting() {
        if (!PHASE.compareAndSet(this, NEW, RUNNING)) {
            throw new IllegalStateException("broken before the start", brokenBy);
        }
    }

    private void runWorker(Worker worker) {
        EngineCore core = worker.core;
        try {
            core.cpu = machine.pin(core.core());
            boolean isAtWork = worker.awaitCore();
            while (isAtWork) {
                core.takeOver();
                core.loop(worker);
                isAtWork = !worker.hasCore() && core.crew().awaitCore(worker);
            }
        } catch (Throwable e) {
            stopBroken("core " + core.core() + " is broken; the runtime stops", e);
        }
        tellOfBreakdown();
        if (worker.loseCore()) {
            try {
                core.loopEnd();
            } catch (Throwable e) {
                logError("the poller of core " + core.core() + " could not be closed", e);
            }
        }
    }

    /** The end of a core whose thread was never started. */
    private static void endUnstarted(EngineCore core) {
        core.dropTimersForGood();
        closePoller(core);
    }

    /** Closes what a core polls; what it throws is logged. */
    static void closePoller(EngineCore core) {
        try {
            core.poller().close();
        } catch (Throwable e) {
            logError("the poller of core " + core.core() + " could not be closed", e);
        }
    }

    /** Closes the pollers of the cores that were made, as the next could not be. */
    static void closeMade(EngineCore[] cores) {
        for (EngineCore core : cores) {
            if (core != null) {
                closePoller(core);
            }
        }
    }

    /** Does what may start threads, on the thread of a pinned core. */
    final void doUnpinned(EngineCore core, Runnable starting) {
        machine.doUnpinned(core.core(), starting);
    }

    /** A bug of ours, or of a poller: going on could break a promise, so everything stops. */
    private void stopBroken(String message, Throwable cause) {
        brokenBy = cause;
        phase = STOPPED;
        wakeAll();
        logError(message, cause);
    }

    /** Says once why the runtime has stopped, if a thread outside has broken it: by the first core that sees the stop, or the close. */
    private void tellOfBreakdown() {
        Throwable cause = (Throwable) UNTOLD.getAndSet(this, null);
        if (cause != null) {
            wakeAll();
            logError("a call from outside broke off half-way; the runtime stops", cause);
        }
    }

    /** A logger that throws, for want of a descriptor for instance, must not end a core. */
    static void logError(String message, Throwable cause) {
        try {
            LOGGER.log(Logger.Level.ERROR, message, cause);
        } catch (Throwable unlogged) {
            if (unlogged != cause) {
                cause.addSuppressed(unlogged);
            }
        }
    }

    @Override
    public void close() {
        close(Duration.ofNanos(config.closeDeadlineNs()));
    }

    @Override
    public CloseReport close(Duration deadline) {
        if (Objects.requireNonNull(deadline, "deadline").isNegative()) {
            throw new IllegalArgumentException("deadline must be >= 0: deadline=" + deadline);
        }
        if (CoreThread.workerOf(Thread.currentThread(), this) != null) {
            throw new IllegalStateException("close() by one of the cores would wait for itself");
        }
        if (blockingWork.isCaller()) {
            throw new IllegalStateException("close() by blocking work would wait for itself");
        }
        CloseReport done;
        synchronized (lifeLock) {
            done = report;
            if (done != null) {
                return done;
            }
            done = closeOnce(TimeUnit.NANOSECONDS.convert(deadline));
            report = done;
        }
        blockingWork.failRest(); // without the lock: what depends on them may call close, too, or wait for who does
        executors.discardAll();
        return done;
    }

    private CloseReport closeOnce(long deadlineNs) {
        boolean isStarted = hasThreads; // a runtime may be broken before its start
        long startNs = System.nanoTime();
        boolean isInterrupted = false;
        closeBegin();
        long pauseNs = DRAIN_POLL_NS_MIN;
        while (isStarted && !closeIsDrained() && System.nanoTime() - startNs < deadlineNs) {
            isInterrupted |= Thread.interrupted();
            LockSupport.parkNanos(this, pauseNs);
            pauseNs = Math.min(DRAIN_POLL_NS_MAX, pauseNs * 2);
        }
        closeStop();
        blockingWork.close();
        tellOfBreakdown();
        if (!isStarted) {
            for (EngineCore core : cores) {
                endUnstarted(core);
            }
        }
        long untilNs = System.nanoTime() + Math.max(deadlineNs, JOIN_NS_MIN);
        boolean areStopped = !isStarted || join(untilNs);
        while (!closeIsDecided() && System.nanoTime() - untilNs < 0) {
            isInterrupted |= Thread.interrupted();
            LockSupport.parkNanos(this, DRAIN_POLL_NS_MIN);
        }
        if (isInterrupted) {
            Thread.currentThread().interrupt();
        }
        CloseReport done = closeReport(areStopped, deadlineNs);
        outside.release();
        return done;
    }

    CloseReport closeReport(boolean areStopped, long deadlineNs) {
        long discarded = stats().discarded();
        long cutOff = blockingWork.cutOff();
        boolean isDrained = areStopped && discarded == 0 && cutOff == 0 && brokenBy == null;
        if (!areStopped || (discarded + cutOff != 0 && deadlineNs != 0)) {
            LOGGER.log(
                    Logger.Level.WARNING,
                    "closed before everything ran: discardedEvents=" + discarded + ", cutOffCalls=" + cutOff
                            + ", coresStopped=" + areStopped);
        }
        return new CloseReport(isDrained, discarded, droppedTimers(), cutOff);
    }

    /** Refuses events from outside from here on. */
    void closeBegin() {
        PHASE.compareAndSet(this, RUNNING, DRAINING); // a core that breaks down at this moment has stopped everything
        PHASE.compareAndSet(this, NEW, STOPPED);
        VarHandle.fullFence();
        wakeAll();
    }

    void closeStop() {
        phase = STOPPED;
        VarHandle.fullFence(); // before closeIsDecided reads the counters: pairs with OutsideSender.countUndecided
        wakeAll();
    }

    /** Each send that came before the stop is decided: see {@link OutsideSender}. One that broke off never is. */
    boolean closeIsDecided() {
        return isBroken() || !outside.areUndecided();
    }

    private boolean join(long untilNs) {
        boolean areStopped = true;
        boolean isInterrupted = false;
        for (EngineCore core : cores) {
            for (Worker worker : core.crew().all()) {
                Thread thread = worker.thread;
                while (thread != null && thread.isAlive() && areStopped) {
                    long leftNs = untilNs - System.nanoTime();
                    areStopped = leftNs > 0;
                    try {
                        thread.join(Math.max(1, leftNs / 1_000_000));
                    } catch (InterruptedException e) {
                        isInterrupted = true;
                    }
                }
            }
        }
        if (isInterrupted) {
            Thread.currentThread().interrupt();
        }
        return areStopped;
    }

    private void wakeAll() {
        for (EngineCore core : cores) {
            try {
                core.crew().wakeAll();
                core.wakeForPhase();
            } catch (Throwable e) { // a poller with a bug must not keep the others asleep
                logError("core " + core.core() + " cannot be woken", e);
            }
        }
    }

    /** Nothing is pending, and nothing can come any more. Seals the pollers when nothing is pending for the first time. */
    boolean closeIsDrained() {
        if (phase == DRAINING && isQuiescent()) {
            PHASE.compareAndSet(this, DRAINING, SEALED);
            wakeAll();
        }
        if (phase != SEALED) {
            return phase == STOPPED;
        }
        for (EngineCore core : cores) {
            if (!core.isSealSeen()) {
                return false;
            }
        }
        return isQuiescent();
    }

    /** Invariant 3, seen from the counters: see {@link Sender} for why the order of the two halves matters. */
    boolean isQuiescent() {
        long finished = blockingWork.done();
        for (EngineCore core : cores) {
            finished += core.runAcquire();
        }
        long begun = blockingWork.started() + accepted();
        assert begun >= finished : "invariant 3: accepted=" + begun + " < run=" + finished;
        return begun == finished;
    }

    private long accepted() {
        long accepted = outside.accepted();
        for (EngineCore core : cores) {
            accepted += core.acceptedAcquire();
        }
        return accepted;
    }

    @Override
    public boolean isAccepting() {
        return phase < DRAINING;
    }

    final boolean isDraining() {
        return phase >= DRAINING;
    }

    /** Whether only handlers may send. */
    final boolean isSealed() {
        return phase >= SEALED;
    }

    final boolean isBroken() {
        return brokenBy != null;
    }

    final boolean isAtLeast(int minPhase) {
        return phase >= minPhase;
    }

    /**
     * Whether nobody may send or run any more.
     *
     * @return true after the stop
     */
    protected final boolean isStopped() {
        return phase == STOPPED;
    }

    private String phaseName() {
        return switch (phase) {
            case NEW -> "new";
            case RUNNING -> "running";
            case DRAINING, SEALED -> "draining";
            default -> "stopped";
        };
    }

    // ------------------------------------------------------------------ sending from outside

    /**
     * Sends from a thread that is no core.
     *
     * @param color where the event goes; null if the engine does with its slot
     * @param slot of the color
     * @param stage of the event
     * @param event what to send
     * @param isFirst whether it goes to the front part, see {@link io.mely.Stage#sendFirst}
     * @return false if refused
     */
    protected final boolean sendOutside(
            @Nullable EngineColor color, int slot, EngineStage<?> stage, @Nullable Object event, boolean isFirst) {
        OutsideSender own = outside.own();
        if (own == null) {
            OutsideSender shared = outside.shared();
            synchronized (shared) {
                return sendOutside(shared, color, slot, stage, event, isFirst, DRAINING);
            }
        }
        return sendOutside(own, color, slot, stage, event, isFirst, DRAINING);
    }

    /**
     * Sends the result of blocking work: accepted while draining, as the drain waits for it. Its thread may wait, so a full runtime does
     * not refuse it.
     *
     * @param beforeSend called if it is sent, and before
     */
    final boolean sendResult(EngineColor color, Runnable completion, Runnable beforeSend) {
        OutsideSender sender = outside.shared();
        while (!isStopped()) {
            synchronized (sender) {
                if (hasRoom(sender.pool)) {
                    sender.beforeDecided(beforeSend);
                    try {
                        return sendOutside(sender, color, color.slot(), executeStage(), completion, false, STOPPED);
                    } finally {
                        sender.beforeDecided(null);
                    }
                }
            }
            boolean unused = Thread.interrupted(); // the work may have left it, and an interrupted thread cannot park
            LockSupport.parkNanos(this, FULL_RETRY_NS);
        }
        return false;
    }

    private boolean sendOutside(
            OutsideSender sender,
            @Nullable EngineColor color,
            int slot,
            EngineStage<?> stage,
            @Nullable Object event,
            boolean isFirst,
            int refusedFromPhase) {
        try {
            RecordPool pool = sender.pool;
            if (phase >= refusedFromPhase || !hasRoom(pool) || !pool.takeCredit()) {
                sender.countRefused();
                if (untold != null) {
                    wakeAll(); // who broke it may have had no stack for that
                }
                return false;
            }
            sender.countUndecided(refusedFromPhase);
            boolean isAdmitted = sendUndecided(sender, pool, color, slot, stage, event, isFirst);
            if (isAdmitted) {
                sender.observeSent(slot, stage);
            } else {
                pool.giveCredit();
                sender.decideRefused();
            }
            return isAdmitted;
        } catch (Throwable e) { // half-way: see EngineCore.brokenBy
            brokenBy = e; // bare stores first: there may be no stack left for a call
            untold = e;
            phase = STOPPED;
            wakeAllFromOutside();
            throw e;
        }
    }

    /** Attempts it: says nothing of a failure, as a logger may break worse without stack. Who finds the runtime stopped does it again. */
    private void wakeAllFromOutside() {
        for (EngineCore core : cores) {
            core.wakeForPhase();
        }
    }

    final Timer schedule(Duration delay, EngineColor color, EngineStage<?> stage, @Nullable Object event) {
        long delayNs;
        try {
            delayNs = Math.max(0, delay.toNanos());
        } catch (ArithmeticException e) {
            delayNs = delay.isNegative() ? 0 : Long.MAX_VALUE / 4; // 73 years
        }
        long deadlineNs = config.clock().nanoTime() + Math.min(delayNs, Long.MAX_VALUE / 4);
        Worker current = CoreThread.workerOf(Thread.currentThread(), this);
        EngineCore owner = current != null ? current.core : cores[color.homeCore()];
        TimerEntry timer = new TimerEntry(owner, color, stage, event, deadlineNs);
        if (isDraining()) {
            timer.tryDrop();
            droppedOutside.incrementAndGet();
        } else {
            try {
                owner.addTimer(timer);
            } catch (Throwable e) { // as in sendOutside
                brokenBy = e;
                untold = e;
                phase = STOPPED;
                wakeAllFromOutside();
                throw e;
            }
            if (isStopped() && timer.tryDrop()) {
                droppedOutside.incrementAndGet(); // the core had left its loop
            }
        }
        return timer;
    }

    // ------------------------------------------------------------------ colors

    @Override
    public Color colorAt(int slot) {
        checkSlot(slot);
        return colorOfSlot(slot);
    }

    /**
     * Refuses nulls before anything is made for a stage.
     *
     * @param name of the stage
     * @param options annotations
     * @param handler runs its events
     */
    protected static void checkStage(String name, StageOptions options, Handler<?> handler) {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(options, "options");
        Objects.requireNonNull(handler, "handler");
    }

    final void checkSlot(int slot) {
        if (slot < 0 || slot >= colors) {
            throw new IllegalArgumentException("slot must be 0 to " + (colors - 1) + ": slot=" + slot);
        }
    }

    /**
     * The color of a slot that exists.
     *
     * @param slot 0 to colors - 1
     * @return made when first asked for
     */
    protected abstract Color colorOfSlot(int slot);

    @Override
    public Color defaultColor() {
        return colorOfSlot(0);
    }

    @Override
    public int colors() {
        return colors;
    }

    @Override
    public int cores() {
        return cores.length;
    }

    @Override
    public <T> CompletableFuture<T> blocking(Color color, Callable<T> work) {
        EngineColor to = (EngineColor) Objects.requireNonNull(color, "color");
        Objects.requireNonNull(work, "work");
        if (to.runtime() != this) {
            throw new IllegalArgumentException("color belongs to another runtime: color=" + color);
        }
        return blockingWork.submit(to, work);
    }

    @Override
    public ScheduledExecutorService executor(long key) {
        return executors.make((EngineColor) color(key));
    }

    /**
     * A core, for whoever steps it.
     *
     * @param index 0 to cores - 1
     * @return the core
     */
    public EngineCore engineCore(int index) {
        return cores[index];
    }

    /**
     * How long an idle core spins.
     *
     * @return nanoseconds
     */
    protected final long spinNs() {
        return machine.spinNs();
    }

    /** Where records come from. */
    final RecordDepot depot() {
        return depot;
    }

    /**
     * The event records by number.
     *
     * @return always the same
     */
    protected final RecordIndex records() {
        return depot.index();
    }

    /** What the cores block in. */
    final Poller.Factory pollers() {
        Poller.Factory given = config.pollers();
        return given != null ? given : ParkingPoller::new;
    }

    /** The observer of a new core or outside sender, if there is to be one. */
    final @Nullable HandlerObserver newObserver(int core) {
        HandlerObserver.Factory observers = config.observers();
        return observers == null ? null : observers.create(core);
    }

    OutsideSenders outside() {
        return outside;
    }

    /** Looks after cores that stand still. */
    final Watch watch() {
        return watch;
    }

    // ------------------------------------------------------------------ errors and figures

    void handlerFailed(Worker worker, EngineStage<?> stage, @Nullable Object event, Throwable cause) {
        try {
            // In here, as it may have to be made, and memory may be why the handler failed.
            EngineColor color = worker.core.runningColor(worker);
            assert color != null : "a handler runs in a color";
            errorHandler.onError(
                    new ErrorHandler.Failure(worker.core.core(), color, stage, Command.reported(event), cause));
        } catch (Throwable e) {
            if (e != cause) {
                e.addSuppressed(cause);
            }
            logError("the error handler threw", e);
        }
    }

    private static void logFailure(ErrorHandler.Failure failure) {
        logError(
                "handler failed: stage=" + failure.stage().name() + ", color="
                        + failure.color().slot() + ", core=" + failure.core(),
                failure.cause());
    }

    @Override
    public MelyStats stats() {
        List<MelyStats.CoreStats> perCore = new ArrayList<>(cores.length);
        long open = 0;
        for (EngineCore core : cores) { // run before accepted: see Sender
            perCore.add(statsOf(core));
            open -= perCore.get(perCore.size() - 1).run();
        }
        long acceptedOutside = outside.decided();
        open += acceptedOutside;
        for (EngineCore core : cores) {
            open += core.acceptedAcquire();
        }
        long refusedOutside = outside.refused();
        long sentOutside = acceptedOutside + refusedOutside;
        return new MelyStats(perCore, sentOutside, refusedOutside, isStopped() ? Math.max(0, open) : 0);
    }

    private static MelyStats.CoreStats statsOf(EngineCore core) {
        long run = core.runAcquire(); // before accepted: see Sender
        long refused = core.refusedAcquire();
        return new MelyStats.CoreStats(
                core.core(),
                core.cpu,
                core.acceptedAcquire() + refused,
                refused,
                run,
                core.failed(),
                core.steals(),
                core.stealAttempts(),
                core.rescues(),
                core.stealTimeNs(),
                core.stolenTime(),
                core.sleeps(),
                core.wakeups(),
                core.polls());
    }

    private long droppedTimers() {
        long dropped = droppedOutside.get();
        for (EngineCore core : cores) {
            dropped += core.droppedTimers();
        }
        return dropped;
    }

    @Override
    public String toString() {
        return "Mely{name=" + config.name() + ", cores=" + cores.length + ", phase=" + phaseName() + "}";
    }
}
