// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.mely.Color;
import io.mely.Mely;
import io.mely.Stage;
import io.mely.StageOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

// One core, stepped: colors that begin with a brief event go before those that begin with a lengthy one.
class SteppedBriefTest {
    private static final int BRIEF_US = 10;
    private static final int LENGTHY_US = 60;

    private final List<String> ran = Collections.synchronizedList(new ArrayList<>());
    private Stepper stepper = new Stepper(Mely.builder().cores(1));
    private Stage<String> brief = stage(BRIEF_US);
    private Stage<String> lengthy = stage(LENGTHY_US);

    @AfterEach
    void close() {
        stepper.close();
    }

    private static StageOptions takes(double us) {
        return StageOptions.defaults().withProcessingTime(Duration.ofNanos((long) (us * 1_000)));
    }

    private Stage<String> stage(int us) {
        return stepper.mely.stage("s" + us, takes(us), ran::add);
    }

    private Color color(int slot) {
        return stepper.mely.colorAt(slot);
    }

    @Test
    void briefOnes_goFirst() {
        lengthy.send(color(1), "lengthy");
        brief.send(color(2), "brief");
        stepper.run(0);
        assertThat(ran).containsExactly("brief", "lengthy");
    }

    @Test
    void turnedOff_theyGoAsTheyCame() {
        stepper.close();
        stepper = new Stepper(Mely.builder().cores(1).briefFirst(false));
        brief = stage(BRIEF_US);
        lengthy = stage(LENGTHY_US);
        lengthy.send(color(1), "lengthy");
        brief.send(color(2), "brief");
        stepper.run(0);
        assertThat(ran).containsExactly("lengthy", "brief");
    }

    // Its turn ends there; that of the color that has nothing lengthy goes on.
    @Test
    void turn_comesToALengthyEvent_briefOnesGoFirst() {
        brief.send(color(1), "X1");
        lengthy.send(color(1), "X2");
        brief.send(color(1), "X3");
        brief.send(color(2), "Y1");
        brief.send(color(2), "Y2");
        stepper.run(0);
        assertThat(ran).containsExactly("X1", "Y1", "Y2", "X2", "X3");
    }

    @Test
    void turn_comesToALengthyEvent_goesOnIfOthersAreLengthy() {
        brief.send(color(1), "X1");
        lengthy.send(color(1), "X2");
        lengthy.send(color(2), "Y1");
        stepper.run(0);
        assertThat(ran).containsExactly("X1", "X2", "Y1");
    }

    // Priority decides before length.
    @Test
    void turn_comesToALengthyEvent_goesOnIfTheBriefOneIsLessUrgent() {
        Stage<String> low = stepper.mely.stage("low", takes(BRIEF_US).withPriority(2), ran::add);
        brief.send(color(1), "X1");
        lengthy.send(color(1), "X2");
        lengthy.send(color(2), "Y1");
        low.send(color(3), "low");
        stepper.run(0);
        assertThat(ran).containsExactly("X1", "X2", "Y1", "low");
    }

    @Test
    void turn_isFusedIntoALengthyEvent_briefOnesGoFirst() {
        Stage<String> first = stepper.mely.stage("first", takes(BRIEF_US), event -> {
            ran.add(event);
            lengthy.send(Color.current(), "X2");
        });
        first.send(color(1), "X1");
        brief.send(color(2), "Y1");
        stepper.run(0);
        assertThat(ran).containsExactly("X1", "Y1", "X2");
    }

    @Test
    void turn_ofLengthyEvents_isPausedForThePoller_briefOnesComeInBetween() {
        brief.send(color(3), "Z1"); // so that the first slice has room for one lengthy event
        for (int i = 1; i <= 4; i++) {
            lengthy.send(color(1), "X" + i);
            lengthy.send(color(2), "Y" + i);
        }
        stepper.step(0);
        assertThat(ran).containsExactly("Z1", "X1", "X2");
        brief.send(color(3), "Z2");
        stepper.run(0);
        assertThat(ran).containsExactly("Z1", "X1", "X2", "Z2", "X3", "X4", "Y1", "Y2", "Y3", "Y4");
    }

    // The inbox is looked at now and then only; but something lengthy may keep the core busy for long.
    @Test
    void lengthyOne_isNext_theInboxIsLookedAt() {
        Stage<String> asks = stepper.mely.stage("asks", takes(BRIEF_US), event -> {
            ran.add(event);
            Thread other = new Thread(() -> brief.send(color(3), "late"));
            other.start();
            other.join();
        });
        lengthy.send(color(1), "lengthy");
        asks.send(color(2), "asks");
        stepper.run(0);
        assertThat(ran).containsExactly("asks", "late", "lengthy");
    }

    // Brief events without end, one of a color at a time, in lists (10 us) or in the short-queue (1 us): a lengthy one
    // waits for four times what it takes, and
    // for the end of what has begun.
    @ParameterizedTest
    @CsvSource({"10, 24", "1, 240"})
    void lengthyOne_hasAFifth(int us, int least) {
        AtomicReference<Stage<Integer>> again = new AtomicReference<>();
        again.set(stepper.mely.stage("again", takes(us), event -> {
            ran.add("brief");
            if (ran.size() < 10_000) {
                again.get().send(color(1 + (event + 2) % 50), event + 2);
            }
        }));
        again.get().send(color(1), 0);
        again.get().send(color(2), 1);
        for (int i = 0; i < 10; i++) {
            lengthy.send(color(100 + i), "lengthy");
        }
        stepper.run(0);
        int most = least + 100 / us + 1;
        int last = -1;
        for (int i = 0; i < 10; i++) {
            int before = last;
            last += 1 + ran.subList(last + 1, ran.size()).indexOf("lengthy");
            assertThat(last - before - 1).isBetween(least - 2, most); // 25 ns are added for each event
        }
        assertThat(ran).hasSize(10_001);
    }

    // A lengthy color that never ends, by events that wait or by what it sends to itself, has its turns and no more:
    // the other one goes, too.
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void lengthyOne_besideOneThatIsFlooded_andBriefOnes_doesNotStarve(boolean isFusing) {
        AtomicReference<Stage<String>> again = new AtomicReference<>();
        again.set(stepper.mely.stage("again", takes(BRIEF_US), event -> {
            ran.add(event);
            if (ran.size() < 10_000) {
                again.get().send(Color.current(), event);
            }
        }));
        AtomicReference<Stage<String>> flood = new AtomicReference<>();
        flood.set(stepper.mely.stage("flood", takes(LENGTHY_US), event -> {
            ran.add(event);
            if (isFusing && ran.size() < 10_000) {
                flood.get().send(Color.current(), event);
            }
        }));
        for (int i = 0; i < (isFusing ? 1 : 500); i++) {
            flood.get().send(color(3), "flood");
        }
        lengthy.send(color(4), "lengthy");
        again.get().send(color(1), "brief");
        again.get().send(color(2), "brief");
        stepper.run(0);
        assertThat(ran.indexOf("lengthy")).isBetween(24, 200);
    }

    // Whatever their stage says of the time they take.
    @Test
    void lengthyOne_besideEventsOfNoTime_doesNotStarve() {
        AtomicReference<Stage<String>> again = new AtomicReference<>();
        again.set(stepper.mely.stage("again", takes(0.001), event -> {
            ran.add(event);
            if (ran.size() < 50_000) {
                again.get().send(Color.current(), event);
            }
        }));
        again.get().send(color(1), "brief");
        again.get().send(color(2), "brief");
        lengthy.send(color(3), "lengthy");
        stepper.run(0);
        assertThat(ran.indexOf("lengthy")).isBetween(1_000, 11_000);
    }
}
