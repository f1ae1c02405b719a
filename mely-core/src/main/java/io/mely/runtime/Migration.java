// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;
import org.jctools.queues.atomic.unpadded.MpscLinkedAtomicUnpaddedQueue;
import org.jspecify.annotations.Nullable;

/**
 * How colors move between cores without losing the order of their events (invariant 2). One object a core.
 *
 * <p>Events of a stolen color may still lie in the inbox of its old home, and later events of the same sender must not overtake them. The thief holds the
 * victim's lock, and does this:
 *
 * <ol>
 *   <li>It writes the new home of the color, executes a full fence, and then reads how many entries of the victim's inbox were claimed.
 *   <li>If all of them were consumed, no event of the color is in the inbox, and none will be: a sender claims an entry, and then asks {@link ColorHomes#isThere}.
 *       If the color has moved, the sender leaves its entry void and sends to the new home. The color has settled.
 *   <li>If not, the color <i>leaves</i> the old home until the inbox was drained up to that position, and <i>settles</i> at the new one: events that
 *       reach the new home directly are held back. Whoever drains the old inbox forwards the color's events to the new home, and says there when the
 *       position is reached. Then what was held is appended, and the color has settled.
 * </ol>
 *
 * <p>A settling color is not stolen again, so its home stands while events are forwarded to it. What is forwarded goes into a queue of its own at the new home, whose
 * senders never wait for each other: they hold the lock of the old home (invariant 7).
 *
 * <p><b>Threads.</b> The holder of the core's lock, where nothing else is said. <b>Costs.</b> Linear in the number of colors that move at the moment; an event
 * that is forwarded is two small objects. <b>Source.</b> ADR 0011.
 */
final class Migration {
    private static final int COLORS_MIN = 4;

    private final int core;
    private final RecordIndex records;
    private final ColorIndex index;
    private final ColorHomes homes;
    private final Inbox inbox;

    /** What other cores forward to this one. */
    private final MpscLinkedAtomicUnpaddedQueue<Forwarded> arriving = new MpscLinkedAtomicUnpaddedQueue<>();

    // colors that leave, and the position of the inbox before which there may be events of theirs, which grows with the
    // index
    private int[] leaving = new int[COLORS_MIN];
    private long[] leavingUntil = new long[COLORS_MIN];
    private int leavingCount;

    // cores to which something was forwarded under this hold of the lock
    private final NumberSet forwardedTo = new NumberSet();
    private CoreQueue[] all = {};
    private int[] everybody = {}; // told when there is no memory for the few
    private IntConsumer onForwarded = to -> {};

    Migration(int core, ColorIndex index, RecordIndex records, Inbox inbox) {
        this.core = core;
        this.index = index;
        homes = index.homes;
        this.records = records;
        this.inbox = inbox;
    }

    /** An event from the color's old home. No stage: everything that was sent to the old home has arrived. */
    record Forwarded(
            int number,
            @Nullable HandlerProfile stage,
            @Nullable Object event) {}

    /** Before the first event: the queues of all cores, and who is told, without a lock, of a core to which something was forwarded. */
    void connect(CoreQueue[] ofAll, IntConsumer forwarded) {
        all = ofAll;
        everybody = IntStream.range(0, ofAll.length).toArray();
        onForwarded = forwarded;
    }

    // ------------------------------------------------------------------ the old home

    /** Moves a color that is in no queue to another core: from here on that core's lock guards it. {@link #leave} follows. */
    void move(ColorQueue color, int to) {
        color.nextReady = ColorIndex.NONE;
        color.isSettling(true);
        color.home(to);
        homes.move(color.number(), to);
    }

    /**
     * Makes sure that nothing overtakes what is in this inbox for colors that were just moved, of which all but the first hang behind it. Their thief, before it releases the
     * lock.
     *
     * @return the position up to which the inbox must be drained before they have settled; -1 if they have, which the thief says by {@link #settle}
     */
    long leave(ColorQueue stolen) {
        VarHandle.fullFence(); // between the words of ColorHomes and the claims
        long claimed = inbox.claimed(); // read after the homes were written
        if (claimed == inbox.position()) {
            return -1;
        }
        ColorQueue color = stolen;
        while (color != null) {
            leaveAdd(color.number(), claimed);
            color = index.at(color.nextReady);
        }
        return claimed;
    }

    private void leaveAdd(int number, long until) {
        assert !isLeaving(number) : "leaves twice";
        leaving[leavingCount] = number;
        leavingUntil[leavingCount++] = until;
    }

    /** Makes room for so many colors that leave, before any of them is moved, so that nothing fails half-way. Returns how many, 0 if there is no memory. */
    int reserved(int count) {
        int needed = leavingCount + count;
        if (needed > leaving.length) {
            try {
                long[] until = Arrays.copyOf(leavingUntil, 2 * needed);
                leaving = Arrays.copyOf(leaving, 2 * needed);
                leavingUntil = until;
            } catch (OutOfMemoryError e) {
                return 0;
            }
        }
        return count;
    }

    private boolean isLeaving(int number) {
        for (int i = 0; i < leavingCount; i++) {
            if (leaving[i] == number) {
                return true;
            }
        }
        return false;
    }

    /** Sends the first entry of the inbox after its color. May find no memory; then nothing has happened. */
    void forward(int number, int home) {
        assert isLeaving(number) : "its sender would have seen that it had moved";
        forward(home, new Forwarded(number, inbox.stage(), inbox.event()));
    }

    private void forward(int home, Forwarded entry) {
        forwardedTo.add(home);
        all[home].migration.arriving.offer(entry);
    }

    /** After entries were consumed: says at their new homes which colors have left. May find no memory; then the next call goes on. */
    void forwardLeft() {
        long position = inbox.position();
        while (leavingCount != 0 && leavingUntil[0] <= position) {
            forward(homes.coreOfColor(leaving[0]), new Forwarded(leaving[0], null, null));
            leavingCount--;
            System.arraycopy(leaving, 1, leaving, 0, leavingCount);
            System.arraycopy(leavingUntil, 1, leavingUntil, 0, leavingCount);
        }
    }

    /** Colors whose events may still be in the inbox. */
    int leavingCount() {
        return leavingCount;
    }

    /** Whether {@link #forwardLeft} has something to say. A peek. */
    boolean isLeaveDue() {
        return leavingCount != 0 && leavingUntil[0] <= inbox.position();
    }

    /** Whether somebody must be told, after the lock was released, that something was forwarded. */
    boolean hasForwarded() {
        return forwardedTo.count() != 0;
    }

    /** Takes the cores that must be told. */
    int[] takeForwarded() {
        try {
            return forwardedTo.drain();
        } catch (OutOfMemoryError e) {
            return everybody;
        }
    }

    /** Tells them. Without the lock. */
    void tell(int[] to) {
        for (int home : to) {
            onForwarded.accept(home);
        }
    }

    // ------------------------------------------------------------------ the new home

    /** Whether something was forwarded here. Any thread. */
    boolean hasArriving() {
        return !arriving.isEmpty();
    }

    /** Takes the next that was forwarded here; null if there is none, or its sender has not linked it yet. */
    @Nullable
    Forwarded pollArriving() {
        return arriving.relaxedPoll();
    }

    /** All that was sent to the old home is here. {@link CoreQueue} links the color. */
    void settle(ColorQueue color) {
        assert color.isSettling() : "settled twice";
        assert color.home() == core : "settles away from home";
        color.appendHeld(records);
        color.isSettling(false);
    }
}
