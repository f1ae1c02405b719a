// SPDX-License-Identifier: Apache-2.0
package io.mely.steal;

import io.mely.Stealing;
import io.mely.memory.HeadPad;
import io.mely.queue.ColorQueue;
import io.mely.queue.CoreQueue;
import io.mely.queue.RecordPool;
import io.mely.spi.NanoClock;
import java.util.Arrays;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/**
 * One core as a thief: tries victims in order, and takes from at most one.
 *
 * <p>A victim is looked at without its lock first, so an idle core disturbs nobody. Its inbox is drained under its lock, if what is first in it
 * may pay or the core is stuck. A victim that has not begun a new turn for {@link #STALL_NS} is stuck, and one that
 * says so before a handler known to be long: when nothing there pays, any of its ready colors is taken, for what they wait for is longer than
 * any steal (<i>rescue</i>); for a while only after {@link #STALL_CHEAP_NS} if that was not worth its cost. They are likely to be short, so that
 * several are taken under one hold of the lock, and an idle core takes as many back from whoever rescued them, if that has plenty: see {@link Loans}
 * (ADR 0015). By {@link #gather} a core takes short colors though it has work of its own (ADR 0026).
 *
 * <p><b>Threads.</b> The thief's core only. <b>Costs.</b> Nothing to steal: a few loads per victim. <b>Source.</b> spec: Mely §3.6, §3.7.
 */
public final class Thief extends HeadPad {
    /** Who is in one turn for longer has lost its CPU, or is in a handler longer than was known. Guess: 3 x the default time slice. */
    public static final long STALL_NS = 300_000;

    /**
     * The same with time-left, for {@link #CHEAP_FOR_NS} after a full rescue cost more than all that it brought takes to run: on CPUs that are short the thief
     * has that time from the victim or its senders. Guess: who has only lost its CPU has it back by then, from one or two others.
     */
    static final long STALL_CHEAP_NS = 5_000_000;

    /** Then it is tried again, as what is there may be longer by then, and a steal may have taken long by chance. Guess. */
    static final long CHEAP_FOR_NS = 100_000_000;

    /** A victim this long in one turn gets its inbox drained by the thief, if that may pay; before, it will do that itself. Guess: one wake-up. */
    private static final long INBOX_NS = 10_000;

    /**
     * With time-left: after so many looks in a row that brought nothing a hint says that much is in an inbox, and each event short: to drain it moves them to lists for nothing, and
     * the hint stays. So long it does not count then, and twice as long after the next look, up to the greatest. The owner finds what is long meanwhile. Guesses: 256
     * entries; two looks; a rescue.
     */
    private static final int VAIN_LOOKS = 4;

    private static final long VAIN_NS_MIN = 10_000;

    private static final long VAIN_NS_MAX = 640_000;

    /** Most colors of one rescue. Guess: moving them takes less than the handler they wait for, and the lock is not held for long. */
    static final int RESCUE_MAX = 16;

    /** Between two that take back from a core: what drifts apart in seconds need not be mended in one, and the holder is busy. Guess. */
    static final long BACK_INTERVAL_NS = 200_000;

    /** Between two looks for something to take back there, as one may cost its senders a line. Guess: twice {@link #INBOX_NS}. */
    static final long BACK_LOOK_NS = 20_000;

    /**
     * What waits in an inbox may all be of colors that run, and cannot be taken. The next try may find it in lists, so it comes after a look's time; after more in vain each
     * waits twice as long as the last, up to this. Guess.
     */
    static final long BACK_VAIN_NS_MAX = 512 * BACK_LOOK_NS;

    /** Where fewer events wait, their owner will soon be idle itself. */
    private static final int BACK_WAITING_MIN = RESCUE_MAX;

    /**
     * What the thief measures is paid again: by the victim and the senders for the lines that it took, by itself for those that it touches later.
     * Guess: with 1, chains of events of 80 ns were robbed of what cost more to move than to run.
     */
    private static final int SIDES = 2;

    private final int me;
    private final CoreQueue[] cores;
    private final IntPredicate isEngaged;
    private final int[] distances;
    private final Stealing stealing;
    private final VictimOrder order;
    private final StealCosts costs;
    private final Loans loans;
    private final RecordPool pool;
    private final NanoClock clock;
    private final long[] turnIdle; // in which no color was seen ready
    private final long[] turnSeen;
    private final long[] turnSeenAtNs;
    private final long[] cheapUntilNs; // by victim
    private final int[] vainLooks; // by victim: in a row
    private final long[] vainUntilNs; // its hints do not count
    private final long[] backFromNs; // by victim: nothing is taken back before
    private final long[] backVainNs; // the wait after the next try in vain

    private boolean isMarked;
    private final long[] marks; // by victim, the position of the last; negative if it has been drained
    private int marksOpen;
    private long lookedAtNs;

    private long steals;
    private long attempts;
    private long rescues;
    private long gathered;
    private boolean hasLeftLoot;
    private long stealTimeNs;
    private long stolenTime;

    /**
     * Makes a thief.
     *
     * @param me index of its core
     * @param cores all cores
     * @param isEngaged whether a core is in a handler known to be long
     * @param distances between cores: [from][to], smaller is nearer
     * @param stealing which heuristics are on
     * @param costs shared by all thieves
     * @param loans shared by all thieves
     * @param pool of its core
     * @param clock to measure steals and stalls
     */
    public Thief(
            int me,
            CoreQueue[] cores,
            IntPredicate isEngaged,
            int[][] distances,
            Stealing stealing,
            StealCosts costs,
            Loans loans,
            RecordPool pool,
            NanoClock clock) {
        this.me = me;
        this.cores = cores;
        this.isEngaged = isEngaged;
        this.distances = distances[me];
        this.stealing = stealing;
        this.costs = costs;
        this.loans = loans;
        this.pool = pool;
        this.clock = clock;
        long nowNs = clock.nanoTime();
        order = new VictimOrder(me, cores, distances, stealing.locality());
        turnIdle = new long[cores.length];
        turnSeen = new long[cores.length];
        turnSeenAtNs = new long[cores.length];
        cheapUntilNs = new long[cores.length];
        vainLooks = new int[cores.length];
        vainUntilNs = new long[cores.length];
        backFromNs = new long[cores.length];
        backVainNs = new long[cores.length];
        marks = new long[cores.length];
        Arrays.fill(turnIdle, -1);
        Arrays.fill(turnSeen, -1);
        Arrays.fill(cheapUntilNs, nowNs);
        Arrays.fill(marks, -1);
        Arrays.fill(vainUntilNs, nowNs);
        Arrays.fill(backVainNs, BACK_LOOK_NS);
        Arrays.fill(backFromNs, nowNs + BACK_INTERVAL_NS);
    }

    /**
     * Tries each victim of a look once.
     *
     * <p>On a large machine a look is at a part of the victims, see {@link VictimOrder}, as long as others follow. No sleep rests on such a look
     * (invariant 6): the last searcher has {@link #seesLoot} behind it, which is at all, and sends the next look to what it saw; so does whoever wakes a
     * thief, by {@link #calledTo}; and a look after a nap is whole, so that a victim that is stuck is found within two naps, or three if it is thought cheap.
     *
     * @param isWhole whether to try all victims
     * @return a color whose home is now the thief's core, to be {@link CoreQueue#adopt adopted}, with what else was taken behind it; null if
     *     nothing pays
     */
    public @Nullable ColorQueue steal(boolean isWhole) {
        int start = order.begin(isWhole);
        int size = order.size(isWhole);
        for (int i = 0; i < size; i++) {
            int victim = order.victim(start, i);
            CoreQueue queue = cores[victim];
            boolean isHeldUp = isHeldUp(victim);
            if (!isHeldUp && !hasWork(victim, queue)) {
                continue;
            }
            long sameTurnNs = sameTurnNs(victim, queue);
            boolean isStuck = isHeldUp || sameTurnNs >= stallNs(victim);
            int shortMax = isStuck ? RESCUE_MAX : backMax(victim, queue);
            boolean isInboxOnly = shortMax == 0 && !hasReadyLoot(queue);
            boolean mayPay = !isInboxOnly
                    || isHintedAnew(victim, queue)
                    || (sameTurnNs >= INBOX_NS && inboxMayPay(victim, queue));
            if (mayPay) {
                ColorQueue color = stealFrom(victim, queue, shortMax, isStuck);
                if (color != null) {
                    vainLooks[victim] = 0;
                    queue.hintPaid(true);
                    return color; // the next look goes there, too: where there was loot there may be more
                }
                if (isInboxOnly && stealing.timeLeft()) {
                    noteVain(victim, queue);
                }
            }
        }
        order.nextTurn();
        return null;
    }

    /**
     * Whether there are so many cores that a look is at a part of them.
     *
     * @return always the same
     */
    public boolean looksAtParts() {
        return order.isInTurns();
    }

    /**
     * Lets the next look go to where loot was seen, among others.
     *
     * @param victim index of a core
     */
    public void calledTo(int victim) {
        order.turnTo(victim);
    }

    /**
     * Whether an attempt now is likely to succeed somewhere, on whatever core. Asked between the announcement of a sleep and the sleep.
     *
     * @return true if some victim has loot: the next look goes there, among others
     */
    public boolean seesLoot() {
        for (int i = 0; i < order.size(true); i++) {
            int victim = order.victimFromTurn(i);
            if (hasLoot(cores[victim]) || isHeldUp(victim)) {
                order.turnTo(victim);
                return true;
            }
        }
        return false;
    }

    /**
     * Whether the colors that were stolen last settle: see {@link CoreQueue#mark}.
     *
     * @return what the victim's queue said
     */
    public boolean isMarked() {
        return isMarked;
    }

    private void noteMark(int victim, long position) {
        if (marks[victim] < 0) {
            marksOpen++;
        }
        marks[victim] = position;
    }

    /**
     * Whether events of stolen colors may still be in inboxes of their old homes.
     *
     * @return true if {@link #drainMarked} may have something to do
     */
    public boolean hasMarks() {
        return marksOpen != 0;
    }

    /**
     * Drains those inboxes a little, as their owners may be stuck and no other core idle: what comes for the stolen colors is held meanwhile.
     *
     * @return how many were drained from
     */
    public int drainMarked() {
        int drained = 0;
        for (int victim = 0; victim < marks.length; victim++) {
            if (marks[victim] >= 0) {
                drained += drainMarked(victim, cores[victim]);
            }
        }
        return drained;
    }

    private int drainMarked(int victim, CoreQueue queue) {
        int drained = 0;
        if (!queue.isDrained(marks[victim]) && queue.looksDrainable() && queue.tryLock()) {
            try {
                queue.drain(pool);
            } finally {
                queue.unlock();
            }
            drained = 1;
        }
        if (queue.isDrained(marks[victim])) {
            marks[victim] = -1;
            marksOpen--;
        }
        return drained;
    }

    /** Before a sleep: what steals were found to cost may no longer hold. */
    public void foundNothing() {
        costs.forget();
    }

    private boolean hasLoot(CoreQueue queue) {
        return hasReadyLoot(queue) || isHinted(queue);
    }

    /** Base: two colors with events, of which one may be running. */
    private boolean hasReadyLoot(CoreQueue queue) {
        return isBase() ? queue.readyCount() > 0 && queue.looksBusy() : queue.hasWorthy();
    }

    private static boolean isHinted(CoreQueue queue) {
        return queue.hasLongInbox() && queue.looksBusy();
    }

    private boolean isHintedAnew(int victim, CoreQueue queue) {
        return isHinted(queue) && vainUntilNs[victim] - lookedAtNs <= 0;
    }

    private void noteVain(int victim, CoreQueue queue) {
        int more = ++vainLooks[victim] - VAIN_LOOKS;
        if (more >= 0) {
            vainUntilNs[victim] = lookedAtNs + Math.min(VAIN_NS_MAX, VAIN_NS_MIN << Math.min(more, 30));
            queue.hintPaid(false);
        }
    }

    /** What begins with a short event is left to its owner, who is about to have it in its cache: a thief would mostly only move it to a list there. */
    private boolean inboxMayPay(int victim, CoreQueue queue) {
        boolean mayPay = !stealing.timeLeft() || queue.inboxWeight() > costs.minLeft(distances[victim]);
        return mayPay && queue.hasInbox();
    }

    /** Whether something waits there for the end of a handler that is known to be long: it is stuck, as soon as it has begun. */
    private boolean isHeldUp(int victim) {
        return isEngaged.test(victim) && cores[victim].hasWork();
    }

    private boolean isBase() {
        return !stealing.timeLeft() && !stealing.penalty();
    }

    /**
     * Its core has given a color away, which may come back as one that was taken by a rescue does.
     *
     * @param heir index of the core that has it
     */
    public void gave(int heir) {
        loans.took(me, heir, -1);
    }

    /** How many to take back, if it is time and the holder can spare them. */
    private int backMax(int victim, CoreQueue queue) {
        int owed = loans.due(me, victim);
        if (owed <= 0 || isBase() || lookedAtNs - backFromNs[victim] < 0) {
            return 0;
        }
        if (!queue.hasAtLeast(BACK_WAITING_MIN)) {
            backFromNs[victim] = lookedAtNs + BACK_LOOK_NS;
            return 0;
        }
        return Math.min(RESCUE_MAX, owed);
    }

    /**
     * Takes what is ready on another core, though the thief's own has work, unless anything there is worth a steal. On loan, as a rescue.
     *
     * @param victim index of that core
     * @param most of its colors
     * @return the first of {@link #RESCUE_MAX} colors at most, to be {@link CoreQueue#takeIn taken in}; null if none
     */
    public @Nullable ColorQueue gather(int victim, int most) {
        CoreQueue queue = cores[victim];
        hasLeftLoot = false;
        if (!queue.tryLockSoon()) {
            return null;
        }
        int max = Math.min(RESCUE_MAX, most);
        ColorQueue color = null;
        try {
            if (!queue.hasReadyWorthy()) {
                boolean isWorthier = queue.drain(pool);
                if (queue.readyCount() < max) {
                    isWorthier |= queue.drainShorts(pool, false);
                }
                hasLeftLoot = isWorthier || queue.hasReadyWorthy();
                if (!queue.hasReadyWorthy()) {
                    color = queue.takeReady(cores[me], max);
                }
            }
            if (color != null) {
                mark(victim, queue, color);
            }
        } finally {
            queue.unlock();
        }
        if (color != null) {
            int taken = queue.countWithRest(color);
            gathered += taken;
            loans.took(me, victim, taken);
        }
        return color;
    }

    /**
     * Whether the last {@link #gather} has found something that is worth a steal, which nobody may know of.
     *
     * @return true if it was left there
     */
    public boolean hasLeftLoot() {
        return hasLeftLoot;
    }

    /** Makes those settle that have events in the inbox of their old home, whose lock is held. */
    private void mark(int victim, CoreQueue queue, ColorQueue stolen) {
        isMarked = queue.mark(stolen);
        if (isMarked) {
            noteMark(victim, queue.lastMark());
        }
    }

    private void noteNothingBack(int victim) {
        backFromNs[victim] = lookedAtNs + backVainNs[victim];
        backVainNs[victim] = Math.min(BACK_VAIN_NS_MAX, 2 * backVainNs[victim]);
    }

    private @Nullable ColorQueue stealFrom(int victim, CoreQueue queue, int shortMax, boolean isStuck) {
        long startNs = clock.nanoTime();
        if (!queue.tryLockSoon()) {
            return null;
        }
        attempts++;
        ColorQueue color = null;
        boolean isRescue = false;
        try {
            if (isStuck && !queue.hasReadyWorthy()) {
                queue.drainShorts(pool, true);
            }
            queue.drain(pool);
            if (queue.isBusy()) {
                color = take(victim, queue);
            }
            if (color == null && queue.hasWaiting()) {
                queue.drainShorts(pool, true);
                color = queue.isBusy() ? take(victim, queue) : null;
            }
            if (color == null && shortMax > 0) {
                if (queue.readyCount() < shortMax) {
                    queue.drainShorts(pool, isStuck);
                }
                color = queue.takeNext(cores[me], shortMax);
                isRescue = color != null;
            }
            if (color != null) {
                mark(victim, queue, color);
            }
        } finally {
            queue.unlock();
        }
        if (color != null) {
            long elapsedNs = clock.nanoTime() - startNs;
            int taken = queue.countWithRest(color);
            long left = queue.timeLeftWithRest(color);
            if (isRescue) {
                if (isStuck && stealing.timeLeft()) {
                    boolean isCheap = taken == RESCUE_MAX && left < SIDES * elapsedNs;
                    cheapUntilNs[victim] = isCheap ? lookedAtNs + CHEAP_FOR_NS : lookedAtNs;
                }
                loans.took(me, victim, taken);
                backFromNs[victim] = lookedAtNs + BACK_INTERVAL_NS;
                backVainNs[victim] = isStuck ? backVainNs[victim] : BACK_LOOK_NS;
                rescues += taken;
            }
            if (!isRescue && loans.isKept(me, victim)) {
                loans.took(me, victim, taken); // it will be gathered again as a stray, which counts
            }
            if (taken == 1 || !isRescue) {
                costs.sample(distances[victim], SIDES * elapsedNs);
            }
            steals += taken;
            stealTimeNs += elapsedNs;
            stolenTime += left;
        } else if (shortMax > 0 && !isStuck) {
            noteNothingBack(victim);
        }
        return color;
    }

    private long stallNs(int victim) {
        return cheapUntilNs[victim] - lookedAtNs > 0 ? STALL_CHEAP_NS : STALL_NS;
    }

    private @Nullable ColorQueue take(int victim, CoreQueue queue) {
        return isBase()
                ? queue.takeBase(cores[me])
                : queue.takeWorthy(cores[me], costs.minLeft(distances[victim]), stealing.colorsMax());
    }

    /** Looks into the inbox only if the owner has not begun a turn since the last look: a look costs its senders a cache line. */
    private boolean hasWork(int victim, CoreQueue queue) {
        if (queue.hasReady() || queue.hasLongInbox()) {
            return true;
        }
        long turn = queue.turn();
        boolean isSame = turn == turnIdle[victim];
        turnIdle[victim] = turn;
        if (isSame && queue.hasInbox()) {
            return true;
        }
        if (queue.looksBusy()) {
            long unused = sameTurnNs(victim, queue); // from here on, should something come
        } else {
            turnSeen[victim] = -1; // time without work is no stall
        }
        return false;
    }

    /** For how long the victim has been seen, with work, in the turn it is in; a turn is a batch and should not take long. */
    private long sameTurnNs(int victim, CoreQueue queue) {
        long turn = queue.turn();
        lookedAtNs = clock.nanoTime();
        if (turn != turnSeen[victim]) {
            turnSeen[victim] = turn;
            turnSeenAtNs[victim] = lookedAtNs;
        }
        return lookedAtNs - turnSeenAtNs[victim];
    }

    /**
     * The other cores, nearest first.
     *
     * @return a copy
     */
    public int[] neighbours() {
        return VictimOrder.nearestFirst(me, distances);
    }

    /**
     * Colors taken.
     *
     * @return steals
     */
    public long steals() {
        return steals;
    }

    /**
     * Victims locked.
     *
     * @return attempts
     */
    public long attempts() {
        return attempts;
    }

    /**
     * Colors taken from stuck cores.
     *
     * @return rescues and what was taken back of them, color by color; each is a steal too
     */
    public long rescues() {
        return rescues;
    }

    /**
     * Colors taken by {@link #gather}.
     *
     * @return those that came back or strayed included; none is a steal
     */
    public long gathered() {
        return gathered;
    }

    /**
     * Time spent in successful steals.
     *
     * @return nanoseconds
     */
    public long stealTimeNs() {
        return stealTimeNs;
    }

    /**
     * Time-left of the colors taken.
     *
     * @return in units of weight: nanoseconds with the time-left heuristic
     */
    public long stolenTime() {
        return stolenTime;
    }
}
