// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.mely.Color;
import io.mely.Mely;
import io.mely.Policy;
import io.mely.Stage;
import io.mely.Stealing;
import io.mely.Timer;
import io.mely.spi.Poller;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

// A timer's event runs once, in its color, not before its time, in the order of deadlines, and never after a cancel
// that said yes.
class SteppedTimerTest {
    private final List<String> ran = new ArrayList<>();
    private final List<Long> timeouts = new ArrayList<>();
    private Stepper stepper = new Stepper(Mely.builder().cores(2).policy(Policy.colored(Stealing.off())));

    @AfterEach
    void close() {
        stepper.close();
    }

    private Color color(int slot) {
        return stepper.mely.colorAt(slot);
    }

    private static Duration ns(long ns) {
        return Duration.ofNanos(ns);
    }

    private Stage<String> recorder() {
        return stepper.mely.stage(
                "s", event -> ran.add(event + "@" + Color.current().slot()));
    }

    // ------------------------------------------------------------------ again and again

    @Test
    void periodicTimer_runsAtItsTimes_untilItIsCancelled() {
        Timer timer = color(2).scheduleAtFixedRate(ns(1_000), ns(500), () -> ran.add("p"));
        stepper.run(0, 1);
        stepper.clock.advance(999);
        stepper.run(0, 1);
        assertThat(ran).isEmpty();
        stepper.clock.advance(1);
        stepper.run(0, 1);
        assertThat(ran).hasSize(1);
        stepper.clock.advance(499);
        stepper.run(0, 1);
        assertThat(ran).hasSize(1);
        stepper.clock.advance(1);
        stepper.run(0, 1);
        assertThat(ran).hasSize(2);
        assertThat(timer.isPending()).isTrue();

        stepper.clock.advance(2_000); // late: four runs follow each other
        stepper.run(0, 1);
        assertThat(ran).hasSize(6);

        assertThat(timer.cancel()).isTrue();
        assertThat(timer.cancel()).isFalse();
        assertThat(timer.isPending()).isFalse();
        stepper.clock.advance(10_000);
        stepper.run(0, 1);
        assertThat(ran).hasSize(6);
        assertThat(stepper.core(0).timers().isEmpty()).isTrue();
    }

    @Test
    void periodicTimer_cancelledByItsOwnRun_runsNoMore() {
        AtomicReference<Timer> timer = new AtomicReference<>();
        timer.set(color(2).scheduleAtFixedRate(ns(0), ns(500), () -> {
            ran.add("p");
            assertThat(timer.get().cancel()).isTrue();
        }));
        stepper.run(0, 1);
        stepper.clock.advance(10_000);
        stepper.run(0, 1);
        assertThat(ran).hasSize(1);
        assertThat(stepper.core(0).timers().isEmpty()).isTrue();
    }

    @Test
    void periodicTimer_whoseCommandThrows_goesOn() {
        color(2).scheduleAtFixedRate(ns(100), ns(100), () -> {
            ran.add("p");
            throw new IllegalStateException("on purpose");
        });
        for (int i = 0; i < 3; i++) {
            stepper.run(0, 1);
            stepper.clock.advance(100);
        }
        stepper.run(0, 1);
        assertThat(ran).hasSize(3);
        assertThat(stepper.mely.stats().failed()).isEqualTo(3);
    }

    // ------------------------------------------------------------------ time and order

    @Test
    void timer_runsAtItsTime_notBefore() {
        Timer timer = color(2).schedule(ns(1_000), recorder(), "tick");
        stepper.run(0, 1);
        stepper.clock.advance(999);
        stepper.run(0, 1);
        assertThat(ran).isEmpty();
        assertThat(timer.isPending()).isTrue();

        stepper.clock.advance(1);
        stepper.run(0, 1);
        assertThat(ran).containsExactly("tick@2");
        assertThat(timer.isPending()).isFalse();
        stepper.clock.advance(1_000_000);
        stepper.run(0, 1);
        assertThat(ran).hasSize(1);
    }

    @Test
    void timers_runInOrderOfDeadlines_equalsInOrderOfCreation() {
        Stage<String> stage = recorder();
        color(2).schedule(ns(300), stage, "c");
        color(2).schedule(ns(100), stage, "a");
        color(2).schedule(ns(200), stage, "b1");
        color(2).schedule(ns(200), stage, "b2");
        color(2).schedule(ns(200), stage, "b3");
        stepper.run(0);
        stepper.clock.advance(500);
        stepper.run(0);
        assertThat(ran).containsExactly("a@2", "b1@2", "b2@2", "b3@2", "c@2");
    }

    // They were started the other way round, and the core has seen none of them when they are due.
    @Test
    void timers_manyAtOneLook_runInOrderOfDeadlines() {
        List<Integer> order = new ArrayList<>();
        for (int i = 500; i > 0; i--) {
            int number = i;
            color(2).schedule(ns(i), () -> order.add(number));
        }
        stepper.clock.advance(1_000);
        stepper.run(0);
        assertThat(order).hasSize(500).isSorted();
    }

    @Test
    void timers_whenTheClockWraps_runInOrderOfDeadlines() {
        stepper.clock.advance(Long.MAX_VALUE - stepper.clock.nanoTime() - 5);
        color(2).schedule(ns(10), recorder(), "after");
        color(2).schedule(ns(3), recorder(), "before");
        stepper.run(0);
        stepper.clock.advance(4);
        stepper.run(0);
        assertThat(ran).containsExactly("before@2");
        stepper.clock.advance(10);
        stepper.run(0);
        assertThat(ran).containsExactly("before@2", "after@2");
    }

    @ParameterizedTest
    @ValueSource(longs = {0, -1, Long.MIN_VALUE})
    void timer_withoutDelay_runsAtTheNextLook(long delayNs) {
        color(2).schedule(ns(delayNs), () -> ran.add("now"));
        stepper.run(0);
        assertThat(ran).containsExactly("now");
    }

    @Test
    void timer_veryLongDelay_waits() {
        Timer forever = color(2).schedule(Duration.ofSeconds(Long.MAX_VALUE), () -> ran.add("never"));
        Timer never = color(2).schedule(Duration.ofSeconds(Long.MIN_VALUE), () -> ran.add("at once"));
        stepper.run(0);
        stepper.clock.advance(Duration.ofDays(10_000).toNanos());
        stepper.run(0);
        assertThat(ran).containsExactly("at once");
        assertThat(forever.isPending()).isTrue();
        assertThat(never.isPending()).isFalse();
    }

    // A busy core looks at its timers once per time slice.
    @Test
    void timer_underLoad_isLateByATimeSliceAtMost() {
        stepper.close();
        stepper = new Stepper(Mely.builder().cores(1).policy(Policy.colored().withTimeSlice(ns(50_000))));
        AtomicReference<Stage<String>> busy = new AtomicReference<>();
        busy.set(stepper.mely.stage("busy", io.mely.StageOptions.defaults().withProcessingTime(ns(1_000)), event -> {
            stepper.clock.advance(1_000);
            ran.add(event);
            if (ran.size() < 1_000) {
                busy.get().offer(Color.current(), event);
            }
        }));
        color(1).schedule(ns(100_000), () -> ran.add("timer"));
        busy.get().offer(color(2), "b");
        busy.get().offer(color(3), "b");
        stepper.run(0);
        assertThat(ran.indexOf("timer")).isBetween(100, 100 + 50 + 10);
    }

    // ------------------------------------------------------------------ colors and cores

    @Test
    void timer_startedByAHandler_runsInItsColor() {
        Stage<String> stage = recorder();
        color(2).execute(() -> {
            Color.current().schedule(ns(100), stage, "own");
            color(3).schedule(ns(100), stage, "other");
        });
        stepper.run(0, 1);
        stepper.clock.advance(100);
        stepper.run(0, 1);
        assertThat(ran).containsExactlyInAnyOrder("own@2", "other@3");
    }

    @Test
    void timer_onASingleThreadedStage_runsInTheStagesColor() {
        Stage<String> single = stepper.mely.stage(
                "single",
                io.mely.StageOptions.defaults().asSingleThreaded(),
                event -> ran.add("" + Color.current().slot()));
        color(2).schedule(ns(1), single, "x");
        stepper.run(0, 1);
        stepper.clock.advance(1);
        stepper.run(0, 1);
        assertThat(ran).containsExactly("" + single.color().slot());
    }

    // ------------------------------------------------------------------ cancel

    @Test
    void cancel_fromOutside_isFinal() {
        Timer timer = color(2).schedule(ns(100), () -> ran.add("never"));
        stepper.run(0);
        assertThat(timer.cancel()).isTrue();
        assertThat(timer.cancel()).as("already cancelled").isFalse();
        assertThat(timer.isPending()).isFalse();
        stepper.clock.advance(100);
        stepper.run(0, 1);
        assertThat(ran).isEmpty();
    }

    @Test
    void cancel_beforeTheCoreEverSawIt() {
        Timer timer = color(2).schedule(ns(0), () -> ran.add("never"));
        assertThat(timer.cancel()).isTrue();
        stepper.run(0, 1);
        assertThat(ran).isEmpty();
    }

    // What the core has never seen has no place among its timers, not that of another of the same time either.
    @Test
    void cancel_beforeTheCoreEverSawIt_leavesOthersOfItsTime() {
        color(2).schedule(ns(100), () -> ran.add("stays"));
        stepper.run(0);
        assertThat(color(2).schedule(ns(100), () -> ran.add("never")).cancel()).isTrue();
        stepper.run(0);
        stepper.clock.advance(100);
        stepper.run(0);
        assertThat(ran).containsExactly("stays");
    }

    @Test
    void cancel_afterItWasSent_isFalse() {
        Timer timer = color(2).schedule(ns(0), () -> ran.add("ran"));
        stepper.run(0, 1);
        assertThat(timer.cancel()).isFalse();
        assertThat(ran).containsExactly("ran");
    }

    // In a handler of the timer's own color the answer is final: here the timer is due at the same look as the
    // handler's own.
    @Test
    void cancel_byAHandler_ofItsOwnCore_andOfAnother() {
        Timer here = color(2).schedule(ns(100), () -> ran.add("here"));
        Timer there = color(3).schedule(ns(100), () -> ran.add("there"));
        stepper.run(0, 1);
        color(2).execute(() -> ran.add(here.cancel() + " " + there.cancel()));
        stepper.run(0);
        stepper.clock.advance(100);
        stepper.run(0, 1);
        assertThat(ran).containsExactly("true true");
    }

    // A cancelled timer leaves the heap at once or at the core's next look, not at its deadline.
    @Test
    void cancel_takesTheTimerOutOfTheCore() {
        stepper.close();
        stepper = new Stepper(Mely.builder()
                .cores(1)
                .policy(Policy.colored().withSpin(Duration.ZERO))
                .pollers(seat -> new Recording(timeouts)));
        Timer timer = color(1).schedule(Duration.ofDays(1), () -> ran.add("never"));
        stepper.run(0);
        stepper.rest(0);
        assertThat(timeouts).containsExactly(Duration.ofDays(1).toNanos());
        timer.cancel();
        stepper.run(0);
        stepper.rest(0);
        assertThat(timeouts)
                .as("nothing to wait for")
                .containsExactly(Duration.ofDays(1).toNanos(), Long.MAX_VALUE);
    }

    // ------------------------------------------------------------------ sleep

    @Test
    void rest_sleepsUntilTheFirstDeadline() {
        stepper.close();
        stepper = new Stepper(Mely.builder()
                .cores(1)
                .policy(Policy.colored().withSpin(Duration.ZERO))
                .pollers(seat -> new Recording(timeouts)));
        stepper.rest(0);
        color(1).schedule(ns(9_000), () -> ran.add("b"));
        color(2).schedule(ns(5_000), () -> ran.add("a"));
        stepper.rest(0);
        assertThat(timeouts).as("a timer from outside is work: no sleep").containsExactly(Long.MAX_VALUE);
        stepper.run(0);
        stepper.rest(0);
        stepper.clock.advance(4_000);
        stepper.rest(0);
        stepper.clock.advance(1_500);
        stepper.rest(0);
        assertThat(timeouts).containsExactly(Long.MAX_VALUE, 5_000L, 1_000L, 1L);
    }

    // Whoever has something for an idle thief wakes it.
    @Test
    void rest_aThief_sleepsUntilItIsCalled() {
        stepper.close();
        stepper = new Stepper(Mely.builder()
                .cores(2)
                .policy(Policy.colored().withSpin(Duration.ZERO))
                .pollers(seat -> new Recording(timeouts)));
        assertThat(stepper.step(0)).isZero();
        stepper.rest(0);
        assertThat(timeouts).containsExactly(Long.MAX_VALUE);
        assertThat(stepper.stats(0).sleeps()).isEqualTo(1);
    }

    /** Remembers how long it was told to block, and does not. */
    private record Recording(List<Long> timeouts) implements Poller {
        @Override
        public int poll() {
            return 0;
        }

        @Override
        public int block(long timeoutNs) {
            timeouts.add(timeoutNs);
            return 0;
        }

        @Override
        public void wakeup() {}
    }

    // ------------------------------------------------------------------ full, closed

    // Case R7: whoever set the timer was promised that it fires.
    @Test
    void timer_whileTheRuntimeIsFull_fires() {
        stepper.close();
        stepper = new Stepper(
                Mely.builder().cores(2).policy(Policy.colored(Stealing.off())).pendingEventsMax(1_024));
        Stage<String> stage = recorder();
        List<Timer> timers = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            timers.add(color(2).schedule(ns(10), stage, "timer"));
        }
        stepper.run(0);
        stepper.on(1, () -> {
            int sent = 0;
            while (stage.offer(color(1 + 2 * (sent % 1_000)), "fill")) {
                sent++;
            }
            return sent;
        });
        stepper.clock.advance(10);
        stepper.run(0);
        assertThat(ran).filteredOn("timer@2"::equals).hasSize(100);
        assertThat(timers).noneMatch(Timer::isPending);
        assertThat(stepper.stats(0).refused()).isZero();

        stepper.run(1, 0);
        assertThat(ran).hasSizeGreaterThan(1_000);
        assertThat(stepper.on(0, () -> stage.offer(color(2), "there is room again")))
                .isTrue();
    }

    @Test
    void close_dropsTimers_whereverTheyAre() {
        Timer inTheInbox = color(2).schedule(ns(100), () -> ran.add("never"));
        Timer cancelled = color(2).schedule(ns(100), () -> ran.add("never"));
        stepper.run(0, 1);
        Timer later = color(3).schedule(ns(100), () -> ran.add("never"));
        cancelled.cancel();

        Mely.CloseReport report = stepper.mely.close(Duration.ZERO);
        assertThat(report).isEqualTo(new Mely.CloseReport(true, 0, 2, 0));
        for (Timer timer : List.of(inTheInbox, cancelled, later)) {
            assertThat(timer.isPending()).isFalse();
            assertThat(timer.cancel()).isFalse();
        }
        Timer tooLate = color(2).schedule(ns(0), () -> ran.add("never"));
        assertThat(tooLate.isPending()).isFalse();
        assertThat(ran).isEmpty();
    }
}
