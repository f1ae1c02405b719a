// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import io.mely.Mely.CloseReport;
import io.mely.MelyStats;
import io.mely.StallListener;
import io.mely.spi.Worker;
import java.lang.System.Logger;
import java.lang.invoke.VarHandle;
import java.util.List;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The life of a runtime: its phases, the threads of its cores, its close, and its breakdown.
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
 * <p>An outside sender counts its send, then, after a full fence (the claim in the inbox), reads the phase, and only then publishes. The close sets the phase, then,
 * after a full fence, reads the counters of the {@link Books}. So either the sender sees the close and refuses, or the close sees the send and waits for it. A poller could still send
 * right after the books were found closed, so the close seals the pollers, waits until each core has seen it between two steps, and looks again: what is
 * pending then comes from handlers alone, and a pending event or blocking call that could send shows in the counters.
 *
 * <p><b>Threads.</b> Any; one starts or closes at a time.
 */
final class Lifecycle {
    private static final Logger LOGGER = System.getLogger("io.mely");

    static final int NEW = 0;
    static final int RUNNING = 1;
    static final int DRAINING = 2;
    static final int SEALED = 3;
    static final int STOPPED = 4;

    /** A close looks again after so long, and then each time after twice as long. */
    private static final long POLL_NS_MIN = 20_000;

    private static final long POLL_NS_MAX = 1_000_000;

    /** Even a close without patience lets the handlers that run come to their end. */
    private static final long JOIN_NS_MIN = 1_000_000_000;

    private static final AtomicIntegerFieldUpdater<Lifecycle> PHASE =
            AtomicIntegerFieldUpdater.newUpdater(Lifecycle.class, "phase");

    private final String name;
    private final @Nullable Consumer<Thread> threadSetup;
    private final Machine machine;
    private final Core[] cores;
    private final Pools pools;
    private final Books books;
    private final BlockingWork blockingWork;
    private final Watch watch;
    private final Stalls stalls;
    private final @Nullable ClassLoader contextLoader = Thread.currentThread().getContextClassLoader();

    private volatile int phase = NEW; // forward only: by CAS, or to STOPPED

    private final Object lifeLock = new Object();
    private volatile boolean hasThreads; // written under lifeLock
    private @Nullable BiConsumer<PoolWorker, Runnable> poolsStepper; // of whoever steps the cores
    private @Nullable CloseReport report; // guarded by lifeLock
    private boolean isInterrupted; // who closes; guarded by lifeLock
    private volatile @Nullable Throwable brokenBy;

    Lifecycle(
            RuntimeConfig config,
            Machine machine,
            Core[] cores,
            Pools pools,
            Books books,
            BlockingWork blockingWork,
            Watch watch,
            Stalls stalls) {
        name = config.name();
        threadSetup = config.threadSetup();
        this.machine = machine;
        this.cores = cores;
        this.pools = pools;
        this.books = books;
        this.blockingWork = blockingWork;
        this.watch = watch;
        this.stalls = stalls;
    }

    // ------------------------------------------------------------------ the phase

    boolean isAtLeast(int minPhase) {
        return phase >= minPhase;
    }

    boolean isDraining() {
        return phase >= DRAINING;
    }

    /** Whether only handlers may send. */
    boolean isSealed() {
        return phase >= SEALED;
    }

    /** Whether nobody may send or run any more. */
    boolean isStopped() {
        return phase == STOPPED;
    }

    boolean isBroken() {
        return brokenBy != null;
    }

    /** Whether the books are open to a core: to its handlers until the stop; to its poller and its timers until everything has run. False: a send must be refused. */
    boolean maySend(boolean isHandler) {
        return isHandler ? !isStopped() : !isSealed();
    }

    String phaseName() {
        return switch (phase) {
            case NEW -> "new";
            case RUNNING -> "running";
            case DRAINING, SEALED -> "draining";
            default -> "stopped";
        };
    }

    // ------------------------------------------------------------------ the start, and the threads

    void start() {
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
                for (Core core : cores) {
                    if (core.worker().thread == null) {
                        core.end();
                    }
                }
                throw e;
            }
        }
    }

    private void startThreads() {
        for (Core core : cores) {
            startThread(core.worker(), String.valueOf(core.core()));
        }
        watch.start(name + "-watch");
        pools.start();
    }

    private void startThread(CoreWorker worker, String suffix) {
        CoreThread thread = thread(worker, suffix, () -> runWorker(worker));
        thread.start();
        worker.thread = thread; // before anybody knows the worker, who could wake it
    }

    /** Makes the thread of a worker. */
    private CoreThread thread(EventWorker worker, String suffix, Runnable body) {
        CoreThread thread = new CoreThread(body, name + "-" + suffix);
        thread.worker = worker;
        takeContext(thread);
        if (threadSetup != null) {
            threadSetup.accept(thread);
        }
        thread.remember();
        return thread;
    }

    /** Starts the thread of one more worker of a core, which waits until it has that. False if no thread is to be had. */
    boolean startWorker(CoreWorker worker, int number) {
        if (!hasThreads) {
            return true; // stepped by somebody else
        }
        try {
            startThread(worker, worker.core.core() + "." + number);
            return true;
        } catch (OutOfMemoryError e) {
            return false;
        }
    }

    /** Starts a thread for a group, which stops the runtime if its body throws. False if no thread is to be had, or everything has stopped. */
    boolean startPoolWorker(Supplier<PoolWorker> maker, String suffix, Consumer<Worker> body) {
        PoolWorker worker = pools.take(maker);
        if (worker == null) {
            return false;
        }
        boolean isStarted = false;
        try {
            if (!hasThreads) {
                isStarted = stepPoolWorker(worker, body);
                return isStarted;
            }
            CoreThread thread = thread(worker, suffix, () -> runPoolWorker(worker, body));
            worker.thread = thread;
            CoreThread.startingThreads(thread::start);
            isStarted = true;
        } catch (OutOfMemoryError e) {
            return false;
        } finally {
            if (!isStarted) {
                worker.thread = null;
                pools.giveBack(worker);
            }
        }
        return true;
    }

    private boolean stepPoolWorker(PoolWorker worker, Consumer<Worker> body) {
        BiConsumer<PoolWorker, Runnable> stepper = poolsStepper;
        if (stepper != null) {
            stepper.accept(worker, () -> runPoolWorker(worker, body));
        }
        return stepper != null;
    }

    private void runPoolWorker(PoolWorker worker, Consumer<Worker> body) {
        try {
            body.accept(worker);
        } catch (Throwable e) {
            stopBroken("a thread of a group is broken; the runtime stops", e);
            return;
        }
        pools.giveBack(worker);
    }

    /** Gives a thread the context class loader of who made the runtime: handlers find the same classes wherever they run. Some JDKs would give it the system's. */
    void takeContext(Thread thread) {
        thread.setContextClassLoader(contextLoader);
    }

    /** Whoever steps the cores without their threads begins here. */
    void startAccepting() {
        if (!PHASE.compareAndSet(this, NEW, RUNNING)) {
            throw new IllegalStateException("broken before the start", brokenBy);
        }
    }

    /** Hands what the groups' threads would run to whoever steps the cores. There are no more of these threads later. */
    void startPoolsStepped(BiConsumer<PoolWorker, Runnable> stepper) {
        poolsStepper = stepper;
        pools.start();
        poolsStepper = null;
    }

    private void runWorker(CoreWorker worker) {
        Core core = worker.core;
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
        if (worker.loseCore()) {
            core.end();
        }
    }

    // ------------------------------------------------------------------ the breakdown

    /** A bug of ours, or of a poller: going on could break a promise, so everything stops. */
    private void stopBroken(String message, Throwable cause) {
        brokenBy = cause;
        phase = STOPPED;
        wakeAll();
        logError(message, cause);
    }

    /** The same after a send or a timer that broke off half-way, by an error of a poller or a group: what it sent may be in no place, or a core sleep on it. No lock is held: see {@link StackRoom}. */
    void stopBrokenSend(Throwable cause) {
        stopBroken("a send broke off half-way; the runtime stops", cause);
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

    private void wakeAll() {
        if (phase == STOPPED) {
            try {
                pools.stop();
            } catch (Throwable e) { // of a group with a bug, which must not keep the cores asleep
                logError("a group cannot be stopped", e);
            }
        }
        for (Core core : cores) {
            try {
                core.crew().wakeAll();
                core.wakeForPhase();
            } catch (Throwable e) { // a poller with a bug must not keep the others asleep
                logError("core " + core.core() + " cannot be woken", e);
            }
        }
    }

    // ------------------------------------------------------------------ the close

    /** Closes, or waits for who does. Who closes calls {@code afterStop} when every core has stopped, without a lock. */
    CloseReport close(long deadlineNs, Runnable afterStop) {
        CloseReport done;
        synchronized (lifeLock) {
            if (report != null) {
                return report;
            }
            done = closeOnce(deadlineNs);
            report = done;
        }
        afterStop.run();
        return done;
    }

    private CloseReport closeOnce(long deadlineNs) {
        boolean isStarted = hasThreads; // a runtime may be broken before its start
        long startNs = System.nanoTime();
        closeBegin();
        boolean unused = !isStarted || closeAwait(startNs, deadlineNs, this::closeIsDrained);
        closeStop();
        blockingWork.close();
        if (!isStarted) {
            for (Core core : cores) {
                core.end();
            }
        }
        long endNs = Math.max(deadlineNs, System.nanoTime() - startNs + JOIN_NS_MIN);
        boolean areStopped = closeAwait(startNs, endNs, this::areThreadsOver);
        unused = closeAwait(startNs, endNs, this::closeIsDecided);
        if (isInterrupted) {
            Thread.currentThread().interrupt();
        }
        return closeReport(areStopped, deadlineNs);
    }

    /** Waits until something holds, an interrupt or not. False if it does not in time. */
    private boolean closeAwait(long startNs, long deadlineNs, BooleanSupplier condition) {
        boolean holds = condition.getAsBoolean();
        for (long pauseNs = POLL_NS_MIN; !holds && System.nanoTime() - startNs < deadlineNs; ) {
            isInterrupted |= Thread.interrupted();
            LockSupport.parkNanos(this, pauseNs);
            pauseNs = Math.min(POLL_NS_MAX, pauseNs * 2);
            holds = condition.getAsBoolean();
        }
        return holds;
    }

    CloseReport closeReport(boolean areStopped, long deadlineNs) {
        long discarded = books.stats(true, List.of(), MelyStats.StallStats.NONE).discarded();
        long cutOff = blockingWork.cutOff();
        boolean isDrained = areStopped && discarded == 0 && cutOff == 0 && brokenBy == null;
        if (!areStopped || (discarded + cutOff != 0 && deadlineNs != 0)) {
            LOGGER.log(
                    Logger.Level.WARNING,
                    "closed before everything ran: discardedEvents=" + discarded + ", cutOffCalls=" + cutOff
                            + ", coresStopped=" + areStopped + stuck());
        }
        return new CloseReport(isDrained, discarded, books.droppedTimers(), cutOff);
    }

    /** Which handlers a close has left running. */
    private String stuck() {
        StringBuilder text = new StringBuilder();
        for (EventWorker worker : books.workers()) {
            StallListener.Stall stall = stalls.stallOf(worker, 0);
            if (stall != null && stall.thread().isAlive()) {
                text.append("; ").append(Stalls.describe(stall));
            }
        }
        return text.toString();
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
        return isBroken() || books.areDecided();
    }

    /** Nothing is pending, and nothing can come any more. Seals the pollers when nothing is pending for the first time. */
    boolean closeIsDrained() {
        if (phase == DRAINING && books.areClosed()) {
            PHASE.compareAndSet(this, DRAINING, SEALED);
            wakeAll();
        }
        if (phase != SEALED) {
            return phase == STOPPED;
        }
        for (Core core : cores) {
            if (!core.isSealSeen()) {
                return false;
            }
        }
        return books.areClosed();
    }

    private boolean areThreadsOver() {
        for (EventWorker worker : books.workers()) {
            Thread thread = worker.thread;
            if (thread != null && thread.isAlive()) {
                return false;
            }
        }
        return true;
    }
}
