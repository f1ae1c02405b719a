// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import io.mely.MelyStats;
import io.mely.spi.NanoClock;
import io.mely.spi.Poller;
import io.mely.spi.StageGroup.Visitor;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongFieldUpdater;

/**
 * One core: an object that is stepped, by its thread, a test or a simulator.
 *
 * <pre>
 * step:  what waits for its stage's supply runs, if there is some by now
 *        each visitor of the core's groups runs what is ready, up to a time slice; the colors' own comes first
 *        poll, and fire timers, when a slice is used up or nothing ran
 *        nothing happened: the visitors help other cores, and so steal
 * rest:  nothing again: spin a little, then block in the poller until woken
 * </pre>
 *
 * <p>It reads no clock but the one it is given: see {@link EventWorker#handle}. Its life is on the threads of its {@link Crew}: a worker that stands still in a handler loses
 * the core to another one.
 *
 * <p><b>Threads.</b> The worker that has the core, outside of handlers, but where a method says otherwise.
 */
public final class Core extends HeadPad implements Poller.Seat {
    /** What waits behind a handler for as long is worth waking a thief for: it gains as much as the wake-up takes. */
    static final long ENGAGED_NS = 2 * StealCosts.WAKE_NS;

    /** Pauses of a spin between two steps. Guess: 1 us. With more steps these would be compiled for idling, and once more when there is work. */
    private static final int SPINS = 16;

    private static final AtomicLongFieldUpdater<Core> POLLS = AtomicLongFieldUpdater.newUpdater(Core.class, "polls");
    private static final AtomicLongFieldUpdater<Core> SLEEPS = AtomicLongFieldUpdater.newUpdater(Core.class, "sleeps");

    private final int index;
    private final MelyRuntime runtime;
    private final Lifecycle life;
    private final Wakeups wakeups;
    private final CoreQueue queue;
    private final ColoredVisitor colored;
    final NanoClock clock;
    final long timeSliceNs;
    private final long spinNs;
    private final long engagedNs;
    private final boolean canSteal;
    private final Poller poller;
    private final boolean mayChangeThread;
    private final Timers timers = new Timers(this);
    private final Crew crew;
    private Visitor[] visitors; // the colored one first
    private final Parking parking;

    /** Whether this core sleeps or is engaged, and how a sleep ended, see {@link Wakeups}. On a line of its own, as senders on other cores read it. */
    final AtomicInteger sleepFlag = new PaddedFlag();

    CoreWorker worker; // the one that has the core

    private boolean isPollerStarted;
    private boolean hasPollerFailed;

    // the spin before a sleep
    private long idleSinceNs;
    private boolean hasSpun;

    /** The core has seen the seal: from now on its poller and timers send nothing. */
    private volatile boolean isSealSeen;

    /** No worker has the core any more, nor will. */
    volatile boolean isOver;

    // counters of the worker that has the core
    private volatile long sleeps;
    private long wakeupCount;
    private volatile long polls;
    volatile int cpu = -1;

    /** What a core shares with others or is told by its runtime. */
    record Wiring(MelyRuntime runtime, CoreQueue queue, Thief thief, boolean canSteal, long spinNs) {}

    Core(int index, Wiring wiring, Poller.Factory pollers) {
        this.index = index;
        runtime = wiring.runtime();
        life = runtime.life();
        wakeups = runtime.wakeups();
        queue = wiring.queue();
        canSteal = wiring.canSteal();
        RuntimeConfig config = runtime.config();
        clock = config.hooks().clock();
        timeSliceNs = config.tuning().timeSliceNs();
        spinNs = wiring.spinNs();
        boolean usesTime = canSteal && config.tuning().stealing().timeLeft();
        engagedNs = usesTime ? ENGAGED_NS : Long.MAX_VALUE;
        poller = pollers.create(this);
        mayChangeThread = poller.mayChangeThread();
        colored = new ColoredVisitor(this, wiring);
        parking = new Parking(
                this, wiring.runtime().index(), wiring.runtime().depot().index(), runtime.parked());
        visitors = new Visitor[] {colored};
        worker = newWorker();
        queue.own(worker.turn);
        crew = new Crew(this, worker, config.tuning().threadsPerCore());
        worker.giveCore();
    }

    /** Adds the half of another group. Before the start. */
    void visit(Visitor visitor) {
        Visitor[] longer = Arrays.copyOf(visitors, visitors.length + 1);
        longer[visitors.length] = visitor;
        visitors = longer;
    }

    /** Makes one more worker. Any thread. */
    CoreWorker newWorker() {
        return new CoreWorker(this, queue.newTurn());
    }

    // ------------------------------------------------------------------ stepping

    /** Does one turn of the loop, without blocking. Returns how much was done: events run, things polled, timers fired; 0 means that the core may {@link #rest}. */
    public int step() {
        CoreWorker me = worker;
        int done = step(me);
        // else it would rest: a turn that ran nothing, as its stage's supply refused, may have lost the core
        return done == 0 && !me.hasCore() ? 1 : done;
    }

    private int step(CoreWorker me) {
        if (life.isSealed()) {
            isSealSeen = true; // the close is told that what this core polls and fires from now on is refused
        }
        int done = 0;
        if (!parking.isEmpty()) {
            done = parking.run(me);
            if (!me.hasCore() || life.isStopped()) {
                return done;
            }
            if (me.isSliceOver()) {
                done += poll(me);
            }
        }
        for (Visitor visitor : visitors) {
            done += visitor.run(me);
            if (!me.hasCore() || life.isStopped()) {
                return done;
            }
            if (me.isSliceOver()) {
                done += poll(me);
            }
        }
        if (done == 0) {
            done = poll(me);
        }
        for (int i = 0; i < visitors.length && done == 0 && me.hasCore(); i++) {
            done = visitors[i].help(me);
        }
        if (done == 0 && me.hasCore()) {
            done = parking.help(me, hasSpun);
        }
        if (done != 0 && me.hasCore()) {
            idleSinceNs = 0;
            hasSpun = false;
            colored.isActive();
        }
        return done;
    }

    /** Polls, and fires timers. Returns how many things were done. */
    private int poll(CoreWorker me) {
        POLLS.lazySet(this, polls + 1);
        me.endSlice();
        int done = pollPoller();
        if (!timers.isEmpty()) {
            done += timers.fire(life.isDraining(), clock.nanoTime());
        }
        wakeups.goesOn(this);
        runtime.watch().lookIfDue(clock.nanoTime());
        return done;
    }

    private int pollPoller() {
        int done = 0;
        try {
            done = poller.poll();
        } catch (RejectedExecutionException e) {
            pollerRefused(e);
        }
        EventWorker.clearInterrupt();
        return done;
    }

    /**
     * The runtime refuses what a poller sends if it is full, and at the end of a close. A poller should see to that itself; the core goes on in any case. What a refused poller had to say
     * is lost, so it is said once.
     */
    private void pollerRefused(RejectedExecutionException refusal) {
        if (!life.isSealed() && !hasPollerFailed) {
            hasPollerFailed = true;
            Lifecycle.logError(
                    "the poller of core " + index + " does not catch the rejection of what it sends; the core goes on",
                    refusal);
        }
    }

    /** Sends the event of a timer. False if refused. */
    boolean fire(TimerEntry timer) {
        return runtime.sends().send(worker, timer.color.number(), timer.stage, timer.event, true);
    }

    // ------------------------------------------------------------------ resting

    /** After a step that did nothing: spins on the first calls, blocks on a later one. */
    @SuppressWarnings("ThreadPriorityCheck") // a hint; right without it
    public void rest() {
        if (restSpins()) {
            return;
        }
        if (restBegin()) {
            restBlock(restTimeoutNs());
        } else if (colored.isKeptByASender() || !parking.isEmpty()) {
            Thread.yield(); // to who has claimed an entry and lost its CPU; or may free what is waited for here
        }
        restEnd();
    }

    /** Whether it only spun. */
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
            return colored.looksAtTheEnd();
        }
        boolean givesWay =
                spunNs >= spinNs / 4; // to whoever else wants this CPU: it may be the sender that is waited for
        colored.spins(givesWay);
        spin(givesWay);
        return true;
    }

    @SuppressWarnings("ThreadPriorityCheck") // a hint; right without it
    private void spin(boolean givesWay) {
        if (givesWay) {
            Thread.yield();
            return;
        }
        for (int spins = 0; spins < SPINS && !queue.looksReady(); spins++) {
            Thread.onSpinWait();
        }
    }

    /** Announces the sleep; {@link #restEnd} must follow. True if the core is to block in its poller in between. */
    boolean restBegin() {
        colored.announceSleep();
        if (!mayBlock() || !colored.maySleep()) {
            return false;
        }
        SLEEPS.lazySet(this, sleeps + 1);
        EventWorker.clearInterrupt(); // an interrupted thread cannot park
        return true;
    }

    private void restBlock(long timeoutNs) {
        try {
            poller.block(timeoutNs);
        } catch (RejectedExecutionException e) {
            pollerRefused(e);
        }
        EventWorker.clearInterrupt(); // as after poll: it handles what is ready
    }

    long restTimeoutNs() {
        long timeoutNs = Math.min(colored.sleepNsMax(), timers.untilNextNs(clock.nanoTime()));
        for (int i = 1; i < visitors.length; i++) {
            timeoutNs = Math.min(timeoutNs, visitors[i].sleepNsMax());
        }
        return timeoutNs;
    }

    void restEnd() {
        int woken = wakeups.retract(this);
        wakeupCount += woken == Wakeups.SLEEPING ? 0 : 1;
        colored.woken(woken);
        runtime.watch().coreWoke();
        hasSpun = woken == Wakeups.SLEEPING;
        idleSinceNs = 0;
    }

    @Override
    public boolean mayBlock() {
        if (sleepFlag.get() != Wakeups.SLEEPING || !timers.mayRest(life.isDraining())) {
            return false;
        }
        for (Visitor visitor : visitors) {
            if (visitor.hasWork()) {
                return false;
            }
        }
        return !parking.hasWork() && life.isSealed() == isSealSeen && !life.isStopped();
    }

    // ------------------------------------------------------------------ any thread

    /** Whether its worker waits for something, and so needs no CPU. Any thread; a hint. */
    boolean isWaiting() {
        CoreThread thread = worker.thread;
        return thread == null || thread.getState() != Thread.State.RUNNABLE;
    }

    /** Whether something may wait here that no other core can take: sockets, timers, and, without stealing, colors. Any thread; a hint. */
    boolean hasItsOwn() {
        return !(poller instanceof ParkingPoller) || !timers.isEmpty() || !canSteal;
    }

    /** Whether it sleeps, and nobody has woken it. */
    boolean isAsleep() {
        return sleepFlag.get() == Wakeups.SLEEPING;
    }

    /** Starts a timer on this core. May find no memory; then nothing has happened. */
    void addTimer(TimerEntry timer) {
        timers.add(timer);
        VarHandle.fullFence(); // a timer has no claim in the inbox
        try {
            wakeups.wake(this);
        } catch (Throwable e) {
            life.stopBrokenSend(e);
            throw e;
        }
    }

    /** Wakes it because of a close or a breakdown, whatever earlier wakers have done. */
    void wakeForPhase() {
        sleepFlag.compareAndSet(Wakeups.SLEEPING, Wakeups.AWAKE);
        poller.wakeup();
    }

    /** A number that changes with every turn and every look at the poller. A peek. */
    long steps() {
        return polls() + queue.turn();
    }

    /** How often it has gone to sleep. A peek. */
    long sleeps() {
        return sleeps;
    }

    /**
     * The core is awake and has made no step for a while: its role is given to another worker, if its own is in a handler, the poller allows it, and the crew has one to spare. The lock may be taken by who has lost its
     * CPU: then the next look tries again. {@link Watch} calls this.
     *
     * @param steps when it was seen
     * @param mayRelieve whether there is a CPU for one more thread, and something for that to do
     */
    void standsStill(long steps, boolean mayRelieve) {
        CoreWorker next = mayRelieve && mayChangeThread && queue.isInHandlers() ? crew.take() : null;
        if (next == null) {
            wakeups.standsStill(this);
            boolean isWoken = !parking.isEmpty() && wakeups.wakeOne(0, runtime.cores());
            for (int i = 1; !isWoken && i < visitors.length; i++) {
                isWoken = visitors[i].hasWork() && wakeups.wakeOne(0, runtime.cores());
            }
            return;
        }
        boolean isGiven = false;
        if (queue.tryLock()) {
            try {
                isGiven = queue.isInHandlers() && steps == steps() && worker.loseCore();
                if (isGiven) {
                    queue.own(next.turn);
                    worker = next;
                    sleepFlag.set(Wakeups.AWAKE); // engaged no more
                }
            } finally {
                queue.unlock();
            }
        }
        if (isGiven) {
            next.giveCore();
        } else {
            crew.give(next);
        }
    }

    // ------------------------------------------------------------------ its life

    /** The worker's thread is the one that polls from now on. */
    void takeOver() {
        if (isPollerStarted) {
            poller.takeOver();
        } else {
            isPollerStarted = true;
            poller.start();
        }
    }

    /** What a worker does from the moment that it has the core until it loses it, or everything stops; then {@link #end} must follow. */
    void loop(CoreWorker of) {
        while (of.hasCore() && !life.isStopped()) {
            if (step() == 0) {
                rest();
            }
        }
    }

    /** The end of its life, whether it was ever started or not. */
    void end() {
        dropTimersForGood();
        closePoller();
    }

    void dropTimersForGood() {
        isOver = true;
        runtime.watch().coreWoke();
        timers.dropForGood(life.isBroken());
    }

    /** Closes what the core polls; what that throws is logged. */
    void closePoller() {
        try {
            poller.close();
        } catch (Throwable e) {
            Lifecycle.logError("the poller of core " + index + " could not be closed", e);
        }
    }

    boolean isSealSeen() {
        return isSealSeen;
    }

    // ------------------------------------------------------------------ its parts

    @Override
    public int core() {
        return index;
    }

    MelyRuntime runtime() {
        return runtime;
    }

    CoreQueue queue() {
        return queue;
    }

    /** What waits here for its stage's supply. */
    Parking parking() {
        return parking;
    }

    Thief thief() {
        return colored.thief;
    }

    Poller poller() {
        return poller;
    }

    Timers timers() {
        return timers;
    }

    /** The workers that there are. Any thread. */
    Crew crew() {
        return crew;
    }

    /** The worker that has the core: itself, or the holder of the lock under which the core is given to another. */
    CoreWorker worker() {
        return worker;
    }

    boolean canSteal() {
        return canSteal;
    }

    /** Whether a handler is expected to keep what waits behind it waiting for longer than it takes to wake a thief. */
    boolean isLong(HandlerProfile stage) {
        return stage.residualNs() >= engagedNs && stage.isWorthTiming();
    }

    // ------------------------------------------------------------------ figures; any thread

    long polls() {
        return polls;
    }

    MelyStats.CoreStats stats() {
        List<CoreWorker> workers = List.of(crew.all());
        long run = Books.sum(workers, EventWorker::runAcquire); // before accepted: see Sender
        long refused = Books.sum(workers, worker -> worker.sender.refusedAcquire());
        Thief thief = thief();
        return new MelyStats.CoreStats(
                index,
                cpu,
                Books.sum(workers, worker -> worker.sender.acceptedAcquire()) + refused,
                refused,
                run,
                Books.sum(workers, EventWorker::failed),
                thief.steals,
                Thief.byDistance(thief.stealsAt),
                thief.attempts,
                thief.rescues,
                thief.stealTimeNs,
                thief.stolenTime,
                sleeps,
                wakeupCount,
                polls());
    }

    /** A flag with a cache line of its own on either side. */
    private static final class PaddedFlag extends AtomicInteger {
        private static final long serialVersionUID = 1L;

        @SuppressWarnings("unused")
        private long q00, q01, q02, q03, q04, q05, q06, q07, q08, q09, q10, q11, q12, q13, q14, q15;
    }
}
