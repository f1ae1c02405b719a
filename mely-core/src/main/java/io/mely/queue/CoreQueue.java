// SPDX-License-Identifier: Apache-2.0
package io.mely.queue;

import io.mely.StageOptions;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jctools.queues.varhandle.MpscUnboundedVarHandleArrayQueue;
import org.jspecify.annotations.Nullable;

abstract class CoreQueueHeadPad {
    @SuppressWarnings("unused")
    private long p00, p01, p02, p03, p04, p05, p06, p07, p08, p09, p10, p11, p12, p13, p14, p15;
}

/** Written by the lock holder, read by thieves that look before they lock. */
abstract class CoreQueueHotFields extends CoreQueueHeadPad {
    int lock;
    int readyCount;
    int worthyShort;
    int worthyMedium;
    int worthyLong;
    int levelMask;
    /** The inbox may hold something long. Set by senders, taken back by whoever drains. */
    boolean longInbox;

    long turn;
    /** Number of what the owner ran last: a hint, as it may have become idle and been opened again since. */
    int running;
}

abstract class CoreQueueTailPad extends CoreQueueHotFields {
    @SuppressWarnings("unused")
    private long q00, q01, q02, q03, q04, q05, q06, q07, q08, q09, q10, q11, q12, q13, q14, q15;
}

/**
 * The ready colors of one core: the core-queue by priority level, first in first out within a level; the stealing-queue, which holds
 * the worthy ones of them in three time-left intervals; and the inbox through which other threads hand in colors.
 *
 * <p>One spin lock guards both queues, and its holder is the consumer of the inbox. The owner takes it once per batch, a thief once
 * per attempt; what is done under it is a handful of links, but for the inbox, of which at most {@link #DRAIN_MAX} entries are moved
 * at a time. Every step is O(1) in the number of pending events and colors.
 *
 * <p><b>Threads.</b> Methods say whether the lock must be held. Rank of the lock: 20; a thief holds one at a time. <b>Source.</b> spec:
 * Mely §2, §3.2, §3.3.
 */
public final class CoreQueue extends CoreQueueTailPad {
    /** Most inbox entries moved under one hold of the lock: bounds how long a thief waits. Guess. */
    public static final int DRAIN_MAX = 64;

    /** Most colors a thief looks at in one interval: those in front may be worthy for a nearer thief only. Guess. */
    private static final int LOOKS_MAX = 4;

    /** Keeps the ends of the lists away from what lies before them: see {@link io.mely.memory.HeadPad}. */
    private static final int PAD = 32;

    private static final int LEVELS = StageOptions.PRIORITIES;
    private static final int SPINS_BEFORE_YIELD = 256;

    /** Guess: a few holds of the lock, as the owner takes it again and again. */
    private static final int SPINS_OF_THIEF = 64;

    private static final int INBOX_CHUNK = 1024;

    private static final VarHandle LOCK;
    private static final VarHandle READY_COUNT;
    private static final VarHandle RUNNING;
    private static final VarHandle TURN;
    private static final VarHandle LONG_INBOX;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            LOCK = lookup.findVarHandle(CoreQueueHotFields.class, "lock", int.class);
            READY_COUNT = lookup.findVarHandle(CoreQueueHotFields.class, "readyCount", int.class);
            RUNNING = lookup.findVarHandle(CoreQueueHotFields.class, "running", int.class);
            TURN = lookup.findVarHandle(CoreQueueHotFields.class, "turn", long.class);
            LONG_INBOX = lookup.findVarHandle(CoreQueueHotFields.class, "longInbox", boolean.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final int core;
    private int rotor;
    private final TimeLeftIntervals intervals;
    private final ColorIndex index;

    // numbers of colors, as are their links
    private final int[] first = new int[PAD + LEVELS];
    private final int[] last = new int[PAD + LEVELS];
    private final int[] firstWorthy = new int[PAD + TimeLeftIntervals.COUNT + 1];
    private final int[] lastWorthy = new int[PAD + TimeLeftIntervals.COUNT + 1];
    private final MpscUnboundedVarHandleArrayQueue<ColorQueue> inbox =
            new MpscUnboundedVarHandleArrayQueue<>(INBOX_CHUNK);

    /**
     * Makes empty queues.
     *
     * @param core index of the owner
     * @param intervals what makes a color worthy
     * @param index of the colors of all cores among which colors move
     */
    public CoreQueue(int core, TimeLeftIntervals intervals, ColorIndex index) {
        this.core = core;
        this.index = index;
        this.intervals = intervals;
    }

    // ------------------------------------------------------------------ any thread, no lock

    /**
     * Hands in a color that was opened, or one whose worth or urgency has grown. The caller then makes a full fence and wakes the
     * owner if it sleeps.
     *
     * @param color lives here, as far as the caller knows
     */
    public void handIn(ColorQueue color) {
        boolean isIn = inbox.offer(color);
        assert isIn : "the inbox is unbounded";
    }

    /** Notes, after {@link #handIn} and before the fence, that what was handed in is worth waking a thief. */
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
     * Whether there may be something to run or to move. A peek.
     *
     * @return true if a color is ready or the inbox holds an entry
     */
    public boolean hasWork() {
        return (int) READY_COUNT.getOpaque(this) != 0 || !inbox.isEmpty();
    }

    /**
     * Number of ready colors. A peek.
     *
     * @return the inbox not included
     */
    public int readyCount() {
        return (int) READY_COUNT.getOpaque(this);
    }

    /**
     * A floor of the work in the stealing-queue. A peek.
     *
     * @return in units of weight; 0 if it is empty
     */
    public long worthyFloor() {
        return intervals.floorOf(worthyShort, worthyMedium, worthyLong);
    }

    /**
     * Whether the stealing-queue holds anything. A peek.
     *
     * @return true if a color is worthy
     */
    public boolean hasWorthy() {
        return (worthyShort | worthyMedium | worthyLong) != 0;
    }

    /**
     * Whether the owner runs something now or has more than one color ready. A peek.
     *
     * @return true if another color would have to wait
     */
    public boolean looksBusy() {
        return (int) RUNNING.getOpaque(this) != ColorIndex.NONE || (int) READY_COUNT.getOpaque(this) > 1;
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

    /** Takes the lock. The owner only; a thief goes on to its next victim instead of waiting for long. */
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

    /** Releases the lock; pairs with the CAS of the next {@link #tryLock}. */
    public void unlock() {
        assert isLocked();
        LOCK.setRelease(this, 0);
    }

    private boolean isLocked() {
        return lock == 1;
    }

    // ------------------------------------------------------------------ owner's view, lock held

    /**
     * Links a color that the calling thread opened or ran.
     *
     * @param color at home here, detached
     * @return true if it is worthy
     */
    public boolean link(ColorQueue color) {
        assert isLocked();
        assert color.placeAcquire() != ColorQueue.QUEUED : "invariant 5: linked twice";
        assert color.home() == core : "invariant 5: linked away from home";
        assert !color.isIdle() : "linked while idle";
        color.place(ColorQueue.QUEUED);
        int level = color.urgency();
        color.level = (byte) level;
        int number = index.enter(color);
        int before = last[PAD + level];
        color.previousReady = before;
        color.nextReady = ColorIndex.NONE;
        if (before == ColorIndex.NONE) {
            first[PAD + level] = number;
            levelMask |= 1 << level;
        } else {
            index.at(before).nextReady = number;
        }
        last[PAD + level] = number;
        READY_COUNT.setOpaque(this, readyCount + 1);
        return classify(color);
    }

    /** Begins a turn with the color of the last one, as nothing else is ready. The owner; no lock needed. */
    public void beginTurn() {
        TURN.setOpaque(this, turn + 1);
    }

    /** Nothing runs, and what comes after the pause is another turn than thieves have seen. The owner; no lock needed. */
    public void endTurn() {
        runs(null);
        beginTurn();
    }

    /**
     * Takes the next color to run: the first of the highest level.
     *
     * @param isFromBelow true takes from the lowest level instead, so that no level starves
     * @return null if none is ready
     */
    public @Nullable ColorQueue pick(boolean isFromBelow) {
        assert isLocked();
        beginTurn();
        int mask = levelMask;
        if (mask == 0) {
            RUNNING.setOpaque(this, ColorIndex.NONE);
            return null;
        }
        int level = isFromBelow ? pickRotated(mask) : 31 - Integer.numberOfLeadingZeros(mask);
        int number = first[PAD + level];
        assert number != ColorIndex.NONE : "level mask";
        ColorQueue color = index.at(number);
        unlink(color, number);
        RUNNING.setOpaque(this, number);
        return color;
    }

    /**
     * Notes what the owner runs without having picked it. The owner; no lock needed, as for others it is a hint.
     *
     * @param color stolen from another core; null for nothing
     */
    public void runs(@Nullable ColorQueue color) {
        RUNNING.setOpaque(this, color == null ? ColorIndex.NONE : index.enter(color));
    }

    /**
     * Whether a color is what the owner runs, or ran last. The owner; no lock needed.
     *
     * @param color any
     * @return true if it is
     */
    public boolean isRunning(ColorQueue color) {
        return running == ColorIndex.numberOf(color);
    }

    /**
     * What the owner runs, or ran last. The owner; no lock needed.
     *
     * @return null if nothing
     */
    public @Nullable ColorQueue running() {
        return running == ColorIndex.NONE ? null : index.at(running);
    }

    /**
     * Classifies a color again after a send raised its time-left or its urgency.
     *
     * @param color at home here, in whatever place
     * @return true if it became worthier
     */
    public boolean touch(ColorQueue color) {
        assert isLocked();
        return drainOne(color);
    }

    /** The first level that has colors, at or above one that moves on with each call: every level gets its turn. */
    private int pickRotated(int mask) {
        int from = rotor;
        rotor = (from + 1) % LEVELS;
        int above = mask >>> from;
        return above != 0 ? from + Integer.numberOfTrailingZeros(above) : Integer.numberOfTrailingZeros(mask);
    }

    /**
     * Moves entries of the inbox into the queues. Owner or thief.
     *
     * @return true if a color became worthy
     */
    public boolean drain() {
        assert isLocked();
        boolean isWorthier = false;
        boolean hadLong = longInbox;
        if (hadLong) {
            LONG_INBOX.setOpaque(this, false); // before the look, so that a hint for what comes behind it stays
            VarHandle.fullFence();
        }
        for (int i = 0; i < DRAIN_MAX; i++) {
            ColorQueue color = inbox.relaxedPoll(); // never waits for a sender that lost its CPU inside offer
            if (color == null) {
                break;
            }
            isWorthier |= drainOne(color);
        }
        if (hadLong && !inbox.isEmpty()) {
            LONG_INBOX.setOpaque(this, true); // it may be what was left
        }
        return isWorthier;
    }

    /** An entry may be late: a promotion whose color has been stolen, is running, or was opened again since. */
    private boolean drainOne(ColorQueue color) {
        if (color.home() != core) {
            return false; // it was classified by the thief; an opened color cannot have moved
        }
        byte place = color.placeAcquire();
        if (place == ColorQueue.OPENED) {
            return link(color);
        }
        if (place == ColorQueue.QUEUED) {
            if (color.urgency() != color.level) {
                unlink(color, ColorIndex.numberOf(color));
                return link(color);
            }
            return classify(color);
        }
        return false; // it runs, and is classified when its batch ends
    }

    // ------------------------------------------------------------------ thief's view, lock held

    /**
     * Takes the worthiest color, longest interval first.
     *
     * @param thief index of the thief, the new home
     * @param minLeft the color must have more left than this
     * @return null if no color pays
     */
    public @Nullable ColorQueue takeWorthy(int thief, long minLeft) {
        assert isLocked();
        for (int interval = TimeLeftIntervals.COUNT; interval > 0; interval--) {
            int number = firstWorthy[PAD + interval];
            for (int i = 0; i < LOOKS_MAX && number != ColorIndex.NONE; i++) {
                ColorQueue color = index.at(number);
                if (color.timeLeft() > minLeft) {
                    return take(color, thief);
                }
                number = color.nextWorthy;
            }
        }
        return null;
    }

    /**
     * Takes the first color that holds less than half of the pending events, as the base algorithm does. All events weigh the same
     * there, so that a time-left is a count. Colors are added up only until the answer is certain.
     *
     * @param thief index of the thief, the new home
     * @return null if no color qualifies
     */
    public @Nullable ColorQueue takeBase(int thief) {
        assert isLocked();
        for (int level = LEVELS - 1; level >= 0; level--) {
            int number = first[PAD + level];
            while (number != ColorIndex.NONE) {
                ColorQueue color = index.at(number);
                if (isLessThanHalf(color)) {
                    return take(color, thief);
                }
                number = color.nextReady;
            }
        }
        return null;
    }

    private boolean isLessThanHalf(ColorQueue candidate) {
        long twice = 2 * candidate.timeLeft();
        int runs = running;
        long total = runs == ColorIndex.NONE ? 0 : index.at(runs).timeLeft();
        for (int level = LEVELS - 1; level >= 0; level--) {
            int number = first[PAD + level];
            while (number != ColorIndex.NONE) {
                ColorQueue color = index.at(number);
                total += color.timeLeft();
                if (total > twice) {
                    return true;
                }
                number = color.nextReady;
            }
        }
        return false;
    }

    /**
     * Takes the next colors to run, worthy or not: the owner is stuck. All but the first hang behind it, until {@link #linkRest}.
     *
     * @param thief index of the thief, the new home
     * @param most to take
     * @return the first; null if none is ready
     */
    public @Nullable ColorQueue takeNext(int thief, int most) {
        assert isLocked();
        ColorQueue head = null;
        ColorQueue tail = null;
        for (int i = 0; i < most && levelMask != 0; i++) {
            ColorQueue color = take(index.at(first[PAD + 31 - Integer.numberOfLeadingZeros(levelMask)]), thief);
            if (tail == null) {
                head = color;
            } else {
                tail.nextReady = ColorIndex.numberOf(color);
            }
            tail = color;
        }
        return head;
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
     * Whether colors hang behind a stolen one.
     *
     * @param stolen by the owner of this queue
     * @return true if {@link #linkRest} has something to do
     */
    public boolean hasRest(ColorQueue stolen) {
        return stolen.nextReady != ColorIndex.NONE;
    }

    /**
     * Links what hangs behind a stolen color. The lock of the thief's own queue is held.
     *
     * @param stolen by the owner of this queue, not linked itself
     * @return true if a worthy color was among them
     */
    public boolean linkRest(ColorQueue stolen) {
        assert isLocked();
        boolean isWorthier = false;
        int number = stolen.nextReady;
        while (number != ColorIndex.NONE) {
            ColorQueue color = index.at(number);
            number = color.nextReady;
            isWorthier |= link(color);
        }
        return isWorthier;
    }

    /**
     * Whether the owner would have something to do without the color that is about to be taken.
     *
     * @return true if it runs a color or two are ready
     */
    public boolean isBusy() {
        assert isLocked();
        return running != ColorIndex.NONE || readyCount > 1;
    }

    private ColorQueue take(ColorQueue color, int thief) {
        unlink(color, ColorIndex.numberOf(color));
        color.nextReady = ColorIndex.NONE;
        color.moveHome(thief);
        return color;
    }

    // ------------------------------------------------------------------ private steps, lock held

    private void unlink(ColorQueue color, int number) {
        assert color.placeAcquire() == ColorQueue.QUEUED : "invariant 5: unlinked while not queued";
        color.place(ColorQueue.DETACHED);
        int before = color.previousReady;
        int after = color.nextReady;
        int level = color.level;
        if (before == ColorIndex.NONE) {
            assert first[PAD + level] == number : "links of the core-queue";
            first[PAD + level] = after;
        } else {
            index.at(before).nextReady = after;
        }
        if (after == ColorIndex.NONE) {
            last[PAD + level] = before;
        } else {
            index.at(after).previousReady = before;
        }
        if ((before | after) == ColorIndex.NONE) {
            levelMask &= ~(1 << level);
        }
        READY_COUNT.setOpaque(this, readyCount - 1);
        if (color.interval != 0) {
            unlinkWorthy(color);
        }
    }

    /** Puts a queued color where its time-left belongs. Returns true if it moved up. */
    private boolean classify(ColorQueue color) {
        int interval = intervals.intervalOf(color.timeLeft());
        int old = color.interval;
        if (interval == old) {
            return false;
        }
        if (old != 0) {
            unlinkWorthy(color);
        }
        if (interval != 0) {
            linkWorthy(color, interval);
        }
        return interval > old;
    }

    private void linkWorthy(ColorQueue color, int interval) {
        color.interval = (byte) interval;
        int number = ColorIndex.numberOf(color);
        int before = lastWorthy[PAD + interval];
        color.previousWorthy = before;
        color.nextWorthy = ColorIndex.NONE;
        if (before == ColorIndex.NONE) {
            firstWorthy[PAD + interval] = number;
        } else {
            index.at(before).nextWorthy = number;
        }
        lastWorthy[PAD + interval] = number;
        countWorthy(interval, 1);
    }

    private void unlinkWorthy(ColorQueue color) {
        int interval = color.interval;
        int before = color.previousWorthy;
        int after = color.nextWorthy;
        if (before == ColorIndex.NONE) {
            firstWorthy[PAD + interval] = after;
        } else {
            index.at(before).nextWorthy = after;
        }
        if (after == ColorIndex.NONE) {
            lastWorthy[PAD + interval] = before;
        } else {
            index.at(after).previousWorthy = before;
        }
        color.interval = 0;
        countWorthy(interval, -1);
    }

    private void countWorthy(int interval, int change) {
        switch (interval) {
            case 1 -> worthyShort += change;
            case 2 -> worthyMedium += change;
            default -> worthyLong += change;
        }
    }

    /**
     * Checks the structure. Lock held; O(colors).
     *
     * @throws AssertionError naming what is broken
     */
    public void validate() {
        int ready = 0;
        int worthy = 0;
        for (int level = 0; level < LEVELS; level++) {
            int before = ColorIndex.NONE;
            int number = first[PAD + level];
            while (number != ColorIndex.NONE) {
                ColorQueue color = index.at(number);
                check(color.placeAcquire() == ColorQueue.QUEUED, "linked but not queued", color);
                check(color.home() == core, "linked away from home", color);
                check(color.previousReady == before && color.level == level, "links of the core-queue", color);
                before = number;
                number = color.nextReady;
                ready++;
                worthy += color.interval != 0 ? 1 : 0;
            }
            check(last[PAD + level] == before, "last of a level", null);
            check((levelMask >> level & 1) == (before == ColorIndex.NONE ? 0 : 1), "level mask", null);
        }
        check(ready == readyCount, "readyCount", null);
        check(worthy == worthyShort + worthyMedium + worthyLong, "worthy counts", null);
    }

    private void check(boolean isTrue, String what, @Nullable ColorQueue color) {
        if (!isTrue) {
            throw new AssertionError("core " + core + ": " + what + (color == null ? "" : ": " + color));
        }
    }

    @Override
    public String toString() {
        return "CoreQueue{core=" + core + ", ready=" + readyCount + ", worthy=" + worthyShort + "/" + worthyMedium + "/"
                + worthyLong + "}";
    }
}
