// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.mely.Mely;
import io.mely.Stage;
import io.mely.StageOptions;
import io.mely.queue.ColorLook;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

// What a color costs that was used once: the budget of 64 bytes.
class SteppedIdleColorTest {
    private static final int COLORS = 1 << 17;
    private static final int AT_A_TIME = 1 << 10; // the records of what is pending stay
    private static final long BYTES_MAX = 64;

    private final Stepper stepper = new Stepper(
            Mely.builder().cores(2).colors(2 * COLORS).spin(Duration.ZERO).errorHandler(failure -> {}));
    private final AtomicInteger ran = new AtomicInteger();
    private final Stage<Object> stage = stepper.mely.stage(
            "long",
            StageOptions.defaults().withProcessingTime(Duration.ofNanos(10_000)),
            event -> ran.incrementAndGet());

    private void use(int from, int to) {
        for (int slot = from; slot < to; slot += AT_A_TIME) {
            for (int i = slot; i < slot + AT_A_TIME; i++) {
                assertThat(stage.send(stepper.mely.colorAt(i), this)).isTrue();
            }
            stepper.run(0, 1);
        }
    }

    /** Begins and ends a sleep so many times, without sleeping. */
    private void sleeps(int core, int times) {
        stepper.on(core, () -> {
            for (int i = 0; i < times; i++) {
                assertThat(stepper.core(core).restBegin()).isTrue();
                stepper.core(core).restEnd();
            }
            return null;
        });
    }

    private void passes(int count) {
        for (int i = 0; i < count; i++) {
            stepper.clock.advance(Duration.ofSeconds(10).toNanos());
            for (int core = 0; core < 2; core++) {
                sleeps(core, 4 * COLORS / 64); // the table may be twice as long as there are colors
            }
        }
    }

    private boolean hasQueue(int slot) {
        return ColorLook.hasQueue(stepper.core(0).queue(), (ColorImpl) stepper.mely.colorAt(slot));
    }

    private static long heapBytes() {
        System.gc();
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }

    @Test
    void usedOnce_costsNoMoreThanTheBudget() {
        try (stepper) {
            use(0, AT_A_TIME);
            long before = heapBytes();
            use(AT_A_TIME, AT_A_TIME + COLORS);
            long used = heapBytes();
            passes(2);
            long idle = heapBytes();

            assertThat(ran).hasValue(AT_A_TIME + COLORS);
            assertThat(IntStream.range(0, AT_A_TIME + COLORS).filter(this::hasQueue))
                    .as("colors that still have a queue")
                    .isEmpty();
            assertThat((used - before) / COLORS).as("bytes, with queues").isGreaterThan(BYTES_MAX);
            assertThat((idle - before) / COLORS).as("bytes, idle for long").isLessThanOrEqualTo(BYTES_MAX);
        }
    }

    // A core that never sleeps does it after some polls.
    @Test
    void busyCore_doesItToo() {
        try (stepper) {
            ColorImpl idle = (ColorImpl) stepper.mely.colorAt(2);
            stage.send(idle, this);
            stepper.run(0);
            assertThat(hasQueue(2)).isTrue();
            long pollsBefore = stepper.stats(0).polls();
            while (hasQueue(2)) {
                stepper.clock.advance(Duration.ofSeconds(10).toNanos());
                for (int i = 0; i < 20; i++) { // a slice, of 10 us each
                    stage.send(stepper.mely.colorAt(0), this);
                }
                stepper.step(0);
            }
            assertThat(stepper.stats(0).polls() - pollsBefore)
                    .as("256 for each of two looks, or for one if the first has been")
                    .isBetween(256L, 512L);
            stage.send(idle, this);
            stepper.run(0);
        }
    }
}
