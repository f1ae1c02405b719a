// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.mely.Color;
import io.mely.Mely;
import io.mely.MelyBuilder;
import io.mely.Stage;
import io.mely.StageOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

// An observer is told of each handler and of each accepted event, in order, by the thread that runs or sends it; and
// the runtime reads its clock as often as without one.
class SteppedObserverTest {
    private final List<String> told = new ArrayList<>();
    private Stepper stepper = new Stepper(builder());

    private MelyBuilder builder() {
        return Hooks.NONE
                .withObservers(Noting::new)
                .on(Mely.builder())
                .cores(2)
                .errorHandler(failure -> told.add("error"));
    }

    private final class Noting implements HandlerObserver {
        private final String who;

        private Noting(int core) {
            who = core == OUTSIDE ? "outside " : core + " ";
        }

        @Override
        public void began(Stage<?> stage, int slot) {
            told.add(who + "began " + stage.name() + " in " + slot);
        }

        @Override
        public void ended() {
            told.add(who + "ended");
        }

        @Override
        public void sent(Stage<?> stage, int slot) {
            told.add(who + "sent " + stage.name() + " in " + slot);
        }
    }

    private void rebuild(MelyBuilder builder) {
        stepper.close();
        stepper = new Stepper(builder);
    }

    @AfterEach
    void close() {
        stepper.close();
    }

    @Test
    void handlersAndSends_areToldInOrder() {
        rebuild(builder().cores(1));
        Stage<Integer> last = stepper.mely.stage("last", number -> told.add("runs"));
        Stage<Integer> first = stepper.mely.stage("first", number -> {
            assertThat(last.offer(Color.current(), number)).isTrue();
            assertThat(last.offer(stepper.mely.colorAt(7), number)).isTrue();
        });
        assertThat(first.offer(stepper.mely.colorAt(3), 1)).isTrue();
        stepper.run(0);
        assertThat(told)
                .containsExactly(
                        "outside sent first in 3",
                        "0 began first in 3",
                        "0 sent last in 3",
                        "0 sent last in 7",
                        "0 ended",
                        "0 began last in 3",
                        "runs",
                        "0 ended",
                        "0 began last in 7",
                        "runs",
                        "0 ended");
    }

    @Test
    void options_areThoseGiven() {
        StageOptions options = StageOptions.defaults().withPriority(5).withDataBytes(4_096);
        Stage<Integer> stage = stepper.mely.stage("stage", options, number -> {});
        assertThat(stage.options()).isEqualTo(options);
    }

    @Test
    void pollersAndTimers_sendOutsideOfHandlers() {
        Stage<Integer> stage = stepper.mely.stage("stage", number -> {});
        Color color = stepper.mely.colorAt(2);
        boolean isSent = stepper.on(0, () -> stage.offer(color, 1));
        assertThat(isSent).isTrue();
        stepper.run(0);
        stepper.on(0, () -> color.schedule(Duration.ofMillis(1), stage, 2));
        stepper.clock.advance(2_000_000);
        stepper.run(0);
        assertThat(told)
                .containsExactly(
                        "0 sent stage in 2",
                        "0 began stage in 2",
                        "0 ended",
                        "0 sent stage in 2",
                        "0 began stage in 2",
                        "0 ended");
    }

    @Test
    void handlerThatThrows_ends() {
        Stage<Integer> stage = stepper.mely.stage("broken", number -> {
            throw new IllegalStateException("as it should");
        });
        assertThat(stage.offer(stepper.mely.colorAt(2), 1)).isTrue();
        stepper.run(0, 1);
        assertThat(told).containsExactly("outside sent broken in 2", "0 began broken in 2", "error", "0 ended");
    }

    @Test
    void refusedEvents_areNotTold() {
        Stage<Integer> stage = stepper.mely.stage("stage", number -> {});
        stepper.mely.close();
        assertThat(stage.offer(stepper.mely.colorAt(2), 1)).isFalse();
        assertThat(told).isEmpty();
    }

    // Short events of an annotated stage are timed now and then, observed or not.
    @Test
    void clock_isReadAsOftenAsWithoutObserver() {
        long observed = readsOf();
        rebuild(Mely.builder().cores(2));
        assertThat(readsOf()).isEqualTo(observed).isLessThan(200);
    }

    private long readsOf() {
        Stage<Integer> stage = stepper.mely.stage(
                "stage", StageOptions.defaults().withProcessingTime(Duration.ofNanos(100)), number -> {});
        long before = stepper.clock.reads();
        for (int i = 0; i < 1_000; i++) {
            assertThat(stage.offer(stepper.mely.colorAt(2), i)).isTrue();
        }
        stepper.run(0);
        return stepper.clock.reads() - before;
    }
}
