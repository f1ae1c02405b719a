// SPDX-License-Identifier: Apache-2.0
package io.mely.simulation;

import io.mely.Mely;
import io.mely.MelyStats;
import io.mely.Timer;
import io.mely.runtime.Reins;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs actors (cores, outside threads, the closer) on one thread, one action at a time, in an order the seed decides.
 *
 * <h2>Interleavings by nesting</h2>
 *
 * A core at rest is suspended between actions. In the middle of an action, at a yield point, the scheduler runs whole actions of other actors
 * before it returns; those may be preempted in turn. So an operation can be interrupted anywhere by any number of others, each of which is
 * completed before it goes on. What this leaves out are operations that overlap without one enclosing the other.
 *
 * <p>Rules against deadlock on one thread: an actor on the stack is not entered again, and a core whose queue is locked is not stepped, as an
 * owner waits for its lock. Thieves and senders only try. Who runs a color for a group waits for the lock of the color's home, so with groups no core is stepped while any is
 * locked. Nobody is interrupted while it holds a spin lock, or in a method that a {@link Subject} calls undivided.
 *
 * <h2>Course</h2>
 *
 * Chaos: random actions with faults. Settling: no faults, everybody in turn, time moves when all sleep; everything sent must run within a
 * bound. Close: unless the chaos contained one.
 *
 * <p>Long, as actors, faults, course and checks all turn on whose action is under way.
 */
final class Scheduler {
    private static final int DEPTH_MAX = 3;
    private static final int SETTLE_ROUNDS_MAX = 4_000;
    /** So often in a row may everybody sleep in vain while something is pending. More than the naps it takes to reach the longest. */
    private static final int SETTLE_NAPS_MAX = 200;

    /** An action with so many atomic accesses of its own does not come to an end. */
    private static final int HANG_ACCESSES = 300_000;

    private static final long ACTION_NS = 200;
    private static final long[] JUMPS_NS = {1_000, 30_000, 1_500_000, 40_000_000};
    private static final int STALL_PIECES = 8;
    private static final int TRACE_MAX = 2_000;

    /** Unwinds the stack after a violation. */
    static final class Abandoned extends Error {
        private static final long serialVersionUID = 1L;

        Abandoned() {
            super("the simulation is over", null, false, false);
        }
    }

    private final Choices choices;
    private final VirtualClock clock;
    private final Set<Fault> faults;
    private final Set<Check> checks;
    private final int actionsMax;
    private final long[] reached = new long[Fault.values().length];
    private final List<Actor> actors = new ArrayList<>();
    private final List<CoreActor> cores = new ArrayList<>();
    private final List<SimulatedPoller> pollers = new ArrayList<>();
    private final List<Timer> timers = new ArrayList<>();
    private final List<Runnable> stepChecks = new ArrayList<>();
    private final List<Runnable> endChecks = new ArrayList<>();
    private final Closer closer = new Closer();
    private final List<String> trace;
    private final boolean isTracing;
    private Reins reins;

    private boolean isChaos;
    private int focus = Yield.EVERYWHERE;
    private boolean isStalled;
    private int depth;
    private @Nullable Actor top;
    private long actions;
    private int closeAtAction = -1;
    private long closeDeadlineNs = Long.MAX_VALUE;
    private Mely.@Nullable CloseReport report;
    private long acceptedAtDrain;
    private @Nullable Violation violation;
    private boolean isAbandoned;

    Scheduler(
            Choices choices,
            VirtualClock clock,
            Set<Fault> faults,
            Set<Check> checks,
            int actionsMax,
            @Nullable List<String> trace) {
        this.choices = choices;
        this.clock = clock;
        this.faults = faults;
        this.checks = checks;
        this.actionsMax = actionsMax;
        isTracing = trace != null;
        this.trace = trace == null ? List.of() : trace;
    }

    SimulatedPoller newPoller() {
        SimulatedPoller poller = new SimulatedPoller(this::woken);
        pollers.add(poller);
        return poller;
    }

    void drive(Reins runtime) {
        reins = runtime;
        for (int i = 0; i < runtime.mely().cores(); i++) {
            addWorker(i, 0);
        }
        actors.add(closer);
        actors.add(new Watch());
    }

    private void addWorker(int core, int number) {
        CoreActor worker = new CoreActor(core, number, pollers.get(core));
        cores.add(worker);
        actors.add(worker);
    }

    // ------------------------------------------------------------------ actors

    private abstract class Actor {
        final String name;
        Reins.@Nullable Identity identity;
        private boolean isOnStack;
        long delayedUntilAction;

        Actor(String name) {
            this.name = name;
        }

        abstract boolean isReady();

        abstract void act();

        final boolean mayRun() {
            return !isOnStack && isReady() && !(isChaos && actions < delayedUntilAction);
        }

        final void run() {
            Actor below = top;
            top = this;
            isOnStack = true;
            actions++;
            clock.advance(ACTION_NS);
            if (below == null) {
                Yield.use(Scheduler.this); // what is done between actions is not preempted
                Yield.hangAfter(HANG_ACCESSES);
            }
            planPreemption();
            reins.become(identity);
            try {
                act();
            } catch (Abandoned e) {
                isAbandoned = true;
            } catch (AssertionError e) {
                fail(Check.ASSERTION, name + ": " + e.getMessage(), e);
            } catch (Throwable e) {
                fail(Check.CRASH, name + ": " + e, e);
            } finally {
                isOnStack = false;
                top = below;
                reins.become(below == null ? null : below.identity);
                if (below == null) {
                    Yield.use(null);
                }
            }
        }
    }

    private enum CoreState {
        SPARE,
        AWAKE,
        IDLE,
        PARKED,
        WAKING,
        DEAD
    }

    /** One worker of a core: the core's loop, cut where it may be suspended without a thread of its own. */
    private final class CoreActor extends Actor {
        final int index;
        final SimulatedPoller poller;
        final Reins.Identity worker;
        CoreState state = CoreState.SPARE;
        long parkedAtNs;
        long parkedUntilNs;

        CoreActor(int index, int number, SimulatedPoller poller) {
            super(number == 0 ? "core " + index : "core " + index + "." + number);
            this.index = index;
            this.poller = poller;
            worker = reins.worker(index, number);
            identity = worker;
        }

        @Override
        boolean isReady() {
            if (state == CoreState.SPARE) {
                return reins.hasCore(worker) || closer.state == CloseState.STOPPED;
            }
            if (state == CoreState.DEAD || mayWait(index)) {
                return false;
            }
            return state != CoreState.PARKED || poller.isCalled() || clock.nanoTime() - parkedUntilNs >= 0;
        }

        boolean isAsleep() {
            return state == CoreState.PARKED && !poller.isCalled();
        }

        boolean isAtRest() {
            boolean isWaiting = state == CoreState.SPARE && !isReady();
            return isAsleep() || isWaiting || state == CoreState.DEAD;
        }

        @Override
        void act() {
            if (isTracing) {
                trace(name + ": " + state);
            }
            switch (state) {
                case SPARE -> {
                    if (reins.hasCore(worker)) {
                        reins.takeOver(index);
                        state = CoreState.AWAKE;
                    } else if (reins.leaves(worker)) {
                        state = CoreState.DEAD;
                    }
                }
                case AWAKE -> {
                    if (reins.isStopped() && reins.losesCore(worker)) {
                        reins.loopEnd(index);
                        state = CoreState.DEAD;
                    } else if (reins.step(index) == 0) {
                        state = CoreState.IDLE;
                    } else if (!reins.hasCore(worker)) {
                        reins.isSpare(worker);
                        state = CoreState.SPARE;
                    }
                }
                case IDLE -> {
                    if (reins.restSpins(index)) {
                        state = CoreState.AWAKE;
                    } else if (reins.restBegin(index)) {
                        park(reins.restTimeoutNs(index));
                    } else {
                        state = CoreState.WAKING;
                    }
                }
                case PARKED -> {
                    poller.unpark();
                    state = CoreState.WAKING;
                }
                case WAKING -> {
                    reins.restEnd(index);
                    state = CoreState.AWAKE;
                }
                case DEAD -> throw new IllegalStateException("dead: " + name);
            }
        }

        private void park(long timeoutNs) {
            parkedAtNs = clock.nanoTime();
            parkedUntilNs = parkedAtNs + Math.min(timeoutNs, Long.MAX_VALUE / 2);
            state = reins.mayBlock(index) ? CoreState.PARKED : CoreState.WAKING;
        }
    }

    /** Looks after cores that stand still: each action is one look, however soon after the last. */
    private final class Watch extends Actor {
        Watch() {
            super("watch");
        }

        @Override
        boolean isReady() {
            for (int core = 0; core < pollers.size(); core++) {
                if (!reins.isAsleep(core)) {
                    return closer.state != CloseState.DONE && !closer.areDead();
                }
            }
            return false;
        }

        @Override
        void act() {
            reins.look();
            for (int core = 0; core < pollers.size(); core++) {
                int known = 0;
                for (CoreActor actor : cores) {
                    known += actor.index == core ? 1 : 0;
                }
                for (int number = known; number < reins.workers(core); number++) {
                    addWorker(core, number);
                }
            }
        }
    }

    /** A thread that is not a core: each action is one call. */
    private final class Outsider extends Actor {
        private final BooleanSupplier step;
        boolean isDone;

        Outsider(String name, BooleanSupplier step) {
            super(name);
            this.step = step;
            identity = reins.newOutsider();
        }

        @Override
        boolean isReady() {
            return !isDone;
        }

        @Override
        void act() {
            if (isTracing) {
                trace(name);
            }
            isDone = !step.getAsBoolean();
        }
    }

    private enum CloseState {
        PLANNED,
        DRAINING,
        STOPPED,
        DONE
    }

    /** The thread that closes. */
    private final class Closer extends Actor {
        CloseState state = CloseState.PLANNED;
        private long beganNs;
        private boolean isDrained;

        Closer() {
            super("closer");
        }

        @Override
        boolean isReady() {
            return switch (state) {
                case PLANNED -> closeAtAction >= 0 && actions >= closeAtAction;
                case DRAINING -> true;
                case STOPPED -> areDead();
                case DONE -> false;
            };
        }

        private boolean areDead() {
            for (CoreActor core : cores) {
                if (core.state != CoreState.DEAD) {
                    return false;
                }
            }
            return true;
        }

        @Override
        void act() {
            if (isTracing) {
                trace(name + ": " + state);
            }
            switch (state) {
                case PLANNED -> {
                    beganNs = clock.nanoTime();
                    reins.closeBegin();
                    state = CloseState.DRAINING;
                }
                case DRAINING -> {
                    isDrained = reins.closeIsDrained();
                    if (isDrained) {
                        Yield.use(null);
                        checkDrained();
                        Yield.use(Scheduler.this);
                        planPreemption();
                    }
                    if (isDrained || clock.nanoTime() - beganNs >= closeDeadlineNs) {
                        reins.closeStop();
                        state = CloseState.STOPPED;
                    }
                }
                case STOPPED -> {
                    if (reins.closeIsDecided()) {
                        Yield.use(null);
                        report = reins.closeReport();
                        checkReport(report, isDrained);
                        Yield.use(Scheduler.this);
                        planPreemption();
                        state = CloseState.DONE;
                    }
                }
                case DONE -> throw new IllegalStateException("closed twice");
            }
        }
    }

    // ------------------------------------------------------------------ what the workload asks for

    void addOutsider(String name, BooleanSupplier step) {
        actors.add(new Outsider(name, step));
    }

    void arrive(int core, Runnable what) {
        pollers.get(core).arrive(what);
    }

    void watch(Timer timer) {
        timers.add(timer);
    }

    void addStepCheck(Runnable check) {
        stepChecks.add(check);
    }

    void addEndCheck(Runnable check) {
        endChecks.add(check);
    }

    void planClose(int atAction, long deadlineNs) {
        closeAtAction = atAction;
        closeDeadlineNs = deadlineNs;
    }

    Mely.@Nullable CloseReport report() {
        return report;
    }

    /** Inside a handler or another operation of the workload: others may run here. */
    void yieldPoint() {
        if (depth < DEPTH_MAX && actions < actionsMax && fault(Fault.PREEMPTION, 3)) {
            preempt();
        }
    }

    /** Time passes in the middle of an operation, while all others go on. */
    void stall(long ns) {
        if (isStalled || depth == DEPTH_MAX || !isChaos || violation != null) {
            clock.advance(ns);
            return;
        }
        isStalled = true;
        nested(() -> {
            for (int i = 0; i < STALL_PIECES; i++) {
                clock.advance(ns / STALL_PIECES);
                runEachOnce();
            }
        });
        isStalled = false;
    }

    private boolean runEachOnce() {
        boolean hasRun = false;
        for (int i = 0; i < actors.size() && !isOver(); i++) {
            Actor actor = actors.get(i);
            if (actor.mayRun()) {
                actor.run();
                hasRun = true;
            }
        }
        return hasRun;
    }

    // ------------------------------------------------------------------ faults

    /** Whether the seed wants a fault here, now. */
    boolean fault(Fault fault, int oneIn) {
        if (!isChaos || violation != null || !faults.contains(fault) || !choices.oneIn(oneIn)) {
            return false;
        }
        reached[fault.ordinal()]++;
        if (isTracing) {
            trace("  " + fault);
        }
        return true;
    }

    private void woken(SimulatedPoller poller) {
        for (CoreActor core : cores) {
            if (core.poller == poller && core.state == CoreState.PARKED && fault(Fault.DELAYED_WAKEUP, 6)) {
                core.delayedUntilAction = actions + choices.next(20);
            }
        }
    }

    long[] reached() {
        return reached;
    }

    // ------------------------------------------------------------------ preemption

    /** An action has made as many atomic accesses as were given to it. */
    void countdownEnded() {
        if (isOver()) {
            throw abandon();
        }
        reached[Fault.PREEMPTION.ordinal()]++;
        preempt();
        planPreemption();
    }

    /** An action has made more atomic accesses than any should. */
    void hangs() {
        fail(Check.LIVENESS, (top == null ? "something" : top.name) + " does not come to an end", null);
        isAbandoned = true;
        throw abandon();
    }

    private static Abandoned abandon() {
        Yield.after(1, Yield.EVERYWHERE);
        return new Abandoned();
    }

    /** The deeper, the seldomer, or one action would never end. */
    private void planPreemption() {
        if (isOver()) {
            Yield.after(1, Yield.EVERYWHERE);
            return;
        }
        boolean mayPreempt = isChaos && depth < DEPTH_MAX && actions < actionsMax && faults.contains(Fault.PREEMPTION);
        int scale = mayPreempt ? choices.next(8 << depth) : 0;
        boolean isDue = scale >= 2 && scale < 8;
        int reach = focus == Yield.EVERYWHERE ? scale : scale - 2; // fewer accesses are in one place
        Yield.after(isDue ? 1 + choices.next(1 << reach) : 0, focus);
    }

    private void preempt() {
        nested(() -> {
            int turns = 1 + choices.next(2);
            for (int i = 0; i < turns; i++) {
                Actor actor = pick();
                if (actor == null) {
                    return;
                }
                int burst = 1 + choices.next(8);
                for (int j = 0; j < burst && actor.mayRun() && !isOver(); j++) {
                    actor.run();
                    checkExclusion();
                }
            }
        });
    }

    /** Runs other actors on top of the one that is under way. */
    private void nested(Runnable body) {
        int left = Yield.left();
        depth++;
        if (isTracing) {
            trace("  inside " + (top == null ? "nothing" : top.name) + ":");
        }
        try {
            body.run();
        } finally {
            depth--;
            if (isOver()) {
                Yield.after(1, Yield.EVERYWHERE);
            } else {
                Yield.after(Math.max(left, 0), focus);
            }
        }
        if (isTracing) {
            trace("  back in " + (top == null ? "nothing" : top.name));
        }
    }

    /** Whether a core could wait for a lock: its own, or, as a visitor of a group, any. */
    private boolean mayWait(int core) {
        if (!reins.hasGroups()) {
            return reins.isLocked(core);
        }
        for (int i = 0; i < pollers.size(); i++) {
            if (reins.isLocked(i)) {
                return true;
            }
        }
        return false;
    }

    private @Nullable Actor pick() {
        int count = 0;
        for (Actor actor : actors) {
            count += actor.mayRun() ? 1 : 0;
        }
        if (count == 0) {
            return null;
        }
        int chosen = choices.next(count);
        for (Actor actor : actors) {
            if (actor.mayRun() && chosen-- == 0) {
                return actor;
            }
        }
        throw new IllegalStateException("readiness changed while nothing ran");
    }

    // ------------------------------------------------------------------ the course

    /** The whole simulation; the violation, or null. */
    @Nullable
    Violation run() {
        try {
            runAll();
        } catch (Abandoned e) {
            isAbandoned = true; // between two actions
        }
        return violation;
    }

    private void runAll() {
        int place = choices.next(2 * Places.COUNT); // in half of the seeds preemptions are concentrated in one class
        focus = place < Places.COUNT ? Yield.EVERYWHERE : place - Places.COUNT;
        isChaos = true;
        while (actions < actionsMax && !isOver() && !isChaosDone()) {
            chaosAction();
        }
        isChaos = false;
        settle();
        if (!isOver()) {
            checkSettled();
        }
        if (closer.state != CloseState.DONE && !isOver()) {
            if (closer.state == CloseState.PLANNED) {
                closeAtAction = 0;
                closeDeadlineNs = Long.MAX_VALUE;
            }
            settle();
        }
        if (!isOver()) {
            for (Timer timer : timers) {
                check(Check.BOOKS, !timer.isPending(), "a timer is pending after the close");
            }
            runChecks("at the end", endChecks);
        }
    }

    private boolean isOver() {
        return violation != null || isAbandoned;
    }

    private boolean isChaosDone() {
        for (Actor actor : actors) {
            if (actor instanceof Outsider outsider && !outsider.isDone) {
                return false;
            }
        }
        return closer.state == CloseState.DONE || (closeAtAction < 0 && isQuiet());
    }

    private void chaosAction() {
        if (fault(Fault.CLOCK_JUMP, 32)) {
            clock.advance(JUMPS_NS[choices.next(JUMPS_NS.length)]);
        }
        if (fault(Fault.SPURIOUS_WAKEUP, 32)) {
            CoreActor core = cores.get(choices.next(cores.size()));
            core.parkedUntilNs = Math.min(core.parkedUntilNs, clock.nanoTime());
        }
        if (fault(Fault.REFUSED_LOCK, 64)) {
            chaosWithLockHeld();
        }
        Actor actor = pick();
        if (actor == null) {
            actions++;
            moveToNextWake();
            return;
        }
        int burst = 1 + choices.next(3);
        for (int i = 0; i < burst && actor.mayRun() && !isOver(); i++) {
            actor.run();
            checkStep();
        }
    }

    /** Somebody holds the lock of a core: thieves and senders must do without, its owner is not stepped. */
    private void chaosWithLockHeld() {
        int core = choices.next(pollers.size());
        boolean isHeld = reins.tryLock(core);
        if (!isHeld) {
            return;
        }
        Actor actor = pick();
        if (actor != null) {
            actor.run();
        }
        reins.unlock(core);
    }

    private void settle() {
        int naps = 0;
        for (int round = 0; !isOver() && !isQuiet(); round++) {
            if (runEachOnce()) {
                checkStep();
            } else {
                naps++;
                if (!moveToNextWake() || naps > SETTLE_NAPS_MAX) {
                    stuck("everybody sleeps");
                    return;
                }
            }
            if (round == SETTLE_ROUNDS_MAX) {
                stuck("still busy after " + round + " rounds");
                return;
            }
        }
    }

    private void stuck(String how) {
        isAbandoned = true; // whatever is checked: there is no end
        fail(Check.LIVENESS, how + ": " + describe(), null);
    }

    private boolean moveToNextWake() {
        long waitNs = Long.MAX_VALUE;
        long nowNs = clock.nanoTime();
        for (CoreActor core : cores) {
            if (core.isAsleep()) {
                waitNs = Math.min(waitNs, core.parkedUntilNs - nowNs);
            }
        }
        if (waitNs > Long.MAX_VALUE / 4) {
            return false;
        }
        clock.advance(Math.max(1, waitNs));
        return true;
    }

    /** Nobody has anything to do, now or later. */
    private boolean isQuiet() {
        for (Actor actor : actors) {
            if (actor instanceof CoreActor core && !core.isAtRest()) {
                return false;
            }
            if (actor instanceof Outsider outsider && !outsider.isDone) {
                return false;
            }
        }
        if (closer.state != CloseState.DONE && closeAtAction >= 0) {
            return false;
        }
        for (Timer timer : timers) {
            if (timer.isPending()) {
                return false;
            }
        }
        return closer.state == CloseState.DONE || reins.mely().stats().pending() == 0;
    }

    // ------------------------------------------------------------------ checks

    /** Between two actions, when nothing is under way. */
    private void checkStep() {
        if (isOver()) {
            return;
        }
        checkExclusion();
        for (CoreActor core : cores) {
            if (reins.isLocked(core.index)) {
                fail(Check.ONE_PLACE, core.name + ": lock held between steps", null);
                isAbandoned = true;
                break;
            }
            try {
                reins.validate(core.index);
            } catch (AssertionError e) {
                fail(Check.ONE_PLACE, String.valueOf(e.getMessage()), e);
            }
            if (core.isAsleep()) {
                checkSleep(core);
            }
        }
        checkAllAsleep();
        runChecks("after a step", stepChecks);
    }

    /** Whatever policy an event waits under: who would run it, if not one of these? */
    private void checkAllAsleep() {
        for (CoreActor core : cores) {
            if (!core.isAtRest()) {
                return;
            }
        }
        check(
                Check.SLEEP,
                reins.isStopped() || reins.mely().stats().pending() == 0,
                "all sleep, and events are pending");
    }

    private void runChecks(String when, List<Runnable> some) {
        try {
            some.forEach(Runnable::run);
        } catch (AssertionError e) {
            fail(Check.ASSERTION, when + ": " + e.getMessage(), e);
        }
    }

    private void checkSleep(CoreActor core) {
        check(Check.SLEEP, !reins.hasWork(core.index), core.name + " sleeps on work");
        check(Check.SLEEP, !reins.isStopped(), core.name + " sleeps through the stop");
        for (Timer timer : timers) {
            if (timer.isPending() && reins.timerOwner(timer) == core.index) {
                long dueNs = Math.max(reins.timerDeadlineNs(timer), core.parkedAtNs + 1);
                check(
                        Check.SLEEP,
                        !reins.isDraining() && core.parkedUntilNs <= dueNs,
                        core.name + " sleeps past a timer");
            }
        }
    }

    private void checkExclusion() {
        for (int i = 0; i < cores.size(); i++) {
            int running = reins.runningSlot(cores.get(i).worker);
            for (int j = 0; j < i && running >= 0; j++) {
                check(Check.EXCLUSION, running != reins.runningSlot(cores.get(j).worker), "color runs on two workers");
            }
        }
    }

    /** The close has found the books closed: nothing is pending or under way at this very moment. */
    private void checkDrained() {
        MelyStats stats = reins.mely().stats();
        acceptedAtDrain = stats.sent() - stats.refused();
        for (CoreActor core : cores) {
            check(Check.BOOKS, reins.runningSlot(core.worker) < 0, "drained while a handler runs on " + core.name);
            check(Check.BOOKS, reins.readyCount(core.index) == 0, "drained while ready: " + core.name);
        }
    }

    private void checkReport(Mely.CloseReport closed, boolean isDrained) {
        MelyStats stats = reins.mely().stats();
        check(
                Check.BOOKS,
                stats.sent() == stats.run() + stats.refused() + stats.discarded()
                        && stats.discarded() == closed.discardedEvents(),
                "books do not close: " + stats);
        if (isDrained) {
            check(Check.BOOKS, stats.sent() - stats.refused() == acceptedAtDrain, "accepted after the drain");
            check(Check.BOOKS, closed.isDrained() && closed.discardedEvents() == 0, "drained, and yet: " + closed);
        }
    }

    private void checkSettled() {
        if (closer.state == CloseState.DONE) {
            return;
        }
        check(
                Check.COUNTS,
                reins.sleepers() == pollers.size() && reins.searchers() == 0,
                "all asleep: sleepers=" + reins.sleepers() + ", searchers=" + reins.searchers());
    }

    void check(Check what, boolean isTrue, String message) {
        if (!isTrue) {
            fail(what, message, null);
        }
    }

    void fail(Check what, String message, @Nullable Throwable cause) {
        if (violation == null && checks.contains(what)) {
            if (isTracing) {
                trace("VIOLATION " + what + ": " + message);
            }
            violation = new Violation(what, what + ": " + message, cause);
            Yield.after(1, Yield.EVERYWHERE);
        }
    }

    void note(String line) {
        if (isTracing) {
            trace("  " + line);
        }
    }

    private void trace(String line) {
        if (trace.size() < TRACE_MAX) {
            trace.add("  ".repeat(depth) + line);
        }
    }

    private String describe() {
        StringBuilder text = new StringBuilder();
        for (CoreActor core : cores) {
            text.append(core.name)
                    .append(' ')
                    .append(core.state)
                    .append(' ')
                    .append(reins.queueText(core.index))
                    .append("; ");
        }
        return text.append(reins.mely().stats()).toString();
    }
}
