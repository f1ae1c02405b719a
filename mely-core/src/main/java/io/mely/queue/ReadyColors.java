// SPDX-License-Identifier: Apache-2.0
package io.mely.queue;

import io.mely.StageOptions;
import io.mely.profile.HandlerProfile;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

abstract class ReadyColorsHeadPad {
    @SuppressWarnings("unused")
    private long p00, p01, p02, p03, p04, p05, p06, p07, p08, p09, p10, p11, p12, p13, p14, p15;
}

/** Written by the lock holder, read by thieves that look before they lock. */
abstract class ReadyColorsHotFields extends ReadyColorsHeadPad {
    int lock;
    int readyCount;
    /** Events that wait in the short-queue. */
    int shortCount;

    int worthyShort;
    int worthyMedium;
    int worthyLong;
    /** Which lists have colors. */
    int listMask;
    /** The time-left of all ready colors. */
    long readyLeft;
    /** The last drain did not come to the end of the inbox. */
    boolean isBacklogged;
    /** The inbox may hold something long. Set by senders, taken back by whoever drains. */
    boolean longInbox;
    /** How often in a row thieves found nothing after a hint. Set by them. */
    int vainHints;
    /** Something was forwarded under this hold of the lock. */
    boolean hasForwarded;

    long turn;
    /** Number of what the owner ran last: a hint, as it may have become idle and been opened again since. */
    int running;
}

abstract class ReadyColorsTailPad extends ReadyColorsHotFields {
    @SuppressWarnings("unused")
    private long q00, q01, q02, q03, q04, q05, q06, q07, q08, q09, q10, q11, q12, q13, q14, q15;
}

/**
 * The lists of a {@link CoreQueue}: the core-queue, by priority level, and the stealing-queue, by time-left interval. A ready color is in the first, and in
 * the second if it is worthy.
 *
 * <p>A level is two lists: colors that begin with a brief event go before those that begin with a lengthy one, but not for ever, see {@link #isLengthyDue}.
 *
 * <p><b>Threads.</b> The holder of the core's lock, but for the peeks. <b>Costs.</b> O(1), but for {@link #firstBelowHalf}. <b>Source.</b> spec: Mely §2,
 * §3.2, §3.3; ADR 0023.
 */
abstract class ReadyColors extends ReadyColorsTailPad {
    /** Keeps the ends of the lists away from what lies before them: see {@link io.mely.memory.HeadPad}. */
    static final int PAD = 32;

    private static final int LEVELS = StageOptions.PRIORITIES;

    /** That of short events. */
    static final int SHORT_LEVEL = StageOptions.PRIORITY_DEFAULT;

    /** Two a level: the even one is of the lengthy, the odd one of the brief. */
    static final int LISTS = 2 * LEVELS;

    private static final int LENGTHY_LISTS = 0x5555_5555;
    private static final int BRIEF_LISTS = ~LENGTHY_LISTS;

    /** What brief events may run for while a lengthy one waits, in times of what that takes. Guess: a fifth of a core is enough not to starve. */
    private static final int LENGTHY_WAITS = 4;

    /** No event is thought to take longer, so that none waits for longer than a few of it. */
    private static final long FIRST_NS_MAX = 1_000_000_000;

    /** Most colors a thief looks at in one interval: those in front may be worthy for a nearer thief only. Guess. */
    private static final int LOOKS_MAX = 4;

    static final VarHandle LOCK;
    static final VarHandle RUNNING;
    static final VarHandle TURN;
    static final VarHandle LONG_INBOX;
    static final VarHandle IS_BACKLOGGED;
    static final VarHandle VAIN_HINTS;
    private static final VarHandle READY_COUNT;
    private static final VarHandle LIST_MASK;
    private static final VarHandle SHORT_COUNT;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            LOCK = lookup.findVarHandle(ReadyColorsHotFields.class, "lock", int.class);
            RUNNING = lookup.findVarHandle(ReadyColorsHotFields.class, "running", int.class);
            TURN = lookup.findVarHandle(ReadyColorsHotFields.class, "turn", long.class);
            LONG_INBOX = lookup.findVarHandle(ReadyColorsHotFields.class, "longInbox", boolean.class);
            IS_BACKLOGGED = lookup.findVarHandle(ReadyColorsHotFields.class, "isBacklogged", boolean.class);
            VAIN_HINTS = lookup.findVarHandle(ReadyColorsHotFields.class, "vainHints", int.class);
            READY_COUNT = lookup.findVarHandle(ReadyColorsHotFields.class, "readyCount", int.class);
            LIST_MASK = lookup.findVarHandle(ReadyColorsHotFields.class, "listMask", int.class);
            SHORT_COUNT = lookup.findVarHandle(ReadyColorsHotFields.class, "shortCount", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    final int core;
    final ColorIndex index;
    final ColorHomes homes;
    final RecordIndex records;
    private final TimeLeftIntervals intervals;
    private final long lengthyNs;
    final BriefTime briefTime = new BriefTime();
    private int rotor;
    int waitingWorthy; // counted in the intervals, but in none of their lists

    // numbers of colors, as are their links
    final int[] first = new int[PAD + LISTS];
    private final int[] last = new int[PAD + LISTS];
    private final int[] firstWorthy = new int[PAD + TimeLeftIntervals.COUNT + 1];
    private final int[] lastWorthy = new int[PAD + TimeLeftIntervals.COUNT + 1];

    ReadyColors(int core, TimeLeftIntervals intervals, ColorIndex index, RecordIndex records, long lengthyNs) {
        this.core = core;
        this.intervals = intervals;
        this.lengthyNs = lengthyNs;
        this.index = index;
        homes = index.homes();
        this.records = records;
    }

    final boolean isLocked() {
        return lock == 1;
    }

    // ------------------------------------------------------------------ peeks, no lock needed

    /**
     * Number of ready colors. A peek.
     *
     * @return the inbox not included
     */
    public int readyCount() {
        return (int) READY_COUNT.getOpaque(this);
    }

    /**
     * Whether something waits, in a color or in the short-queue. A peek.
     *
     * @return the inbox not included
     */
    public boolean hasReady() {
        return readyCount() != 0 || hasShort();
    }

    /**
     * Whether something waits that makes nobody wait for long, in a color or in the short-queue, and is as urgent. A peek.
     *
     * @param level from which on
     * @return false if nothing is ready there, or only what begins with a lengthy event
     */
    final boolean hasBriefFrom(int level) {
        int brief = (int) LIST_MASK.getOpaque(this) & BRIEF_LISTS;
        return brief >>> (2 * level) != 0 || (level <= SHORT_LEVEL && hasShort());
    }

    /**
     * Whether events of a stage make others wait for long.
     *
     * @param stage of the event
     * @return true if they are expected to
     */
    final boolean isLengthy(HandlerProfile stage) {
        return expectedNs(stage) >= lengthyNs;
    }

    /** Number of ready colors, and of events in the short-queue; the inbox not included. A peek. */
    final int readyOrShortCount() {
        return readyCount() + shortCount();
    }

    /** Events in the short-queue. A peek. */
    final int shortCount() {
        return (int) SHORT_COUNT.getOpaque(this);
    }

    /** Whether something waits in the short-queue. A peek. */
    final boolean hasShort() {
        return shortCount() != 0;
    }

    final void shortCount(int count) {
        SHORT_COUNT.setOpaque(this, count);
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

    // ------------------------------------------------------------------ in and out

    /** Looks at a color again that has got events of so much weight. */
    final boolean grown(ColorQueue color, long weight) {
        if (color.place == ColorQueue.WAITING) {
            return classifyWaiting(color);
        }
        if (color.place != ColorQueue.QUEUED) {
            return false; // it is classified when its batch ends, or its thief links it
        }
        readyLeft += weight;
        if (color.urgency() != color.level()) {
            unlink(color, color.number());
            return link(color);
        }
        return classify(color);
    }

    /** Links a color that is in no queue. Returns true if it is worthy. */
    final boolean link(ColorQueue color) {
        int list = listOf(color);
        int number = color.number();
        int before = last[PAD + list];
        color.previousReady = before;
        color.nextReady = ColorIndex.NONE;
        if (before == ColorIndex.NONE) {
            first[PAD + list] = number;
            begins(list);
        } else {
            index.at(before).nextReady = number;
        }
        last[PAD + list] = number;
        return linked(color, list);
    }

    /** The same, as the next of its list. */
    final boolean linkFirst(ColorQueue color) {
        int list = listOf(color);
        int number = color.number();
        int after = first[PAD + list];
        color.previousReady = ColorIndex.NONE;
        color.nextReady = after;
        if (after == ColorIndex.NONE) {
            last[PAD + list] = number;
            begins(list);
        } else {
            index.at(after).previousReady = number;
        }
        first[PAD + list] = number;
        return linked(color, list);
    }

    private int listOf(ColorQueue color) {
        boolean isLengthy = lengthyNs != Long.MAX_VALUE && firstNs(color) >= lengthyNs;
        return 2 * color.urgency() + (isLengthy ? 0 : 1);
    }

    private void begins(int list) {
        LIST_MASK.setOpaque(this, listMask | 1 << list);
        if ((list & 1) == 0) {
            briefTime.beginWait(list >> 1);
        }
    }

    private boolean linked(ColorQueue color, int list) {
        assert isLocked();
        assert color.place != ColorQueue.QUEUED : "invariant 5: linked twice";
        assert color.home() == core : "invariant 5: linked away from home";
        assert !color.isEmpty() : "linked without an event";
        color.place = ColorQueue.QUEUED;
        color.list = (byte) list;
        READY_COUNT.setOpaque(this, readyCount + 1);
        readyLeft += color.leftPlain();
        return classify(color);
    }

    /** Moves a color to the end of its list, if it is queued here. */
    final void toTheEnd(ColorQueue color) {
        if (color.place == ColorQueue.QUEUED) {
            unlink(color, color.number());
            link(color);
        }
    }

    /** Takes a color out of both queues. */
    final void unlink(ColorQueue color, int number) {
        assert color.place == ColorQueue.QUEUED : "invariant 5: unlinked while not queued";
        color.place = ColorQueue.MOVING;
        int before = color.previousReady;
        int after = color.nextReady;
        int list = color.list;
        if (before == ColorIndex.NONE) {
            assert first[PAD + list] == number : "links of the core-queue";
            first[PAD + list] = after;
        } else {
            index.at(before).nextReady = after;
        }
        if (after == ColorIndex.NONE) {
            last[PAD + list] = before;
        } else {
            index.at(after).previousReady = before;
        }
        if ((before | after) == ColorIndex.NONE) {
            LIST_MASK.setOpaque(this, listMask & ~(1 << list));
        }
        READY_COUNT.setOpaque(this, readyCount - 1);
        readyLeft -= color.leftPlain();
        if (color.interval != 0) {
            unlinkWorthy(color);
        }
    }

    /** Puts a queued color where its time-left belongs. Returns true if it moved up. */
    private boolean classify(ColorQueue color) {
        int interval = color.isSettling() ? 0 : intervalOf(color);
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

    private int intervalOf(ColorQueue color) {
        return intervals.intervalOf(worth(color, intervals.bound()));
    }

    /** Fills a record; it is long if it alone is worth the cheapest steal, and that is no guess. */
    final void fill(EventRecord record, HandlerProfile stage, @Nullable Object event) {
        int weight = stage.weight();
        record.set(stage, event, weight);
        if (weight > intervals.bound() && !stage.isCold()) {
            record.markLong();
        }
    }

    /** Its time-left, or the part of it that counts if none of its events is worth a steal. */
    private long worth(ColorQueue color, long cost) {
        long left = color.leftPlain();
        int part = intervals.shortsPart();
        return part == 1 || left <= cost || color.longs() != 0 || firstWeight(color) > cost ? left : left / part;
    }

    /** Of its first event, by what is known now: when it was sent that may have been a guess, and far too low. */
    final int firstWeight(ColorQueue color) {
        HandlerProfile first = color.at(color.head(), records).profile();
        return first == null ? 0 : first.weight();
    }

    private long firstNs(ColorQueue color) {
        HandlerProfile first = color.at(color.head(), records).profile();
        return first == null ? 0 : expectedNs(first);
    }

    private static long expectedNs(HandlerProfile stage) {
        return Math.min(stage.processingTimeNs(), FIRST_NS_MAX);
    }

    /** Counts a color that waits for its short events as if it was in the stealing-queue, so that thieves come for it. Returns true if it moved up. */
    final boolean classifyWaiting(ColorQueue color) {
        int interval = intervalOf(color);
        int old = color.interval;
        if (interval == old) {
            return false;
        }
        uncountWaiting(color);
        if (interval != 0) {
            color.interval = (byte) interval;
            countWorthy(interval, 1);
            waitingWorthy++;
        }
        return interval > old;
    }

    /** A color that waits is no loot until its events are looked at again. */
    final void uncountWaiting(ColorQueue color) {
        if (color.place == ColorQueue.WAITING && color.interval != 0) {
            countWorthy(color.interval, -1);
            color.interval = 0;
            waitingWorthy--;
        }
    }

    /** Links a color that has waited for its short events. Returns true if it is worthy. */
    final boolean linkWaited(ColorQueue color) {
        assert color.place == ColorQueue.WAITING : "linked twice";
        uncountWaiting(color);
        return link(color);
    }

    private void linkWorthy(ColorQueue color, int interval) {
        color.interval = (byte) interval;
        int number = color.number();
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

    // ------------------------------------------------------------------ who is next

    /** The next color of the highest level, or of the one whose turn it is among the others; null if none is ready. */
    final @Nullable ColorQueue next(boolean isFromBelow, long ranNs) {
        briefTime.endTurn(ranNs);
        int mask = listMask;
        if (mask == 0) {
            return null;
        }
        int level = isFromBelow ? rotated((mask | mask >>> 1) & LENGTHY_LISTS) : highestLevel();
        int lengthy = 2 * level;
        boolean hasBoth = (mask >>> lengthy & 3) == 3;
        boolean isLengthy = hasBoth ? isLengthyDue(level) : (mask >>> lengthy & 1) != 0;
        int number = first[PAD + lengthy + (isLengthy ? 0 : 1)];
        assert number != ColorIndex.NONE : "list mask";
        if (isLengthy) {
            briefTime.beginWait(level);
        } else {
            briefTurn(level, ranNs);
        }
        return index.at(number);
    }

    /** Begins one, whose time counts while something lengthy waits. */
    final void briefTurn(int level, long ranNs) {
        if ((listMask & LENGTHY_LISTS) != 0) {
            briefTime.beginTurn(level, ranNs);
        }
    }

    /** Of those that have colors; 0 if there are none. */
    final int highestLevel() {
        return (31 - Integer.numberOfLeadingZeros(listMask | 1)) >> 1;
    }

    /** Whether the brief ones of a level that has lengthy ones have run for so long that the next of those has its turn; or that is not lengthy any more. */
    final boolean isLengthyDue(int level) {
        long takesNs = firstNs(index.at(first[PAD + 2 * level]));
        return takesNs < lengthyNs || briefTime.ranNs(level) >= LENGTHY_WAITS * takesNs;
    }

    /** The first level that has colors, at or above one that moves on with each call: every level gets its turn. */
    private int rotated(int mask) {
        int from = rotor;
        rotor = (from + 1) % LEVELS;
        int above = mask >>> (2 * from);
        return above != 0
                ? from + (Integer.numberOfTrailingZeros(above) >> 1)
                : Integer.numberOfTrailingZeros(mask) >> 1;
    }

    /** The worthiest color with more left than a bound, longest interval first; null if there is none among those in front. */
    final @Nullable ColorQueue worthiest(long minLeft) {
        for (int interval = TimeLeftIntervals.COUNT; interval > 0; interval--) {
            int number = firstWorthy[PAD + interval];
            for (int i = 0; i < LOOKS_MAX && number != ColorIndex.NONE; i++) {
                ColorQueue color = index.at(number);
                if (worth(color, minLeft) > minLeft) {
                    return color;
                }
                number = color.nextWorthy;
            }
        }
        return null;
    }

    /** The first color that holds less than half of the pending events; null if there is none. */
    final @Nullable ColorQueue firstBelowHalf() {
        for (int list = LISTS - 1; list >= 0; list--) {
            int number = first[PAD + list];
            while (number != ColorIndex.NONE) {
                ColorQueue color = index.at(number);
                if (!color.isSettling() && isLessThanHalf(color)) {
                    return color;
                }
                number = color.nextReady;
            }
        }
        return null;
    }

    private boolean isLessThanHalf(ColorQueue candidate) {
        long twice = 2 * candidate.timeLeft();
        int runs = running;
        ColorQueue runner = runs == ColorIndex.NONE ? null : index.peek(runs); // null, too, if it has no list
        long total = runner == null ? 0 : runner.timeLeft();
        for (int list = LISTS - 1; list >= 0; list--) {
            int number = first[PAD + list];
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

    // ------------------------------------------------------------------ checks

    /**
     * Checks the structure. Lock held; O(colors).
     *
     * @throws AssertionError naming what is broken
     */
    public void validate() {
        int ready = 0;
        int worthy = 0;
        long left = 0;
        for (int list = 0; list < LISTS; list++) {
            int before = ColorIndex.NONE;
            int number = first[PAD + list];
            while (number != ColorIndex.NONE) {
                ColorQueue color = index.at(number);
                check(color != null, "linked, and without a queue", null);
                check(color.place == ColorQueue.QUEUED, "linked but not queued", color);
                check(color.home() == core, "linked away from home", color);
                check(color.previousReady == before && color.list == list, "links of the core-queue", color);
                HandlerProfile stage = color.at(color.head(), records).profile();
                check(stage == null || !stage.isAnnotated() || listOf(color) == list, "in a list of others", color);
                check(color.countLongs(records) == color.longs(), "long events", color);
                before = number;
                number = color.nextReady;
                ready++;
                left += color.timeLeft();
                worthy += color.interval != 0 ? 1 : 0;
            }
            check(last[PAD + list] == before, "last of a list", null);
            check((listMask >> list & 1) == (before == ColorIndex.NONE ? 0 : 1), "list mask", null);
        }
        check(ready == readyCount, "readyCount", null);
        check(left == readyLeft, "readyLeft", null);
        check(worthy + waitingWorthy == worthyShort + worthyMedium + worthyLong, "worthy counts", null);
    }

    final void check(boolean isTrue, String what, @Nullable ColorQueue color) {
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
