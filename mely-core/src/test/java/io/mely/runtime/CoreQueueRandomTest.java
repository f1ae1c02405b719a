// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mely.Seed;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

// Whatever owners, thieves and senders do, in whichever order their steps come: a color is in one place, the events of
// a sender come
// out once and in its order, and the queues stay whole.
class CoreQueueRandomTest {
    private static final int CORES = 3;
    private static final int OUTSIDERS = 3;
    private static final int COLORS = 6;
    private static final int THREADS = CORES + OUTSIDERS;
    private static final int OPERATIONS = 40_000;
    private static final int NOBODY = -1;
    private static final int SHORT = 1; // of the handlers

    /** What the planted ones do wrong. */
    private enum Mistake {
        NONE,
        /** A thief that leaves no mark behind events that are under way. */
        NO_MARK,
        /** A thief that settles its loot although there is a mark: as if there was nothing to be waited for. */
        NO_SETTLING,
        /** A sender that does not look whether the color has moved. */
        NO_SECOND_LOOK,
        /** A sender that looks whether the color has moved before it claims its entry. */
        LOOK_BEFORE_CLAIM,
        /** A sender that does not send again what it has left void. */
        NO_RESEND,
        /** A core that puts its event into a color directly while one of its own is still in its inbox. */
        NO_AWAY
    }

    /** Its sender is a thread, or the color whose handler sent it, wherever that ran. */
    private record Event(int sender, int color, int number) {}

    /** A thread that sends, in the steps that {@code MelyRuntime.handIn} takes without the lock. */
    private static final class Sender {
        Event event;
        boolean hasLooked;
        int where;
        boolean isOffering;
    }

    private Cores cores;
    private final Lane[] lanes = new Lane[COLORS];
    private static final int WALKS = 20;
    private static final int WALKS_MAX = 100;

    private final Sender[] senders = new Sender[THREADS]; // the cores first
    private RecordPool outsidePool;
    private final int[][] sent = new int[THREADS + COLORS][COLORS];
    private final int[][] ran = new int[THREADS + COLORS][COLORS];
    private final ColorQueue[] running = new ColorQueue[CORES];
    private final boolean[] isInHandler = new boolean[CORES]; // the first event of what runs has begun
    private final boolean[] isFused = new boolean[CORES];
    private final ColorQueue[] stolen = new ColorQueue[CORES]; // not adopted yet
    private final boolean[] isStealing = new boolean[CORES]; // and holds the victim's lock
    private final boolean[] isLeaving = new boolean[CORES];
    private final int[] sentLastTo = new int[CORES];
    private final long[] ranWeight = new long[CORES];
    private final HandlerProfile[] handlers = {
        Lane.handler(100, 1, 0),
        Lane.handler(150),
        Lane.handler(600),
        Lane.handler(9_000, 1, 7),
        Lane.handler(40_000),
        Lane.handler(50_000, 1_000, 3)
    };
    private Random random;
    private Mistake mistake = Mistake.NONE;
    private int pendingMax; // changes, as a color that fuses has nothing pending
    private int pending;
    private int steals;
    private int marks;
    private int fusions;
    private int resent;
    private int overtaken;

    @Test
    void randomOperations_keepTheInvariants() {
        random = new Random(Seed.of("CoreQueueRandomTest"));
        for (int i = 0; i < WALKS; i++) {
            CoreQueueRandomTest walk = walk(Mistake.NONE);
            steals += walk.steals;
            marks += walk.marks;
            fusions += walk.fusions;
            resent += walk.resent;
            overtaken += walk.overtaken;
        }

        assertThat(steals).as("the walks reach steals").isPositive();
        assertThat(marks).as("marks").isPositive().isLessThan(steals);
        assertThat(fusions).as("fusions").isPositive();
        assertThat(resent).as("void entries").isPositive();
        assertThat(overtaken)
                .as("colors that moved between a claim and its publication")
                .isPositive();
    }

    private CoreQueueRandomTest walk(Mistake planted) {
        CoreQueueRandomTest walk = new CoreQueueRandomTest();
        walk.cores = new Cores(CORES, new TimeLeftIntervals(1_000));
        walk.outsidePool = new RecordPool(walk.cores.depot);
        walk.mistake = planted;
        walk.random = new Random(random.nextLong());
        walk.run();
        return walk;
    }

    // Else the walk above would say nothing. One walk may pass a mistake by.
    @ParameterizedTest
    @EnumSource(value = Mistake.class, mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    void plantedMistake_isFound(Mistake planted) {
        random = new Random(Seed.of("CoreQueueRandomTest " + planted));
        assertThatThrownBy(() -> plantedMistake_walks(planted)).isInstanceOf(AssertionError.class);
    }

    private void plantedMistake_walks(Mistake planted) {
        for (int i = 0; i < WALKS_MAX; i++) {
            CoreQueueRandomTest unused = walk(planted);
        }
    }

    private void run() {
        for (int i = 0; i < COLORS; i++) {
            lanes[i] = cores.lane(i % CORES);
        }
        Arrays.setAll(senders, unused -> new Sender());
        for (int i = 0; i < OPERATIONS; i++) {
            if (i % 1_000 == 0) {
                pendingMax = 1 << random.nextInt(8);
            }
            operate(NOBODY);
            check();
        }
        finish();
    }

    // ------------------------------------------------------------------ steps

    /** One step of somebody; not one that takes the lock of a core that is held. */
    private void operate(int locked) {
        int core = random.nextInt(CORES);
        switch (random.nextInt(12)) {
            case 0, 1, 2 -> stepSender(random.nextInt(senders.length), locked);
            case 3, 4, 5 -> stepOutsider(CORES + random.nextInt(OUTSIDERS), locked);
            case 6 -> drain(core, locked);
            case 7, 8 -> stepCore(core, locked);
            case 9 -> sendFrom(core, locked);
            case 10 -> adopt(core, locked);
            default -> steal(core, random.nextInt(CORES), locked);
        }
    }

    private void stepOutsider(int me, int locked) {
        if (senders[me].event == null && pending < pendingMax) {
            senders[me].event = newEvent(me, random.nextInt(COLORS));
        }
        stepSender(me, locked);
    }

    private Event newEvent(int sender, int color) {
        pending++;
        return new Event(sender, color, sent[sender][color]++);
    }

    /** Goes on with a send that is under way. */
    private void stepSender(int me, int locked) {
        Sender sender = senders[me];
        if (sender.event == null || sender.isOffering) {
            return;
        }
        if (sender.hasLooked) {
            stepSenderOffers(me, sender, locked);
        } else {
            sender.where = lanes[sender.event.color].where();
            sender.hasLooked = true;
        }
    }

    private void stepSenderOffers(int me, Sender sender, int locked) {
        Lane lane = lanes[sender.event.color];
        int home = ColorHomes.coreOf(sender.where);
        sender.isOffering = true;
        boolean hasMoved = lane.where() != sender.where;
        boolean looksThen = mistake != Mistake.NO_SECOND_LOOK && mistake != Mistake.LOOK_BEFORE_CLAIM;
        long position = Inbox.MOVED;
        if (mistake != Mistake.LOOK_BEFORE_CLAIM || !hasMoved) {
            if (mistake == Mistake.LOOK_BEFORE_CLAIM) {
                othersGoOn(locked);
            }
            position = cores.queues[home].inbox.offer(
                    lane.number(), handler(), sender.event, looksThen ? cores.homes : null, sender.where, () -> {
                        othersGoOn(locked);
                        overtaken += lane.where() != sender.where ? 1 : 0;
                        return true;
                    });
        }
        senders[me] = new Sender();
        if (position == Inbox.MOVED) {
            senders[me].event = mistake == Mistake.NO_RESEND ? null : sender.event;
            resent++;
        } else if (me == home) {
            cores.queues[me].owner.sendsBehind = position + 1;
        }
    }

    private HandlerProfile handler() {
        return handlers[random.nextInt(handlers.length)];
    }

    /** A handler, or the poller, of a core sends. */
    private void sendFrom(int core, int locked) {
        if (core == locked || senders[core].event != null || stolen[core] != null || pending >= pendingMax) {
            return;
        }
        int slot = random.nextBoolean() ? sentLastTo[core] : random.nextInt(COLORS);
        sentLastTo[core] = slot;
        int sender = core;
        if (isInHandler[core]) {
            int runs = cores.queues[core].running - 1;
            sender = THREADS + runs;
            slot = random.nextBoolean() ? runs : slot;
        }
        HandlerProfile handler = handler();
        send(core, lanes[slot], handler, newEvent(sender, slot));
    }

    private void send(int core, Lane lane, HandlerProfile handler, Event event) {
        CoreQueue queue = cores.queues[core];
        boolean mayFuse = isInHandler[core]
                && !isFused[core]
                && QueueLook.isRunning(queue, lane.number())
                && queue.runsAlone(queue.owner);
        if (mayFuse) {
            EventRecord current = queue.owner.first();
            ranWeight[core] += (long) current.weight() - handler.weight();
            current.set(handler, event, handler.weight());
            isFused[core] = true;
            fusions++;
            return;
        }
        if (mistake == Mistake.NO_AWAY) {
            queue.owner.sendsBehind = -1 + 1;
        }
        // now and then by way of the inbox, as a core that has read an older home does
        if (random.nextInt(4) == 0 || !sendHome(core, lane, handler, event)) {
            senders[core].event = event;
        }
    }

    private boolean sendHome(int core, Lane lane, HandlerProfile handler, Event event) {
        cores.pool(core).reserve();
        return cores.locked(
                core, own -> own.send(own.owner, lane.number(), handler, event, cores.pool(core)) != CoreQueue.AWAY);
    }

    private void drain(int core, int locked) {
        if (core != locked) {
            RecordPool pool = random.nextBoolean() ? cores.pool(core) : outsidePool;
            pool.reserve();
            cores.locked(core, queue -> queue.arrivals.drain(pool));
        }
    }

    /** The core's thread goes on: not while it sends or steals. */
    private void stepCore(int core, int locked) {
        if (core == locked || senders[core].event != null || stolen[core] != null) {
            return;
        }
        CoreQueue queue = cores.queues[core];
        if (running[core] == null) {
            Lane lane = cores.pick(core, random.nextInt(4) == 0);
            running[core] = lane == null ? null : lane.queue();
        } else if (isInHandler[core]) {
            handlerReturns(core, queue);
        } else if (queue.owner.first() != null && random.nextInt(4) != 0) {
            isInHandler[core] = true;
            begins(core, (Event) queue.owner.first().event());
        } else {
            running[core] = null;
            long weight = ranWeight[core];
            ranWeight[core] = 0;
            cores.locked(core, own -> QueueLook.end(own, weight));
        }
    }

    private void handlerReturns(int core, CoreQueue queue) {
        EventRecord record = queue.owner.first();
        if (isFused[core]) {
            isFused[core] = false;
            begins(core, (Event) record.event());
            return;
        }
        isInHandler[core] = false;
        ranWeight[core] += record.weight();
        queue.owner.next(record);
        cores.pool(core).give(record);
    }

    private void begins(int core, Event event) {
        pending--;
        Lane lane = runs(core);
        assertThat(event.color).as("of its color").isEqualTo(lane.slot());
        assertThat(lane.home()).as("runs at home").isEqualTo(core);
        for (int other = 0; other < CORES; other++) {
            assertThat(other != core && runs(other) == lane).as("invariant 1").isFalse();
        }
        assertThat(event.number)
                .as("invariant 2 of sender %d, color %d", event.sender, event.color)
                .isEqualTo(ran[event.sender][event.color]++);
    }

    /** The color that a core runs; null if none. */
    private Lane runs(int core) {
        return cores.of(running[core]);
    }

    private void steal(int thief, int victim, int locked) {
        boolean isIdle = running[thief] == null && stolen[thief] == null && senders[thief].event == null;
        if (thief == victim || !isIdle || locked != NOBODY) {
            return;
        }
        CoreQueue queue = cores.queues[victim];
        cores.pool(thief).reserve();
        queue.lock();
        try {
            if (random.nextBoolean()) {
                queue.arrivals.drain(cores.pool(thief));
            }
            ColorQueue color = take(queue, cores.queues[thief]);
            if (color == null) {
                return;
            }
            steals++;
            assertThat(running[victim]).as("never the running color").isNotSameAs(color);
            stolen[thief] = color;
            isStealing[thief] = true;
            othersGoOn(victim);
            isLeaving[thief] = queue.migration.leave(color) >= 0 && mistake != Mistake.NO_MARK;
            marks += isLeaving[thief] ? 1 : 0;
            othersGoOn(victim);
            isStealing[thief] = false;
        } finally {
            queue.unlock();
        }
    }

    private ColorQueue take(CoreQueue queue, CoreQueue thief) {
        return switch (random.nextInt(3)) {
            case 0 -> queue.take(CoreQueue.WORTHY, thief, 1_000 + random.nextInt(3_000), 1 + random.nextInt(4));
            case 1 -> queue.take(CoreQueue.BASE, thief, 0, 1 + random.nextInt(4));
            default -> queue.take(CoreQueue.NEXT, thief, 0, 1 + random.nextInt(4));
        };
    }

    private void othersGoOn(int locked) {
        for (int i = random.nextInt(4); i > 0; i--) {
            operate(locked);
        }
    }

    private void adopt(int core, int locked) {
        ColorQueue color = stolen[core];
        if (color != null && !isStealing[core] && core != locked) {
            stolen[core] = null;
            running[core] = color;
            cores.adopt(core, color, isLeaving[core] && mistake != Mistake.NO_SETTLING);
        }
    }

    // ------------------------------------------------------------------ checks

    private void finish() {
        for (int i = 0; i < 3 * OPERATIONS && !isAllRun(); i++) {
            int core = i % CORES;
            stepSender(i % senders.length, NOBODY);
            adopt(core, NOBODY);
            drain(core, NOBODY);
            stepCore(core, NOBODY);
            check();
        }
        assertThat(ran).as("nothing lost").isDeepEqualTo(sent);
        for (int core = 0; core < CORES; core++) {
            while (running[core] != null) {
                stepCore(core, NOBODY);
            }
        }
        cores.drainAll();
        for (Lane lane : lanes) {
            if (lane.queue() != null) {
                assertThat(lane.queue().place == ColorQueue.IDLE
                                && lane.queue().isEmpty()
                                && !lane.queue().hasHeld())
                        .isTrue();
                assertThat(lane.queue().isSettling()).isFalse();
                assertThat(lane.timeLeft()).isZero();
            }
        }
        for (int core = 0; core < CORES; core++) {
            assertThat(cores.queues[core].hasWork()).isFalse();
            assertThat(cores.leaving(core)).as("nobody leaves").isZero();
        }
    }

    private boolean isAllRun() {
        return Arrays.deepEquals(ran, sent) && Arrays.stream(senders).allMatch(sender -> sender.event == null);
    }

    private void check() {
        cores.validate();
        int queued = 0;
        List<ColorQueue> run = new ArrayList<>();
        for (Lane lane : lanes) {
            ColorQueue color = lane.queue();
            if (color == null) {
                continue;
            }
            assertThat(color.home()).isEqualTo(lane.home());
            queued += color.place == ColorQueue.QUEUED ? 1 : 0;
            if (color.place == ColorQueue.RUNNING) {
                run.add(color);
            }
            assertThat(color.place == ColorQueue.IDLE && !color.isEmpty())
                    .as("idle with events")
                    .isFalse();
            assertThat(color.isSettling() && color.interval != 0)
                    .as("settles and may be stolen")
                    .isFalse();
        }
        assertThat(Arrays.stream(cores.queues)
                        .mapToInt(queue -> queue.ready.count())
                        .sum())
                .as("invariant 5: each ready color in one place")
                .isEqualTo(queued);
        List<ColorQueue> held = new ArrayList<>();
        for (int core = 0; core < CORES; core++) {
            if (running[core] != null || stolen[core] != null) {
                held.add(running[core] != null ? running[core] : stolen[core]);
            }
        }
        assertThat(run).as("invariant 1").containsExactlyInAnyOrderElementsOf(held);
    }
}
