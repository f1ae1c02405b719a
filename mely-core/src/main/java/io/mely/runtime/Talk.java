// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import io.mely.memory.HeadPad;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * With whom a core talks: it counts what its handlers send to which other core, and how often it found nothing to run, and sees what it and one other have done since a window began.
 *
 * <p><b>Threads.</b> The core's; its counts are read by any. <b>Costs.</b> A field of its own for each event that goes to another core. A few lines of the one other that is looked at: the one
 * to which it sends most, if that is much.
 */
final class Talk extends HeadPad {
    /** An event that takes longer, with all that is around it, loses next to nothing by a few lines. Guess: ten slow ones. */
    static final long EVENT_NS_MAX = 2_000;

    /**
     * Of the events that a core ran, one in so many sent to the other: the two talk, and not many cores with each other, of which two that meet only make the others wait.
     */
    private static final int TALK_SHARE = 3;

    /** Of the events that a core ran, it found no other after one in so many: it has no more time than that. Guess: some percent of it. */
    private static final int DRY_SHARE = 64;

    /** Of a line, and of the one beside it. */
    private static final int PAD = 16;

    // what is counted
    private static final int DRY = PAD;
    private static final int BETWEEN_TURNS = PAD + 1;
    private static final int SENT_TO = PAD + 2; // and the core

    private static final VarHandle COUNT = MethodHandles.arrayElementVarHandle(long[].class);

    private final Core core;
    private final int index;
    private final long[] counts;

    // as of the begin of the window
    private final long[] sentThen; // by core
    private long fromThen; // from the other to here
    private final Window mine;
    private final Window others;

    Talk(Core core, int cores) {
        this.core = core;
        index = core.core();
        counts = new long[SENT_TO + cores + PAD];
        sentThen = new long[cores];
        mine = new Window(core);
        others = new Window(core);
    }

    private void count(int what) {
        COUNT.setOpaque(counts, what, counts[what] + 1);
    }

    private long counted(int what) {
        return (long) COUNT.getOpaque(counts, what);
    }

    /** A handler has sent an event to another core. */
    void sentAway(int home) {
        count(SENT_TO + home);
    }

    /** The poller or a timer has sent an event, anywhere. */
    void sentBetweenTurns() {
        count(BETWEEN_TURNS);
    }

    /** There was nothing to run in a step. */
    void foundNothing() {
        count(DRY);
    }

    // ------------------------------------------------------------------ a window

    /** What a core has done since a window began. */
    private static final class Window {
        private Core core;
        private long sleeps;
        private long dry;
        private long accepted;
        private long betweenTurns;
        private long run;

        Window(Core core) {
            this.core = core;
        }

        void begin(Core of) {
            core = of;
            sleeps = of.sleeps();
            dry = of.talk().counted(DRY);
            accepted = of.sender().acceptedTwice();
            betweenTurns = of.talk().counted(BETWEEN_TURNS);
            run = of.runAcquire();
        }

        long ran() {
            return core.runAcquire() - run;
        }

        boolean hasSlept() {
            return core.sleeps() != sleeps;
        }

        /** Its handlers have sent at least every second event that it ran: else most come from elsewhere. */
        boolean sentMost() {
            long sentTwice = core.sender().acceptedTwice() - accepted;
            return sentTwice - 2 * (core.talk().counted(BETWEEN_TURNS) - betweenTurns) >= ran();
        }

        /** It had only work, much of it, and sent most of it itself. */
        boolean isBusy(long elapsedNs) {
            long ran = ran();
            return !hasSlept()
                    && ran >= elapsedNs / EVENT_NS_MAX
                    && core.talk().counted(DRY) - dry <= ran / DRY_SHARE
                    && sentMost();
        }
    }

    /** Begins a window of this core and of another one; of no other if that is {@link Gatherings#NONE}. */
    void begin(int other) {
        mine.begin(core);
        for (int i = 0; i < sentThen.length; i++) {
            sentThen[i] = counted(SENT_TO + i);
        }
        if (other != Gatherings.NONE) {
            Core of = core.runtime().core(other);
            others.begin(of);
            fromThen = of.talk().counted(SENT_TO + index);
        }
    }

    /** Events that this core ran. */
    long ran() {
        return mine.ran();
    }

    /** Events that the other ran. */
    long otherRan() {
        return others.ran();
    }

    /** Whether this core has slept. */
    boolean hasSlept() {
        return mine.hasSlept();
    }

    /** Whether this core's handlers have sent most of what it ran. */
    boolean sentMost() {
        return mine.sentMost();
    }

    /** Whether this core had only work, much of it, and sent most of it itself. */
    boolean isBusy(long elapsedNs) {
        return mine.isBusy(elapsedNs);
    }

    /** The core of a higher index to which this one's handlers have sent most, if that is much; {@link Gatherings#NONE} if it is not. */
    int mostSentTo() {
        long most = Math.max(1, mine.ran() / TALK_SHARE) - 1;
        int core = Gatherings.NONE;
        for (int i = index + 1; i < sentThen.length; i++) {
            long sent = counted(SENT_TO + i) - sentThen[i];
            if (sent > most) {
                most = sent;
                core = i;
            }
        }
        return core;
    }

    /** Whether the other has only work, too, and sends as much of it here. */
    boolean isAnswered(long elapsedNs) {
        long from = others.core.talk().counted(SENT_TO + index) - fromThen;
        return from >= others.ran() / TALK_SHARE && others.isBusy(elapsedNs);
    }
}
