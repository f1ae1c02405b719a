// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import io.mely.memory.HeadPad;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * With whom a core talks: it counts what its handlers send to which other core, and how often it found nothing to run, and sees what all have done since a window began.
 *
 * <p><b>Threads.</b> The core's; its counts are read by any. <b>Costs.</b> A field of its own for each event that goes to another core; two lines of each core that is looked at.
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

    private static final VarHandle COUNT = MethodHandles.arrayElementVarHandle(long[].class);

    private final Core core;
    private final int index;
    private final long[] counts; // padded: steps without work, and by core the events sent there by handlers

    // by core, as of the begin of the window
    private final long[] sleepsThen;
    private final long[] dryThen;
    private final long[] acceptedThen;
    private final long[] runThen;
    private final long[] toThen; // sent from here
    private final long[] fromThen; // and to here

    Talk(Core core, int cores) {
        this.core = core;
        index = core.core();
        counts = new long[PAD + 1 + cores + PAD];
        sleepsThen = new long[cores];
        dryThen = new long[cores];
        acceptedThen = new long[cores];
        runThen = new long[cores];
        toThen = new long[cores];
        fromThen = new long[cores];
    }

    private void count(int what) {
        COUNT.setOpaque(counts, PAD + what, counts[PAD + what] + 1);
    }

    /** A handler has sent an event to another core. */
    void sentAway(int home) {
        count(1 + home);
    }

    /** There was nothing to run in a step. */
    void foundNothing() {
        count(0);
    }

    /** How many events its handlers have sent to a core. Any thread. */
    private long sentTo(int home) {
        return (long) COUNT.getOpaque(counts, PAD + 1 + home);
    }

    /** How often it had nothing to run. Any thread. */
    private long dry() {
        return (long) COUNT.getOpaque(counts, PAD);
    }

    // ------------------------------------------------------------------ a window

    private Core peer(int i) {
        return core.runtime().core(i);
    }

    private Talk talkOf(int i) {
        return peer(i).gathering().talk();
    }

    /** Begins a window of a core. */
    void open(int i) {
        sleepsThen[i] = peer(i).sleeps();
        dryThen[i] = talkOf(i).dry();
        acceptedThen[i] = peer(i).sender().acceptedTwice();
        runThen[i] = peer(i).runAcquire();
        toThen[i] = sentTo(i);
        fromThen[i] = talkOf(i).sentTo(index);
    }

    /** Begins one of each core with which this one may talk: those of a higher index. */
    void openOthers() {
        for (int i = index + 1; i < runThen.length; i++) {
            open(i);
        }
    }

    /** Events since then. */
    long ran(int i) {
        return peer(i).runAcquire() - runThen[i];
    }

    boolean hasSlept(int i) {
        return peer(i).sleeps() != sleepsThen[i];
    }

    /** Whether a core has sent at least every second event that it ran: else most come from elsewhere. */
    boolean sentMost(int i) {
        return peer(i).sender().acceptedTwice() - acceptedThen[i] >= ran(i);
    }

    /** Whether a core had only work, much of it, and sent most of it itself. */
    boolean isBusy(int i, long elapsedNs) {
        long ran = ran(i);
        long dry = talkOf(i).dry() - dryThen[i];
        return !hasSlept(i) && ran >= elapsedNs / EVENT_NS_MAX && dry <= ran / DRY_SHARE && sentMost(i);
    }

    /** With which busy core, of those that were looked at, this one talks most; {@link Gatherings#NONE} if with none. */
    int talker(long elapsedNs) {
        long least = ran(index) / TALK_SHARE;
        int talker = Gatherings.NONE;
        long most = 0;
        for (int i = index + 1; i < runThen.length; i++) {
            long to = sentTo(i) - toThen[i];
            long from = talkOf(i).sentTo(index) - fromThen[i];
            if (to >= least && from >= ran(i) / TALK_SHARE && to + from > most && isBusy(i, elapsedNs)) {
                most = to + from;
                talker = i;
            }
        }
        return talker;
    }
}
