// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import io.mely.Color;
import io.mely.ErrorHandler;
import io.mely.Mely;
import io.mely.MelyBuilder;
import io.mely.Policy;
import io.mely.Stage;
import io.mely.StageOptions;
import io.mely.Stealing;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;

/** Several cores, stepped by hand, whose colors are all at home on core 0; what ran, and where. */
abstract class SteppedCores {
    static final Duration SHORT = Duration.ofNanos(50);
    static final Duration LONG = Duration.ofNanos(50_000);

    final List<String> ran = new ArrayList<>();
    final List<ErrorHandler.Failure> failures = new ArrayList<>();
    Stepper stepper;

    final Stepper build(int cores, Stealing stealing) {
        MelyBuilder builder = Hooks.NONE
                .withPlacement(slot -> 0)
                .on(Mely.builder())
                .cores(cores)
                .policy(Policy.colored(stealing).withTimeSlice(LONG))
                .errorHandler(failures::add);
        stepper = new Stepper(builder);
        return stepper;
    }

    @AfterEach
    void close() {
        stepper.close();
    }

    /** A stage that notes event and core. */
    final Stage<String> recorder(Duration time) {
        return recorder(time, 1);
    }

    final Stage<String> recorder(Duration time, int penalty) {
        StageOptions options = StageOptions.defaults().withProcessingTime(time).withPenalty(penalty);
        return stepper.mely.stage("s" + time, options, event -> {
            ran.add(event + "@" + onCore());
            stepper.clock.advance(time.toNanos());
        });
    }

    static int onCore() {
        EventWorker worker = ((CoreThread) Thread.currentThread()).worker;
        return worker == null ? -1 : worker.coreIndex();
    }

    final Color color(int slot) {
        return stepper.mely.colorAt(slot);
    }

    /** Leaves the given colors ready on core 0, behind a first one that used up its time slice. */
    final void load(Stage<String> stage, int colors, int eventsEach) {
        StageOptions options = StageOptions.defaults().withProcessingTime(LONG).withPriority(7);
        Stage<String> first = stepper.mely.stage("first", options, event -> stepper.clock.advance(LONG.toNanos()));
        first.offer(color(100), "first");
        for (int i = 0; i < eventsEach; i++) {
            for (int slot = 1; slot <= colors; slot++) {
                stage.offer(color(slot), "c" + slot);
            }
        }
        stepper.step(0);
        ran.clear();
    }
}
