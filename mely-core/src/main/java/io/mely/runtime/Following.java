// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import io.mely.memory.HeadPad;
import io.mely.queue.ColorQueue;
import io.mely.queue.CoreQueue;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * Finds out whether the color that a core runs answers one on another core, and is answered by it; then the color goes there.
 *
 * <p>Two colors on two cores that send to each other in turn pay a cache line's way or two for each hop, or a wake-up, and never run at once. On one
 * core a hop is a send and a run. No thief brings them together, as short events are not worth one, and hardly ever ready.
 *
 * <p>A <i>hop</i> is a group of one short event, whose handler sent one event, to another core, and nothing else. A core that has made some in a row, all of one color and to
 * one color, shows the two. When the one with the higher index has made {@link #HOPS}, and the other shows the same two the other way round, it gives its color to
 * the other: so both do nothing else, both colors have short events only, and two cores do not swap.
 *
 * <p><b>Threads.</b> The core's; {@link #answers} any. <b>Costs.</b> Some fields of its own for each send to another core and each group; a look at the other core each
 * {@link #SHOWN_HOPS} hops. <b>Source.</b> None of the papers: a color is placed by the hash of its key there, and moved by thieves only (ADR 0020).
 */
final class Following extends HeadPad {
    /** Guess: what a move costs is saved in so many. */
    static final int HOPS = 16;

    /** From so many on they are shown, and after so many more the other core is looked at again. */
    static final int SHOWN_HOPS = 8;

    private static final VarHandle SHOWN;

    static {
        try {
            SHOWN = MethodHandles.lookup().findVarHandle(Following.class, "shown", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final int core;

    // since the last group
    private int aways;
    private int to;
    private int home;

    // of the hops so far
    private int hops;
    private int color;
    private int peer;
    private int peerHome;
    private long acceptedBefore;

    private long shown; // both colors; 0 if the hops are too few

    Following(int core) {
        this.core = core;
    }

    private static long both(int color, int peer) {
        return (long) color << 32 | peer;
    }

    /**
     * A handler has sent an event to another core.
     *
     * @param number of the color it is for
     * @param coreOfIt where that lives
     */
    void sentAway(int number, int coreOfIt) {
        aways++;
        to = number;
        home = coreOfIt;
    }

    /** Something else has run. */
    void reset() {
        aways = 0;
        hops = 0;
        show(0);
    }

    /**
     * A group of short events has run.
     *
     * @param count of them
     * @param number of the color of the last
     * @param accepted events sent by the core, twice
     */
    void ran(int count, int number, long accepted) {
        boolean isHop = count == 1 && aways == 1 && accepted == acceptedBefore + 2;
        boolean isSame = number == color && to == peer && home == peerHome;
        hops = !isHop ? 0 : isSame ? hops + 1 : 1;
        color = number;
        peer = to;
        peerHome = home;
        acceptedBefore = accepted;
        aways = 0;
        show(hops < SHOWN_HOPS ? 0 : both(color, peer));
    }

    private void show(long colors) {
        if (shown != colors) {
            SHOWN.setOpaque(this, colors);
        }
    }

    /** Whether the other core is to be looked at. */
    boolean isDue() {
        return hops >= HOPS && peerHome < core;
    }

    /**
     * Whether the core makes hops of one color to another. Any thread; a hint.
     *
     * @param number of the color that would make them
     * @param asked of the one that they would go to
     * @return true if it has made {@link #SHOWN_HOPS} in a row, up to now
     */
    boolean answers(int number, int asked) {
        return (long) SHOWN.getOpaque(this) == both(number, asked);
    }

    // ------------------------------------------------------------------ giving away

    /**
     * Looks at the other core, as {@link #isDue}, and gives it the color that makes the hops if that is answered and has it to itself there.
     *
     * @param owner whose hops these are; its thread
     */
    void give(Core owner) {
        Core heir = owner.runtime().core(peerHome);
        if (heir.following().answers(peer, color) && !heir.queue().looksBusyBeside(peer)) {
            give(color, owner, heir);
        }
        hops = SHOWN_HOPS;
    }

    /** The heir owes the owner a color then: if it gets more to do than it can, that is taken back. One lock at a time. */
    private static void give(int number, Core owner, Core heir) {
        CoreQueue there = heir.queue();
        if (!there.tryLockSoon()) {
            return;
        }
        try {
            there.expect(number);
        } finally {
            there.unlock();
        }
        CoreQueue here = owner.queue();
        @Nullable ColorQueue given;
        boolean isMarked;
        here.lock();
        try {
            given = here.giveAway(number, there);
            isMarked = given != null && here.mark(given);
        } finally {
            here.unlock();
        }
        if (given != null) {
            giveEnd(owner, heir, given, isMarked);
        }
    }

    private static void giveEnd(Core owner, Core heir, ColorQueue given, boolean isMarked) {
        CoreQueue there = heir.queue();
        if (!giveLock(owner, there)) {
            return;
        }
        boolean isWorthier = false;
        try {
            isWorthier = there.receive(given, isMarked);
        } finally {
            there.unlock();
        }
        Wakeups wakeups = owner.runtime().wakeups();
        owner.thief().gave(there.core());
        wakeups.handedIn(there.core(), 0); // it may have got something meanwhile, which was held
        if (isWorthier) {
            wakeups.lootLinked(heir);
        }
    }

    /** False if the runtime stops: a core that broke down may hold its lock for good. */
    @SuppressWarnings("ThreadPriorityCheck") // a hint, as in CoreQueue.lock
    private static boolean giveLock(Core owner, CoreQueue there) {
        while (!there.tryLockSoon()) {
            if (owner.runtime().isStopped()) {
                return false;
            }
            Thread.yield();
        }
        return true;
    }
}
