// SPDX-License-Identifier: Apache-2.0
package io.mely.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.mely.Seed;
import io.mely.profile.HandlerProfile;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

// Whatever owners, thieves and senders do, and however late inbox entries are: a color that is not idle is in one
// place, its events come
// out once and in order, and the queues stay whole.
class CoreQueueRandomTest {
    private static final int CORES = 3;
    private static final int COLORS = 12;
    private static final int OPERATIONS = 40_000;

    private final CoreQueue[] queues = new CoreQueue[CORES];
    private final Lane[] lanes = new Lane[COLORS];
    private final List<Deque<Integer>> model = new ArrayList<>();
    private final ColorQueue[] running = new ColorQueue[CORES];
    private final Lane[] beingOpened = new Lane[COLORS]; // appended, not yet marked
    private final HandlerProfile[] handlers = {
        Lane.handler(100, 1, 0),
        Lane.handler(600),
        Lane.handler(9_000, 1, 7),
        Lane.handler(40_000),
        Lane.handler(50_000, 1_000, 3)
    };
    private Random random;
    private int sent;
    private int ran;
    private int stolen;

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5})
    void randomOperations_keepTheInvariants(int round) {
        long seed = Seed.of("CoreQueueRandomTest " + round) + round;
        random = new Random(seed);
        TimeLeftIntervals intervals = new TimeLeftIntervals(1_000);
        ColorIndex index = new ColorIndex();
        for (int i = 0; i < CORES; i++) {
            queues[i] = new CoreQueue(i, intervals, index);
        }
        for (int i = 0; i < COLORS; i++) {
            lanes[i] = new Lane(i, i % CORES);
            model.add(new ArrayDeque<>());
        }

        for (int i = 0; i < OPERATIONS; i++) {
            operate();
            check();
        }
        finish();

        assertThat(ran).as("sent = run").isEqualTo(sent);
        assertThat(stolen).as("the walk reaches steals").isPositive();
        for (Lane lane : lanes) {
            assertThat(lane.isIdle()).isTrue();
            assertThat(lane.timeLeft()).isZero();
        }
    }

    private void operate() {
        int core = random.nextInt(CORES);
        switch (random.nextInt(10)) {
            case 0, 1, 2 -> send(lanes[random.nextInt(COLORS)]);
            case 3 -> openerGoesOn(random.nextInt(COLORS));
            case 4 -> queues[core].handIn(lanes[random.nextInt(COLORS)]); // late, doubled, or never true
            case 5 -> drain(core);
            case 6, 7 -> runBatch(core);
            case 8 -> endBatch(core);
            default -> steal(core, random.nextInt(CORES));
        }
    }

    private void send(Lane lane) {
        HandlerProfile handler = handlers[random.nextInt(handlers.length)];
        model.get(lane.slot()).add(sent);
        boolean isOpener = lane.append(handler, sent++);
        CoreQueue home = queues[lane.home()];
        if (isOpener && random.nextBoolean()) {
            locked(home, () -> home.link(lane));
        } else if (isOpener) {
            beingOpened[lane.slot()] = lane;
        } else if (random.nextBoolean()) {
            locked(home, () -> home.touch(lane));
        } else if (random.nextBoolean()) {
            home.handIn(lane);
        }
    }

    private void openerGoesOn(int slot) {
        Lane lane = beingOpened[slot];
        if (lane != null) {
            lane.markOpened();
            queues[lane.home()].handIn(lane);
            beingOpened[slot] = null;
        }
    }

    private void drain(int core) {
        locked(queues[core], queues[core]::drain);
    }

    private void runBatch(int core) {
        if (running[core] == null) {
            queues[core].lock();
            running[core] = queues[core].pick(random.nextInt(4) == 0);
            queues[core].unlock();
        }
        for (int i = random.nextInt(4); i > 0 && running[core] != null; i--) {
            runEvent(core);
        }
    }

    private void runEvent(int core) {
        Lane lane = (Lane) running[core];
        assertThat(lane.home()).as("runs at home").isEqualTo(core);
        for (int other = 0; other < CORES; other++) {
            assertThat(other != core && running[other] == lane)
                    .as("invariant 1")
                    .isFalse();
        }
        assertThat(lane.runOne())
                .as("invariant 2")
                .isEqualTo(model.get(lane.slot()).remove());
        ran++;
        if (lane.isIdle()) {
            running[core] = null;
            queues[core].lock();
            queues[core].runs(null);
            queues[core].unlock();
        }
    }

    private void endBatch(int core) {
        ColorQueue lane = running[core];
        if (lane != null) {
            running[core] = null;
            locked(queues[core], () -> queues[core].link(lane));
        }
    }

    private void steal(int thief, int victim) {
        if (thief == victim || running[thief] != null) {
            return;
        }
        CoreQueue queue = queues[victim];
        queue.lock();
        queue.drain();
        ColorQueue color = switch (random.nextInt(3)) {
            case 0 -> queue.takeWorthy(thief, 1_000 + random.nextInt(3_000));
            case 1 -> queue.takeBase(thief);
            default -> queue.takeNext(thief, 1 + random.nextInt(4));
        };
        queue.unlock();
        if (color != null) {
            stolen++;
            assertThat(running[victim]).as("never the running color").isNotSameAs(color);
            running[thief] = color;
            queues[thief].lock();
            queues[thief].runs(color);
            queues[thief].linkRest(color);
            queues[thief].unlock();
        }
    }

    private void finish() {
        for (int slot = 0; slot < COLORS; slot++) {
            openerGoesOn(slot);
        }
        for (int i = 0; i < 100 * OPERATIONS && ran < sent; i++) {
            int core = i % CORES;
            drain(core);
            runBatch(core);
            endBatch(core);
        }
        check();
    }

    private void check() {
        int ready = 0;
        for (CoreQueue queue : queues) {
            queue.lock();
            queue.validate();
            ready += queue.readyCount();
            queue.unlock();
        }
        int busy = 0;
        int runs = 0;
        for (Lane lane : lanes) {
            busy += lane.isIdle() ? 0 : 1;
            assertThat(lane.isIdle()).isEqualTo(model.get(lane.slot()).isEmpty());
            runs += lane == running[0] || lane == running[1] || lane == running[2] ? 1 : 0;
        }
        int opened = 0; // at their opener or in an inbox
        for (Lane lane : lanes) {
            boolean isAtOpener = beingOpened[lane.slot()] != null;
            opened += isAtOpener || lane.placeAcquire() == ColorQueue.OPENED ? 1 : 0;
        }
        assertThat(ready + runs + opened)
                .as("invariant 5: each busy color in one place")
                .isEqualTo(busy);
    }

    private static void locked(CoreQueue queue, Runnable body) {
        queue.lock();
        try {
            body.run();
        } finally {
            queue.unlock();
        }
    }
}
