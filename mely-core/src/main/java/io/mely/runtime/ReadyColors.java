// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import io.mely.StageOptions;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import org.jspecify.annotations.Nullable;

/** Written by the lock holder, read by thieves that look before they lock. */
abstract class ReadyColorsHotFields extends HeadPad {
    volatile int readyCount;
    /** Which levels have colors. */
    int levelMask;
}

abstract class ReadyColorsTailPad extends ReadyColorsHotFields {
    @SuppressWarnings("unused")
    private long q00, q01, q02, q03, q04, q05, q06, q07, q08, q09, q10, q11, q12, q13, q14, q15;
}

/**
 * The ready colors of a core: the core-queue, first in first out by priority level, and the stealing-queue, by time-left interval. A ready color is in
 * the first, and in the second too if it is worthy.
 *
 * <p><b>Threads.</b> The holder of the core's lock, but for the peeks. <b>Costs.</b> O(1), but for {@link #firstSettled}. <b>Source.</b> spec: Mely §2,
 * §3.2, §3.3.
 */
final class ReadyColors extends ReadyColorsTailPad {
    /** Keeps the ends of the lists away from what lies before the array: see {@link HeadPad}. */
    static final int PAD = 32;

    private static final int LEVELS = StageOptions.PRIORITIES;

    /** Most colors a thief looks at in one interval: those in front may be worthy for a nearer thief only. Guess. */
    private static final int LOOKS_MAX = 4;

    private static final AtomicIntegerFieldUpdater<ReadyColorsHotFields> READY_COUNT =
            AtomicIntegerFieldUpdater.newUpdater(ReadyColorsHotFields.class, "readyCount");

    private final int core;
    private final ColorIndex index;
    private final TimeLeftIntervals intervals;
    private int rotor;

    // numbers of colors, as are their links
    private final int[] first = new int[PAD + LEVELS];
    private final int[] last = new int[PAD + LEVELS];
    private final int[] firstWorthy = new int[PAD + TimeLeftIntervals.COUNT + 1];
    private final int[] lastWorthy = new int[PAD + TimeLeftIntervals.COUNT + 1 + PAD];
    final int[] worthy = new int[PAD + TimeLeftIntervals.COUNT + 1 + PAD]; // how many; thieves peek at them

    ReadyColors(int core, TimeLeftIntervals intervals, ColorIndex index) {
        this.core = core;
        this.intervals = intervals;
        this.index = index;
    }

    // ------------------------------------------------------------------ peeks, no lock needed

    /** Number of ready colors. */
    int count() {
        return readyCount;
    }

    /** A floor of the work in the stealing-queue, in units of weight; 0 if it is empty. */
    long worthyFloor() {
        return intervals.floorOf(worthy[PAD + 1], worthy[PAD + 2], worthy[PAD + 3]);
    }

    /** Colors in the stealing-queue. */
    int worthyCount() {
        return worthyCount(1) + worthyCount(2) + worthyCount(3);
    }

    /** Of one interval. */
    int worthyCount(int interval) {
        return worthy[PAD + interval];
    }

    // ------------------------------------------------------------------ in and out

    /** What an event adds to the time-left of its color. */
    int weightOf(HandlerProfile stage) {
        return intervals.weightOf(stage.weight());
    }

    /** Looks at a color again that has got more events. Returns true if it became worthier. */
    boolean grown(ColorQueue color) {
        // else it is classified when its turn ends, or its thief links it
        return color.place == ColorQueue.QUEUED && put(color);
    }

    /** Links a color that is in no queue, as the last of its level. Returns true if it is worthy. */
    boolean link(ColorQueue color) {
        assert color.place != ColorQueue.QUEUED : "invariant 5: linked twice";
        return put(color);
    }

    /**
     * Puts a color that has events where it belongs: in the core-queue last of its level, unless it is in that level already; in the stealing-queue by its time-left.
     *
     * <p><b>Size.</b> Not inlined, see {@code CompiledSizeTest}.
     *
     * @return true if it became worthier
     */
    private boolean put(ColorQueue color) {
        assert color.home() == core : "invariant 5: linked away from home";
        assert !color.isEmpty() : "linked without an event";
        int number = color.number();
        int level = color.urgency;
        boolean isQueued = color.place == ColorQueue.QUEUED;
        if (!isQueued || level != color.level) {
            if (isQueued) {
                unlink(color);
            }
            int before = last[PAD + level];
            color.previousReady = before;
            color.nextReady = ColorIndex.NONE;
            if (before == ColorIndex.NONE) {
                first[PAD + level] = number;
            } else {
                index.at(before).nextReady = number;
            }
            last[PAD + level] = number;
            levelMask |= 1 << level;
            color.place = ColorQueue.QUEUED;
            color.level = (byte) level;
            READY_COUNT.lazySet(this, readyCount + 1);
        }
        int interval = color.isSettling() ? 0 : intervals.intervalOf(color.timeLeft());
        int old = color.interval;
        if (interval == old) {
            return false;
        }
        if (old != 0) {
            unlinkWorthy(color);
        }
        if (interval != 0) {
            int before = lastWorthy[PAD + interval];
            color.interval = (byte) interval;
            color.previousWorthy = before;
            color.nextWorthy = ColorIndex.NONE;
            if (before == ColorIndex.NONE) {
                firstWorthy[PAD + interval] = number;
            } else {
                index.at(before).nextWorthy = number;
            }
            lastWorthy[PAD + interval] = number;
            worthy[PAD + interval]++;
        }
        return interval > old;
    }

    /** Takes a color out of both queues. */
    void unlink(ColorQueue color) {
        assert color.place == ColorQueue.QUEUED : "invariant 5: unlinked while not queued";
        color.place = ColorQueue.MOVING;
        int before = color.previousReady;
        int after = color.nextReady;
        int level = color.level;
        if (before == ColorIndex.NONE) {
            assert first[PAD + level] == color.number() : "links of the core-queue";
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
        READY_COUNT.lazySet(this, readyCount - 1);
        if (color.interval != 0) {
            unlinkWorthy(color);
        }
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
        worthy[PAD + interval]--;
    }

    // ------------------------------------------------------------------ who is next

    /** The first color of the highest level, or of the one whose turn it is among all; null if none is ready. */
    @Nullable
    ColorQueue next(boolean isFromBelow) {
        int mask = levelMask;
        if (mask == 0) {
            return null;
        }
        int level = isFromBelow ? rotated(mask) : 31 - Integer.numberOfLeadingZeros(mask);
        int number = first[PAD + level];
        assert number != ColorIndex.NONE : "level mask";
        return index.at(number);
    }

    /** The first level that has colors, at or above one that moves on with each call: every level gets its turn. */
    private int rotated(int mask) {
        int from = rotor;
        rotor = (from + 1) % LEVELS;
        int above = mask >>> from;
        return above != 0 ? from + Integer.numberOfTrailingZeros(above) : Integer.numberOfTrailingZeros(mask);
    }

    /**
     * The first ready color that does not settle, highest level first; null if there is none.
     *
     * @param isBelowHalf whether it must hold less than half of the pending events, that of the running color included
     */
    @Nullable
    ColorQueue firstSettled(boolean isBelowHalf, int running) {
        for (int level = LEVELS - 1; level >= 0; level--) {
            int number = first[PAD + level];
            while (number != ColorIndex.NONE) {
                ColorQueue color = index.at(number);
                if (!color.isSettling() && (!isBelowHalf || isLessThanHalf(color, running))) {
                    return color;
                }
                number = color.nextReady;
            }
        }
        return null;
    }

    /** The worthiest color with more left than a bound, longest interval first; null if there is none among those in front. */
    @Nullable
    ColorQueue worthiest(long minLeft) {
        for (int interval = TimeLeftIntervals.COUNT; interval > 0; interval--) {
            int number = firstWorthy[PAD + interval];
            for (int i = 0; i < LOOKS_MAX && number != ColorIndex.NONE; i++) {
                ColorQueue color = index.at(number);
                if (color.timeLeft() > minLeft) {
                    return color;
                }
                number = color.nextWorthy;
            }
        }
        return null;
    }

    private boolean isLessThanHalf(ColorQueue candidate, int running) {
        long twice = 2 * candidate.timeLeft();
        ColorQueue runner =
                running <= ColorIndex.NONE ? null : index.at(running); // below: what runs is no color of this core
        long total = runner == null ? 0 : runner.timeLeft();
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

    // ------------------------------------------------------------------ checks

    /** Checks the structure; an AssertionError names what is broken. Lock held; O(colors). */
    void validate() {
        int ready = 0;
        int worthy = 0;
        for (int level = 0; level < LEVELS; level++) {
            int before = ColorIndex.NONE;
            int number = first[PAD + level];
            while (number != ColorIndex.NONE) {
                ColorQueue color = index.at(number);
                check(color != null, "linked, and without a queue", null);
                check(color.place == ColorQueue.QUEUED, "linked but not queued", color);
                check(color.home() == core, "linked away from home", color);
                check(color.previousReady == before && color.level == level, "links of the core-queue", color);
                check(!color.isEmpty(), "linked without an event", color);
                check(!color.isSettling() || color.interval == 0, "a settling color is worthy", color);
                before = number;
                number = color.nextReady;
                ready++;
                worthy += color.interval != 0 ? 1 : 0;
            }
            check(last[PAD + level] == before, "last of a level", null);
            check((levelMask >> level & 1) == (before == ColorIndex.NONE ? 0 : 1), "level mask", null);
        }
        check(ready == readyCount, "readyCount", null);
        check(worthy == worthyCount(), "worthy counts", null);
    }

    private void check(boolean isTrue, String what, @Nullable ColorQueue color) {
        if (!isTrue) {
            throw new AssertionError("core " + core + ": " + what + (color == null ? "" : ": " + color));
        }
    }
}
