// SPDX-License-Identifier: Apache-2.0
package io.mely.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.mely.Activity;
import io.mely.Activity.State;
import io.mely.Mely;
import io.mely.Stage;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

// Looks, made up.
class SamplesTest {
    private static final long MS = 1_000_000;

    private final Mely mely = Mely.builder().cores(1).build();
    private final Stage<String> first = mely.stage("first", event -> {});
    private final Stage<String> second = mely.stage("second", event -> {});
    private final Thread one = new Thread(() -> {}, "one");
    private final Thread two = new Thread(() -> {}, "two");
    private final Thread three = new Thread(() -> {}, "three");
    private final Samples samples = new Samples();

    @AfterEach
    void close() {
        mely.close();
    }

    private static Activity in(int core, Thread thread, Stage<?> stage, int color, long ran) {
        return new Activity(core, thread, State.HANDLER, stage, color, 1_000 * ran, ran);
    }

    private static Activity idle(int core, Thread thread, State state) {
        return new Activity(core, thread, state, null, -1, 0, 0);
    }

    @Test
    void shares_areThoseOfTheLooks_andTheCoreIsThatOfItsFirstThread() {
        samples.add(List.of(in(0, one, first, 5, 1), idle(1, two, State.ASLEEP)), 0);
        samples.add(List.of(in(0, one, second, 5, 2), idle(1, two, State.ASLEEP)), 1);
        samples.add(List.of(idle(0, one, State.BETWEEN), in(0, two, second, 6, 1), idle(1, two, State.BETWEEN)), 2);
        samples.add(List.of(in(0, one, second, 5, 3), idle(1, two, State.ASLEEP)), 3);
        assertThat(samples.cores()).extracting(Samples.Core::core).containsExactly(0, 1);
        assertThat(samples.cores()).extracting(Samples.Core::handlerShare).containsExactly(0.75, 0.0);
        assertThat(samples.cores()).extracting(Samples.Core::sleepShare).containsExactly(0.0, 0.75);
        assertThat(samples.topColors(2))
                .containsExactly(
                        new Samples.TopColor(5, "second", 0.75, 3_000), new Samples.TopColor(6, "second", 0.25, 1_000));
        assertThat(samples.topColors(1)).hasSize(1);
    }

    @Test
    void furtherThreads_areCounted_forTheirCore_orForThePools() {
        samples.add(List.of(in(0, one, first, 5, 1), in(0, two, second, 6, 1), in(-1, three, first, -1, 1)), 0);
        samples.add(List.of(in(0, one, first, 5, 1), in(-1, two, first, -1, 1), in(-1, three, first, -1, 1)), 1);
        assertThat(samples.cores()).singleElement().satisfies(core -> {
            assertThat(core.handlerShare()).isEqualTo(1);
            assertThat(core.further()).isEqualTo(0.5);
        });
        assertThat(samples.inPools()).isEqualTo(1.5);
    }

    @Test
    void coresAndPools_areOfTheSecond_andColorsOfTheLastTen() {
        samples.add(List.of(in(0, one, first, 5, 1), in(-1, two, first, -1, 1)), 0);
        samples.nextSecond();
        assertThat(samples.cores()).isEmpty();
        assertThat(samples.inPools()).isZero();
        for (int second = 1; second < 10; second++) {
            assertThat(samples.topColors(2).get(0).color()).isEqualTo(5);
            samples.add(List.of(idle(0, one, State.ASLEEP)), second);
            assertThat(samples.topColors(2)).extracting(Samples.TopColor::share).containsExactly(1.0 / (second + 1));
            samples.nextSecond();
        }
        assertThat(samples.topColors(2)).isEmpty();
    }

    @Test
    void handler_isLong_afterATenthOfASecondInOneTurn() {
        samples.add(List.of(in(0, one, first, 5, 1)), 0);
        samples.add(List.of(in(0, one, first, 5, 2)), 90 * MS); // another turn of the same color
        samples.add(List.of(in(0, one, first, 5, 2)), 180 * MS);
        assertThat(samples.longHandlers()).isEmpty();
        samples.add(List.of(in(0, one, first, 5, 2)), 190 * MS);
        assertThat(samples.longHandlers()).singleElement().satisfies(it -> {
            assertThat(it.stage).isEqualTo("first");
            assertThat(it.color).isEqualTo(5);
            assertThat(it.core).isZero();
            assertThat(it.tookNs()).isEqualTo(100 * MS);
            assertThat(it.isOver()).isFalse();
        });
        samples.nextSecond();
        samples.add(List.of(in(0, one, first, 5, 2)), 290 * MS);
        assertThat(samples.longHandlers().get(0).tookNs()).isEqualTo(200 * MS);
        samples.add(List.of(idle(0, one, State.ASLEEP)), 291 * MS);
        assertThat(samples.longHandlers().get(0).isOver()).isTrue();
    }

    @Test
    void longHandlers_areTheLatestTwenty() {
        for (int i = 0; i < 25; i++) {
            samples.add(List.of(in(-1, one, second, -1, i)), i * 1_000 * MS);
            samples.add(List.of(in(-1, one, second, -1, i)), (i * 1_000 + 200 + i) * MS);
        }
        assertThat(samples.longHandlers()).hasSize(20);
        assertThat(samples.longHandlers().get(0).tookNs()).isEqualTo(224 * MS);
        assertThat(samples.longHandlers().get(19).tookNs()).isEqualTo(205 * MS);
    }
}
