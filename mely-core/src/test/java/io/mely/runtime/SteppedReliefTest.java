// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.mely.Color;
import io.mely.Mely;
import io.mely.Policy;
import io.mely.QuietPoller;
import io.mely.Stage;
import io.mely.Stealing;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

// A core whose worker stands still in a handler is another worker's: its colors, its timers and its poller go on. The
// handler's own color waits, and nothing of it is lost or comes out of order.
class SteppedReliefTest {
    private final List<String> ran = Collections.synchronizedList(new ArrayList<>());
    private final CountDownLatch isInside = new CountDownLatch(1);
    private final CountDownLatch mayEnd = new CountDownLatch(1);
    private final AtomicInteger polls = new AtomicInteger();
    private final AtomicInteger takeOvers = new AtomicInteger();
    private final List<io.mely.ErrorHandler.Failure> failures = Collections.synchronizedList(new ArrayList<>());
    private final Stepper stepper = new Stepper(Mely.builder()
            .cores(1)
            .policy(Policy.colored(Stealing.off()).withThreadsPerCore(3))
            .errorHandler(failures::add)
            .pollers(seat -> new Counting()));
    private final Core core = stepper.core(0);
    private final Watch watch = core.runtime().watch();
    private final Stage<String> record = stepper.mely.stage("record", ran::add);

    private final class Counting extends QuietPoller {
        @Override
        public int poll() {
            polls.incrementAndGet();
            return 0;
        }

        @Override
        public void takeOver() {
            takeOvers.incrementAndGet();
        }
    }

    @AfterEach
    void close() {
        mayEnd.countDown();
        stepper.close();
        assertThat(failures).isEmpty();
    }

    @BeforeEach
    void begin() {
        stepper.on(0, () -> {
            core.takeOver(); // for the first time: the poller starts
            return null;
        });
    }

    private Color color(int slot) {
        return stepper.mely.colorAt(slot);
    }

    private void standStill() {
        isInside.countDown();
        try {
            assertThat(mayEnd.await(60, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private Stepper.Other inHandler(Runnable handler) throws InterruptedException {
        color(1).execute(handler);
        Stepper.Other other = stepper.other();
        other.start(0);
        assertThat(isInside.await(60, TimeUnit.SECONDS)).isTrue();
        return other;
    }

    private void end(Stepper.Other other) {
        mayEnd.countDown();
        other.close();
    }

    private void relieve() {
        CoreWorker before = core.worker();
        assertThat(watch.look(Watch.STILL_NS)).isEqualTo(1);
        stepper.clock.advance(Watch.STILL_NS - 1);
        assertThat(watch.look(Watch.STILL_NS)).isEqualTo(1);
        assertThat(core.worker()).as("not yet").isSameAs(before);
        stepper.clock.advance(1);
        assertThat(watch.look(Watch.STILL_NS)).isEqualTo(1);
        assertThat(core.worker()).isNotSameAs(before);
        assertThat(before.hasCore()).isFalse();
        stepper.on(0, () -> {
            core.takeOver();
            return null;
        });
        assertThat(takeOvers).hasValue(1);
    }

    @Test
    void colorsTimersAndPoller_goOn() throws Exception {
        color(3).schedule(Duration.ofNanos(100), record, "timer");
        stepper.step(0);
        try (Stepper.Other other = inHandler(this::standStill)) {
            record.offer(color(2), "other color");
            relieve();
            stepper.clock.advance(200);
            int before = polls.get();
            stepper.run(0);
            assertThat(ran).containsExactlyInAnyOrder("other color", "timer");
            assertThat(polls.get()).isGreaterThan(before);
            end(other);
        }
    }

    @Test
    void ownColor_waitsForTheHandler_andThenGoesOnWithTheCore() throws Exception {
        try (Stepper.Other other = inHandler(() -> {
            standStill();
            ran.add("stands still");
        })) {
            record.offer(color(1), "same color");
            relieve();
            stepper.run(0);
            assertThat(ran).isEmpty();
            end(other);
        }
        stepper.run(0);
        assertThat(ran).containsExactly("stands still", "same color");
        assertThat(stepper.mely.stats().pending()).isZero();
    }

    // What it sends after it has lost the core comes after what it sent before.
    @Test
    void sendsOfWhoLostTheCore_keepTheirOrder() throws Exception {
        try (Stepper.Other other = inHandler(() -> {
            record.offer(color(2), "2 before");
            record.offer(color(1), "1 before");
            standStill();
            record.offer(color(2), "2 after");
            record.offer(color(1), "1 after");
            color(3).schedule(Duration.ZERO, record, "timer");
        })) {
            relieve();
            end(other);
        }
        stepper.run(0);
        assertThat(ran).filteredOn(event -> event.startsWith("1")).containsExactly("1 before", "1 after");
        assertThat(ran).filteredOn(event -> event.startsWith("2")).containsExactly("2 before", "2 after");
        assertThat(ran).contains("timer");
    }

    // The core may sleep by then.
    @Test
    void sendOfWhoLostTheCore_wakesTheCore() throws Exception {
        CountDownLatch maySend = new CountDownLatch(1);
        CountDownLatch hasSent = new CountDownLatch(1);
        try (Stepper.Other other = inHandler(() -> {
            isInside.countDown();
            try {
                assertThat(maySend.await(60, TimeUnit.SECONDS)).isTrue();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            record.offer(color(2), "sent");
            hasSent.countDown();
            standStill();
        })) {
            relieve();
            stepper.on(0, () -> {
                core.runtime().wakeups().announce(core, false);
                return null;
            });
            maySend.countDown();
            assertThat(hasSent.await(60, TimeUnit.SECONDS)).isTrue();
            assertThat(core.sleepFlag).hasValue(Wakeups.AWAKE);
            stepper.on(0, () -> core.runtime().wakeups().retract(core));
            stepper.run(0);
            assertThat(ran).containsExactly("sent");
            end(other);
        }
    }

    // A stage whose handlers are known to be long says that it is engaged: nobody says so of the next worker.
    @Test
    void engagedWorker_isRelieved_coreIsNotEngaged() throws Exception {
        Stage<String> lengthy = stepper.mely.stage(
                "lengthy",
                io.mely.StageOptions.defaults().withProcessingTime(Duration.ofMillis(1)),
                event -> standStill());
        lengthy.offer(color(1), "");
        try (Stepper.Other other = stepper.other()) {
            other.start(0);
            assertThat(isInside.await(60, TimeUnit.SECONDS)).isTrue();
            relieve();
            assertThat(core.sleepFlag).hasValue(Wakeups.AWAKE);
            end(other);
        }
        assertThat(core.sleepFlag).hasValue(Wakeups.AWAKE);
    }

    @Test
    void coreThatGoesOn_keepsItsWorker() {
        CoreWorker worker = core.worker();
        for (int i = 0; i < 10; i++) {
            record.offer(color(2), "a");
            assertThat(watch.look(0)).isEqualTo(1);
            stepper.step(0);
        }
        assertThat(core.worker()).isSameAs(worker);
    }

    @Test
    void workerThatComesBack_isTheNextOne() throws Exception {
        CoreWorker first = core.worker();
        try (Stepper.Other other = inHandler(this::standStill)) {
            relieve();
            end(other);
        }
        core.crew().give(first);
        assertThat(core.crew().take()).isSameAs(first);
        assertThat(core.crew().all()).hasSize(2);
    }

    @Test
    void workersAreBounded() {
        for (int i = 1; i < 3; i++) {
            assertThat(core.crew().take()).isNotNull();
        }
        assertThat(core.crew().take()).isNull();
    }

    @Test
    void booksOfAllWorkers_areTheCores() throws Exception {
        try (Stepper.Other other = inHandler(() -> {
            standStill();
            record.offer(color(2), "late");
        })) {
            relieve();
            record.offer(color(2), "outside");
            stepper.run(0);
            end(other);
        }
        stepper.run(0);
        assertThat(stepper.stats(0).run()).isEqualTo(3);
        assertThat(stepper.stats(0).sent()).isEqualTo(1);
        assertThat(stepper.mely.stats().sent()).isEqualTo(3);
    }
}
