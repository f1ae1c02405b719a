// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import io.mely.memory.HeadPad;
import io.mely.queue.ColorQueue;
import io.mely.queue.CoreQueue;
import io.mely.steal.Thief;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * Finds out whether this core and another one are faster together than apart, and if so runs the colors of both.
 *
 * <p>Colors that send short events to each other across cores pay a few cache lines' way for each, on both sides. Where that is more than all else that an event takes, one
 * core runs more events than two. How much it is nobody can know: a line takes 30 ns or 230 on one machine in one hour. So it is tried:
 *
 * <pre>
 *  WATCH    In two windows in a row both cores were never without work, sent most of it themselves, and a good part of it to each other.
 *  TAKE     The one with the lower index takes what is ready on the other, until that runs next to nothing.
 *  JUDGE    Does it run more events now than the two did? In some windows, the first of which have the moves in them.
 *  HOLD     Yes: it keeps them, and takes what strays; for a time, the longer the more often it was right, then it is tried again.
 *           Until the rate of events is no longer what was judged, or they come from elsewhere, or faster than it runs them.
 *  (back)   The other takes back as many: see {@link Gatherings}.
 * </pre>
 *
 * <p>Between two trials that failed is more and more time. Loot goes to whoever has time for it all along: only short events stay where they were gathered.
 *
 * <p>What cores do in a window is {@link Talk}'s to say.
 *
 * <p><b>Threads.</b> The core's. <b>Costs.</b> Those of {@link Talk}, which looks at another only while this core has nothing but work; a clock read each {@link #POLLS} polls.
 * <b>Source.</b> None of the papers (ADR 0026).
 */
final class Gathering extends HeadPad {
    /** Guess: some thousand events. */
    static final long WINDOW_NS = 1_000_000;

    /** A window that lasted for so many has a sleep in it, or a CPU that was taken away, and says nothing. */
    private static final int WINDOWS_MAX = 10;

    /** The other runs so little beside the heir: what was to be taken has been. */
    private static final int QUIET_SHARE = 16;

    /** The heir must have run so many beside that, or both only wait. */
    private static final int QUIET_EVENTS = 256;

    /** Of the heir's own, one in so many that the other runs is more than what strays. */
    private static final int STRAY_SHARE = 4;

    /** A trial that has not made the other quiet by then fails. Guess: thousands of colors. */
    private static final long TAKE_NS_MAX = 5_000_000;

    /** A look whether the other is quiet. */
    private static final long QUIET_NS = 200_000;

    /** Windows of a judgement. Guess: the moves are over, and what they delayed. */
    private static final int JUDGE_WINDOWS = 10;

    /** The first of them say nothing against it. */
    private static final int JUDGE_SETTLE = 4;

    /** So many of them must be a gain, or so many are enough to see that it is a loss. */
    private static final int JUDGE_ENOUGH = 2;

    /** So much must the one run of what the two did, in percent. Guess: less is the noise of some windows. */
    private static final int GAIN_PERCENT = 110;

    /** It is hopeless. */
    private static final int LOSS_PERCENT = 80;

    /** What was judged was something else: two may be faster at this. */
    private static final int OTHER_PERCENT = 125;

    /** In so many windows it is still learned how fast it is: when it was judged not all had settled. Guess. */
    private static final int HOLD_SETTLE = 20;

    /** So many windows in a row with another rate than was judged, or a longer backlog: that is no noise. */
    private static final int OTHER_WINDOWS = 8;

    /** What waits takes so many times as long as when it was judged, and so much longer: more comes than one core runs. Guess. */
    private static final int BACKLOG_TIMES = 2;

    private static final double BACKLOG_NS = 1_000_000;

    /** Events a nanosecond: less is none. */
    private static final double RATE_MIN = 1e-6;

    /** So many in which most came from elsewhere, or the other ran too much. */
    private static final int ELSEWHERE_WINDOWS = 2;

    /** After a trial that failed this core makes no other for so long, then twice as long, and no core one for so long. Guess: a trial costs less than 3 % of that. */
    static final long BACKOFF_NS_MIN = 250_000_000;

    static final long BACKOFF_NS_MAX = 16_000_000_000L;

    /** What was found to be faster is tried again after so long, then four times as long: it may have been chance. */
    static final long HOLD_NS_MIN = 100_000_000;

    /** Guess: trials then cost less than half a percent, and a mistake lasts no longer. */
    static final long HOLD_NS_MAX = 2_000_000_000;

    /** No window is looked at until all is back, and for so long after: right after the moves an event takes longer. Guess: twice what was seen. */
    private static final long SETTLE_NS = 15_000_000;

    /** Who takes back gives up the rest after so long: it may be idle, and will come as what rescues took does. */
    static final long RETURN_NS_MAX = 20_000_000;

    /** Most colors taken at once, and no others until these have settled: what is done for colors that move is linear in their number. */
    static final int TAKE_MAX = 32;

    /** Of a wait for the other core between two turns. Guess: a turn of the other. */
    private static final int VISIT_SPINS = 500;

    /** So many in a row in vain: the other has lost its CPU, or is in a long handler, or there is nothing for it here. */
    private static final int VISITS_IN_VAIN = 8;

    /** Most events of a slice in a trial: what the other has ready it runs soon. Guess. */
    private static final int TRIAL_SLICE_EVENTS = 64;

    /** Polls between two looks at the clock. */
    static final int POLLS = 4;

    private enum Phase {
        WATCH,
        TAKE,
        JUDGE,
        HOLD
    }

    private final Core core;
    private final int index;
    private final Gatherings gatherings;
    private final Talk talk;

    private int polls = 1;
    private Phase phase = Phase.WATCH;
    private int other = Gatherings.NONE; // whom it watches, or has gathered
    private int windows; // of the phase
    private int gains; // of these
    private int losses;
    private int otherRates; // windows in a row
    private double ranBefore; // by both, events a nanosecond
    private double ranJudged; // by the heir, at its fastest
    private double waitedJudged; // ns, the most while it settled
    private double ranHeld; // in the last hold, which has ended; 0 if that is compared
    private long heldEvents;
    private long heldNs;
    private int elsewhere; // windows in a row
    private long phaseNs; // its begin
    private long untilNs; // the next trial at the earliest; the end of a hold
    private long backoffNs = BACKOFF_NS_MIN;
    private long holdNs = HOLD_NS_MIN;
    private long otherRun; // when it was taken from last
    private boolean isOtherQuiet; // since then
    private int inVain; // waits for a visit, in a row
    private int visitsSeen;
    private int returning = Gatherings.NONE; // who takes back what this core has gathered
    private boolean isTakingBack;
    private long backNs;

    private long windowNs; // its begin
    private int candidate = Gatherings.NONE; // to whom this core sent most in the last one: seen in this one, too

    Gathering(Core core, Gatherings gatherings, Talk talk) {
        this.core = core;
        this.gatherings = gatherings;
        this.talk = talk;
        index = core.core();
        untilNs = core.clock().nanoTime();
        windowNs = untilNs;
    }

    /**
     * After a poll, between two turns.
     *
     * @param isDry whether there was nothing to run before it
     * @return how many colors were taken
     */
    int step(boolean isDry) {
        if (isDry) {
            talk.foundNothing();
        }
        int heir = gatherings.returnsFrom(index);
        if (heir != Gatherings.NONE) {
            return takeBack(heir);
        }
        if (!isVisited()) {
            inVain = 0;
        } else if (inVain < VISITS_IN_VAIN) {
            awaitVisit();
        }
        if (!isTrial() && --polls > 0) {
            return 0;
        }
        polls = POLLS;
        int taken = phase == Phase.WATCH ? 0 : take();
        long nowNs = core.clock().nanoTime();
        if (nowNs - windowNs >= (phase == Phase.TAKE ? QUIET_NS : WINDOW_NS)) {
            stepWindow(nowNs);
            openWindow(nowNs);
        }
        return taken;
    }

    /** How many colors of another core this one has beyond what that has of its. A hint. */
    int owedTo(int peer) {
        return gatherings.owed(peer, index);
    }

    /** Whether the core has to take back what another gathered. It must not sleep then. */
    boolean isReturning() {
        return gatherings.returnsFrom(index) != Gatherings.NONE;
    }

    private int takeBack(int heir) {
        if (isTakingBack && --polls > 0) {
            return 0;
        }
        long nowNs = core.clock().nanoTime();
        if (!isTakingBack) {
            isTakingBack = true;
            backNs = nowNs;
            core.sliceEventsMax = TRIAL_SLICE_EVENTS;
        }
        boolean isLate = nowNs - backNs >= RETURN_NS_MAX;
        int left = gatherings.taken(index, heir);
        int taken = left <= 0 || isLate || core.thief().hasMarks() ? 0 : takeIn(heir, Math.min(left, TAKE_MAX));
        gatherings.visited();
        polls = taken == 0 ? POLLS : 1;
        if (taken >= left || isLate) {
            isTakingBack = false;
            gatherings.hasBack(index);
        }
        return taken;
    }

    private boolean isTrial() {
        return phase == Phase.TAKE || phase == Phase.JUDGE;
    }

    /** Whether another core is about to take colors from here. */
    private boolean isVisited() {
        if (returning != Gatherings.NONE && !gatherings.isReturning(returning)) {
            returning = Gatherings.NONE;
            long settledNs = core.clock().nanoTime() + SETTLE_NS;
            untilNs = settledNs - untilNs > 0 ? settledNs : untilNs;
            candidate = Gatherings.NONE;
        }
        int visits = gatherings.visits();
        inVain = visits == visitsSeen ? inVain : 0;
        visitsSeen = visits;
        boolean isSo = returning != Gatherings.NONE || gatherings.isTried(index);
        boolean isShort = (isSo && inVain < VISITS_IN_VAIN) || (isTrial() && !isOtherQuiet);
        core.sliceEventsMax = isShort ? TRIAL_SLICE_EVENTS : EngineCore.SLICE_EVENTS_MAX;
        return isSo;
    }

    /** Who takes a lock again and again has its line, and another waits for it in vain where lines are slow. So it gives the other a moment between two turns. */
    private void awaitVisit() {
        int before = gatherings.visits();
        int spins = 0;
        while (spins < VISIT_SPINS && gatherings.visits() == before) {
            spins++;
            Thread.onSpinWait();
        }
        inVain += spins == VISIT_SPINS ? 1 : 0;
    }

    /** What strays is found by what the other runs, so that one that does nothing is not looked at. */
    private int take() {
        long run = peer(other).runAcquire();
        isOtherQuiet = run == otherRun && !peer(other).queue().hasWork();
        if (isOtherQuiet || core.thief().hasMarks()) {
            return 0;
        }
        otherRun = run;
        int taken = takeIn(other, TAKE_MAX);
        if (phase != Phase.HOLD) {
            gatherings.visited();
        }
        return taken;
    }

    /**
     * Takes colors that are ready on another core, to be run with its own, if nothing there is worth a steal. Between two turns.
     *
     * @param peer index of that core
     * @param most of them
     * @return how many
     */
    int takeIn(int peer, int most) {
        Thief thief = core.thief();
        CoreQueue queue = core.queue();
        int taken = 0;
        boolean isWorthier = false;
        boolean leavesLoot = false;
        while (taken < most) {
            @Nullable ColorQueue color = thief.gather(peer, most - taken);
            leavesLoot |= thief.hasLeftLoot();
            if (color == null) {
                break;
            }
            taken += queue.countWithRest(color);
            queue.lock();
            try {
                isWorthier |= queue.takeIn(color, thief.isMarked());
            } finally {
                queue.unlock();
            }
        }
        Wakeups wakeups = core.runtime().wakeups();
        if (isWorthier) {
            wakeups.lootLinked(core);
        }
        if (leavesLoot) {
            wakeups.lootLinked(peer(peer));
        }
        return taken;
    }

    // ------------------------------------------------------------------ windows

    /** Another is looked at only while it matters. */
    private void openWindow(long nowNs) {
        windowNs = nowNs;
        if (phase != Phase.WATCH) {
            talk.begin(other);
            return;
        }
        boolean mayTry = returning == Gatherings.NONE && nowNs - untilNs >= 0;
        candidate = mayTry ? candidate : Gatherings.NONE;
        talk.begin(candidate);
    }

    private Core peer(int i) {
        return core.runtime().core(i);
    }

    private long bothRan() {
        return talk.ran() + talk.otherRan();
    }

    /** By ifs: the table of a switch would be made in somebody's first window. */
    private void stepWindow(long nowNs) {
        long elapsedNs = nowNs - windowNs;
        boolean isWhole = elapsedNs < WINDOWS_MAX * WINDOW_NS;
        if (phase == Phase.WATCH) {
            watch(nowNs, isWhole ? elapsedNs : 0);
        } else if (phase == Phase.TAKE) {
            endTake(nowNs);
        } else if (phase == Phase.JUDGE) {
            judge(nowNs, (double) bothRan() / elapsedNs);
        } else {
            hold(nowNs, elapsedNs, isWhole && !talk.hasSlept());
        }
    }

    private void enter(Phase phase, long nowNs) {
        this.phase = phase;
        phaseNs = nowNs;
        windows = 0;
        gains = 0;
        losses = 0;
        otherRates = 0;
        elsewhere = 0;
        heldEvents = 0;
        heldNs = 0;
    }

    // ------------------------------------------------------------------ phases

    /** Of a window that lasted so long; 0 if it says nothing. */
    private void watch(long nowNs, long elapsedNs) {
        boolean isBusy = elapsedNs != 0 && talk.isBusy(elapsedNs);
        int mostSentTo = isBusy ? talk.mostSentTo() : Gatherings.NONE;
        boolean isTalk = mostSentTo != Gatherings.NONE && mostSentTo == candidate && talk.isAnswered(elapsedNs);
        candidate = mostSentTo;
        boolean isSame = isTalk && mostSentTo == other;
        other = isTalk ? mostSentTo : Gatherings.NONE;
        if (!isTalk) {
            return;
        }
        double rate = (double) bothRan() / elapsedNs;
        double better = isSame ? Math.max(ranBefore, rate) : rate;
        ranBefore = rate;
        if (isSame && wasWrong(better)) {
            backOff(nowNs);
        } else if (isSame && gatherings.begin(index, other, nowNs)) {
            ranBefore = better;
            enter(Phase.TAKE, nowNs);
        }
    }

    /** Whether the two are as fast now as one was in the last hold. Else it was right, and the next trial that fails is the first. */
    private boolean wasWrong(double rate) {
        boolean isCompared = ranHeld != 0;
        boolean isSo = isCompared && rate >= ranHeld;
        ranHeld = 0;
        backoffNs = isCompared && !isSo ? BACKOFF_NS_MIN : backoffNs;
        holdNs = isSo ? HOLD_NS_MIN : holdNs;
        return isSo;
    }

    private void backOff(long nowNs) {
        untilNs = nowNs + backoffNs;
        backoffNs = Math.min(2 * backoffNs, BACKOFF_NS_MAX);
    }

    private void endTake(long nowNs) {
        long mine = talk.ran();
        if (mine >= QUIET_EVENTS && talk.otherRan() <= mine / QUIET_SHARE) {
            enter(Phase.JUDGE, nowNs);
        } else if (nowNs - phaseNs >= TAKE_NS_MAX) {
            fail(nowNs);
        }
    }

    private void judge(long nowNs, double rate) {
        windows++;
        gains += 100 * rate >= GAIN_PERCENT * ranBefore ? 1 : 0;
        losses += windows > JUDGE_SETTLE && 100 * rate < LOSS_PERCENT * ranBefore ? 1 : 0;
        if (gains == JUDGE_ENOUGH) {
            gatherings.judged();
            ranJudged = rate;
            waitedJudged = waitingNs(rate);
            untilNs = nowNs + holdNs;
            enter(Phase.HOLD, nowNs);
        } else if (losses == JUDGE_ENOUGH || windows == JUDGE_WINDOWS) {
            fail(nowNs);
        }
    }

    /** The trial ends when all is back. */
    private void fail(long nowNs) {
        gatherings.waitUntil(nowNs + BACKOFF_NS_MIN);
        backOff(nowNs);
        holdNs = HOLD_NS_MIN;
        giveBack(nowNs);
    }

    private void hold(long nowNs, long elapsedNs, boolean isWhole) {
        double rate = (double) bothRan() / elapsedNs;
        double waitsNs = waitingNs(rate);
        if (++windows <= HOLD_SETTLE) {
            ranJudged = Math.max(ranJudged, rate);
            waitedJudged = Math.max(waitedJudged, waitsNs);
        } else if (isWhole) {
            heldEvents += bothRan();
            heldNs += elapsedNs;
        }
        boolean isWorse = rate < ranBefore || waitsNs > BACKLOG_TIMES * waitedJudged + BACKLOG_NS;
        boolean isOther = isWhole && (isWorse || 100 * rate > OTHER_PERCENT * ranJudged);
        otherRates = isOther ? otherRates + 1 : 0;
        boolean isElsewhere = isWhole && (!talk.sentMost() || talk.otherRan() > talk.ran() / STRAY_SHARE);
        elsewhere = isElsewhere ? elsewhere + 1 : 0;
        boolean isOver = nowNs - untilNs >= 0;
        if (elsewhere == ELSEWHERE_WINDOWS || (otherRates == OTHER_WINDOWS && isWorse)) {
            fail(nowNs);
        } else if (isOver || otherRates == OTHER_WINDOWS) {
            ranHeld = isOver && heldNs != 0 ? (double) heldEvents / heldNs : 0;
            holdNs = isOver ? Math.min(4 * holdNs, HOLD_NS_MAX) : HOLD_NS_MIN;
            untilNs = nowNs;
            giveBack(nowNs);
        }
    }

    /** How long what waits here takes, as expected. */
    private double waitingNs(double rate) {
        CoreQueue queue = core.queue();
        long listed;
        queue.lock();
        try {
            listed = queue.readyLeft();
        } finally {
            queue.unlock();
        }
        return listed + queue.shortsAndInbox() / Math.max(rate, RATE_MIN);
    }

    private void giveBack(long nowNs) {
        enter(Phase.WATCH, nowNs);
        returning = other;
        gatherings.giveBack(other);
        VarHandle.fullFence(); // as after a timer: the other announces its sleep, and looks
        core.runtime().wakeups().handedIn(other, 0);
        other = Gatherings.NONE;
    }
}
