// SPDX-License-Identifier: Apache-2.0
package io.mely.queue;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * The pending events of one color, and the color's place in the runtime.
 *
 * <h2>The list</h2>
 *
 * A linked queue with many senders and one runner, without a stub; links are numbers of records. {@code tail} is 0 when the color is
 * idle. A sender exchanges {@code tail}; if it was 0 the sender <i>opened</i> the color and must make it ready, else it links its record
 * behind the one it found. The runner leaves the event that runs at the head and takes it off only afterwards, so
 * {@code tail != 0} says "pending or running", and the exchange of the next sender is all that is needed to know who makes
 * the color ready. No other flag can disagree with it.
 *
 * <pre>
 *   idle ──append: tail 0 → r─────► opened ──link──► queued ──pick──► running ──advance: tail r → 0─────► idle
 *                                                      ▲                 │
 *                                                      └────relink───────┘   (batch threshold)
 *
 *   idle     nobody; the next sender that exchanges tail owns it
 *   opened   that sender, until it links the color or puts it in its home's inbox
 *   queued   whoever holds the lock of the home core
 *   running  the core that picked or stole it, alone
 * </pre>
 *
 * <p>The event that finds the color idle may take the record that the color has within itself: it is in the list from
 * {@link #tryOpen} until it is taken off, which is while the color is not idle, so it needs no flag of its own. The runner clears it before
 * it lets go of the color.
 *
 * <p>{@code place} tells queued and opened from the rest: under the lock of the home core an inbox entry links the color only if
 * it is {@link #OPENED}. So an entry that is late or doubled (a promotion) does no harm.
 *
 * <h2>Invariants</h2>
 *
 * <ol>
 *   <li>Exclusion: one runner, the core that took the color from {@code queued} under the lock.
 *   <li>Order: the order of exchanges; a runner follows the links.
 *   <li value="5">A ready color is in one place: the sender that opened it, one inbox, or one core-queue.
 * </ol>
 *
 * <h2>Access</h2>
 *
 * <pre>
 *   tail                exchange (senders), CAS to 0 (runner), acquire
 *   head                plain: the opener, then the runner; handed on by the inbox or the lock
 *   home                release by a thief that holds the victim's lock, acquire by senders; stable while idle
 *   place, level,       plain under the home core's lock; place also written (release) by the opener before its inbox entry
 *   interval, links
 *   leftLocal           plain: the home core's thread, and the opener
 *   leftRemote          getAndAdd by other senders
 * </pre>
 *
 * <p>The two parts of the time-left are an estimate: a sender on the home core whose color is stolen at that very moment may lose one
 * update. Each opening starts the sum anew, so an error does not outlive the burst.
 *
 * <p><b>Source.</b> spec: Mely §2, §3.1-§3.3; libasync-smp §2.2.
 */
public abstract non-sealed class ColorQueue extends EventRecord {
    /** Returned by {@link #advance} when the next sender has exchanged the tail and not linked its record yet. */
    public static final EventRecord LINKING = new EventRecord(Integer.MIN_VALUE); // the number of no color's own

    static final byte DETACHED = 0;
    static final byte OPENED = 1;
    static final byte QUEUED = 2;

    private static final int LINK_SPINS = 64;

    private static final VarHandle TAIL;
    private static final VarHandle HOME;
    private static final VarHandle PLACE;
    private static final VarHandle LEFT_REMOTE;
    private static final VarHandle LEFT_LOCAL;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            TAIL = lookup.findVarHandle(ColorQueue.class, "tail", int.class);
            HOME = lookup.findVarHandle(ColorQueue.class, "home", short.class);
            PLACE = lookup.findVarHandle(ColorQueue.class, "place", byte.class);
            LEFT_REMOTE = lookup.findVarHandle(ColorQueue.class, "leftRemote", long.class);
            LEFT_LOCAL = lookup.findVarHandle(ColorQueue.class, "leftLocal", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private int tail;

    private int head;
    private long leftLocal;

    private long leftRemote;

    // links of the core-queue and the stealing-queue, for CoreQueue alone: see ColorIndex
    int nextReady;
    int previousReady;
    int nextWorthy;
    int previousWorthy;

    private final RecordIndex records;
    private short home;
    private byte place;
    byte level;
    byte interval;
    private byte urgency;

    /**
     * Makes an idle color.
     *
     * @param slot its number
     * @param home the core it starts on
     * @param records those of its events, by number
     */
    protected ColorQueue(int slot, int home, RecordIndex records) {
        super(-1 - slot);
        this.records = records;
        this.home = (short) home;
    }

    // ------------------------------------------------------------------ sender's view

    /**
     * Appends an event. The record is published; the sender must not touch it again.
     *
     * <p><b>Threads.</b> Any. <b>Costs.</b> One atomic exchange.
     *
     * @param record filled, not in any queue
     * @return true if this opened the color: the caller must then call {@link #opened} and make it ready
     */
    public final boolean append(EventRecord record) {
        assert record.nextPlain() == EventRecord.NONE : "record is linked";
        int before = (int) TAIL.getAndSet(this, record.id);
        if (before == EventRecord.NONE) {
            head = record.id;
            return true;
        }
        recordAt(before).nextRelease(record);
        return false;
    }

    /**
     * Opens the color if it is idle, with the record it has within itself, which is free then. The caller fills that, calls
     * {@link #opened} and makes the color ready: nobody reads the record before.
     *
     * <p><b>Threads.</b> Any. <b>Costs.</b> One CAS, and no cache line but the color's.
     *
     * @return false if an event is pending or running: then {@link #append}
     */
    public final boolean tryOpen() {
        if (TAIL.compareAndSet(this, EventRecord.NONE, id)) {
            head = id;
            return true;
        }
        return false;
    }

    private EventRecord recordAt(int number) {
        return number == id ? this : records.at(number);
    }

    /**
     * Starts the time-left and the urgency anew. The opener only, before it makes the color ready.
     *
     * @param weight of the event that opened it
     * @param priority of that event
     */
    public final void opened(int weight, int priority) {
        LEFT_LOCAL.setOpaque(this, weight - (long) LEFT_REMOTE.getOpaque(this));
        urgency = (byte) priority;
    }

    /**
     * Adds to the time-left after an append that did not open the color.
     *
     * @param weight of the event
     * @param isHome true on the thread of the color's home core
     * @return the new time-left
     */
    public final long addLeft(int weight, boolean isHome) {
        if (isHome) {
            long local = leftLocal + weight;
            LEFT_LOCAL.setOpaque(this, local);
            return local + (long) LEFT_REMOTE.getOpaque(this);
        }
        long remote = (long) LEFT_REMOTE.getAndAdd(this, (long) weight) + weight;
        return (long) LEFT_LOCAL.getOpaque(this) + remote;
    }

    /**
     * Raises the urgency of the color to that of an event sent to it. Racy: a hint.
     *
     * @param priority of the event
     * @return true if it was lower
     */
    public final boolean raiseUrgency(int priority) {
        if (priority <= urgency) {
            return false;
        }
        urgency = (byte) priority;
        return true;
    }

    /** Publishes the opener's writes for the inbox entry that follows; pairs with the acquire in {@link #placeAcquire}. */
    public final void markOpened() {
        assert (byte) PLACE.getOpaque(this) == DETACHED : "invariant 5: opened while ready";
        PLACE.setRelease(this, OPENED);
    }

    // ------------------------------------------------------------------ runner's view

    /**
     * The event at the head. The runner only.
     *
     * @return a record, consumed if it has run already and its successor was not linked then
     */
    public final EventRecord head() {
        assert head != EventRecord.NONE : "a color that is not idle has a head";
        return recordAt(head);
    }

    /**
     * Takes off the event that has run. After null the color is idle and belongs to whoever sends next: the caller must not touch it.
     *
     * @param done the head
     * @return the next event; null if there is none; {@link #LINKING} if a sender has not linked it yet: then {@code done} stays at
     *     the head, consumed
     */
    public final @Nullable EventRecord advance(EventRecord done) {
        assert head == done.id : "only the head runs";
        if (done == this) {
            consume(); // before the CAS: who opens the color next fills it
        }
        int next = done.nextAcquire();
        if (next == EventRecord.NONE) {
            if (TAIL.compareAndSet(this, done.id, EventRecord.NONE)) {
                return null;
            }
            next = advanceAwaitLink(done);
            if (next == EventRecord.NONE) {
                done.consume();
                return LINKING;
            }
        }
        head = next;
        if (done == this) {
            nextPlain(EventRecord.NONE);
        }
        return records.at(next);
    }

    private static int advanceAwaitLink(EventRecord done) {
        for (int i = 0; i < LINK_SPINS; i++) {
            int next = done.nextAcquire();
            if (next != EventRecord.NONE) {
                return next;
            }
            Thread.onSpinWait();
        }
        return EventRecord.NONE;
    }

    /**
     * The event that runs, if nothing waits behind it. The runner only.
     *
     * @return the head; null if a sender has appended
     */
    public final @Nullable EventRecord onlyRecord() {
        int running = head;
        return (int) TAIL.getAcquire(this) == running ? recordAt(running) : null;
    }

    /**
     * Subtracts events that have run. The runner only, while it still owns the color.
     *
     * @param weight their sum
     */
    public final void subtractLeft(long weight) {
        LEFT_LOCAL.setOpaque(this, leftLocal - weight);
    }

    /**
     * Raises the time-left to what the event at the head is known to take by now: those sent before the first sample of their handler
     * count by a guess, which may be far too low. The runner only, while it still owns the color.
     *
     * @param weight of the head
     */
    public final void raiseLeft(int weight) {
        long missing = weight - leftLocal - (long) LEFT_REMOTE.getOpaque(this);
        if (missing > 0) {
            LEFT_LOCAL.setOpaque(this, leftLocal + missing);
        }
    }

    // ------------------------------------------------------------------ lock holder's view

    /** Pairs with the release in {@link #markOpened}. */
    final byte placeAcquire() {
        return (byte) PLACE.getAcquire(this);
    }

    final void place(byte next) {
        place = next;
    }

    /**
     * Moves the color to a thief. The victim's lock is held and the color was unlinked under it.
     *
     * @param core the thief
     */
    final void moveHome(int core) {
        assert place == DETACHED : "invariant 5: moved while queued";
        HOME.setRelease(this, (short) core);
    }

    /** The level to link it at. */
    final int urgency() {
        return urgency;
    }

    // ------------------------------------------------------------------ anyone's view

    /**
     * The core the color lives on.
     *
     * @return index of a core; stable for the opener, a hint for others
     */
    public final int home() {
        return (short) HOME.getAcquire(this);
    }

    /**
     * The number of the color.
     *
     * @return &gt;= 0
     */
    public final int slot() {
        return -1 - id;
    }

    /**
     * The estimated work pending.
     *
     * @return &gt;= 0, in units of weight
     */
    public final long timeLeft() {
        return Math.max(0, (long) LEFT_LOCAL.getOpaque(this) + (long) LEFT_REMOTE.getOpaque(this));
    }

    /**
     * Whether nothing is pending or running.
     *
     * @return true if idle
     */
    public final boolean isIdle() {
        return (int) TAIL.getAcquire(this) == EventRecord.NONE;
    }

    @Override
    public String toString() {
        return "Color{slot=" + slot() + ", home=" + home() + ", timeLeft=" + timeLeft() + "}";
    }
}
