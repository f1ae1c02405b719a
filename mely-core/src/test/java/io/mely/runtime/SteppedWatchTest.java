// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.mely.Mely;
import io.mely.Policy;
import io.mely.QuietPoller;
import io.mely.Stage;
import io.mely.Stealing;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

// A core that computes for long is given to another worker only where a CPU is free for that, and where something waits
// that no thief can take. Core 0 computes; core 1 is what a test makes it.
class SteppedWatchTest {
    private static final long LATE_NS = 10_000_000;

    private final CountDownLatch isInside = new CountDownLatch(1);
    private Stepper stepper;
    private Stepper.Other other;
    private CoreWorker first;
    private Stage<Runnable> stage;
    private volatile boolean mayEnd;

    @AfterEach
    void close() {
        first.thread = null;
        mayEnd = true;
        other.close();
        wake();
        stepper.close();
    }

    private void begin(Stealing stealing, boolean hasPoller) throws InterruptedException {
        var builder = Mely.builder().cores(2).policy(Policy.colored(stealing));
        stepper = new Stepper(hasPoller ? builder.pollers(seat -> new QuietPoller()) : builder);
        stage = stepper.mely.stage("run", Runnable::run);
        stage.offer(stepper.mely.colorAt(2), this::compute);
        other = stepper.other();
        other.start(0);
        assertThat(isInside.await(60, TimeUnit.SECONDS)).isTrue();
        first = stuck().worker();
        first.thread = other.thread(); // whose state the watch looks at
    }

    private void compute() {
        isInside.countDown();
        while (!mayEnd) {
            Thread.onSpinWait();
        }
    }

    private Core stuck() {
        return stepper.core(0);
    }

    private void sleep() {
        stepper.on(1, () -> stepper.core(1).restBegin());
    }

    private void wake() {
        stepper.on(1, () -> {
            if (stepper.core(1).isAsleep()) {
                stepper.core(1).restEnd();
            }
            return null;
        });
    }

    private void look() {
        int unused = stuck().runtime().watch().look(Watch.STILL_NS);
    }

    private void lookAfter(long ns) {
        stepper.clock.advance(ns);
        look();
    }

    private boolean isRelievedWhileTheOtherSleeps() {
        sleep();
        look();
        lookAfter(Watch.STILL_NS);
        return isRelieved();
    }

    private boolean isRelieved() {
        return stuck().crew().all().length > 1;
    }

    @Test
    void otherCoreSleeps_poller_isRelieved() throws Exception {
        begin(Stealing.mely(), true);
        sleep();
        look();
        lookAfter(Watch.STILL_NS - 1);
        assertThat(isRelieved()).isFalse();
        lookAfter(1);
        assertThat(isRelieved()).isTrue();
    }

    @Test
    void otherCoreHasSlept_poller_isRelieved() throws Exception {
        begin(Stealing.mely(), true);
        look();
        sleep();
        wake();
        lookAfter(Watch.STILL_NS);
        assertThat(isRelieved()).isTrue();
    }

    @Test
    void otherCoreComputes_isRelievedLate() throws Exception {
        begin(Stealing.mely(), true);
        look();
        lookAfter(LATE_NS - 1);
        assertThat(isRelieved()).isFalse();
        lookAfter(1);
        assertThat(isRelieved()).isTrue();
    }

    // All that waits there is for a thief, which needs no thread more.
    @Test
    void nothingButColors_thiefIsCalled_isRelievedLate() throws Exception {
        begin(Stealing.mely(), false);
        stage.offer(stepper.mely.colorAt(4), () -> {});
        assertThat(isRelievedWhileTheOtherSleeps()).isFalse();
        assertThat(stepper.core(1).isAsleep()).as("nobody has called it").isFalse();
        lookAfter(LATE_NS - Watch.STILL_NS);
        assertThat(isRelieved()).isTrue();
    }

    @Test
    void timerWaits_isRelieved() throws Exception {
        begin(Stealing.mely(), false);
        stepper.mely.colorAt(2).schedule(Duration.ofSeconds(1), stage, () -> {});
        assertThat(isRelievedWhileTheOtherSleeps()).isTrue();
    }

    @Test
    void withoutStealing_isRelieved() throws Exception {
        begin(Stealing.off(), false);
        assertThat(isRelievedWhileTheOtherSleeps()).isTrue();
    }
}
