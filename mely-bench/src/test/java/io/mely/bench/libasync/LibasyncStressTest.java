// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.libasync;

import static org.assertj.core.api.Assertions.assertThat;

import io.mely.StageOptions;
import io.mely.spi.StageGroup;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

// Real threads: added = run; no color runs twice at once; what one sender sends to a color runs in order; and nobody
// sleeps
// on work, as a core sleeps until it is woken, and each round is waited for. Handlers lose their cores to new threads.
class LibasyncStressTest {
    private static final int CORES = 4;
    private static final int SENDERS = 2;
    private static final int ROUNDS = 500;
    private static final int BURST_MAX = 48;
    private static final int EVENTS = 256;
    private static final int SLICE = 5;

    /** One event in so many does it. */
    private static final int SENDS_ONE_IN = 3;

    private static final int LOSES_ONE_IN = 200;
    private static final int YIELDS_ONE_IN = 100;

    /** Most live on core 0, so that there is something to steal; -1 is 0, so the default color has one name here. */
    private static final int[] SLOTS = {-1, 4, 8, 12, 16, 20, 24, 1, 2, 3, 5, (1 << 24) + 4};

    private enum Kind {
        MP(LibasyncMp::new),
        SMP(workers -> new LibasyncSmp(workers, false, slot -> slot)),
        SMP_STEALING(workers -> new LibasyncSmp(workers, true, slot -> slot));

        final Function<FakeWorkers, StageGroup> maker;

        Kind(Function<FakeWorkers, StageGroup> maker) {
            this.maker = maker;
        }
    }

    private final FakeWorkers workers = new FakeWorkers(CORES, EVENTS);
    private final StageGroup.Visitor[] visitors = new StageGroup.Visitor[CORES];
    private final AtomicIntegerArray turns = new AtomicIntegerArray(CORES);
    private StageGroup.Sink sink;

    private final AtomicInteger added = new AtomicInteger();
    private final AtomicInteger ran = new AtomicInteger();
    private final AtomicReference<Throwable> failure = new AtomicReference<>();
    private volatile boolean isOver;

    // of colors, which send as well: written without a lock, as a color is serial
    private final AtomicBoolean[] isRunning = new AtomicBoolean[SLOTS.length];
    private final int[][] sent = new int[SENDERS + SLOTS.length][SLOTS.length]; // [sender][color]
    private final int[][] seen = new int[SENDERS + SLOTS.length][SLOTS.length];

    @ParameterizedTest
    @EnumSource
    @Timeout(300) // for a hang only
    void books_close(Kind kind) throws InterruptedException {
        StageGroup group = kind.maker.apply(workers);
        sink = group.sink(null);
        for (int color = 0; color < SLOTS.length; color++) {
            isRunning[color] = new AtomicBoolean();
        }
        for (int core = 0; core < CORES; core++) {
            visitors[core] = group.visitor(core);
        }
        for (int core = 0; core < CORES; core++) {
            start(core);
        }
        Thread other = new Thread(() -> guarded(() -> sendRounds(1)));
        other.setDaemon(true);
        other.start();
        guarded(() -> sendRounds(0));
        other.join();
        isOver = true;
        while (workers.wakeOne()) {
            Thread.onSpinWait();
        }
        assertThat(failure.get()).isNull();
        assertThat(ran.get()).isEqualTo(added.get()).isGreaterThan(SENDERS * ROUNDS);
        assertThat(seen).isDeepEqualTo(sent);
    }

    private void guarded(Runnable part) {
        try {
            part.run();
        } catch (Throwable e) {
            failure.compareAndSet(null, e);
        }
    }

    // ------------------------------------------------------------------ senders

    private void sendRounds(int sender) {
        Random random = new Random(sender);
        for (int round = 0; round < ROUNDS; round++) {
            int burst = 1 + random.nextInt(BURST_MAX);
            for (int i = 0; i < burst; i++) {
                while (!send(sender, random.nextInt(SLOTS.length), random.nextInt())) {
                    pause();
                }
            }
            while (ran.get() != added.get()) { // of both senders
                pause();
            }
        }
    }

    private void pause() {
        if (failure.get() != null || Thread.currentThread().isInterrupted()) {
            throw new AssertionError("given up: added=" + added + ", ran=" + ran, failure.get());
        }
        Thread.yield();
    }

    /** False if all events are in use. */
    private boolean send(int sender, int color, int chance) {
        int number = sent[sender][color];
        int priority = Math.floorMod(chance >> 8, StageOptions.PRIORITIES);
        FakeLane lane = workers.take(SLOTS[color], priority, worker -> handle(worker, sender, color, number, chance));
        if (lane == null) {
            return false;
        }
        sent[sender][color] = number + 1;
        added.incrementAndGet();
        sink.add(lane);
        return true;
    }

    // ------------------------------------------------------------------ cores

    private void handle(FakeWorker worker, int sender, int color, int number, int chance) {
        check(isRunning[color].compareAndSet(false, true), "runs twice at once", color);
        check(seen[sender][color] == number, "out of order", color);
        seen[sender][color]++;
        Random random = new Random(chance);
        if (random.nextInt(SENDS_ONE_IN) == 0) {
            send(SENDERS + color, random.nextInt(SLOTS.length), random.nextInt());
        }
        if (random.nextInt(LOSES_ONE_IN) == 0) {
            lose(worker);
        } else if (random.nextInt(YIELDS_ONE_IN) == 0) {
            Thread.yield(); // the others have a chance
        }
        isRunning[color].set(false);
        ran.incrementAndGet();
    }

    /** Gives the core to a new thread, and goes on when that has had a turn. */
    private void lose(FakeWorker worker) {
        worker.loseCore();
        int before = turns.get(worker.core);
        start(worker.core);
        while (turns.get(worker.core) == before && failure.get() == null) {
            Thread.yield();
        }
    }

    private void check(boolean isRight, String what, int color) {
        if (!isRight) {
            throw new AssertionError(what + ": slot=" + SLOTS[color]);
        }
    }

    private void start(int core) {
        Thread thread = new Thread(() -> guarded(() -> loop(core)), "core " + core);
        thread.setDaemon(true);
        thread.start();
    }

    private void loop(int core) {
        FakeWorker worker = new FakeWorker(workers, core, SLICE);
        StageGroup.Visitor visitor = visitors[core];
        while (!isOver) {
            turns.incrementAndGet(core);
            worker.begin();
            int done = visitor.run(worker);
            if (worker.hasCore() && done == 0) {
                done = visitor.help(worker);
            }
            if (!worker.hasCore()) {
                return;
            }
            if (done == 0) {
                workers.rest(core, () -> visitor.hasWork() || isOver);
            }
        }
    }
}
