// SPDX-License-Identifier: Apache-2.0
package io.mely.simulation;

import io.mely.Mely;
import io.mely.MelyStats;
import io.mely.simulation.Simulation.World;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What must become of each event: numbered when it is sent, crossed off when it runs. Checks invariants 1 to 4 as seen by handlers.
 *
 * <pre>{@code
 * Entry entry = ledger.sending("client", color);
 * ledger.sent(entry, stage.offer(color, entry));
 * // in the handler:
 * ledger.begin(entry); ... ledger.end(entry);
 * }</pre>
 */
public final class Ledger {
    private enum Fate {
        SENDING,
        ACCEPTED,
        REFUSED,
        RUN
    }

    /** One event. */
    public static final class Entry {
        private final String sender;
        private final int slot;
        private final int number;
        private final boolean isOrdered;
        private Fate fate = Fate.SENDING;
        private boolean isAnswered;

        private Entry(String sender, int slot, int number, boolean isOrdered) {
            this.sender = sender;
            this.slot = slot;
            this.number = number;
            this.isOrdered = isOrdered;
        }

        /** Slot of the color it was sent in. */
        public int slot() {
            return slot;
        }

        @Override
        public String toString() {
            return "event " + number + " from " + sender + " in color " + slot;
        }
    }

    /** The state of one color. Plain: an overlap loses a write. */
    private static final class Lane {
        final Map<String, Integer> sent = new HashMap<>();
        final Map<String, Integer> received = new HashMap<>();

        @Nullable
        Entry running;

        long writes;
        long writesBegun;
        long begins;
    }

    private final World world;
    private final Map<Integer, Lane> lanes = new HashMap<>();
    private final List<Entry> entries = new ArrayList<>();
    private long refused;
    private long run;

    /** Checks a world's events, after each step and at its end. */
    public Ledger(World world) {
        this.world = world;
        world.checkAtEnd(this::checkBooks);
    }

    private Lane lane(int slot) {
        return lanes.computeIfAbsent(slot, unused -> new Lane());
    }

    /** Before a send. */
    public Entry sending(String sender, int slot) {
        Lane lane = lane(slot);
        int number = lane.sent.merge(sender, 1, Integer::sum);
        return add(new Entry(sender, slot, number, true));
    }

    /** Before a timer is started: its event has no order among the others. */
    public Entry scheduling(int slot) {
        Entry entry = add(new Entry("timer", slot, entries.size(), false));
        entry.isAnswered = true;
        return entry;
    }

    private Entry add(Entry entry) {
        entries.add(entry);
        return entry;
    }

    /** After a send, with its answer. */
    public boolean sent(Entry entry, boolean isAccepted) {
        entry.isAnswered = true;
        if (isAccepted) {
            if (entry.fate == Fate.SENDING) {
                entry.fate = Fate.ACCEPTED;
            }
        } else {
            world.check(Check.ONCE, entry.fate == Fate.SENDING, "refused and yet run: " + entry);
            entry.fate = Fate.REFUSED;
            refused++;
        }
        return isAccepted;
    }

    /** The timer was cancelled or dropped: its event must not run. */
    public void cancelled(Entry entry) {
        world.check(Check.ONCE, entry.fate == Fate.SENDING, "cancelled and yet run: " + entry);
        entry.fate = Fate.REFUSED;
    }

    /** First thing in a handler. */
    public void begin(Entry entry) {
        Lane lane = lane(entry.slot);
        world.check(Check.EXCLUSION, lane.running == null, entry + " while " + lane.running + " is running");
        lane.running = entry;
        runs(entry);
        run++;
        if (entry.isOrdered) {
            int last = lane.received.getOrDefault(entry.sender, 0);
            world.check(Check.ORDER, entry.number > last, entry + " after " + last);
            lane.received.put(entry.sender, entry.number);
        }
        lane.begins++;
        lane.writesBegun = lane.writes;
    }

    private void runs(Entry entry) {
        world.check(
                Check.ONCE,
                entry.fate == Fate.SENDING || entry.fate == Fate.ACCEPTED,
                entry + " runs and was " + entry.fate);
        entry.fate = Fate.RUN;
    }

    /**
     * First thing in a handler that its sender calls.
     *
     * @param caller the event whose handler that is
     */
    public void beginCalled(Entry entry, Entry caller) {
        Entry running = lane(caller.slot).running;
        world.check(Check.EXCLUSION, running == caller, entry + " is called while " + running + " is running");
        runs(entry);
    }

    /** After a call that was not refused. */
    public void called(Entry entry) {
        world.check(Check.ONCE, entry.fate == Fate.RUN, "accepted and not called: " + entry);
        entry.isAnswered = true;
    }

    /** Last thing in a handler. */
    public void end(Entry entry) {
        Lane lane = lane(entry.slot);
        lane.writes = lane.writesBegun + 1;
        world.check(Check.MEMORY, lane.writes == lane.begins, "a write is lost: " + entry);
        lane.running = null;
    }

    /** Events whose handler was called. */
    public long run() {
        return run;
    }

    /** Events that were accepted and have not run. */
    public long open() {
        return entries.stream().filter(entry -> entry.fate == Fate.ACCEPTED).count();
    }

    private void checkBooks() {
        MelyStats stats = world.mely().stats();
        Mely.CloseReport report = world.closeReport();
        long discarded = report == null ? 0 : report.discardedEvents();
        long open = 0;
        for (Entry entry : entries) {
            world.check(Check.BOOKS, entry.isAnswered, "no answer: " + entry);
            open += entry.fate == Fate.ACCEPTED ? 1 : 0;
        }
        if (discarded == 0) {
            world.check(Check.ONCE, open == 0, "lost: " + open);
        } else {
            world.check(Check.BOOKS, open <= discarded, "lost " + open + ", discarded " + discarded);
        }
        world.check(Check.BOOKS, stats.run() == run, "counted as run " + stats.run() + ", seen " + run);
        world.check(Check.BOOKS, stats.refused() >= refused, "counted as refused " + stats.refused());
    }
}
