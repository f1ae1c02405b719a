// SPDX-License-Identifier: Apache-2.0
package io.mely.queue;

import io.mely.profile.HandlerProfile;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * The ready colors of a core together with its short-queue, and the inbox in which short events may stay until they run: what keeps the order between the
 * three (invariant 2).
 *
 * <pre>
 *   inbox ──claim──► group       a short event whose color has nothing in the ring or in its list
 *   ring  ──claim──► group       any: a color that has something here is in no list of ready ones
 *   inbox ──drain──► its color   all others, behind what the color has here
 *   ring, group ──drainShorts──► its color, in front of what is there
 * </pre>
 *
 * <p><b>Threads.</b> The holder of the core's lock, but where a section says otherwise. <b>Source.</b> ADR 0019.
 */
abstract class ShortColors extends ReadyColors {
    /** Most listings that may be due: what is left of them after a burst lists colors in vain, each for one time. Guess. */
    private static final int LISTINGS_MAX = 1 << 10;

    private static final VarHandle GIVEN_BEHIND;

    static {
        try {
            GIVEN_BEHIND = MethodHandles.lookup().findVarHandle(ShortColors.class, "givenBehind", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    final Inbox inbox = new Inbox();
    final ShortEvents shorts;

    /** The owner's own sends must not go past what is in the inbox before this position: they follow it in there until it is consumed. */
    private long sendsBehind;

    /** The same, for the sake of colors that were given here. Written by who gives them. */
    private long givenBehind;

    /** Colors whose marks are in the inbox: they wait for all that is in front of those. */
    final NumberSet leaving = new NumberSet();

    private boolean isShortBelow; // whether it had the last turn from below
    private boolean isShortDue; // a slice has begun with a color instead, and none of these has run since
    private boolean wasOfInbox; // the last group

    /** The last look into the inbox has left short events there: the next is due. */
    private boolean leavesShorts;

    private int listings; // due: so many of the colors that run something long next

    private final int[] opened = new int[ShortEvents.GROUP_MAX]; // by the end of a group

    ShortColors(
            int core,
            TimeLeftIntervals intervals,
            ColorIndex index,
            RecordIndex records,
            boolean hasShortQueue,
            long lengthyNs) {
        super(core, intervals, index, records, lengthyNs);
        shorts = new ShortEvents(intervals, hasShortQueue);
    }

    // ------------------------------------------------------------------ owner's view, lock held

    /**
     * Sends an event of the owner's into the short-queue, if it may go there: then its color is not touched.
     *
     * @param number of a color that lives here, or has lived here a moment ago
     * @param stage of the event
     * @param event its argument
     * @return false if it must be sent by {@link CoreQueue#send}, or handed in
     */
    public boolean sendShort(int number, HandlerProfile stage, @Nullable Object event) {
        assert isLocked();
        if (mustHandIn() || !shorts.join(number, stage, event)) {
            return false;
        }
        assert homes.coreOfColor(number) == core : "what has left is open";
        shortCount(shortCount + 1);
        return true;
    }

    /** Whether an own send must follow something into the inbox, or more is in there than is drained at a time: then all are served in turn. */
    final boolean mustHandIn() {
        return inbox.position() < Math.max(sendsBehind, givenBehind) || (isBacklogged && !inbox.isEmpty());
    }

    /** The same for an event that would run next: whether that could go past something. The owner, without the lock. */
    final boolean mayOvertake() {
        return (boolean) IS_BACKLOGGED.getOpaque(this)
                || !inbox.isConsumed(Math.max(sendsBehind, (long) GIVEN_BEHIND.getOpaque(this)) - 1);
    }

    /**
     * Gets ready for a color that is about to be given here: what comes for it goes into its list, and not into the short-queue; and what its handlers
     * then send goes behind what is in the inbox, whose senders may have had to do with it. Whoever gives it; {@link CoreQueue#receive} follows, unless it is not given.
     *
     * @param number of the color
     */
    public void expect(int number) {
        assert isLocked();
        if (homes.coreOfColor(number) != core) { // else a thief has brought it
            shorts.open(number);
            GIVEN_BEHIND.setOpaque(this, inbox.claimed());
        }
    }

    /** Begins a turn with the color of the last one, as nothing else is ready. The owner; no lock needed. */
    public void beginTurn() {
        TURN.setOpaque(this, turn + 1);
    }

    /**
     * Claims some short events to run, if it is their turn: before the colors of their level, but for slices that begin with a brief one of those, by turns, and lengthy ones that are due. Those of the
     * inbox and of the ring take turns, too. The owner, before a {@link CoreQueue#pick}, after an {@link #endShorts}.
     *
     * @param looksIntoInbox whether to claim what is there, too
     * @param isSliceBegin whether the owner has just polled
     * @param isFromBelow whether the lowest level has its turn
     * @param ranNs what the owner has run so far, as expected
     * @return false if none
     */
    public boolean claimShorts(boolean looksIntoInbox, boolean isSliceBegin, boolean isFromBelow, long ranNs) {
        assert isLocked();
        briefTime.endTurn(ranNs);
        if (!shorts.isOn() || (readyCount != 0 && !isShortsTurn(isSliceBegin, isFromBelow))) {
            return false;
        }
        wasOfInbox = looksIntoInbox && !(wasOfInbox && shorts.size() != 0) && claimInbox();
        if (!wasOfInbox && shorts.claim() == 0) {
            return false;
        }
        isShortDue = false;
        briefTurn(SHORT_LEVEL, ranNs);
        shortCount(shorts.waiting());
        RUNNING.setOpaque(this, shorts.first()); // it is begun; what ran last may have been stolen
        beginTurn();
        return true;
    }

    private boolean claimInbox() {
        return Inbox.isPlain(inbox.peek()) && shorts.claim(inbox) != 0;
    }

    private boolean isShortsTurn(boolean isSliceBegin, boolean isFromBelow) {
        boolean hasOtherLevels = (listMask & ~(3 << (2 * SHORT_LEVEL))) != 0;
        if (isFromBelow && hasOtherLevels) {
            isShortBelow = !isShortBelow;
            return isShortBelow;
        }
        int rivals = listMask >>> (2 * SHORT_LEVEL); // lengthy, brief, more urgent ones
        if ((rivals & 2) != 0 && isSliceBegin && !isShortDue) {
            isShortDue = shorts.size() != 0 || leavesShorts;
            return false;
        }
        return rivals <= 3 && ((rivals & 1) == 0 || !isLengthyDue(SHORT_LEVEL));
    }

    /** Whether entries of the inbox may stay there until they are claimed: not in front of a mark, nor beside more urgent colors, behind which others of their kind may wait. */
    final boolean mayLeaveShorts() {
        return shorts.isOn() && leaving.count() == 0 && listMask >>> (2 * SHORT_LEVEL + 2) == 0;
    }

    /** Notes whether a look into the inbox has left short events there. */
    final void leavesShorts(boolean isSo) {
        leavesShorts = isSo;
    }

    /**
     * Whether what would be picked next makes nobody wait for long. The owner.
     *
     * @return false if nothing is ready, or something lengthy is next: then a look into the inbox pays
     */
    public boolean hasBriefNext() {
        assert isLocked();
        return hasBriefFrom(highestLevel());
    }

    /** Whether something brief waits that is as urgent, in the inbox as well, as far as the owner has looked. The owner; no lock needed. */
    final boolean hasBriefBeside(int level) {
        return hasBriefFrom(level) || (level <= SHORT_LEVEL && leavesShorts);
    }

    /**
     * Whether short events wait in the ring. The owner.
     *
     * @return true if there are some without a look into the inbox
     */
    public boolean hasOwnShorts() {
        assert isLocked();
        return shorts.size() != 0;
    }

    /**
     * Whether the inbox held short events when the owner looked into it last. The owner.
     *
     * @return true if it should look again
     */
    public boolean hasLeftShorts() {
        return leavesShorts;
    }

    /**
     * Ends what {@link #claimShorts} has claimed: all of it has run, or else the runtime stops, and nothing will.
     *
     * @return true if a color became worthy
     */
    public boolean endShorts() {
        assert isLocked();
        if (!shorts.hasRun()) {
            return false; // the runtime stops
        }
        boolean isWorthier = false;
        int count = shorts.endGroup(inbox, opened);
        for (int i = 0; i < count; i++) {
            isWorthier |= linkWaited(index.at(opened[i]));
        }
        shortCount(shorts.size());
        return isWorthier;
    }

    // ------------------------------------------------------------------ owner's view, no lock needed

    /**
     * Notes that the owner has put an event into its own inbox. The owner.
     *
     * @param position of the entry
     */
    public void handedInByOwner(long position) {
        sendsBehind = position + 1;
    }

    /**
     * Whatever has been put into the inbox comes before what the owner sends from now on: the cause of that may have been sent after it, and have
     * come another way. Before a send that no event caused; after a steal. The owner; costs a line transfer while others send.
     */
    public void sendBehindInbox() {
        sendsBehind = inbox.claimed();
    }

    /**
     * Whether short events were claimed, and have not ended.
     *
     * @return true from {@link #claimShorts} to {@link #endShorts}
     */
    public boolean hasShorts() {
        return shorts.hasGroup();
    }

    /**
     * How many short events were claimed, those included that a thief has taken back since.
     *
     * @return 1 or more
     */
    public int claimedShorts() {
        return shorts.claimed();
    }

    /**
     * Of a short event that was claimed.
     *
     * @param i 0 to {@link #claimedShorts} - 1
     * @return its stage
     */
    public HandlerProfile claimedStage(int i) {
        return shorts.claimedStage(i);
    }

    /**
     * Of a short event that was claimed.
     *
     * @param i 0 to {@link #claimedShorts} - 1
     * @return its argument; null, too, if a thief has taken it back
     */
    public @Nullable Object claimedEvent(int i) {
        return shorts.claimedEvent(i);
    }

    /**
     * Goes on to the next of the short events that were claimed: its color is what runs.
     *
     * @return false if all have run
     */
    public boolean nextShort() {
        int number = shorts.next();
        if (number == ColorIndex.NONE) {
            return false;
        }
        RUNNING.setOpaque(this, number);
        return true;
    }

    /**
     * Of the short event that runs.
     *
     * @return its stage
     */
    public HandlerProfile shortStage() {
        return shorts.stage();
    }

    /**
     * Of the short event that runs.
     *
     * @return its argument
     */
    public @Nullable Object shortEvent() {
        return shorts.event();
    }

    /**
     * Puts another event in the place of the short one that runs, if it is short, too.
     *
     * @param stage of the event
     * @param event its argument
     * @return false if it is not
     */
    public boolean replaceShort(HandlerProfile stage, @Nullable Object event) {
        if (!shorts.isShort(stage)) {
            return false;
        }
        shorts.replace(stage, event);
        return true;
    }

    // ------------------------------------------------------------------ who drains, lock held

    /** Its list is in use from now on. It is ready, unless something of it is in the short-queue, which comes first. */
    final boolean opens(ColorQueue color) {
        int number = color.number();
        shorts.open(number);
        if (shorts.count(number) != 0) {
            color.place = ColorQueue.WAITING;
            return classifyWaiting(color);
        }
        return link(color);
    }

    /** Whether the first entry of the inbox may stay there until it is claimed. */
    final boolean drainMayLeave(int number) {
        HandlerProfile stage = inbox.stage();
        return stage != null && shorts.mayClaim(number, stage);
    }

    /**
     * Moves short events into their colors, the last first. A thief. For each that went before something worthy of its color, one of the colors that next run something long on this core is
     * {@link ShortEvents listed}: colors that have long events mostly go on to, and from a list nothing has to be moved.
     *
     * @param pool the thief's
     * @param takesBack whether to take back, too, what the owner has claimed and not begun
     * @return true if a color became worthy
     */
    public boolean drainShorts(RecordPool pool, boolean takesBack) {
        assert isLocked();
        boolean isWorthier = false;
        for (int i = Math.min(CoreQueue.DRAIN_MAX, shorts.size()); i > 0 && hasRoomForLast(pool); i--) {
            isWorthier |= drainLastShort(pool);
        }
        if (takesBack && shorts.size() == 0 && pool.hasRecords(ShortEvents.GROUP_MAX) && shorts.openGroup(index)) {
            for (int i = shorts.revoke(); i > 0; i--) {
                isWorthier |= drainLastShort(pool);
            }
        }
        shortCount(shorts.waiting());
        int running = shorts.revokedFrom();
        if (running != ColorIndex.NONE && shorts.isOpen(running)) {
            uncountWaiting(index.at(running)); // it is nobody's until that has run
        }
        return isWorthier;
    }

    /** Takes a listing for a color that has run something long and is idle now. False if none is due. */
    final boolean takeListing() {
        if (listings == 0) {
            return false;
        }
        listings--;
        return true;
    }

    private boolean hasRoomForLast(RecordPool pool) {
        return pool.hasRecord() && index.open(shorts.lastNumber()) != null;
    }

    private boolean drainLastShort(RecordPool pool) {
        int number = shorts.lastNumber();
        HandlerProfile stage = shorts.lastStage();
        ColorQueue color = index.at(number);
        if (color.place == ColorQueue.WAITING && color.interval != 0) {
            listings = Math.min(LISTINGS_MAX, listings + 1);
        }
        EventRecord record = color.place == ColorQueue.IDLE ? color : pool.take();
        assert record != null : "the caller has looked";
        fill(record, stage, shorts.lastEvent());
        color.prepend(record.id, record.id, records);
        color.add(record, stage.priority());
        color.place = ColorQueue.WAITING;
        shorts.open(number);
        shorts.removeLast();
        return shorts.count(number) == 0 ? linkWaited(color) : classifyWaiting(color);
    }

    /**
     * Whether a worthy color waits for what it has in the short-queue, so that {@link #drainShorts} makes it loot.
     *
     * @return true if one does
     */
    public boolean hasWaiting() {
        assert isLocked();
        return waitingWorthy != 0;
    }

    /**
     * Whether the stealing-queue holds anything, colors that wait not counted.
     *
     * @return true if a color is worthy and ready
     */
    public boolean hasReadyWorthy() {
        assert isLocked();
        return worthyShort + worthyMedium + worthyLong != waitingWorthy;
    }

    // ------------------------------------------------------------------ checks

    /** {@inheritDoc} And what the short-queue says of the colors. */
    @Override
    public void validate() {
        super.validate();
        if (shorts.isOn()) {
            validateShorts();
        }
    }

    private void validateShorts() {
        int counted = 0;
        for (int number = 1; number < Math.max(index.length(), shorts.length()); number++) {
            int count = shorts.count(number);
            counted += count;
            ColorQueue color = index.peek(number);
            if (color == null) {
                continue;
            }
            if (color.home() != core) {
                check(count == 0, "short events of a color that lives elsewhere", color);
                check(!leaving.contains(number) || shorts.isLeft(number), "left, and not open", color);
                check(!shorts.isListed(number), "listed, and lives elsewhere", color);
                continue;
            }
            boolean isOpen = shorts.isOpen(number);
            boolean isIdle = color.place == ColorQueue.IDLE && !color.isSettling();
            check(!(isIdle && isOpen), "open and idle", color);
            check(isIdle || !shorts.isListed(number), "listed, and not idle", color);
            boolean isWaiting = color.place == ColorQueue.WAITING;
            boolean isPlaced = isWaiting || color.place == ColorQueue.QUEUED;
            check(!isPlaced || (isOpen && isWaiting == (count != 0)), "order of short events", color);
        }
        check(counted == shorts.size() + shorts.groupSize(), "short events", null);
        check(shortCount == shorts.waiting(), "shortCount", null);
    }
}
