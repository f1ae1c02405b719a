// SPDX-License-Identifier: Apache-2.0
package io.mely.queue;

import io.mely.memory.HeadPad;
import io.mely.profile.HandlerProfile;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The short-queue of a core: events of colors that have nothing else pending and are not worth a steal with all that they have. Such a color needs no list,
 * no links and no lock of its own; its events run in the order in which they came, a <i>group</i> at a time, in place (ADR 0019).
 *
 * <pre>
 *   state of a color here   (one byte, so that 64 colors share a cache line)
 *
 *      closed, 0      nothing pending            short event: joins; any other: opens
 *      closed, n      n events here              short event: joins while all of them are not worth a steal; any other: opens
 *      open, n        its {@link ColorQueue} is in use, and what comes goes there: behind the n that are here still
 *      open, 0        the same; it may be linked, run and be stolen
 *      listed         nothing pending                 any event: opens
 * </pre>
 *
 * <p>A color that has left is open: so what is in the inbox for it is not run here, and a thief need not touch the line of 63 others. One that comes is opened before the owner claims
 * anything: by who gives it before it moves, else by the thief itself, who is busy with it.
 *
 * <p>A color may be listed when it has run something worth a steal, where thieves have had to move short events out of the way of such: see {@link ShortColors#drainShorts}.
 *
 * <p>So what a color has here comes before what it has in its list (invariant 2), and as long as it has something here it is in no list of ready
 * colors, so that nobody steals it, and nobody else runs it (invariants 1 and 5).
 *
 * <p>A group is claimed under the lock, as a part of the ring in here or of the {@link Inbox}, where an event runs where its sender put it. The owner runs it without the
 * lock, and takes each event by a CAS of {@code groupNext}, so that a rescue can take back what has not begun:
 *
 * <pre>
 *   owner   groupNext: next -> next + 1     the event at next is its to run; the first is with the claim
 *   thief   groupNext: next -> end          under the lock; what is from next on moves into the colors
 * </pre>
 *
 * <p>Events of a group count until {@link #endGroup}, so that what comes for their colors is behind them.
 *
 * <p><b>Threads.</b> The holder of the core's lock, but for {@link #next} and what follows it, the owner's. <b>Costs.</b> An array slot and a CAS an event; a
 * byte for each color, up to the largest number seen, on each core.
 * <b>Bounds.</b> {@link #GROUP_MAX}, {@link #LENGTH_MAX}, {@link #PER_COLOR_MAX}.
 */
final class ShortEvents extends HeadPad {
    /** Events of a group: they share a hold of the lock. Measured: with 64 nothing is faster. */
    static final int GROUP_MAX = 16;

    /** Most events of a color: the bits of a state below its flags. */
    static final int PER_COLOR_MAX = 0x3F;

    /** Slots of the ring. */
    static final int LENGTH_MIN = 1 << 8;

    /** What comes when so many wait or run opens its color: growing copies what waits, under the lock. */
    static final int LENGTH_MAX = 1 << 16;

    private static final int OPEN = 0x80;
    private static final int LISTED = 0x40; // as OPEN more than PER_COLOR_MAX, so that nothing fits
    private static final int COUNT_MASK = PER_COLOR_MAX;
    private static final int STATES_MIN = 1 << 4;

    /** Keeps the first states away from what lies before the array. */
    private static final int PAD = 128;

    private static final VarHandle GROUP_NEXT;

    static {
        try {
            GROUP_NEXT = MethodHandles.lookup().findVarHandle(ShortEvents.class, "groupNext", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final TimeLeftIntervals intervals;
    private final boolean isOn;

    private byte[] states = new byte[PAD + STATES_MIN];

    // the ring: from head what waits, from free what waits or runs
    private Entries ring = new Entries(LENGTH_MIN);
    private int free;
    private int head;
    private int tail;

    // the group; its slots stand from the claim to the end
    private Entries group = ring;
    private int groupFrom;
    private int groupTo;
    private boolean isOfInbox;

    private int groupNext; // CAS; the end once a thief has taken the rest
    private int groupAt; // what runs; the owner's
    private int groupKept; // the end of what a thief has left; under the lock, as the next
    private int groupBegun; // the end of what the owner runs, once the rest was taken back

    /**
     * Makes an empty one.
     *
     * @param intervals whose bound is what a steal costs at least
     * @param isOn false: all events go into the lists of their colors
     */
    ShortEvents(TimeLeftIntervals intervals, boolean isOn) {
        this.intervals = intervals;
        this.isOn = isOn;
    }

    boolean isOn() {
        return isOn;
    }

    // ------------------------------------------------------------------ states

    private int state(int number) {
        byte[] states = this.states;
        return PAD + number < states.length ? states[PAD + number] & 0xFF : 0;
    }

    private void state(int number, int state) {
        statesFor(number)[PAD + number] = (byte) state;
    }

    private byte[] statesFor(int number) {
        byte[] states = this.states;
        return PAD + number < states.length ? states : statesGrown(number);
    }

    private byte[] statesGrown(int number) {
        states = Arrays.copyOf(states, Math.max(PAD + number + 1, 2 * states.length));
        return states;
    }

    /** No color with this number or a greater one has been here. */
    int length() {
        return states.length - PAD;
    }

    /** Whether its list is in use here, or waits for what is in this. */
    boolean isOpen(int number) {
        return (state(number) & OPEN) != 0;
    }

    /** How many of its events are here, the group included. */
    int count(int number) {
        return state(number) & COUNT_MASK;
    }

    /** Whether its list is in use here, or it has events here. */
    boolean isInUse(int number) {
        return (state(number) & ~LISTED) != 0;
    }

    /** Whether nothing of it is pending, and its next event goes into its list, whatever that is. */
    boolean isListed(int number) {
        return state(number) == LISTED;
    }

    /** Whether nothing of it may run here until it is back. */
    boolean isLeft(int number) {
        return !isOn || state(number) == OPEN;
    }

    /** Its list is in use from now on, or it leaves. */
    void open(int number) {
        if (isOn) {
            state(number, (state(number) & ~LISTED) | OPEN);
        }
    }

    /** Nothing of it is left. It is listed from now on, or not. */
    void close(int number, boolean isListed) {
        assert count(number) == 0 : "closed with short events";
        if (isOpen(number)) {
            state(number, isListed ? LISTED : 0);
        }
    }

    /** Whether {@link #claim(Inbox)} takes an entry that is the first of the inbox: who leaves it there for that must be sure. */
    boolean mayClaim(int number, HandlerProfile stage) {
        return isOn && mayClaim(state(number), stage, timeMax());
    }

    /** What a color has in the ring may be the cause of what it has in the inbox, and runs first. */
    private boolean mayClaim(int state, HandlerProfile stage, long timeMax) {
        return fits(state, stage.shortNs(), timeMax) && (state == 0 || tail == head);
    }

    private static boolean fits(int state, int shortNs, long timeMax) {
        return state < PER_COLOR_MAX && (state + 1L) * shortNs <= timeMax;
    }

    /** Whether one event of a stage is short. */
    boolean isShort(HandlerProfile stage) {
        return stage.shortNs() <= timeMax();
    }

    private long timeMax() {
        return Math.min(intervals.bound(), HandlerProfile.SHORT_NS_MAX);
    }

    // ------------------------------------------------------------------ the ring

    /** Events that wait in the ring; the group is not among them. */
    int size() {
        return tail - head;
    }

    /** Events that wait, those of the group but for the first among them, unless they were taken back. */
    int waiting() {
        return tail - head + (groupBegun == groupTo ? Math.max(0, groupTo - groupFrom - 1) : 0);
    }

    /**
     * Adds an event, if it is short, and all that its color has is here and takes, with this one, no longer than a short event may. It is one of the group that runs, if that has room and nothing
     * waits before it. On the path of each own send: what it needs is read once.
     *
     * @return false if it must go into the list of its color: for that rule, because the ring is full, or as this is off
     */
    boolean join(int number, HandlerProfile stage, @Nullable Object event) {
        long timeMax = timeMax();
        int shortNs = stage.shortNs();
        if (shortNs > timeMax || !isOn) {
            return false;
        }
        byte[] states = statesFor(number);
        int state = states[PAD + number] & 0xFF;
        int at = tail;
        int used = at - free;
        if (!fits(state, shortNs, timeMax) || used >= LENGTH_MAX) {
            return false;
        }
        if (used > ring.mask) {
            grow();
        }
        ring.fill(at, number, stage, event);
        boolean isOfGroup = at == head && mayExtend(number);
        states[PAD + number] = (byte) (state + 1);
        tail = at + 1;
        if (isOfGroup) {
            head = at + 1;
            groupTo = at + 1;
            groupKept = at + 1;
            groupBegun = at + 1;
        }
        return true;
    }

    /** What a color sends to itself is of the next group: what it could not fuse is too much already. */
    private boolean mayExtend(int number) {
        return hasGroup()
                && !isOfInbox
                && group == ring // grown since
                && groupTo - groupFrom < GROUP_MAX
                && groupBegun == groupTo // not taken back
                && group.key(groupAt) != number;
    }

    /** The group stays where it is. */
    private void grow() {
        Entries larger = new Entries(2 * (ring.mask + 1));
        for (int i = head; i != tail; i++) {
            larger.fill(i, ring.key(i), ring.stage(i), ring.event(i));
        }
        ring = larger;
        free = head;
    }

    /** One event less. True if it was the last of a color that is open. */
    private boolean takeOff(int number) {
        int state = state(number) - 1;
        assert (state & COUNT_MASK) != COUNT_MASK : "more taken off than joined";
        states[PAD + number] = (byte) state;
        return state == OPEN;
    }

    // ------------------------------------------------------------------ the group

    /** The color of what the owner runs, once the rest of the group was taken back; 0 if it was not. */
    int revokedFrom() {
        return hasGroup() && groupBegun != groupTo ? group.key(groupBegun - 1) : ColorIndex.NONE;
    }

    /** Whether all of the group has run. The owner. */
    boolean hasRun() {
        return groupNext == groupTo;
    }

    /** Whether a group was claimed and has not ended. */
    boolean hasGroup() {
        return groupTo != groupFrom;
    }

    /** Claims the first events of the ring. Returns how many. */
    int claim() {
        int count = Math.min(GROUP_MAX, tail - head);
        begin(ring, head, count, false);
        head += count;
        return count;
    }

    /** Claims the next entries of the inbox, as far as they may run now, and leaves them there. Returns how many. */
    int claim(Inbox inbox) {
        Inbox.Buffer buffer = inbox.buffer();
        int at = (int) inbox.position();
        int count = 0;
        long timeMax = timeMax();
        while (count < GROUP_MAX) {
            int number = buffer.keyAcquire(at + count);
            if (!Inbox.isPlain(number)) {
                break;
            }
            HandlerProfile stage = buffer.stage(at + count);
            assert stage != null : "an event has a stage";
            int state = state(number);
            if (!mayClaim(state, stage, timeMax)) {
                break;
            }
            state(number, state + 1);
            touch(buffer.event(at + count));
            count++;
        }
        if (count != 0) {
            inbox.hold(count);
            begin(buffer, at, count, true);
        }
        return count;
    }

    /** Loads the line of an event, so that those of a group come side by side, and not one behind the other's CAS. */
    private static void touch(@Nullable Object event) {
        if (event != null && event.getClass() == ShortEvents.class) {
            throw new AssertionError("nobody sends one");
        }
    }

    /** Whether all that an inbox holds is short events, as far as one look goes. */
    boolean isAllShort(Inbox inbox) {
        Inbox.Buffer buffer = inbox.buffer();
        int at = (int) inbox.position();
        int count = (int) Math.min(inbox.size(), GROUP_MAX + 1);
        for (int i = 0; i < count; i++) {
            HandlerProfile stage = buffer.stage(at + i);
            if (!Inbox.isPlain(buffer.keyAcquire(at + i)) || stage == null || !isShort(stage)) {
                return false;
            }
        }
        return count <= GROUP_MAX;
    }

    private void begin(Entries of, int from, int count, boolean isInbox) {
        assert !hasGroup() : "two groups";
        if (group != of) { // a compare costs less than the store's barrier
            group = of;
        }
        groupFrom = from;
        groupTo = from + count;
        groupKept = groupTo;
        groupBegun = groupTo;
        isOfInbox = isInbox;
        groupAt = from - 1;
        GROUP_NEXT.setRelease(this, from + Math.min(1, count));
    }

    /** Events of the group, whatever has become of them. The owner. */
    int claimed() {
        return groupTo - groupFrom;
    }

    /** The stage of one of them. The owner; its slot is nobody else's until the group ends. */
    HandlerProfile claimedStage(int i) {
        HandlerProfile stage = group.stage(groupFrom + i);
        assert stage != null : "an event has a stage";
        return stage;
    }

    /** Its argument, or null where a thief has taken it. The owner. */
    @Nullable
    Object claimedEvent(int i) {
        return group.event(groupFrom + i);
    }

    /** The number of the color of the first of the group. */
    int first() {
        return group.key(groupFrom);
    }

    /** Goes on to the next event of the group. Returns the number of its color; 0 if there is none, or a thief has taken the rest. The owner. */
    int next() {
        int next = groupAt + 1;
        boolean isFirst = next == groupFrom; // it is begun with the claim
        if (!isFirst && (next == groupTo || !GROUP_NEXT.compareAndSet(this, next, next + 1))) {
            return ColorIndex.NONE;
        }
        groupAt = next;
        return group.key(next);
    }

    /** The stage of that event. The owner. */
    HandlerProfile stage() {
        HandlerProfile stage = group.stage(groupAt);
        assert stage != null : "an event has a stage";
        return stage;
    }

    /** Its argument. The owner. */
    @Nullable
    Object event() {
        return group.event(groupAt);
    }

    /** Whether it is the last of the group, with none in the ring behind, and the only one of its color. The owner, without the lock. */
    boolean runsAlone(int number) {
        return (int) GROUP_NEXT.getOpaque(this) == groupTo && head == tail && state(number) == 1;
    }

    /** Puts another in its place. The owner. */
    void replace(HandlerProfile stage, @Nullable Object event) {
        if (group.event(groupAt) == event) {
            group.put(groupAt, stage, null);
        } else {
            group.replace(groupAt, stage, event);
        }
    }

    // ------------------------------------------------------------------ a thief: what has not begun, the last first

    /** Takes back what has not begun of the group. Returns how many; all of them must be {@link #removeLast removed} under this hold of the lock. */
    int revoke() {
        if (!hasGroup()) {
            return 0;
        }
        int next = (int) GROUP_NEXT.getAcquire(this);
        while (!GROUP_NEXT.compareAndSet(this, next, groupTo)) {
            next = (int) GROUP_NEXT.getAcquire(this);
        }
        if (next != groupTo) {
            groupBegun = next;
        }
        return groupTo - next;
    }

    /** Makes the queues of the colors whose events may be taken back. False at the end of the heap. */
    boolean openGroup(ColorIndex index) {
        for (int i = groupFrom; i != groupTo; i++) {
            if (index.open(group.key(i)) == null) {
                return false;
            }
        }
        return true;
    }

    private boolean isLastOfRing() {
        return tail != head;
    }

    private Entries lastOf() {
        return isLastOfRing() ? ring : group;
    }

    private int last() {
        return isLastOfRing() ? tail - 1 : groupKept - 1;
    }

    /** The number of the last event: of the ring, or if that is empty of what was taken back. */
    int lastNumber() {
        return lastOf().key(last());
    }

    HandlerProfile lastStage() {
        HandlerProfile stage = lastOf().stage(last());
        assert stage != null : "an event has a stage";
        return stage;
    }

    @Nullable
    Object lastEvent() {
        return lastOf().event(last());
    }

    /** Takes the last event out. */
    void removeLast() {
        lastOf().clear(last());
        boolean unused = takeOff(lastNumber());
        if (isLastOfRing()) {
            tail--;
        } else {
            assert groupKept != groupBegun : "nothing was taken back";
            groupKept--;
        }
    }

    /**
     * Ends the group: all of it has run.
     *
     * @param inbox to give the entries back to
     * @param opened gets the numbers of colors that have nothing here any more, but are open; room for {@link #GROUP_MAX}
     * @return how many
     */
    int endGroup(Inbox inbox, int[] opened) {
        assert groupNext == groupTo : "not all of the group has run";
        assert groupBegun == groupTo || groupBegun == groupKept : "taken back, and neither run nor moved";
        int count = 0;
        for (int i = groupFrom; i != groupKept; i++) {
            int number = group.key(i);
            if (takeOff(number)) {
                opened[count++] = number;
            }
            group.clear(i);
        }
        if (isOfInbox) {
            for (int i = groupFrom; i != groupTo; i++) {
                group.key(i, 0);
            }
            inbox.release();
        } else {
            free = head;
        }
        groupFrom = groupTo;
        return count;
    }

    // ------------------------------------------------------------------ checks

    /** Events of the group that have not ended. */
    int groupSize() {
        return hasGroup() ? groupKept - groupFrom : 0;
    }
}
