// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/** Written by the lock holder or the owner, read by thieves that look before they lock. */
abstract class CoreQueueHotFields extends HeadPad {
    long turn;
    /** The turn whose handlers run or have run. */
    long handlersTurn;
    /** Number of what the owner runs. */
    int running;
}

abstract class CoreQueueTailPad extends CoreQueueHotFields {
    @SuppressWarnings("unused")
    private long q00, q01, q02, q03, q04, q05, q06, q07, q08, q09, q10, q11, q12, q13, q14, q15;
}

/**
 * The colors that live on one core, and the inbox into which other threads put events for them, under one spin lock.
 *
 * <p>The lock guards all colors that live here, and its holder is the consumer of the inbox. The owner takes it once a turn and once
 * a send to a color of its own, a worker that runs a color for a group twice a lane, a thief once an attempt. What is done under it is a handful of links, but for the inbox, of which at most
 * {@link Arrivals#DRAIN_MAX} entries are moved at a time. The parts: {@link ReadyColors} has the lists, {@link Inbox} what others sent, {@link Arrivals} how that gets into the colors,
 * {@link Migration} the colors that move, {@link HandOver} those that go to other groups.
 *
 * <p>Nobody waits for another thread under the lock, and nothing that is done under it may fail half-way for want of memory (invariant 7): records are fetched before,
 * and the places of colors that leave are reserved before they move.
 *
 * <p><b>Threads.</b> Each section says whose it is. Rank of the lock: 20; nobody holds two. <b>Source.</b> spec: Mely §2, §3.2, §3.3; ADR 0011.
 */
final class CoreQueue extends CoreQueueTailPad {
    // rules of a steal
    private static final int WORTHY = 0;
    private static final int BASE = 1;
    private static final int NEXT = 2;

    /** Of {@link #send}: the event must be handed in. */
    static final int AWAY = -1;

    /** Of {@link #send}: the event is in its color. */
    static final int IN = 0;

    /** Of {@link #send}: the event is in its color, and a color became worthier by it. */
    static final int IN_WORTHIER = 1;

    private static final int[] NOBODY = {};

    /** What the owner runs, if it is for another group. */
    private static final int VISIT = -1;

    private static final VarHandle RUNNING = Handles.of(MethodHandles.lookup(), "running", int.class);
    private static final VarHandle TURN = Handles.of(MethodHandles.lookup(), "turn", long.class);
    private static final VarHandle HANDLERS_TURN = Handles.of(MethodHandles.lookup(), "handlersTurn", long.class);

    private final int core;
    private final ColorIndex index;
    private final ColorHomes homes;
    private final RecordIndex records;
    private final CoreLock lock = new CoreLock();
    private final Inbox inbox = new Inbox();
    final ReadyColors ready;
    final Migration migration;
    final Arrivals arrivals;
    private final HandOver handOver;

    /** Of the worker that has the core. Guarded by the lock; that worker knows without. */
    Turn owner;

    /**
     * What workers without the core have sent here by way of the inbox, before they ended their colors, is before this position. The next handler of such a
     * color may run here and send to the same color: that must not go past it. Grows under the lock.
     */
    private long othersBehind;

    /**
     * Makes empty queues.
     *
     * @param core index of the owner
     * @param intervals what makes a color worthy
     * @param index of the colors of all cores among which colors move
     * @param records of their events, by number
     */
    CoreQueue(int core, TimeLeftIntervals intervals, ColorIndex index, RecordIndex records) {
        this.core = core;
        this.index = index;
        homes = index.homes();
        this.records = records;
        ready = new ReadyColors(core, intervals, index);
        migration = new Migration(core, index, records, inbox);
        arrivals = new Arrivals(this, index, inbox, migration);
        handOver = new HandOver(index, records);
        owner = newTurn();
    }

    /** What one more worker needs. Any thread. */
    Turn newTurn() {
        return new Turn(index, records);
    }

    /**
     * Makes all queues known to each other. Before the first event.
     *
     * @param queues of all cores among which colors move
     * @param forwarded called with a core to which something was forwarded, after the lock was released: it may have to be woken
     */
    static void connect(CoreQueue[] queues, IntConsumer forwarded) {
        for (CoreQueue each : queues) {
            each.migration.connect(queues, forwarded);
        }
    }

    // ------------------------------------------------------------------ any thread, no lock

    /** Index of the owner. */
    int core() {
        return core;
    }

    /**
     * Where others hand in events, by the number of a color that lives here as far as they know. They then wake the owner if it sleeps. To be kept by
     * its senders, who mostly touch nothing else of this.
     */
    Inbox inbox() {
        return inbox;
    }

    /** Whether there may be something to run or to move. A peek. */
    boolean hasWork() {
        return hasReady() || !inbox.isEmpty() || migration.hasArriving() || migration.isLeaveDue();
    }

    /** The same, cheap for those who send; it may miss what a thief is just draining, so no sleep may depend on it. The owner. */
    boolean looksReady() {
        return hasReady() || inbox.looksFilled() || migration.hasArriving() || migration.isLeaveDue();
    }

    /** Whether a color is ready. A peek. */
    boolean hasReady() {
        return ready.count() != 0;
    }

    /** Number of ready colors. A peek. */
    int readyCount() {
        return ready.count();
    }

    /** A floor of the work in the stealing-queue, in units of weight. A peek. */
    long worthyFloor() {
        return ready.worthyFloor();
    }

    /** Whether the stealing-queue holds anything. A peek. */
    boolean hasWorthy() {
        return ready.worthyCount() != 0;
    }

    /** Whether the owner runs something now or has more than one color ready, so that another color would have to wait. A peek. */
    boolean looksBusy() {
        return (int) RUNNING.getOpaque(this) != ColorIndex.NONE || ready.count() > 1;
    }

    /** Whether the inbox holds anything. */
    boolean hasInbox() {
        return !inbox.isEmpty();
    }

    /** Number of turns the owner has begun: unchanged over a long time, the owner stands still. */
    long turn() {
        return (long) TURN.getOpaque(this);
    }

    /** Whether the owner is between {@link #beginHandlers} and its next hold of the lock. Who finds that sees what it wrote before. Any thread; a hint without the lock. */
    boolean isInHandlers() {
        return (long) HANDLERS_TURN.getAcquire(this) == turn();
    }

    /** See {@link CoreLock}. */
    boolean tryLock() {
        return lock.tryLock();
    }

    /** See {@link CoreLock}. A thief. */
    boolean tryLockSoon() {
        return lock.tryLockSoon();
    }

    /** See {@link CoreLock}. The owner, and who runs a color of this home for a group. */
    void lock() {
        lock.lock();
    }

    /** Releases the lock. Then lets those know to whom something was forwarded. */
    void unlock() {
        assert isLocked();
        if (migration.hasForwarded() || !handOver.isEmpty()) {
            unlockAndTell();
        } else {
            lock.unlock();
        }
    }

    private void unlockAndTell() {
        int all = handOver.take();
        int[] to = migration.hasForwarded() ? migration.takeForwarded() : NOBODY;
        lock.unlock();
        migration.tell(to);
        handOver.tell(all);
    }

    boolean isLocked() {
        return lock.isLocked();
    }

    // ------------------------------------------------------------------ owner's view, lock held

    /** Makes a worker the owner, one that runs nothing. What it sends comes after all that is in the inbox by now: it may know of that. */
    void own(Turn turn) {
        owner = turn;
        turn.sendsBehind = inbox.claimed();
        endTurn();
    }

    /**
     * Sends an event of a worker's to a color of this core. Only of the owner's, and not while the inbox holds something that it must not go past, or
     * more than is drained at a time: then all are served in turn.
     *
     * @param from what the worker runs
     * @param number of the color
     * @param stage of the event
     * @param event its argument
     * @param pool the owner's, with a record
     * @return {@link #AWAY} if it must be handed in instead, else {@link #IN}, or {@link #IN_WORTHIER}
     */
    int send(Turn from, int number, HandlerProfile stage, @Nullable Object event, RecordPool pool) {
        assert isLocked();
        boolean mustHandIn =
                from != owner || inbox.position() < sendsBehind(from) || (arrivals.isBacklogged && !inbox.isEmpty());
        if (mustHandIn || homes.coreOfColor(number) != core) {
            return AWAY;
        }
        ColorQueue color = index.open(number);
        if (color == null) {
            return AWAY; // no memory; when the inbox is drained, perhaps
        }
        assert color.home() == core : "its senders are told last that it has moved";
        return deliver(color, stage, event, false, pool) ? IN_WORTHIER : IN;
    }

    /** Puts an event into its color. The pool has a record. Returns true if a color became worthier. */
    boolean deliver(
            ColorQueue color, HandlerProfile stage, @Nullable Object event, boolean isForwarded, RecordPool pool) {
        boolean isHeld = color.isSettling() && !isForwarded;
        boolean isIdle = color.place == ColorQueue.IDLE;
        EventRecord record = isIdle && !isHeld ? color : pool.take();
        assert record != null : "the caller has looked";
        record.set(stage, event, ready.weightOf(stage));
        color.add(record.weight(), stage.priority());
        if (isHeld) {
            color.hold(record, records);
            return ready.grown(color);
        }
        color.append(record, records);
        return isIdle ? link(color, stage) : ready.grown(color);
    }

    /** Links a color that has something to run, or hands it over if its first event is another group's. Returns true if it is worthy. */
    private boolean link(ColorQueue color, @Nullable HandlerProfile first) {
        if (first == null || first.sink == null) {
            return ready.link(color);
        }
        handOver.add(color);
        return false;
    }

    /** Nothing runs, and what comes after the pause is another turn than thieves have seen. */
    void endTurn() {
        RUNNING.setOpaque(this, ColorIndex.NONE);
        beginTurn();
    }

    /**
     * Takes the next color to run, with its events: the first one of the highest level.
     *
     * @param isFromBelow true takes from the levels in turn instead, so that none starves
     * @return false if none is ready
     */
    boolean pick(boolean isFromBelow) {
        assert isLocked();
        beginTurn();
        ColorQueue color = ready.next(isFromBelow);
        if (color == null) {
            RUNNING.setOpaque(this, ColorIndex.NONE);
            return false;
        }
        ready.unlink(color);
        runs(color);
        RUNNING.setOpaque(this, color.number());
        return true;
    }

    private void runs(ColorQueue color) {
        color.place = ColorQueue.RUNNING;
        owner.begin(color);
    }

    /** A worker of whatever core takes the events of a color that was handed to its group. */
    void begin(Turn turn, ColorQueue color) {
        assert isLocked() && color.home() == core && color.place == ColorQueue.RUNNING : "handed over and stolen";
        turn.begin(color);
    }

    /**
     * Ends the run of a color that was picked: puts back what did not run, and links it if anything is pending.
     *
     * @param turn of the owner, or of a worker that has lost the core meanwhile
     * @return true if it is worthy
     */
    boolean end(Turn turn) {
        assert isLocked();
        ColorQueue color = turn.color();
        long weight = turn.ranWeight;
        turn.ranWeight = 0;
        if (turn != owner) {
            othersBehind = inbox.claimed();
        }
        assert color.home() == core && color.place == ColorQueue.RUNNING : "invariant 1: ran away from home";
        if (turn.head != EventRecord.NONE) {
            color.prepend(turn.head, turn.tail, records);
            turn.head = EventRecord.NONE;
        }
        if (color.isEmpty()) {
            color.place = ColorQueue.IDLE;
            color.setLeft(color.hasHeld() ? Math.max(0, color.timeLeft() - weight) : 0);
            return false;
        }
        HandlerProfile first = color.at(color.head(), records).profile();
        // by what is known now: when it was sent that may have been a guess, and far too low
        int firstWeight = first == null ? 0 : ready.weightOf(first);
        color.setLeft(Math.max(color.timeLeft() - weight, firstWeight));
        return link(color, first);
    }

    /** All that was sent to the old home of a color is here. Returns true if the color became worthy. */
    boolean settle(ColorQueue color) {
        boolean isIdle = color.place == ColorQueue.IDLE;
        migration.settle(color);
        if (color.isEmpty()) {
            return false;
        }
        return isIdle ? link(color, color.at(color.head(), records).profile()) : ready.grown(color);
    }

    // ------------------------------------------------------------------ owner's view, no lock needed

    void beginTurn() {
        TURN.setOpaque(this, turn + 1);
    }

    /** The owner begins a turn for another group. */
    void beginVisit() {
        beginTurn();
        RUNNING.setOpaque(this, VISIT);
        sendBehindInbox(); // the color may have been run on another core before, and have sent from there
    }

    /** The handlers of the turn that has begun run from now on, until the owner takes the lock again: meanwhile the core may be given to another worker. */
    void beginHandlers() {
        HANDLERS_TURN.setRelease(this, turn);
    }

    private long sendsBehind(Turn of) {
        return Math.max(
                of.sendsBehind,
                othersBehind); // of a color that was picked here after its last handler had ended without the core
    }

    /** Whether nothing of the color that a worker runs waits anywhere, so that its handler's next event may take the place of the one that runs. That worker. */
    boolean runsAlone(Turn of) {
        if (of.head != of.tail || arrivals.isBacklogged() || !inbox.isConsumed(sendsBehind(of) - 1)) {
            return false;
        }
        ColorQueue color = of.color(); // read after that, as others may be draining
        return !color.isSettling() && color.isEmpty();
    }

    /**
     * Whatever has been put into the inbox comes before what the owner sends from now on: the cause of that may have been sent after it, and have
     * come another way. Before a send that no event caused; after a steal. Costs a line transfer while others send.
     */
    void sendBehindInbox() {
        owner.sendsBehind = inbox.claimed();
    }

    /** Whether the inbox has been drained up to a position. No lock needed. */
    boolean isDrained(long position) {
        return inbox.isConsumed(position - 1);
    }

    // ------------------------------------------------------------------ thief's view, lock of the victim held

    /**
     * Takes the worthiest colors, longest interval first, up to half of those that are worthy: what the original C++ does. All but the first hang behind it, until
     * {@link #adopt}. {@link #leave} follows.
     *
     * @param thief the new home
     * @param minLeft a color must have more left than this
     * @param most to take
     * @return the first; null if no color pays
     */
    @Nullable
    ColorQueue takeWorthy(CoreQueue thief, long minLeft, int most) {
        return take(WORTHY, thief, minLeft, half(ready.worthyCount(), most));
    }

    /** The same of those that hold less than half of the pending events each, first in first out, as the base algorithm does. All events weigh the same there. */
    @Nullable
    ColorQueue takeBase(CoreQueue thief, int most) {
        return take(BASE, thief, 0, half(ready.count(), most));
    }

    /** The same of the next to run, worthy or not: the owner is engaged. */
    @Nullable
    ColorQueue takeNext(CoreQueue thief, int most) {
        return take(NEXT, thief, 0, half(ready.count(), most));
    }

    private static int half(int count, int most) {
        return Math.min(most, (count + 1) / 2);
    }

    private @Nullable ColorQueue take(int rule, CoreQueue thief, long minLeft, int most) {
        assert isLocked();
        int max = migration.reserved(most);
        ColorQueue head = null;
        ColorQueue tail = null;
        for (int taken = 0; taken < max; taken++) {
            ColorQueue color = switch (rule) {
                case WORTHY -> ready.worthiest(minLeft);
                case BASE -> ready.firstBelowHalf(running);
                default -> ready.firstSettled();
            };
            if (color == null) {
                break;
            }
            tail = take(color, thief, tail);
            head = head == null ? color : head;
        }
        return head;
    }

    private ColorQueue take(ColorQueue color, CoreQueue thief, @Nullable ColorQueue tail) {
        ready.unlink(color);
        if (tail == null) {
            thief.runs(color);
        }
        migration.move(color, thief.core);
        if (tail != null) {
            tail.nextReady = color.number();
        }
        return color;
    }

    /**
     * Makes sure that nothing overtakes what is in this inbox for the colors that were taken, before the lock is released.
     *
     * @param stolen the first of them
     * @return for {@link #adopt}
     */
    long leave(ColorQueue stolen) {
        assert isLocked();
        return migration.leave(stolen);
    }

    /** Whether the owner would have something to do without the color that is about to be taken: it runs a color, or two are ready. */
    boolean isBusy() {
        assert isLocked();
        return running != ColorIndex.NONE || ready.count() > 1;
    }

    /** Of colors that were taken: the one that hangs behind another; null if none does. Their thief. */
    @Nullable
    ColorQueue behind(ColorQueue stolen) {
        return index.at(stolen.nextReady);
    }

    // ------------------------------------------------------------------ thief's view, its own lock held

    /**
     * Takes in colors that the owner has stolen: the first runs, the others are linked.
     *
     * @param stolen the first
     * @param until from {@link #leave}
     * @return true if a worthy color was among them
     */
    boolean adopt(ColorQueue stolen, long until) {
        assert isLocked();
        boolean hasSettled = until < 0;
        RUNNING.setOpaque(this, stolen.number());
        sendBehindInbox();
        boolean isWorthier = false;
        ColorQueue color = index.at(stolen.nextReady);
        while (color != null) {
            ColorQueue next = index.at(color.nextReady);
            isWorthier |= ready.link(color);
            isWorthier |= hasSettled && settle(color);
            color = next;
        }
        isWorthier |= hasSettled && settle(stolen);
        return isWorthier;
    }

    // ------------------------------------------------------------------ checks

    /**
     * Checks the structure. Lock held; O(colors).
     *
     * @throws AssertionError naming what is broken
     */
    void validate() {
        ready.validate();
    }

    @Override
    public String toString() {
        return "CoreQueue{core=" + core + ", ready=" + ready.count() + ", worthy=" + ready.worthyCount() + "}";
    }
}
