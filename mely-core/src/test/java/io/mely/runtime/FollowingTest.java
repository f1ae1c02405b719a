// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.mely.Await;
import io.mely.Color;
import io.mely.Mely;
import io.mely.MelyBuilder;
import io.mely.Stage;
import io.mely.StageOptions;
import io.mely.Stealing;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

// Two colors that answer each other meet on one core, if the two cores have nothing else to do.
class FollowingTest {
    private static final int MANY = 40 * Following.HOPS;

    private Stepper stepper = stepper(Mely.builder());
    private int left;
    private int ran;
    private Color last;

    private static Stepper stepper(MelyBuilder builder) {
        return new Stepper(builder.cores(2));
    }

    private void rebuild(MelyBuilder builder) {
        stepper.close();
        stepper = stepper(builder);
    }

    @AfterEach
    void close() {
        stepper.close();
        assertThat(stepper.mely.stats().sent()).isEqualTo(stepper.mely.stats().run());
    }

    /** On core 0 and on core 1. */
    private Color color(int home) {
        return stepper.mely.colorAt(home + 2);
    }

    private static StageOptions time(long ns) {
        return StageOptions.defaults().withProcessingTime(Duration.ofNanos(ns));
    }

    /** Two colors send to each other, so many times. */
    private Stage<String> players(long timeNs, int copies) {
        List<Stage<String>> stage = new ArrayList<>();
        stage.add(stepper.mely.stage("player", time(timeNs), name -> {
            assertThat(Color.current()).as("one sender, one answer").isNotSameAs(last);
            last = copies == 1 ? Color.current() : null;
            ran++;
            for (int i = 0; i < copies && left > 0; i++) {
                left--;
                stage.get(0).send(Color.current() == color(0) ? color(1) : color(0), name);
            }
        }));
        return stage.get(0);
    }

    private void play(Stage<String> player, int hops) {
        left = hops;
        player.send(color(1), "ball");
        stepper.run(0, 1);
        assertThat(ran).isEqualTo(hops + 1);
    }

    @Test
    void twoColorsThatAnswerEachOther_meetOnTheFirstOfTheirCores() {
        play(players(50, 1), MANY);
        assertThat(color(0).homeCore()).isZero();
        assertThat(color(1).homeCore()).isZero();
        assertThat(stepper.mely.stats().cores().get(1).run())
                .as("until they know")
                .isBetween((long) Following.HOPS, Following.HOPS + 2L);
    }

    @Test
    void fewHops_areNoReasonToMove() {
        play(players(50, 1), Following.HOPS);
        assertThat(color(1).homeCore()).isEqualTo(1);
    }

    // What a thief would take, and what is more than an answer.
    @ParameterizedTest
    @CsvSource({"5000, 1", "50, 2"})
    void longEvents_andSeveralAtOnce_stayWhereTheyAre(long timeNs, int copies) {
        play(players(timeNs, copies), MANY);
        assertThat(color(1).homeCore()).isEqualTo(1);
    }

    @Test
    void switchedOff_nothingMoves() {
        rebuild(Mely.builder().following(false));
        play(players(50, 1), MANY);
        assertThat(color(1).homeCore()).isEqualTo(1);
    }

    @Test
    void withoutStealing_nothingMoves_asNothingWouldLeave() {
        rebuild(Mely.builder().stealing(Stealing.off()));
        play(players(50, 1), MANY);
        assertThat(color(1).homeCore()).isEqualTo(1);
    }

    // The answer of a core that has something else to do would have to wait there.
    @ParameterizedTest
    @CsvSource({"0", "1"})
    void coreWithSomethingElse_isNotMovedTo_norFrom(int busy) {
        Stage<String> player = players(50, 1);
        List<Stage<String>> other = new ArrayList<>();
        Color third = stepper.mely.colorAt(busy + 4);
        other.add(stepper.mely.stage("other", time(60), name -> {
            if (left > 0) {
                other.get(0).send(third, name);
            }
        }));
        other.get(0).send(third, "again");
        left = MANY;
        player.send(color(1), "ball");
        stepper.run(0, 1);
        assertThat(color(1).homeCore()).isEqualTo(1);
    }

    // A color that answers now one, now the other.
    @Test
    void colorThatSendsToSeveral_staysWhereItIs() {
        List<Stage<String>> stage = new ArrayList<>();
        stage.add(stepper.mely.stage("server", time(50), name -> {
            if (left-- > 0) {
                Color one = left % 4 < 2 ? color(0) : stepper.mely.colorAt(6);
                stage.get(0).send(Color.current() == color(1) ? one : color(1), name);
            }
        }));
        left = MANY;
        stage.get(0).send(color(1), "ball");
        stepper.run(0, 1);
        assertThat(color(1).homeCore()).isEqualTo(1);
    }

    // As many as you like: a color that only hears of it is no reason to go there.
    @Test
    void colorThatIsNotAnswered_staysWhereItIs() {
        Stage<Integer> log = stepper.mely.stage("log", time(50), number -> ran++);
        Stage<Integer> talker = stepper.mely.stage("talker", time(50), number -> log.send(color(0), number));
        for (int i = 0; i < MANY; i++) {
            talker.send(color(1), i);
            stepper.run(0, 1);
        }
        assertThat(ran).isEqualTo(MANY);
        assertThat(color(1).homeCore()).isEqualTo(1);
    }

    // It would wait for that.
    @Test
    void colorThatIsAnsweredByLongEvents_staysWhereItIs() {
        List<Stage<String>> stages = new ArrayList<>();
        stages.add(stepper.mely.stage("short", time(50), name -> stages.get(1).send(color(0), name)));
        stages.add(stepper.mely.stage("long", time(40_000), name -> {
            if (left-- > 0) {
                stages.get(0).send(color(1), name);
            }
        }));
        left = MANY;
        stages.get(0).send(color(1), "ball");
        stepper.run(0, 1);
        assertThat(color(1).homeCore()).isEqualTo(1);
    }

    // What it has sent from its old home is in the inbox of the new one, and its next handler runs there.
    @Test
    void colorThatHasMoved_doesNotOvertakeWhatItSentBefore() throws Exception {
        List<Integer> got = new ArrayList<>();
        int[] sent = {0};
        CountDownLatch isInside = new CountDownLatch(1);
        CountDownLatch goesOn = new CountDownLatch(1);
        List<Stage<Boolean>> stages = new ArrayList<>();
        Stage<Integer> sink = stepper.mely.stage("sink", time(50), number -> {
            got.add(number);
            if (number < Following.HOPS) {
                stages.get(0).send(color(1), true);
            }
        });
        stages.add(stepper.mely.stage("source", time(50), unused -> sink.send(color(0), sent[0]++)));
        Stage<Boolean> other = stepper.mely.stage("other", time(50), unused -> {
            isInside.countDown();
            goesOn.await();
            stages.get(0).send(color(1), true);
        });
        stages.get(0).send(color(1), true);
        for (int i = 0; i < Following.HOPS - 1; i++) {
            stepper.step(1);
            stepper.step(0);
        }
        assertThat(color(1).homeCore()).isEqualTo(1);
        other.send(color(0), true);
        try (Stepper.Other zero = stepper.other()) {
            zero.start(0);
            isInside.await();
            stepper.step(1);
            assertThat(color(1).homeCore()).isZero();
            goesOn.countDown();
        }
        stepper.run(0, 1);
        assertThat(got).hasSizeGreaterThan(Following.HOPS + 1).isSorted();
    }

    // Else pairs that met in quiet times would all be on one core in others: their events are no loot.
    @Test
    void coreThatHasGivenColorsAway_takesSomeBack_onceTheHeirHasMuchToDo() {
        int pairs = 64;
        List<Stage<Integer>> stages = new ArrayList<>();
        stages.add(stepper.mely.stage("pair", time(50), slot -> {
            if (left-- > 0) {
                stages.get(0).send(stepper.mely.colorAt(slot ^ 1), slot ^ 1);
            }
        }));
        for (int pair = 1; pair <= pairs; pair++) {
            left = 3 * Following.HOPS;
            stages.get(0).send(stepper.mely.colorAt(2 * pair + 1), 2 * pair + 1);
            stepper.run(0, 1);
            assertThat(stepper.mely.colorAt(2 * pair + 1).homeCore()).isZero();
        }
        long before = stepper.mely.stats().cores().get(1).run();
        left = Integer.MAX_VALUE;
        for (int pair = 1; pair <= pairs; pair++) {
            stages.get(0).send(stepper.mely.colorAt(2 * pair), 2 * pair);
        }
        for (int i = 0; i < 2_000; i++) {
            stepper.step(0);
            stepper.clock.advance(10_000);
            stepper.step(1);
        }
        left = 0;
        stepper.run(0, 1);
        int back = 0;
        for (int slot = 2; slot < 2 * pairs + 2; slot++) {
            back += stepper.mely.colorAt(slot).homeCore();
        }
        assertThat(back).as("not more than were given").isBetween(pairs / 4, pairs);
        assertThat(stepper.mely.stats().cores().get(1).run()).isGreaterThan(before);
    }

    // ------------------------------------------------------------------ on threads

    /** What two colors throw to each other; its numbers say whether all is in order. */
    private static final class Ball {
        final Color[] colors;
        int hops; // of the colors

        Ball(Color one, Color other) {
            colors = new Color[] {one, other};
        }
    }

    private static final class Poke {
        final AtomicIntegerArray next;
        final int color;
        final int number;

        Poke(AtomicIntegerArray next, int color, int number) {
            this.next = next;
            this.color = color;
            this.number = number;
        }
    }

    // Pairs meet, and others send to their colors all the time: nothing is lost, and nobody is overtaken.
    @Test
    void pairsThatMeet_whileOthersSendToThem_keepTheOrder() throws Exception {
        int pairs = 4;
        int hops = 50_000;
        int pokes = 20_000;
        AtomicIntegerArray next = new AtomicIntegerArray(2 * pairs);
        CountDownLatch over = new CountDownLatch(pairs + 2 * pairs);
        AtomicReference<Throwable> thrown = new AtomicReference<>();
        Mely mely = Mely.builder()
                .cores(3)
                .pinned(false)
                .errorHandler(failure -> thrown.set(failure.cause()))
                .build();
        List<Stage<Ball>> player = new ArrayList<>();
        player.add(mely.stage("player", time(50), ball -> {
            assertThat(Color.current()).isSameAs(ball.colors[ball.hops % 2]);
            if (++ball.hops < hops) {
                player.get(0).send(ball.colors[ball.hops % 2], ball);
            } else {
                over.countDown();
            }
        }));
        Stage<Poke> poked = mely.stage("poked", time(100), poke -> {
            assertThat(next.getAndSet(poke.color, poke.number + 1)).isEqualTo(poke.number);
            if (poke.number == pokes - 1) {
                over.countDown();
            }
        });
        mely.start();
        for (int i = 0; i < pairs; i++) {
            player.get(0).send(mely.colorAt(1 + 2 * i), new Ball(mely.colorAt(1 + 2 * i), mely.colorAt(2 + 2 * i)));
        }
        for (int number = 0; number < pokes; number++) {
            for (int i = 0; i < 2 * pairs; i++) {
                assertThat(poked.send(mely.colorAt(1 + i), new Poke(next, i, number)))
                        .isTrue();
            }
        }
        assertThat(over.await(Await.PATIENCE_S, TimeUnit.SECONDS)).isTrue();
        assertThat(mely.close(Duration.ofSeconds(Await.PATIENCE_S)).discardedEvents())
                .isZero();
        assertThat(thrown.get()).isNull();
        assertThat(mely.stats().run()).isEqualTo((long) pairs * hops + 2L * pairs * pokes);
    }
}
