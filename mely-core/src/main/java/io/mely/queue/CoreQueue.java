// SPDX-License-Identifier: Apache-2.0
package io.mely.queue;

import io.mely.profile.HandlerProfile;
import java.lang.invoke.VarHandle;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The ready colors of one core: the core-queue by priority level, first in first out within a level, but what is brief before what is lengthy; the stealing-queue, which holds
 * the worthy ones of them in three time-left intervals; and the inbox into which other threads put events.
 *
 * <p>One spin lock guards all colors that live here, and its holder is the consumer of the inbox. The owner takes it once per batch and once
 * per send to a color of its own, a thief once per attempt; what is done under it is a handful of links, but for the inbox, of which at most
 * {@link #DRAIN_MAX} entries are moved at a time. Every step is O(1) in the number of pending events and colors, but for a short-queue that grows, and the table of queues ({@link ColorIndex}), which they do a few times in their lives; those for colors that move are linear in
 * how many of them move at the moment.
 *
 * <h2>A color that moves (invariant 2)</h2>
 *
 * Events of a stolen color may still lie in the inbox of its old home, and later ones of the same sender must not overtake them. So the thief,
 * still under the victim's lock, first writes the new home, then, behind a full fence, looks whether the inbox is empty. If it is, nobody puts an event of the color
 * there any more: a sender claims an entry, then reads {@link ColorHomes#where} again, and if the color has moved leaves the entry void. Else the thief puts a <i>mark</i> behind what is in there, and the color <i>settles</i>: events that reach the
 * new home directly are held, those that are found in the old inbox before the mark are forwarded, and when the mark has been forwarded
 * what was held is appended. A settling color is not stolen, so its home stands meanwhile.
 *
 * <p>So an entry that says something is before any mark, for a thief that came before the sender's look would have been seen in it.
 *
 * <p>An owner that gives a color away does the same, once the heir does {@link #expect} it (ADR 0020).
 *
 * <p>Long, as one lock guards all of it, in the order of who holds it: peeks, the owner, the inbox, colors that move, thieves. Its lists are {@link ReadyColors}', its short events
 * {@link ShortColors}', how long what runs goes on its {@link Turn}'s.
 *
 * <p><b>Threads.</b> Methods say whether the lock must be held. Rank of the lock: 20; a thief holds one at a time. <b>Source.</b> spec:
 * Mely §2, §3.2, §3.3; ADR 0011.
 */
public final class CoreQueue extends ShortColors {
    /** Most inbox entries moved under one hold of the lock: bounds how long a thief waits. Guess. */
    public static final int DRAIN_MAX = 64;

    /** What else is taken begins with an event so many times as long as a steal: many short events in a color are no reason to move it for good. Guess. */
    private static final int LOOT_EVENT_STEALS = 4;

    /** Loot that outlasts so many steals, and {@link #LOOT_MIN}, is enough: the trip is paid, and the rest is left to others. Guess. */
    private static final int LOOT_STEALS = 32;

    /**
     * What is cheap for a thief costs its victim more, which waits for the lines: so much may be taken anyway. In units of weight, a default time slice. Measured
     * with 8 colors, of 7 us each: 32 cheap steals are slower; from 60 us on nothing changes.
     */
    private static final int LOOT_MIN = 100_000;

    /** Of {@link #vainHints}: most that are counted. */
    public static final int VAIN_HINTS_MAX = 10;

    /** A handler that takes as long makes others wait: what is brief goes first (ADR 0023). Guess: five wake-ups, half a default time slice. */
    public static final long LENGTHY_NS = 50_000;

    private static final int SPINS_BEFORE_YIELD = 256;

    /** Guess: a few holds of the lock, as the owner takes it again and again. */
    private static final int SPINS_OF_THIEF = 64;

    /** Of {@link #send}: the event must be handed in. */
    public static final int AWAY = -1;

    /** Of {@link #send}: the event is in its color. */
    public static final int IN = 0;

    /** Of {@link #send}: the event is in its color, and a color became worthy by it. */
    public static final int IN_WORTHIER = 1;

    // events of the color that runs, the one that runs first; the owner's alone
    private int runHead;
    private int runTail;
    private int ranLongs; // of those that have run, what was worth a steal alone

    private final Turn runTurn = new Turn(); // of what runs

    // colors that move
    private final HeldEvents held = new HeldEvents();
    private long lastMark;
    private CoreQueue[] all = {};
    private IntConsumer onForwarded = to -> {};
    private NumberSet forwardedTo = new NumberSet();

    /**
     * Makes empty queues.
     *
     * @param core index of the owner
     * @param intervals what makes a color worthy
     * @param index of the colors of all cores among which colors move
     * @param records of their events, by number
     * @param hasShortQueue false: all events go into the lists of their colors
     * @param lengthyNs a color that begins with an event that takes as long goes behind the others of its level; {@link Long#MAX_VALUE}: none does
     */
    public CoreQueue(
            int core,
            TimeLeftIntervals intervals,
            ColorIndex index,
            RecordIndex records,
            boolean hasShortQueue,
            long lengthyNs) {
        super(core, intervals, index, records, hasShortQueue, lengthyNs);
    }

    /**
     * Makes it known to the others. Before the first event.
     *
     * @param queues of all cores among which colors move
     * @param forwarded called with a core to whose inbox something was forwarded, after the lock was released: it may have to be woken
     */
    public void connect(CoreQueue[] queues, IntConsumer forwarded) {
        all = queues;
        onForwarded = forwarded;
    }

    // ------------------------------------------------------------------ any thread, no lock

    /**
     * Whose it is.
     *
     * @return index of the owner
     */
    public int core() {
        return core;
    }

    /**
     * Whether short events share a queue.
     *
     * @return as given
     */
    public boolean hasShortQueue() {
        return shorts.isOn();
    }

    /**
     * Where others hand in events, by the number of a color that lives here as far as they know. They then wake the owner if it sleeps. To be kept by
     * its senders, who mostly touch nothing else of this.
     *
     * @return always the same
     */
    public Inbox inbox() {
        return inbox;
    }

    /** Notes that what was handed in is worth waking a thief. A fence must follow before its sender looks who sleeps. */
    public void hintLongInbox() {
        LONG_INBOX.setOpaque(this, true);
    }

    /**
     * Whether the inbox may hold something worth waking a thief. A peek.
     *
     * @return true from the hint on until the inbox is drained
     */
    public boolean hasLongInbox() {
        return (boolean) LONG_INBOX.getOpaque(this) && !inbox.isEmpty();
    }

    /**
     * Notes whether a thief that a hint brought found something that pays. A thief; a hint, too, that may be lost.
     *
     * @param isSo whether it has
     */
    public void hintPaid(boolean isSo) {
        int vain = vainHints();
        int now = isSo ? 0 : Math.min(VAIN_HINTS_MAX, vain + 1);
        if (now != vain) {
            VAIN_HINTS.setOpaque(this, now);
        }
    }

    /**
     * How often in a row thieves have found nothing after a hint: events are many here, and each color has few.
     *
     * @return 0 to {@link #VAIN_HINTS_MAX}
     */
    public int vainHints() {
        return (int) VAIN_HINTS.getOpaque(this);
    }

    /**
     * Whether there may be something to run or to move. A peek.
     *
     * @return true if a color is ready or the inbox holds an entry
     */
    public boolean hasWork() {
        return hasReady() || !inbox.isEmpty();
    }

    /**
     * The same, cheap for those who send; it may miss what a thief is just draining, so no sleep may depend on it. The owner.
     *
     * @return true if a color is ready or the inbox seems to hold an entry
     */
    public boolean looksReady() {
        return hasReady() || inbox.looksFilled();
    }

    /**
     * Whether the owner runs something now or has more than one color ready, what is in the short-queue for one. A peek.
     *
     * @return true if another color would have to wait
     */
    public boolean looksBusy() {
        return (int) RUNNING.getOpaque(this) != ColorIndex.NONE || readyCount() + (hasShort() ? 1 : 0) > 1;
    }

    /**
     * Whether the owner seems to have anything to do beside what it does for a color. A peek.
     *
     * @param number of that color, of which one event may wait
     * @return true if it has
     */
    public boolean looksBusyBeside(int number) {
        int running = (int) RUNNING.getOpaque(this);
        return (running != ColorIndex.NONE && running != number) || hasReady() || inbox.size() > 1;
    }

    /**
     * Whether the inbox holds anything.
     *
     * @return true if not empty
     */
    public boolean hasInbox() {
        return !inbox.isEmpty();
    }

    /**
     * Whether so much waits for the owner. A peek, that moves no line its senders claim with.
     *
     * @param count of colors that are ready and events in the short-queue together, or of entries of the inbox
     * @return true if there are as many
     */
    public boolean hasAtLeast(int count) {
        return readyOrShortCount() >= count || inbox.looksLongerThan(count - 1);
    }

    /**
     * Events that wait outside of lists. A peek.
     *
     * @return those in the short-queue and the entries of the inbox
     */
    public long shortsAndInbox() {
        return shortCount() + inbox.size();
    }

    /**
     * What the next event in the inbox weighs, if there is one; if not, what one weighed that was there before. A peek, a sample of what else is there.
     *
     * @return in units of weight; {@link Long#MAX_VALUE} if nothing is known
     */
    public long inboxWeight() {
        return inbox.nextWeight();
    }

    /**
     * Number of turns the owner has begun: unchanged over a long time, the owner is stuck in a handler.
     *
     * @return grows by one per batch
     */
    public long turn() {
        return (long) TURN.getOpaque(this);
    }

    /**
     * Tries to take the lock.
     *
     * @return true if it is held now
     */
    public boolean tryLock() {
        return (int) LOCK.getOpaque(this) == 0 && LOCK.compareAndSet(this, 0, 1);
    }

    /**
     * Takes the lock if it comes free soon: what is done under it is short. A thief.
     *
     * @return false if it stayed taken: the holder may have lost its CPU
     */
    public boolean tryLockSoon() {
        for (int spins = 0; !tryLock(); spins++) {
            if (spins == SPINS_OF_THIEF) {
                return false;
            }
            Thread.onSpinWait();
        }
        return true;
    }

    /** Takes the lock. The owner; a thief goes on to its next victim instead of waiting for long. */
    @SuppressWarnings("ThreadPriorityCheck") // a hint for the case that the holder lost its CPU; right without it
    public void lock() {
        for (int spins = 0; !tryLock(); spins++) {
            if (spins < SPINS_BEFORE_YIELD) {
                Thread.onSpinWait();
            } else {
                Thread.yield(); // the holder may have lost its CPU
            }
        }
    }

    /** Releases the lock; pairs with the CAS of the next {@link #tryLock}. Then lets those know to whom something was forwarded. */
    public void unlock() {
        assert isLocked();
        if (hasForwarded) {
            unlockAndTell();
        } else {
            LOCK.setRelease(this, 0);
        }
    }

    private void unlockAndTell() {
        int[] to;
        try {
            to = forwardedTo.drain();
            hasForwarded = false;
        } finally {
            LOCK.setRelease(this, 0);
        }
        for (int home : to) {
            onForwarded.accept(home);
        }
    }

    // ------------------------------------------------------------------ owner's view, lock held

    /**
     * Sends an event of the owner's to a color of its own. Not while the inbox holds something that it must not go past, or
     * more than is drained at a time: then all are served in turn.
     *
     * @param number of the color
     * @param stage of the event
     * @param event its argument
     * @param pool the owner's, with a record
     * @return {@link #AWAY} if it must be handed in instead, else {@link #IN}, or {@link #IN_WORTHIER} if a color became worthy by it
     */
    public int send(int number, HandlerProfile stage, @Nullable Object event, RecordPool pool) {
        assert isLocked();
        if (mustHandIn() || homes.coreOfColor(number) != core) {
            return AWAY;
        }
        ColorQueue color = index.open(number);
        if (color == null) {
            return AWAY; // no memory; when the inbox is drained, perhaps
        }
        assert color.home() == core : "its senders are told last that it has moved";
        return deliver(color, stage, event, false, pool) ? IN_WORTHIER : IN;
    }

    private boolean deliver(
            ColorQueue color, HandlerProfile stage, @Nullable Object event, boolean isForwarded, RecordPool pool) {
        boolean isHeld = color.isSettling() && !isForwarded;
        boolean isIdle = color.place == ColorQueue.IDLE;
        EventRecord record = isIdle && !isHeld ? color : pool.take();
        assert record != null : "the caller has looked";
        fill(record, stage, event);
        if (isHeld) {
            held.add(color, record, stage.priority(), records);
            return false;
        }
        color.append(record, records);
        color.add(record, stage.priority());
        return isIdle ? opens(color) : grown(color, record.weight());
    }

    /**
     * What waits in the colors that are ready.
     *
     * @return the sum of their time left, in units of weight
     */
    public long readyLeft() {
        assert isLocked();
        return readyLeft;
    }

    /** Nothing runs, and what comes after the pause is another turn than thieves have seen. The owner; no lock needed. */
    public void endTurn() {
        RUNNING.setOpaque(this, ColorIndex.NONE);
        beginTurn();
    }

    /**
     * Takes the next color to run, with its events: the first brief one of the highest level, or a lengthy one that is due.
     *
     * @param isFromBelow true takes from the lowest level instead, so that no level starves
     * @param ranNs what the owner has run so far, as expected
     * @return false if none is ready
     */
    public boolean pick(boolean isFromBelow, long ranNs) {
        assert isLocked();
        assert runHead == EventRecord.NONE : "what was picked before has neither run nor ended";
        beginTurn();
        ColorQueue color = next(isFromBelow, ranNs);
        if (color == null) {
            runTurn.forgetPause();
            RUNNING.setOpaque(this, ColorIndex.NONE);
            return false;
        }
        int number = color.number();
        unlink(color, number);
        runs(color);
        if (number == runTurn.paused()) {
            runTurn.resume();
        } else {
            runTurn.begin(Math.min(color.leftPlain(), readyLeft), color.isInLengthyList());
            pickEndPause();
        }
        RUNNING.setOpaque(this, number);
        return true;
    }

    /** Another came first, or nothing was paused: what was goes to the end of its list, or those behind it would starve. But a brief one only comes in between. */
    private void pickEndPause() {
        boolean isThere = isPaused();
        if (isThere && runTurn.isInterruption()) {
            return;
        }
        if (isThere) {
            toTheEnd(index.at(runTurn.paused()));
        }
        runTurn.forgetPause();
    }

    /** Whether what was paused still is: it may have been stolen meanwhile, and be idle for so long that it has no queue any more. */
    private boolean isPaused() {
        int paused = runTurn.paused();
        ColorQueue color = paused == ColorIndex.NONE ? null : index.at(paused);
        return color != null && color.home() == core && color.place == ColorQueue.QUEUED;
    }

    private void runs(ColorQueue color) {
        color.place = ColorQueue.RUNNING;
        runHead = color.head();
        runTail = color.tail();
        ranLongs = 0;
        color.clear();
    }

    /**
     * Ends the run of the color that was picked: puts back what did not run, and links it if anything is pending.
     *
     * @param weight of what has run
     * @return true if it is worthy
     */
    public boolean end(long weight) {
        ColorQueue color = endRun(weight);
        return color != null && link(color);
    }

    /**
     * The same, but its turn goes on when it is picked next: it is linked as the first of its list.
     *
     * @param weight of what has run
     * @return true if it is worthy
     */
    public boolean pause(long weight) {
        ColorQueue color = endRun(weight);
        if (color == null) {
            return false;
        }
        if (isPaused()) {
            return link(color); // one pause is enough: that of a lengthy turn
        }
        runTurn.pause(color.number(), weight);
        return linkFirst(color);
    }

    /** Null if it is idle now. */
    private @Nullable ColorQueue endRun(long weight) {
        assert isLocked();
        ColorQueue color = index.at(running);
        assert color.home() == core && color.place == ColorQueue.RUNNING : "invariant 1: ran away from home";
        if (runHead != EventRecord.NONE) {
            color.prepend(runHead, runTail, records);
            runHead = EventRecord.NONE;
        }
        if (color.isEmpty()) {
            color.place = ColorQueue.IDLE;
            color.setLeft(0);
            if (!color.isSettling()) {
                shorts.close(color.number(), ranLongs != 0 && takeListing());
            }
            return null;
        }
        color.takeLongs(ranLongs);
        color.setLeft(Math.max(color.timeLeft() - weight, firstWeight(color)));
        return color;
    }

    // ------------------------------------------------------------------ owner's view, no lock needed

    /**
     * The event that runs, or is the next to.
     *
     * @return null if all that were picked have run
     */
    public @Nullable EventRecord runFirst() {
        int head = runHead;
        return head == EventRecord.NONE ? null : index.at(running).at(head, records);
    }

    /**
     * Goes on to the next event of the color that runs.
     *
     * @param done the first, the caller's now
     * @return null if there is none
     */
    public @Nullable EventRecord runNext(EventRecord done) {
        assert done.id == runHead : "only the head runs";
        int next = done.nextPlain();
        runHead = next;
        ranLongs += done.isLong() ? 1 : 0;
        return next == EventRecord.NONE ? null : index.at(running).at(next, records);
    }

    /**
     * Whether nothing of the color that runs waits anywhere, so that its handler's next event may take the place of the one that runs.
     *
     * @return false if there is anything it could overtake
     */
    public boolean runsAlone() {
        if (mayOvertake()) {
            return false;
        }
        if (shorts.hasGroup()) {
            return shorts.runsAlone(running);
        }
        if (runHead != runTail) {
            return false;
        }
        ColorQueue color = index.at(running); // read after that, as a thief may be draining
        return !color.isSettling() && color.isEmpty();
    }

    /**
     * Raises the urgency of the color that runs to that of an event that takes the place of the running one. A hint: racy.
     *
     * @param priority of the event
     */
    public void raiseUrgency(int priority) {
        index.at(running).raiseUrgency(priority);
    }

    /**
     * What the turn may still run past the batch threshold: of what was pending when it began as much as the other colors had pending then. The owner; no
     * lock needed.
     *
     * @return in units of weight; compare with what has run since it began or was resumed
     */
    public long turnLeft() {
        return runTurn.left();
    }

    /**
     * Whether the turn began with a lengthy event: brief ones that come first only interrupt it. The owner; no lock needed.
     *
     * @return as of the last pick
     */
    public boolean isLengthyTurn() {
        return runTurn.isLengthy();
    }

    /**
     * Whether the turn of the color that runs ends, or is interrupted, before its next event, as that is lengthy, and something as urgent is not. The owner; no lock needed.
     *
     * @param stage of the event
     * @return true if the other goes first
     */
    public boolean yieldsToBrief(HandlerProfile stage) {
        return isLengthy(stage) && hasBriefBeside(index.at(running).urgency());
    }

    /** Nothing of what was pending when the turn began is left to run, whatever that weighed. The owner; no lock needed. */
    public void closeTurn() {
        runTurn.close();
    }

    /**
     * Whether a color is what the owner runs, or ran last.
     *
     * @param number of a color
     * @return true if it is
     */
    public boolean isRunning(int number) {
        return running == number;
    }

    /**
     * What the owner runs, or ran last.
     *
     * @return its number; 0 if nothing
     */
    public int running() {
        return running;
    }

    // ------------------------------------------------------------------ the inbox, lock held

    /**
     * Moves entries of the inbox into the queues. A thief; the owner, if it wants all of them there.
     *
     * @param pool the caller's
     * @return true if a color became worthy
     */
    public boolean drain(RecordPool pool) {
        return drain(pool, false);
    }

    /**
     * The same, but stops at an entry that {@link #claimShorts} may claim. The owner.
     *
     * @param pool the owner's
     * @return true if a color became worthy
     */
    public boolean drainToShorts(RecordPool pool) {
        return drain(pool, true);
    }

    private boolean drain(RecordPool pool, boolean mayLeaveShorts) {
        assert isLocked();
        boolean isWorthier = false;
        boolean looksForLong = longInbox && !inbox.looksLongerThan(ShortEvents.GROUP_MAX); // else it stays as it is
        if (looksForLong) {
            LONG_INBOX.setOpaque(this, false); // before the look, so that a hint for what comes behind it stays
            VarHandle.fullFence();
        }
        boolean isShortLeft = false;
        int moved = 0;
        for (; moved < DRAIN_MAX; moved++) {
            int key = inbox.peek(); // never waits for a sender that lost its CPU inside offer
            if (key == 0) {
                break;
            }
            int number = key & Inbox.NUMBER_MASK;
            if (mayLeaveShorts && Inbox.isPlain(key) && mayLeaveShorts() && drainMayLeave(number)) {
                isShortLeft = true;
                break;
            }
            ColorQueue color = index.open(number);
            if (color == null) {
                break; // no memory; later, perhaps
            }
            int home = color.home();
            if (home == core) {
                if (!pool.hasRecord()) {
                    break; // no memory; later, perhaps
                }
                isWorthier |= drainHere(key, color, pool);
            } else {
                drainElsewhere(key, number, home);
            }
            inbox.consume();
        }
        if (mayLeaveShorts) {
            leavesShorts(isShortLeft);
        }
        IS_BACKLOGGED.setOpaque(this, moved == DRAIN_MAX);
        if (looksForLong && !inbox.isEmpty() && !(isShortLeft && shorts.isAllShort(inbox))) {
            LONG_INBOX.setOpaque(this, true); // it may be what was left
        }
        return isWorthier;
    }

    private boolean drainHere(int key, ColorQueue color, RecordPool pool) {
        if ((key & Inbox.MARK) != 0) {
            return settle(color);
        }
        HandlerProfile stage = inbox.stage();
        assert stage != null : "an event has a stage";
        return deliver(color, stage, inbox.event(), (key & Inbox.FORWARDED) != 0, pool);
    }

    private void drainElsewhere(int key, int number, int home) {
        assert leaving.contains(number) : "its sender would have seen that it had moved";
        forwardedTo.add(home); // first, as it may find no memory
        hasForwarded = true;
        all[home].inbox.offer(key | Inbox.FORWARDED, inbox.stage(), inbox.event());
        if ((key & Inbox.MARK) != 0) {
            boolean wasMarked = leaving.remove(number);
            assert wasMarked : "forwarded twice";
        }
    }

    // ------------------------------------------------------------------ colors that move

    /** All that was sent to the old home is here. */
    private boolean settle(ColorQueue color) {
        assert color.isSettling() : "settled twice";
        boolean isIdle = color.place == ColorQueue.IDLE;
        long weight = held.moveTo(color, records);
        color.isSettling(false);
        if (color.isEmpty()) {
            if (isIdle) {
                shorts.close(color.number(), false);
            }
            return false;
        }
        return isIdle ? link(color) : grown(color, weight);
    }

    /**
     * Makes sure that nothing overtakes what is in this inbox for colors that were just stolen. Their thief, before it releases the lock.
     *
     * @param stolen the first of them
     * @return true if they settle; else {@link #adopt} says that they have
     */
    public boolean mark(ColorQueue stolen) {
        assert isLocked();
        VarHandle.fullFence(); // one for all that were stolen
        if (inbox.isEmpty()) { // read after the homes were written
            return false;
        }
        for (ColorQueue color = stolen; color != null; color = rest(color)) {
            boolean isFirst = leaving.add(color.number());
            assert isFirst : "marked twice";
            lastMark = inbox.offer(color.number() | Inbox.MARK, null, null);
        }
        return true;
    }

    /**
     * Where the last mark is. Its thief, while it holds the lock.
     *
     * @return a position, for {@link #isDrained}
     */
    public long lastMark() {
        assert isLocked();
        return lastMark;
    }

    /**
     * Whether there seems to be something to drain. A peek, no lock needed.
     *
     * @return false if the inbox is empty, or the sender of its first entry has not published it
     */
    public boolean looksDrainable() {
        return inbox.looksFilled();
    }

    /**
     * Whether the inbox has been drained up to an entry. No lock needed.
     *
     * @param position of the entry
     * @return true if that is done, too
     */
    public boolean isDrained(long position) {
        return inbox.isConsumed(position);
    }

    /**
     * Takes in colors that the owner has stolen: the first runs, the others are linked.
     *
     * @param stolen the first
     * @param isMarked whether a mark is under way, see {@link #mark}
     * @return true if a worthy color was among them
     */
    public boolean adopt(ColorQueue stolen, boolean isMarked) {
        assert isLocked();
        runTurn.end();
        briefTime.forgetTurn();
        RUNNING.setOpaque(this, stolen.number());
        boolean isWorthier = takeIn(rest(stolen), isMarked);
        shorts.open(stolen.number());
        isWorthier |= !isMarked && settle(stolen);
        return isWorthier;
    }

    /**
     * Takes in colors that the owner has taken while it has others, and links all of them. Between two turns; one that is paused goes on as if nothing had come.
     *
     * @param taken the first, from {@link #takeReady}; null if none
     * @param isMarked whether a mark is under way, see {@link #mark}
     * @return true if a worthy color was among them
     */
    public boolean takeIn(@Nullable ColorQueue taken, boolean isMarked) {
        assert isLocked();
        sendBehindInbox();
        boolean isWorthier = false;
        ColorQueue color = taken;
        while (color != null) {
            ColorQueue next = rest(color);
            shorts.open(color.number());
            isWorthier |= link(color);
            isWorthier |= !isMarked && settle(color);
            color = next;
        }
        return isWorthier;
    }

    /**
     * Lets a color of the owner's live elsewhere, in which nothing is pending. The owner, once the heir does {@link #expect} it; then it must
     * {@link #mark}, and the heir {@link #receive} it.
     *
     * @param number of the color
     * @param heir the new home
     * @return null if something is pending in it or may be in the inbox, if it has left, or at the end of the heap
     */
    public @Nullable ColorQueue giveAway(int number, CoreQueue heir) {
        assert isLocked();
        if (shorts.isInUse(number) || !inbox.isEmpty() || homes.coreOfColor(number) != core) {
            return null;
        }
        ColorQueue color = index.open(number);
        if (color == null || color.place != ColorQueue.IDLE || color.isSettling()) {
            return null;
        }
        shorts.open(number);
        move(color, heir);
        return color;
    }

    /**
     * Takes in a color that was given here. Whoever gives it.
     *
     * @param color from {@link #giveAway}
     * @param isMarked whether a mark is under way, see {@link #mark}; it may have come
     * @return true if it is worthy: by what has come meanwhile
     */
    public boolean receive(ColorQueue color, boolean isMarked) {
        assert isLocked();
        return !isMarked && settle(color);
    }

    private @Nullable ColorQueue rest(ColorQueue stolen) {
        int number = stolen.nextReady;
        return number == ColorIndex.NONE ? null : index.at(number);
    }

    // ------------------------------------------------------------------ thief's view, lock held

    /**
     * Takes the worthiest colors, longest interval first: one of any length, and more as long as each begins with an event that is long beside a steal
     * and has no penalty, as the first has none, is no more urgent than that, the trip is not paid many times over, and at least half of what is ready stays (ADR 0018). All but the first hang behind it, until {@link #adopt}.
     *
     * @param thief the new home
     * @param minLeft a color must have more left than this
     * @param most to take
     * @return the first; null if no color pays
     */
    public @Nullable ColorQueue takeWorthy(CoreQueue thief, long minLeft, int most) {
        assert isLocked();
        ColorQueue head = worthiest(minLeft);
        if (head == null) {
            return null;
        }
        long room = most > 1 ? roomBehind(head, minLeft) : 0;
        takeToRun(head, thief);
        ColorQueue tail = head;
        for (int taken = 1; taken < most && room > 0; taken++) {
            ColorQueue color = worthiest(LOOT_EVENT_STEALS * minLeft);
            if (color == null
                    || color.leftPlain() > room
                    || color.urgency() > head.urgency()
                    || !beginsLongAndFree(color, LOOT_EVENT_STEALS * minLeft)) {
                break;
            }
            room -= color.leftPlain();
            take(color, thief, ColorQueue.MOVING);
            tail.nextReady = color.number();
            tail = color;
        }
        return head;
    }

    /** How much may be taken with a color, in units of weight. Nothing if it begins with a penalty: all would wait for many times what that weighs. */
    private long roomBehind(ColorQueue head, long minLeft) {
        boolean isFree = isFree(head.at(head.head(), records));
        return isFree ? Math.min(readyLeft / 2, Math.max(LOOT_MIN, LOOT_STEALS * minLeft)) - head.leftPlain() : 0;
    }

    /** Whether its first event is longer than that, and moves without a penalty. */
    private boolean beginsLongAndFree(ColorQueue color, long weight) {
        EventRecord first = color.at(color.head(), records);
        return first.weight() > weight && isFree(first);
    }

    private static boolean isFree(EventRecord event) {
        HandlerProfile stage = event.profile();
        return stage != null && stage.batchShare() == HandlerProfile.BATCH_SHARE_MAX;
    }

    /**
     * Takes the first color that holds less than half of the pending events, as the base algorithm does. All events weigh the same
     * there, so that a time-left is a count. Colors are added up only until the answer is certain.
     *
     * @param thief the new home
     * @return null if no color qualifies
     */
    public @Nullable ColorQueue takeBase(CoreQueue thief) {
        assert isLocked();
        ColorQueue color = firstBelowHalf();
        return color == null ? null : takeToRun(color, thief);
    }

    /**
     * Takes the next colors to run, worthy or not: the owner is stuck. All but the first hang behind it, until {@link #adopt}.
     *
     * @param thief the new home
     * @param most to take
     * @return the first; null if none is ready
     */
    public @Nullable ColorQueue takeNext(CoreQueue thief, int most) {
        return takeReady(thief, most, true);
    }

    /**
     * The same, of which none is to run next: {@link #takeIn} follows.
     *
     * @param thief the new home
     * @param most to take
     * @return the first; null if none is ready
     */
    public @Nullable ColorQueue takeReady(CoreQueue thief, int most) {
        return takeReady(thief, most, false);
    }

    private @Nullable ColorQueue takeReady(CoreQueue thief, int most, boolean isFirstToRun) {
        assert isLocked();
        ColorQueue head = null;
        ColorQueue tail = null;
        int taken = 0;
        for (int list = LISTS - 1; list >= 0; list--) {
            int number = first[PAD + list];
            while (number != ColorIndex.NONE && taken < most) {
                ColorQueue color = index.at(number);
                number = color.nextReady;
                if (color.isSettling()) {
                    continue;
                }
                if (tail == null && isFirstToRun) {
                    takeToRun(color, thief);
                } else {
                    take(color, thief, ColorQueue.MOVING);
                }
                if (tail == null) {
                    head = color;
                } else {
                    tail.nextReady = color.number();
                }
                tail = color;
                taken++;
            }
        }
        return head;
    }

    /**
     * How many colors were stolen at once. Their thief, before it links the rest.
     *
     * @param stolen the first of them
     * @return 1 or more
     */
    public int countWithRest(ColorQueue stolen) {
        int count = 1;
        for (int number = stolen.nextReady; number != ColorIndex.NONE; number = index.at(number).nextReady) {
            count++;
        }
        return count;
    }

    /**
     * The time-left of stolen colors. Their thief, before it links the rest.
     *
     * @param stolen the first of them
     * @return the sum, in units of weight
     */
    public long timeLeftWithRest(ColorQueue stolen) {
        long sum = stolen.timeLeft();
        for (int number = stolen.nextReady; number != ColorIndex.NONE; number = index.at(number).nextReady) {
            sum += index.at(number).timeLeft();
        }
        return sum;
    }

    /**
     * Whether the owner would have something to do without the color that is about to be taken.
     *
     * @return true if it runs a color or two are ready
     */
    public boolean isBusy() {
        assert isLocked();
        return running != ColorIndex.NONE || readyCount + (hasShort() ? 1 : 0) > 1;
    }

    private ColorQueue takeToRun(ColorQueue color, CoreQueue thief) {
        unlink(color, color.number());
        thief.runs(color);
        move(color, thief);
        return color;
    }

    private void take(ColorQueue color, CoreQueue thief, byte place) {
        unlink(color, color.number());
        color.place = place;
        move(color, thief);
    }

    /** From here on the color is guarded by the thief's lock. */
    private void move(ColorQueue color, CoreQueue thief) {
        color.nextReady = ColorIndex.NONE;
        color.isAged = false;
        assert shorts.isLeft(color.number()) : "what is in the inbox for it could run here";
        color.isSettling(true);
        color.home(thief.core);
        homes.move(color.number(), thief.core);
    }
}
