// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.mely.Color;
import io.mely.Mely;
import io.mely.Policy;
import io.mely.Stage;
import io.mely.Stealing;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

// A color without events whose home sleeps comes to the core whose poller or timers have something for it. The timers
// here are core 0's, and the color is of core 1.
class SteppedIdleColorTest {
    private final List<String> ran = new ArrayList<>();
    private Stepper stepper;
    private Stage<String> stage;

    @AfterEach
    void close() {
        wake();
        stepper.close();
    }

    private void begin(Stealing stealing) {
        stepper = new Stepper(Mely.builder().cores(2).policy(Policy.colored(stealing)));
        stage = stepper.mely.stage("s", ran::add);
        stage.offer(color(), "makes the color's queue");
        stepper.run(1, 0);
        ran.clear();
        assertThat(home()).isEqualTo(1);
    }

    private Color color() {
        return stepper.mely.colorAt(1);
    }

    private int home() {
        return ((ColorImpl) color()).homeCore();
    }

    private void sleep() {
        assertThat(stepper.on(1, () -> stepper.core(1).restBegin())).isTrue();
    }

    private void wake() {
        stepper.on(1, () -> {
            stepper.core(1).restEnd();
            return null;
        });
    }

    /** A timer of core 0. */
    private void fire(String... events) {
        stepper.on(0, () -> {
            for (String event : events) {
                color().schedule(Duration.ofNanos(1), stage, event);
            }
            return null;
        });
        stepper.clock.advance(1);
        stepper.step(0);
    }

    @Test
    void homeSleeps_comesToTheSender_andNobodyIsWoken() {
        begin(Stealing.mely());
        sleep();
        fire("a", "b");
        assertThat(home()).isZero();
        assertThat(stepper.core(1).isAsleep()).isTrue();
        stepper.run(0);
        assertThat(ran).containsExactly("a", "b");
        wake();
        sleep();
        stage.offer(color(), "later, from outside");
        assertThat(stepper.core(1).isAsleep()).isTrue();
        stepper.run(0);
        assertThat(ran).containsExactly("a", "b", "later, from outside");
    }

    @Test
    void homeIsAwake_stays() {
        begin(Stealing.mely());
        fire("a");
        assertThat(home()).isEqualTo(1);
        stepper.run(1);
        assertThat(ran).containsExactly("a");
        sleep();
    }

    // Whether its event is in its list by then, or in the inbox of its home.
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void hasAnEvent_stays(boolean isDrained) {
        begin(Stealing.mely());
        stage.offer(color(), "before");
        if (isDrained) {
            stepper.drain(1);
        }
        stepper.core(1).sleepFlag.set(Wakeups.SLEEPING);
        fire("a");
        assertThat(home()).isEqualTo(1);
        stepper.run(1);
        assertThat(ran).containsExactly("before", "a");
        sleep();
    }

    @Test
    void homeIsLocked_stays() {
        begin(Stealing.mely());
        sleep();
        stepper.core(1).queue().lock();
        fire("a");
        stepper.core(1).queue().unlock();
        assertThat(home()).isEqualTo(1);
    }

    @Test
    void withoutStealing_stays() {
        begin(Stealing.off());
        sleep();
        fire("a");
        assertThat(home()).isEqualTo(1);
        assertThat(stepper.core(1).isAsleep()).isFalse();
    }

    // What a handler sends may have to wait for its end here, and not there.
    @Test
    void sentByAHandler_stays() {
        begin(Stealing.mely());
        sleep();
        Stage<String> sends = stepper.mely.stage("sends", event -> stage.send(color(), event));
        sends.offer(stepper.mely.colorAt(2), "a");
        stepper.step(0);
        assertThat(home()).isEqualTo(1);
        assertThat(stepper.core(1).isAsleep()).isFalse();
    }
}
