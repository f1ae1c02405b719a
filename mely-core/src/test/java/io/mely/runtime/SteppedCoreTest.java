// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mely.Color;
import io.mely.ErrorHandler;
import io.mely.Mely;
import io.mely.MelyBuilder;
import io.mely.Stage;
import io.mely.StageOptions;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

// One core, stepped: which event runs next, in which color, and what becomes of a handler that throws.
class SteppedCoreTest {
    private final List<String> ran = Collections.synchronizedList(new ArrayList<>());
    private final List<ErrorHandler.Failure> failures = Collections.synchronizedList(new ArrayList<>());
    private Stepper stepper = stepper(Mely.builder());

    private Stepper stepper(MelyBuilder builder) {
        return new Stepper(builder.cores(1).errorHandler(failures::add));
    }

    private void rebuild(MelyBuilder builder) {
        stepper.close();
        stepper = stepper(builder);
    }

    @AfterEach
    void close() {
        stepper.close();
    }

    private Stage<String> recorder(String name) {
        return stepper.mely.stage(name, ran::add);
    }

    // ------------------------------------------------------------------ floods

    // What is sent by others waits for a slice of a color that always has more, not for its end.
    @Test
    void colorThatFillsItsSlices_leavesTurnsToOthers() {
        Stage<String> brief = recorder("brief");
        List<Stage<String>> hog = new ArrayList<>();
        hog.add(stepper.mely.stage("hog", name -> {
            stepper.clock.advance(10_000);
            hog.get(0).offer(Color.current(), name);
        }));
        hog.get(0).offer(stepper.mely.colorAt(1), "hog");
        stepper.step(0);
        for (int i = 0; i < 1_000; i++) {
            brief.offer(stepper.mely.colorAt(2 + i % 100), "brief");
        }
        stepper.step(0);
        stepper.step(0);
        assertThat(ran).hasSize(1_000);
    }

    // One color is flooded from outside: what is behind that in the inbox, and what is urgent, does not wait for all of
    // it.
    @Test
    void flood_ofOneColor_holdsUpNobodyElse() {
        Stage<String> flooded = stepper.mely.stage("flooded", name -> {
            stepper.clock.advance(10_000);
            ran.add(name);
        });
        for (int i = 0; i < 2_000; i++) {
            flooded.offer(stepper.mely.colorAt(1), "flood");
        }
        recorder("other").offer(stepper.mely.colorAt(2), "other");
        Stage<String> urgent =
                stepper.mely.stage("urgent", StageOptions.defaults().withPriority(7), ran::add);
        urgent.offer(stepper.mely.colorAt(3), "urgent");
        for (int i = 0; i < 3; i++) {
            stepper.step(0);
        }
        assertThat(ran).first().isEqualTo("urgent");
        assertThat(ran).contains("other").hasSizeLessThan(50);
    }

    // ------------------------------------------------------------------ colors

    @Test
    void noColor_isTheDefaultColor() {
        List<Color> seen = new ArrayList<>();
        Stage<String> stage = stepper.mely.stage("s", name -> seen.add(Color.current()));
        stage.offer("a");
        stage.offer(stepper.mely.colorAt(0), "b");
        stepper.run(0);
        assertThat(seen).containsExactly(stepper.mely.defaultColor(), stepper.mely.defaultColor());
        assertThat(stage.color()).isSameAs(stepper.mely.defaultColor());
        assertThat(stepper.mely.defaultColor().slot()).isZero();
    }

    // Colors are not inherited: what a colored handler sends without a color runs in the default color.
    @Test
    void colors_areNotInherited() {
        Stage<String> inner = stepper.mely.stage(
                "inner", name -> ran.add(name + Color.current().slot()));
        Stage<String> outer = stepper.mely.stage("outer", name -> {
            inner.offer("none ");
            inner.offer(Color.current(), "passed on ");
        });
        outer.offer(stepper.mely.colorAt(5), "go");
        stepper.run(0);
        assertThat(ran).containsExactlyInAnyOrder("none 0", "passed on 5");
    }

    @Test
    void current_outsideAHandler_throws() {
        assertThatIllegalStateException()
                .isThrownBy(Color::current)
                .withMessageContaining("thread=" + Thread.currentThread().getName());
        assertThatThrownBy(() -> stepper.on(0, Color::current)).hasCauseInstanceOf(IllegalStateException.class);
        assertThatIllegalStateException().isThrownBy(() -> stepper.mely.blocking(() -> 1));
    }

    @Test
    void isCurrent_onlyInTheColorsOwnHandlers() {
        Color own = stepper.mely.colorAt(3);
        Color other = stepper.mely.colorAt(4);
        own.execute(() -> ran.add(own.isCurrent() + " " + other.isCurrent()));
        stepper.run(0);
        assertThat(ran).containsExactly("true false");
        assertThat(own.isCurrent()).isFalse();
    }

    @Test
    void singleThreadedStage_usesAColorOfItsOwn() {
        StageOptions single = StageOptions.defaults().asSingleThreaded();
        Stage<String> a = stepper.mely.stage(
                "a", single, name -> ran.add(name + Color.current().slot()));
        Stage<String> b = stepper.mely.stage(
                "b", single, name -> ran.add(name + Color.current().slot()));
        assertThat(a.color()).isNotEqualTo(b.color()).isNotEqualTo(stepper.mely.defaultColor());
        assertThat(a.color().slot())
                .as("outside the table, so that no key shares it")
                .isGreaterThanOrEqualTo(65_536);
        a.offer(stepper.mely.colorAt(7), "given ");
        a.offer("none ");
        stepper.run(0);
        int slot = a.color().slot();
        assertThat(ran).containsExactly("given " + slot, "none " + slot);
    }

    private static MelyBuilder seeded(long seed) {
        return Hooks.NONE.withHashSeed(seed).on(Mely.builder());
    }

    @Test
    void color_isTheSameForTheSameKey_andNeverTheDefault() {
        rebuild(seeded(42).colors(2));
        for (long key = 0; key < 100; key++) {
            assertThat(stepper.mely.color(key).slot()).isEqualTo(1);
        }
        rebuild(seeded(42));
        List<Color> colors = new ArrayList<>();
        for (long key = 0; key < 1_000; key++) {
            assertThat(stepper.mely.color(key)).isSameAs(stepper.mely.color(key));
            assertThat(stepper.mely.color(key).slot()).isBetween(1, 65_535);
            colors.add(stepper.mely.color(key));
        }
        assertThat(colors.stream().distinct().count())
                .as("spread over 65,535 slots")
                .isGreaterThan(970);
        assertThat(stepper.mely.color("alice"))
                .isSameAs(stepper.mely.color(new StringBuilder("alice")))
                .isNotSameAs(stepper.mely.color("bob"));
        Mely same = seeded(42).cores(1).build();
        Mely other = seeded(43).cores(1).build();
        assertThat(colors)
                .allSatisfy(
                        color -> assertThat(stepper.mely.colorAt(color.slot())).isSameAs(color));
        assertThat(LongSlots.of(same)).isEqualTo(LongSlots.of(stepper.mely)).isNotEqualTo(LongSlots.of(other));
        same.close();
        other.close();
    }

    private record LongSlots(List<Integer> slots) {
        static LongSlots of(Mely mely) {
            return new LongSlots(IntStream.range(0, 50)
                    .mapToObj(key -> mely.color(key).slot())
                    .toList());
        }
    }

    // ------------------------------------------------------------------ sends from a handler into its own color

    @Test
    void fused_sendsOfAHandler_keepTheirOrder() {
        Stage<String> stage = recorder("s");
        Stage<String> sender = stepper.mely.stage("sender", name -> {
            ran.add("sender");
            stage.offer(Color.current(), "a");
            stage.offer(Color.current(), "b");
            stage.offer(Color.current(), "c");
        });
        sender.offer(stepper.mely.colorAt(1), "go");
        stepper.run(0);
        assertThat(ran).containsExactly("sender", "a", "b", "c");
    }

    @Test
    void fused_othersPending_keepTheirPlace() {
        Stage<String> stage = recorder("s");
        Stage<String> sender = stepper.mely.stage("sender", name -> {
            stage.offer(Color.current(), "a");
            stage.offer(Color.current(), "b");
        });
        sender.offer(stepper.mely.colorAt(1), "go");
        stage.offer(stepper.mely.colorAt(1), "pending");
        sender.offer(stepper.mely.colorAt(1), "go");
        stepper.run(0);
        assertThat(ran).containsExactly("pending", "a", "b", "a", "b");
    }

    // A send by another thread while the handler runs: whatever comes first, both are run, and the handler's own two in
    // order.
    @Test
    void fused_outsideSendInBetween_isNotLost() {
        Stage<String> stage = recorder("s");
        Stage<String> sender = stepper.mely.stage("sender", name -> {
            Color own = Color.current();
            stage.offer(own, "a");
            Thread outside = new Thread(() -> stage.offer(own, "outside"));
            outside.start();
            outside.join();
            stage.offer(own, "b");
        });
        sender.offer(stepper.mely.colorAt(1), "go");
        stepper.run(0);
        assertThat(ran).hasSize(3).contains("outside").containsSubsequence("a", "b");
    }

    @Test
    void fused_toAnotherColor_isAnOrdinarySend() {
        Stage<String> stage = recorder("s");
        Stage<String> sender = stepper.mely.stage("sender", name -> {
            stage.offer(stepper.mely.colorAt(2), "other");
            stage.offer(Color.current(), "own");
        });
        sender.offer(stepper.mely.colorAt(1), "go");
        stepper.run(0);
        assertThat(ran).containsExactly("own", "other");
    }

    // Of a chain of sends into the own color ten are fused in a turn, so that it does not lock out the others.
    @Test
    void fused_chain_isBounded() {
        int[] left = {24};
        AtomicReference<Stage<String>> chain = new AtomicReference<>();
        chain.set(stepper.mely.stage("chain", name -> {
            ran.add(name);
            if (left[0]-- > 0) {
                chain.get().offer(Color.current(), name);
            }
        }));
        chain.get().offer(stepper.mely.colorAt(1), "X");
        Stage<String> stage = recorder("s");
        for (int i = 0; i < 15; i++) {
            stage.offer(stepper.mely.colorAt(2), "Y");
        }
        stepper.run(0);
        assertThat(ran).isEqualTo(SteppedTurnTest.times(11, "X", 15, "Y", 14, "X"));
        assertThat(stepper.timeLeft(stepper.mely.colorAt(1))).isZero();
    }

    @Test
    void fused_thrownAfterwards_runsAllTheSame() {
        Stage<String> stage = recorder("s");
        Stage<String> sender = stepper.mely.stage("sender", name -> {
            stage.offer(Color.current(), "a");
            throw new IllegalStateException("after the send");
        });
        sender.offer(stepper.mely.colorAt(1), "event");
        stepper.run(0);
        assertThat(ran).containsExactly("a");
        assertThat(failures).hasSize(1);
        assertThat(failures.get(0).stage()).isSameAs(sender);
        assertThat(failures.get(0).event()).isEqualTo("event");
    }

    @Test
    void fused_intoTheOwnSingleThreadedStage() {
        int[] left = {3};
        AtomicReference<Stage<String>> single = new AtomicReference<>();
        single.set(stepper.mely.stage("single", StageOptions.defaults().asSingleThreaded(), name -> {
            ran.add(name);
            if (left[0]-- > 0) {
                single.get().offer(name + left[0]);
            }
        }));
        single.get().offer("s");
        stepper.run(0);
        assertThat(ran).containsExactly("s", "s2", "s21", "s210");
    }

    @Test
    void timeLeft_ofAnEmptiedColor_isZero() {
        Stage<String> stage = recorder("s");
        for (int i = 0; i < 35; i++) {
            stage.offer(stepper.mely.colorAt(1), "X");
        }
        Color color = stepper.mely.colorAt(1);
        stepper.drain(0);
        assertThat(stepper.timeLeft(color)).isEqualTo(35_000);
        stepper.run(0);
        assertThat(stepper.timeLeft(color)).isZero();
        stage.offer(color, "X");
        stepper.drain(0);
        assertThat(stepper.timeLeft(color)).isEqualTo(stage.processingTimeNs());
    }

    // ------------------------------------------------------------------ executor

    @Test
    void execute_keepsTheOrder() {
        Executor color = stepper.mely.colorAt(1);
        for (int i = 0; i < 30; i++) {
            int number = i;
            color.execute(() -> ran.add("" + number));
        }
        stepper.run(0);
        assertThat(ran).isEqualTo(IntStream.range(0, 30).mapToObj(i -> "" + i).toList());
    }

    // ------------------------------------------------------------------ handlers that throw

    @Test
    void handlerThrows_isReportedOnceWithEverything_andTheColorGoesOn() {
        RuntimeException cause = new RuntimeException("planned");
        Stage<String> stage = stepper.mely.stage("breaks", event -> {
            if (event.equals("bad")) {
                throw cause;
            }
            ran.add(event);
        });
        for (String event : List.of("a", "bad", "b")) {
            stage.offer(stepper.mely.colorAt(9), event);
        }
        stepper.run(0);

        assertThat(ran).containsExactly("a", "b");
        assertThat(failures).containsExactly(new ErrorHandler.Failure(0, stepper.mely.colorAt(9), stage, "bad", cause));
        assertThat(stepper.stats(0).failed()).isEqualTo(1);
        assertThat(stepper.stats(0).run()).as("a failed event has run").isEqualTo(3);
    }

    @Test
    void handlerThrows_anErrorOrACheckedException_isReportedToo() {
        Stage<Throwable> stage = stepper.mely.stage("breaks", event -> {
            if (event instanceof Error error) {
                throw error;
            }
            throw (Exception) event;
        });
        stage.offer(new StackOverflowError());
        stage.offer(new java.io.IOException());
        stage.offer(new AssertionError());
        stepper.run(0);
        assertThat(failures)
                .extracting(failure -> failure.cause().getClass().getSimpleName())
                .containsExactly("StackOverflowError", "IOException", "AssertionError");
        assertThat(stepper.stats(0).failed()).isEqualTo(3);
    }

    @Test
    void errorHandler_runsInTheColor_andMaySend() {
        stepper.close();
        AtomicReference<Stage<String>> rescue = new AtomicReference<>();
        stepper = new Stepper(Mely.builder().cores(1).errorHandler(failure -> {
            ran.add("in " + Color.current().slot());
            rescue.get().offer(failure.color(), "again");
        }));
        rescue.set(recorder("rescue"));
        stepper.mely
                .<String>stage("breaks", event -> {
                    throw new RuntimeException();
                })
                .offer(stepper.mely.colorAt(3), "x");
        stepper.run(0);
        assertThat(ran).containsExactly("in 3", "again");
    }

    // The runtime outlives an error handler that is broken itself.
    @Test
    void errorHandler_throws_isLoggedAndTheColorGoesOn() {
        stepper.close();
        stepper = new Stepper(Mely.builder().cores(1).errorHandler(failure -> {
            throw new IllegalStateException("the error handler itself");
        }));
        Stage<String> stage = stepper.mely.stage("breaks", event -> {
            ran.add(event);
            throw new RuntimeException("the handler");
        });
        try (Logged logged = new Logged("io.mely")) {
            stage.offer("a");
            stage.offer("b");
            stepper.run(0);
            assertThat(ran).containsExactly("a", "b");
            assertThat(logged.messages()).hasSize(2).allMatch(message -> message.contains("the error handler threw"));
            assertThat(logged.causes())
                    .allSatisfy(cause -> assertThat(cause.getSuppressed()).hasSize(1));
        }
    }

    // A logger that cannot open its file throws, or worse; the handler's failure is then lost, and nothing else.
    @Test
    void logger_throws_theColorGoesOn() {
        stepper.close();
        stepper = new Stepper(Mely.builder().cores(1).errorHandler(failure -> {
            throw new IllegalStateException("the error handler itself");
        }));
        Stage<String> stage = stepper.mely.stage("breaks", event -> {
            ran.add(event);
            throw new RuntimeException("the handler");
        });
        java.util.logging.Logger logger = java.util.logging.Logger.getLogger("io.mely");
        java.util.logging.Filter broken = record -> {
            throw new ExceptionInInitializerError("the logger too");
        };
        logger.setFilter(broken);
        try {
            stage.offer("a");
            stage.offer("b");
            stepper.run(0);
        } finally {
            logger.setFilter(null);
        }
        assertThat(ran).containsExactly("a", "b");
        assertThat(stepper.stats(0).failed()).isEqualTo(2);
    }

    @Test
    void noErrorHandler_isLogged() {
        stepper.close();
        stepper = new Stepper(Mely.builder().cores(1));
        try (Logged logged = new Logged("io.mely")) {
            stepper.mely
                    .<String>stage("breaks", event -> {
                        throw new RuntimeException("planned");
                    })
                    .offer(stepper.mely.colorAt(12), "x");
            stepper.run(0);
            assertThat(logged.messages()).singleElement().asString().contains("stage=breaks", "color=12", "core=0");
        }
    }
}
