// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import io.mely.ModelCheck;
import org.jetbrains.lincheck.datastructures.Validate;

/**
 * Two cores, and two colors that start on core 0, for Lincheck: production queues, driven by the steps that senders, cores and thieves
 * take, with nothing between the steps. Events weigh 1; a color of two events is worthy.
 *
 * <p>Event 23 is the third of sender 2; senders 0 and 1 are the cores, 2 and 3 are no cores. The handler of the ninth of a sender sends two
 * events of its core into its own color. Each event must run once, and those of a sender in its order; who sends what to which color when
 * is all that a scenario says, so that a model checks itself, and its specification has nothing to add.
 *
 * <p>The small methods at the end are what the broken twins replace.
 */
public class ColorModel {
    private static final int BATCH = 2;
    private static final int NINTH = 9;
    private static final int SOMEBODY = 4; // who drains, and is none of the senders
    private static final HandlerProfile HANDLER = Lane.handler(1);

    private final CoreQueue[] queues = new CoreQueue[2];
    private final ColorHomes homes = new ColorHomes(2, slot -> 0);
    private final RecordPool[] pools = new RecordPool[5];
    private final boolean[] isFused = new boolean[2];
    private final Books books = new Books();

    /** All idle. */
    public ColorModel() {
        TimeLeftIntervals intervals = new TimeLeftIntervals(1);
        ColorIndex index = new ColorIndex(homes);
        RecordDepot depot = new RecordDepot(1 << 10);
        for (int i = 0; i < 2; i++) {
            queues[i] = new CoreQueue(i, intervals, index, depot.index());
        }
        CoreQueue.connect(queues, core -> {});
        for (int i = 0; i < pools.length; i++) {
            pools[i] = new RecordPool(depot);
            pools[i].reserve();
        }
    }

    /** A check of a model; records and books are not what is checked. */
    static ModelCheck check(Class<? extends ColorModel> model) {
        return ModelCheck.of(model, Specification.class)
                .asSteps(
                        "io.mely.runtime.RecordPool",
                        "io.mely.runtime.RecordDepot",
                        "io.mely.runtime.RecordIndex",
                        "io.mely.runtime.ColorModel$Books");
    }

    // ------------------------------------------------------------------ operations

    /** A thread that is no core sends. */
    public void send(int slot, int event) {
        books.sent(event, slot);
        handIn(slot, event, Books.NOBODY);
    }

    /** A core sends; its own thread. */
    public void sendFrom(int me, int slot, int event) {
        books.sent(event, slot);
        if (!sendHome(me, slot, event)) {
            handIn(slot, event, me);
        }
    }

    /** One turn of a core; its own thread. */
    public void core(int me) {
        CoreQueue queue = queues[me];
        boolean isHeld;
        pools[me].reserve();
        queue.lock();
        try {
            queue.arrivals.drain(pools[me]);
            queue.ready.validate();
            isHeld = queue.pick(false);
        } finally {
            queue.unlock();
        }
        if (isHeld) {
            batch(me);
        }
    }

    /** Another thread drains an inbox: a thief that finds nothing. */
    public void drain(int core) {
        pools[SOMEBODY].reserve();
        queues[core].lock();
        try {
            queues[core].arrivals.drain(pools[SOMEBODY]);
            queues[core].ready.validate();
        } finally {
            queues[core].unlock();
        }
    }

    /** One attempt of a core to take whatever is ready from the other; the thief's own thread. */
    public void steal(int me) {
        steal(me, false);
    }

    /** The same for a color that pays. */
    public void stealWorthy(int me) {
        steal(me, true);
    }

    private void steal(int me, boolean isWorthy) {
        CoreQueue victim = queues[1 - me];
        if (!victim.lock.tryLock()) {
            return;
        }
        ColorQueue color;
        long until = -1;
        pools[me].reserve();
        try {
            drainAsThief(victim, me);
            color = isWorthy
                    ? victim.take(CoreQueue.WORTHY, queues[me], 1, 1)
                    : victim.take(CoreQueue.NEXT, queues[me], 0, 2);
            if (color != null) {
                until = leave(victim, color);
            }
            victim.ready.validate();
        } finally {
            victim.unlock();
        }
        if (color != null) {
            queues[me].lock();
            queues[me].adopt(color, until);
            queues[me].unlock();
            batch(me);
        }
    }

    /** Everything is at rest, and has run. */
    @Validate
    public void validate() {
        for (int turns = 0; queues[0].hasWork() || queues[1].hasWork(); turns++) {
            Books.check(turns < 100, "work that never ends");
            core(turns % 2);
        }
        books.allRan();
    }

    // ------------------------------------------------------------------ steps

    private void handIn(int slot, int event, int me) {
        long position;
        int home;
        do {
            int where = homes.where(slot + 1);
            home = ColorHomes.coreOf(where);
            position = offer(queues[home].inbox, event, slot + 1, where);
        } while (position == Inbox.MOVED);
        if (home == me) {
            queues[me].owner.sendsBehind = position + 1;
        }
    }

    private boolean sendHome(int me, int slot, int event) {
        if (homes.coreOfColor(slot + 1) != me) {
            return false;
        }
        pools[me].reserve();
        queues[me].lock();
        try {
            return queues[me].send(queues[me].owner, slot + 1, HANDLER, event, pools[me]) != CoreQueue.AWAY;
        } finally {
            queues[me].unlock();
        }
    }

    private void handle(int me, int slot, int event) {
        books.begins(me, slot, event, homes.coreOfColor(slot + 1));
        if (event % 10 == NINTH) {
            sendOwn(me, slot, 10 * me + 1);
            sendOwn(me, slot, 10 * me + 2);
        }
        books.ends(me);
    }

    private void batch(int me) {
        CoreQueue queue = queues[me];
        int slot = queue.running - 1;
        EventRecord record = queue.owner.first();
        int ran = 0;
        while (record != null && ran < BATCH) {
            ran++;
            handle(me, slot, (Integer) record.event());
            if (isFused[me]) {
                isFused[me] = false;
                continue;
            }
            EventRecord next = queue.owner.next(record);
            pools[me].give(record);
            record = next;
        }
        queue.lock();
        try {
            QueueLook.end(queue, ran);
            queue.endTurn();
            queue.ready.validate();
        } finally {
            queue.unlock();
        }
    }

    private void sendOwn(int me, int slot, int event) {
        if (!isFused[me] && queues[me].runsAlone(queues[me].owner)) {
            books.sent(event, slot);
            isFused[me] = true;
            queues[me].owner.first().set(HANDLER, event, 1);
        } else {
            sendFrom(me, slot, event);
        }
    }

    /** What was sent and what ran. Each step is one: it is about the queues that threads are to be seen between. */
    static final class Books {
        static final int NOBODY = -1;
        private static final int EVENTS = 50;

        private final int[] sentTo = new int[EVENTS]; // slot + 1
        private final int[] ran = new int[EVENTS];
        private final int[] runs = {NOBODY, NOBODY};

        void sent(int event, int slot) {
            check(sentTo[event] == 0, "a scenario that sends an event twice");
            sentTo[event] = slot + 1;
        }

        void begins(int me, int slot, int event, int home) {
            check(runs[1 - me] != slot, "invariant 1: two runners");
            check(home == me, "invariant 1: runs away from home");
            check(sentTo[event] == slot + 1, "runs in another color");
            check(++ran[event] == 1, "runs twice");
            int sender = event / 10;
            for (int later = event + 1; later < 10 * (sender + 1); later++) {
                check(ran[later] == 0 || sentTo[later] != slot + 1, "invariant 2: overtaken");
            }
            runs[me] = slot;
        }

        void ends(int me) {
            runs[me] = NOBODY;
        }

        void allRan() {
            for (int event = 0; event < EVENTS; event++) {
                check(ran[event] == (sentTo[event] == 0 ? 0 : 1), "invariant 3: an event was lost");
            }
        }

        static void check(boolean isTrue, String what) {
            if (!isTrue) {
                throw new AssertionError(what);
            }
        }
    }

    // ------------------------------------------------------------------ what the twins break

    ColorHomes homes() {
        return homes;
    }

    long offer(Inbox inbox, int event, int number, int where) {
        return inbox.offer(number, HANDLER, event, homes, where, null);
    }

    static long offerAnyway(Inbox inbox, int event, int number) {
        return inbox.offer(number, HANDLER, event, null, 0, null);
    }

    /** A thief may meet an inbox that it has not drained to the end; here it does not begin. */
    void drainAsThief(CoreQueue victim, int me) {}

    long leave(CoreQueue victim, ColorQueue color) {
        return victim.migration.leave(color);
    }

    // ------------------------------------------------------------------ specification

    /** Operations tell nothing. */
    public static class Specification {
        /** As above. */
        public void send(int slot, int event) {}

        /** As above. */
        public void sendFrom(int me, int slot, int event) {}

        /** As above. */
        public void core(int me) {}

        /** As above. */
        public void drain(int core) {}

        /** As above. */
        public void steal(int me) {}

        /** As above. */
        public void stealWorthy(int me) {}
    }
}
