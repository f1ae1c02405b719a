// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import io.mely.spi.SpinLock;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.concurrent.atomic.AtomicLongFieldUpdater;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/** Written by the lock holder or the owner, read by thieves that look before they lock. */
abstract class CoreQueueHotFields extends HeadPad {
    volatile long turn;
    /** The turn whose handlers run or have run. */
    volatile long handlersTurn;
    /** Number of what the owner runs. */
    volatile int running;
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
    /** Rule of {@link #take}: the worthiest, longest interval first: what the original C++ does. */
    static final int WORTHY = 0;

    /** Those that hold less than half of the pending events each, first in first out, as the base algorithm does. All events weigh the same there. */
    static final int BASE = 1;

    /** The next to run, worthy or not: the owner is engaged. */
    static final int NEXT = 2;

    /** Of {@link #send}: the event must be handed in. */
    static final int AWAY = -1;

    /** Of {@link #send}: the event is in its color. */
    static final int IN = 0;

    /** Of {@link #send}: the event is in its color, and a color became worthier by it. */
    static final int IN_WORTHIER = 1;

    private static final int[] NOBODY = {};

    /** What the owner runs, if it is for another group. */
    private static final int VISIT = -1;

    private static final AtomicIntegerFieldUpdater<CoreQueueHotFields> RUNNING =
            AtomicIntegerFieldUpdater.newUpdater(CoreQueueHotFields.class, "running");
    private static final AtomicLongFieldUpdater<CoreQueueHotFields> TURN =
            AtomicLongFieldUpdater.newUpdater(CoreQueueHotFields.class, "turn");
    private static final AtomicLongFieldUpdater<CoreQueueHotFields> HANDLERS_TURN =
            AtomicLongFieldUpdater.newUpdater(CoreQueueHotFields.class, "handlersTurn");

    private final int core;
    private final ColorIndex index;
    private final ColorHomes homes;
    private final RecordIndex records;
    final SpinLock lock = new SpinLock();

    /** Where others hand in events, by the number of a color that lives here as far as they know. They then wake the owner if it sleeps. */
    final Inbox inbox = new Inbox();

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

    /** Makes empty queues of a core, for some of the colors of an index. */
    CoreQueue(int core, TimeLeftIntervals intervals, ColorIndex index, RecordIndex records) {
        this.core = core;
        this.index = index;
        homes = index.homes;
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

    /** Makes the queues of all cores known to each other, before the first event. A core to which something was forwarded is told, without a lock, as it may have to be woken. */
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

    /** Whether there may be something to run or to move. A peek. */
    boolean hasWork() {
        return ready.count() != 0 || !inbox.isEmpty() || migration.hasArriving() || migration.isLeaveDue();
    }

    /** The same, cheap for those who send; it may miss what a thief is just draining, so no sleep may depend on it. The owner. */
    boolean looksReady() {
        return ready.count() != 0 || inbox.looksFilled() || migration.hasArriving() || migration.isLeaveDue();
    }

    /** Whether the owner runs something now or has more than one color ready, so that a color can be taken and there is work without it. A peek. */
    boolean looksBusy() {
        return running != ColorIndex.NONE || ready.count() > 1;
    }

    /** Number of turns the owner has begun: unchanged over a long time, the owner stands still. */
    long turn() {
        return turn;
    }

    /** Whether the owner is between {@link #beginHandlers} and its next hold of the lock. Who finds that sees what it wrote before. Any thread; a hint without the lock. */
    boolean isInHandlers() {
        return handlersTurn == turn;
    }

    /** Takes the lock if it is free. A thief goes on to its next victim otherwise, as the holder may have lost its CPU. */
    boolean tryLock() {
        return lock.tryLock();
    }

    /** Takes the lock. The owner waits for it, and so does who runs a color of this home for a group. */
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

    /**
     * Gives a color that has no event to another core, if it lives here and nothing is under way to it. The other core's owner, without a lock: what it sends from now on comes
     * after all that the color has sent there.
     *
     * @return false if it stays
     */
    boolean giveIdle(int number, CoreQueue to) {
        if (!inbox.isEmpty() || !tryLock()) {
            return false;
        }
        ColorQueue color;
        long until;
        try {
            color = homes.coreOfColor(number) == core ? index.at(number) : null;
            if (color == null || color.place != ColorQueue.IDLE || color.isSettling() || migration.reserved(1) == 0) {
                return false;
            }
            migration.move(color, to.core);
            until = migration.leave(color);
        } finally {
            unlock();
        }
        if (until < 0) {
            to.lock();
            try {
                boolean unused = to.settle(color);
            } finally {
                to.unlock();
            }
        }
        to.sendBehindInbox();
        return true;
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
     * more than is drained at a time: then all are served in turn. The pool is the owner's, and has a record.
     *
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
    private boolean link(ColorQueue color, HandlerProfile first) {
        if (first.sink == null) {
            return ready.link(color);
        }
        handOver.add(color);
        return false;
    }

    /** Nothing runs, and what comes after the pause is another turn than thieves have seen. */
    void endTurn() {
        RUNNING.lazySet(this, ColorIndex.NONE);
        beginTurn();
    }

    /** Takes the next color to run, with its events: the first of the highest level, or of the levels in turn, so that none starves. False if none is ready. */
    boolean pick(boolean isFromBelow) {
        assert isLocked();
        beginTurn();
        ColorQueue color = ready.next(isFromBelow);
        if (color == null) {
            RUNNING.lazySet(this, ColorIndex.NONE);
            return false;
        }
        ready.unlink(color);
        runs(color);
        RUNNING.lazySet(this, color.number());
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

    /** Ends the run of a color, by the owner or another worker: puts back what did not run, and links it if anything is pending, unless it is to be parked. Returns true if it is worthy. */
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
            color.idle(weight);
            return false;
        }
        HandlerProfile first = color.firstStage(records);
        // by what is known now: when it was sent that may have been far too low
        color.setLeft(Math.max(color.timeLeft() - weight, ready.weightOf(first)));
        if (turn.refused != null) {
            return false; // its worker parks it, without the lock; until then it counts as running, and afterwards
        }
        return link(color, first);
    }

    /** All that was sent to the old home of a color is here. Returns true if the color became worthy. */
    boolean settle(ColorQueue color) {
        boolean isIdle = color.place == ColorQueue.IDLE;
        migration.settle(color);
        if (color.isEmpty()) {
            return false;
        }
        return isIdle ? link(color, color.firstStage(records)) : ready.grown(color);
    }

    // ------------------------------------------------------------------ owner's view, no lock needed

    void beginTurn() {
        TURN.lazySet(this, turn + 1);
    }

    /** The owner begins a turn for another group. */
    void beginVisit() {
        beginTurn();
        RUNNING.lazySet(this, VISIT);
        sendBehindInbox(); // the color may have been run on another core before, and have sent from there
    }

    /** The handlers of the turn that has begun run from now on, until the owner takes the lock again: meanwhile the core may be given to another worker. */
    void beginHandlers() {
        HANDLERS_TURN.lazySet(this, turn);
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

    // ------------------------------------------------------------------ thief's view, lock of the victim held

    /**
     * Takes colors by a rule, up to half of those that it is about. All but the first hang behind it, until {@link #adopt}; the first is the thief's to run.
     * {@link Migration#leave} follows.
     *
     * @param minLeft a worthy color must have more left than this
     * @return the first; null if no color pays
     */
    @Nullable
    ColorQueue take(int rule, CoreQueue thief, long minLeft, int most) {
        assert isLocked();
        int count = rule == WORTHY ? ready.worthyCount() : ready.count();
        int max = migration.reserved(Math.min(most, (count + 1) / 2));
        ColorQueue head = null;
        ColorQueue tail = null;
        for (int taken = 0; taken < max; taken++) {
            ColorQueue color = rule == WORTHY ? ready.worthiest(minLeft) : ready.firstSettled(rule == BASE, running);
            if (color == null) {
                break;
            }
            takeOne(color, thief, tail);
            tail = color;
            head = head == null ? color : head;
        }
        return head;
    }

    private void takeOne(ColorQueue color, CoreQueue thief, @Nullable ColorQueue tail) {
        ready.unlink(color);
        if (tail == null) {
            thief.runs(color);
        }
        migration.move(color, thief.core);
        if (tail != null) {
            tail.nextReady = color.number();
        }
    }

    /** Of colors that were taken: the one that hangs behind another; null if none does. Their thief. */
    @Nullable
    ColorQueue behind(ColorQueue stolen) {
        return index.at(stolen.nextReady);
    }

    // ------------------------------------------------------------------ thief's view, its own lock held

    /** Takes in colors that the owner has stolen, of which {@link Migration#leave} has said {@code until}: the first runs, the others are linked. Returns true if a worthy color was among them. */
    boolean adopt(ColorQueue stolen, long until) {
        assert isLocked();
        boolean hasSettled = until < 0;
        RUNNING.lazySet(this, stolen.number());
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

    @Override
    public String toString() {
        return "CoreQueue{core=" + core + ", ready=" + ready.count() + ", worthy=" + ready.worthyCount() + "}";
    }
}
