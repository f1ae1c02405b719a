// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import io.mely.spi.StageGroup;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The ways in: how an event gets from its sender to its color.
 *
 * <pre>
 *   from a handler into its own, otherwise empty color   takes the place of the event that runs: no lock ({@link #sendFused})
 *   from a core to a color that lives there              into the color, under the core's lock ({@link #sendHome})
 *   all others                                           into the inbox of the color's home ({@link #handIn})
 *   without a color, or to a group that keeps colors     to the group, as a lane of one event ({@link #addLane})
 *   to a stage that its senders call                     to the handler, at once ({@link Calls})
 * </pre>
 *
 * <p><b>Threads.</b> Any. <b>Errors.</b> A sender whose stack is too short is told so before anything is claimed: see {@link StackRoom}. A poller that throws from its {@code wakeup}, or a group from its
 * {@code add}, breaks a send off half-way, which stops the runtime: nothing can be promised any more.
 */
final class Sends {
    /** How often the result of blocking work asks for room. A park costs some 10 us, so this is a tenth of a CPU for each result at most. */
    private static final long FULL_RETRY_NS = 100_000;

    private final MelyRuntime runtime;
    private final Lifecycle life;
    private final OutsideSenders outside;
    private final ColorHomes homes;
    private final Inbox[] inboxes; // beside the cores, for the same reason as the flags of Wakeups
    private final Wakeups wakeups;
    private final Calls calls;

    Sends(
            MelyRuntime runtime,
            Lifecycle life,
            OutsideSenders outside,
            ColorHomes homes,
            Inbox[] inboxes,
            Wakeups wakeups) {
        this.runtime = runtime;
        this.life = life;
        this.outside = outside;
        this.homes = homes;
        this.inboxes = inboxes;
        this.wakeups = wakeups;
        calls = new Calls(runtime, life, outside);
    }

    /**
     * Sends from whatever thread calls.
     *
     * @param number of the color; {@link ColorIndex#NONE} for none, which a stage of a group may have
     * @return false if refused
     */
    boolean send(int number, StageImpl<?> stage, @Nullable Object event) {
        StackRoom.check();
        EventWorker worker = CoreThread.workerOf(Thread.currentThread(), runtime);
        boolean isSent;
        if (stage.isCalled() && calls.mayCall(worker, number, stage)) {
            isSent = calls.call(worker, stage, event);
        } else {
            int to = stage.isCalled() ? stage.queuedNumber(number) : number;
            isSent = worker != null ? worker.send(to, stage, event) : sendOutside(to, stage, event);
        }
        if (!isSent) {
            stage.refused(event);
        }
        return isSent;
    }

    // ------------------------------------------------------------------ from a core

    /** Sends from a handler of a worker; or from its core's poller or timers, while it has the core. */
    boolean send(CoreWorker from, int number, StageImpl<?> stage, @Nullable Object event, boolean isOfTimer) {
        Sender sender = from.sender;
        if (!life.maySend(from.turn.isRunning) || !stage.tryEnter(event, isOfTimer)) {
            sender.countRefused(1);
            return false;
        }
        boolean isSent;
        try {
            isSent = sendWhole(from, number, stage, sender.stamped(stage, event), isOfTimer);
        } catch (Throwable e) {
            life.stopBrokenSend(e);
            throw e;
        }
        if (isSent) {
            sender.countSent(number, stage);
        } else {
            stage.leave();
        }
        return isSent;
    }

    private boolean sendWhole(
            CoreWorker from, int number, StageImpl<?> stage, @Nullable Object event, boolean isOfTimer) {
        Core core = from.core;
        Turn turn = from.turn;
        if (turn.isRunning) {
            if (!turn.isFused
                    && turn.fuseRoom > 0
                    && turn.number == number
                    && stage.sink == null
                    && !core.isLong(stage)
                    && core.queue().runsAlone(turn)) {
                sendFused(from, stage, event);
                return true;
            }
        } else {
            core.queue().sendBehindInbox(); // the poller's and the timers' reasons come from elsewhere
        }
        Sender sender = from.sender;
        RecordPool pool = sender.pool;
        if (!pool.hasRecord() || !(isOfTimer || pool.hasCredit())) {
            sender.countRefused(1);
            return false;
        }
        pool.takeCreditAnyway(); // what becomes due has been promised a run
        sender.countAccepted();
        boolean isSent;
        if (stage.isLaneOfItsOwn(number)) {
            addLane(pool, number, stage, event);
            isSent = true;
        } else {
            isSent = (livesHere(from, number) && sendHome(from, number, stage, event))
                    || handIn(number, stage, event, pool, from, null);
        }
        if (!isSent) { // no memory for a larger inbox
            pool.giveCredit();
            sender.uncountAccepted();
            sender.countRefused(1);
        }
        return isSent;
    }

    /**
     * Whether a color lives on the sender's core, or has just come there: what a poller or a timer has for a color without events, whose home sleeps, brings the color here, which costs less than to wake its home.
     */
    private boolean livesHere(CoreWorker from, int number) {
        int home = homes.coreOfColor(number);
        Core core = from.core;
        return home == core.core()
                || (!from.turn.isRunning
                        && core.canSteal()
                        && runtime.core(home).isAsleep()
                        && runtime.core(home).queue().giveIdle(number, core.queue()));
    }

    private static void sendFused(CoreWorker from, StageImpl<?> stage, @Nullable Object event) {
        Turn turn = from.turn;
        EventRecord current = turn.first();
        assert current != null : "it runs";
        turn.ranWeight += (long) current.weight() - stage.weight();
        current.set(stage, event, stage.weight());
        turn.color().raiseUrgency(stage.priority()); // a hint: racy
        from.sender.countAccepted();
        turn.isFused = true;
        turn.fuseRoom -= stage.hasPenalty() ? 0 : 1; // its data would be pushed out of the cache by another color's
    }

    /** Sends to a color of this core, in place. False if it has been stolen, if something came before, or if the core is another worker's now. */
    private boolean sendHome(CoreWorker from, int number, StageImpl<?> stage, @Nullable Object event) {
        Core core = from.core;
        CoreQueue queue = core.queue();
        int sent;
        queue.lock();
        try {
            sent = queue.send(from.turn, number, stage, event, from.sender.pool);
        } finally {
            queue.unlock();
        }
        if ((sent == CoreQueue.IN_WORTHIER || from.turn.isEngaged) && core.canSteal()) {
            wakeups.lootLinked(core);
        }
        return sent != CoreQueue.AWAY;
    }

    // ------------------------------------------------------------------ from a thread of a group

    /** Sends from a handler of a pool's worker; between handlers it sends nothing. */
    boolean sendFromPool(PoolWorker from, int number, StageImpl<?> stage, @Nullable Object event) {
        Sender sender = from.sender;
        RecordPool pool = sender.pool;
        if (!life.maySend(from.turn.isRunning) || !pool.hasRecord() || !takePlace(pool, stage, event)) {
            sender.countRefused(1);
            return false;
        }
        Object sent = sender.stamped(stage, event);
        boolean isSent = true;
        try {
            sender.countAccepted();
            if (stage.isLaneOfItsOwn(number)) {
                addLane(pool, number, stage, sent);
            } else {
                isSent = handIn(number, stage, sent, pool, null, null);
            }
        } catch (Throwable e) {
            life.stopBrokenSend(e);
            throw e;
        }
        if (isSent) {
            sender.countSent(number, stage);
        } else {
            givePlaceBack(pool, stage);
            sender.uncountAccepted();
            sender.countRefused(1);
        }
        return isSent;
    }

    // ------------------------------------------------------------------ from outside

    /** Sends from a thread that is no core. */
    boolean sendOutside(int number, StageImpl<?> stage, @Nullable Object event) {
        OutsideSender own = outside.own();
        if (own == null) {
            OutsideSender shared = outside.shared();
            synchronized (shared) {
                return sendOutside(shared, number, stage, event, Lifecycle.DRAINING);
            }
        }
        return sendOutside(own, number, stage, event, Lifecycle.DRAINING);
    }

    /**
     * Sends the result of blocking work: accepted while draining, as the drain waits for it. Its thread may wait, so neither a full runtime nor
     * a full heap refuses it.
     *
     * @param beforeSend called if it is sent, and before
     */
    boolean sendResult(ColorImpl color, Runnable completion, Runnable beforeSend) {
        OutsideSender sender = outside.shared();
        while (!life.isStopped()) {
            synchronized (sender) {
                if (sender.pool.hasCredit()) {
                    sender.beforeDecided(beforeSend);
                    try {
                        if (sendOutside(
                                sender, color.number(), runtime.executeStage(), completion, Lifecycle.STOPPED)) {
                            return true;
                        }
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
            OutsideSender sender, int number, StageImpl<?> stage, @Nullable Object event, int refusedFromPhase) {
        RecordPool pool = sender.pool;
        boolean isLane = stage.isLaneOfItsOwn(number);
        if (life.isAtLeast(refusedFromPhase)
                || !pool.hasCredit()
                || (isLane && !pool.hasRecord())
                || !takePlace(pool, stage, event)) {
            sender.countRefused(1);
            return false;
        }
        Object sent = sender.stamped(stage, event);
        sender.countUndecided(refusedFromPhase);
        boolean isAdmitted;
        try {
            isAdmitted = isLane
                    ? addLaneAdmitted(sender, number, stage, sent)
                    : handIn(number, stage, sent, pool, null, sender); // the claim is the fence
        } catch (Throwable e) {
            life.stopBrokenSend(e);
            throw e;
        }
        if (isAdmitted) {
            sender.countSent(number, stage);
        } else {
            givePlaceBack(pool, stage);
            sender.decideRefused();
        }
        return isAdmitted;
    }

    // ------------------------------------------------------------------ the ways

    /** Takes a credit and a place in the stage, or neither. */
    private static boolean takePlace(RecordPool pool, StageImpl<?> stage, @Nullable Object event) {
        boolean isIn = stage.tryEnter(event, false);
        if (isIn && !pool.takeCredit()) {
            stage.giveBack();
            isIn = false;
        }
        return isIn;
    }

    private static void givePlaceBack(RecordPool pool, StageImpl<?> stage) {
        pool.giveCredit();
        stage.giveBack();
    }

    /**
     * Sends an event to the home of a color, wherever that is by then: see {@link CoreQueue}. Any thread.
     *
     * @param pool the sender's
     * @param sender null if it is no worker of a core
     * @param admission null if it is one
     * @return false if refused
     */
    boolean handIn(
            int number,
            StageImpl<?> stage,
            @Nullable Object event,
            RecordPool pool,
            @Nullable CoreWorker sender,
            Inbox.@Nullable Admission admission) {
        while (true) {
            int where = homes.where(number);
            int home = ColorHomes.coreOf(where);
            long position = inboxes[home].offer(number, stage, event, homes, where, admission);
            if (position >= 0) {
                if (sender != null && sender.core.core() == home) {
                    sender.turn.handedIn(position);
                }
                if (stage.sink != null) {
                    drainFor(home, pool);
                }
                wakeups.handedIn(home, stage.weight());
                return true;
            }
            wakeups.handedIn(home, 0); // a void entry is to be taken off, too
            if (position == Inbox.REFUSED) {
                return false;
            }
        }
    }

    /** Whoever runs the event of a group need not wait until its color's home looks into its inbox. If somebody holds the lock, that is left to the home, or to a thief. */
    private void drainFor(int home, RecordPool pool) {
        CoreQueue queue = runtime.core(home).queue();
        pool.reserve();
        if (queue.tryLock()) {
            try {
                boolean unused = queue.arrivals.drain(
                        pool); // who is woken for what else is there has been decided by its senders
            } finally {
                queue.unlock();
            }
        }
    }

    /** Gives an event to its group. The pool has a record. */
    private static void addLane(RecordPool pool, int number, StageImpl<?> stage, @Nullable Object event) {
        EventRecord record = pool.take();
        assert record != null : "the caller has looked";
        record.set(stage, event, number);
        StageGroup.Sink sink = stage.sink;
        assert sink != null : "of a group";
        sink.add(record);
    }

    private static boolean addLaneAdmitted(
            OutsideSender sender, int number, StageImpl<?> stage, @Nullable Object event) {
        VarHandle.fullFence(); // the phase is read after the send was counted
        if (!sender.admit()) {
            return false;
        }
        addLane(sender.pool, number, stage, event);
        return true;
    }
}
