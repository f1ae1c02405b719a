// SPDX-License-Identifier: Apache-2.0
package io.mely;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.mely.runtime.Hooks;
import java.time.Duration;
import java.util.function.Consumer;
import java.util.function.IntUnaryOperator;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

// A wrong argument is refused at once, by an exception that names the parameter and the value; the limits themselves
// are allowed.
class ArgumentsTest {
    private static Arguments builder(String message, Consumer<MelyBuilder> setter) {
        return arguments(message, (Runnable) () -> setter.accept(Mely.builder()));
    }

    private static Arguments policy(String message, Consumer<Policy> setter) {
        return arguments(message, (Runnable) () -> setter.accept(Policy.colored()));
    }

    private static Arguments options(String message, Consumer<StageOptions> setter) {
        return arguments(message, (Runnable) () -> setter.accept(StageOptions.defaults()));
    }

    static Stream<Arguments> wrong() {
        return Stream.of(
                builder("name= ", b -> b.name(" ")),
                builder("cores=0", b -> b.cores(0)),
                builder("cores=-1", b -> b.cores(-1)),
                builder("cores=1025", b -> b.cores(MelyBuilder.CORES_MAX + 1)),
                builder("colors=0", b -> b.colors(0)),
                builder("colors=1", b -> b.colors(1)),
                builder("colors=1000", b -> b.colors(1_000)),
                builder("colors=-2147483648", b -> b.colors(Integer.MIN_VALUE)),
                builder("colors=33554432", b -> b.colors(MelyBuilder.COLORS_MAX * 2)),
                policy("batchThresholdEvents=0", p -> p.withBatchThreshold(0)),
                policy("batchThresholdEvents=-7", p -> p.withBatchThreshold(-7)),
                policy("timeSlice=PT0S", p -> p.withTimeSlice(Duration.ZERO)),
                policy("timeSlice=PT-1S", p -> p.withTimeSlice(Duration.ofSeconds(-1))),
                policy("spin=PT-0.000000001S", p -> p.withSpin(Duration.ofNanos(-1))),
                builder(
                        "colorsMax=0",
                        b -> b.policy(Policy.colored(Stealing.mely().withColorsMax(0)))),
                builder(
                        "colorsMax=17",
                        b -> b.policy(Policy.colored(Stealing.mely().withColorsMax(Stealing.COLORS_MAX + 1)))),
                builder("blockingLimit=0", b -> b.blockingLimit(0)),
                policy("threadsPerCore=0", p -> p.withThreadsPerCore(0)),
                policy("threadsPerCore=1025", p -> p.withThreadsPerCore(1_025)),
                builder("pendingEventsMax=1023", b -> b.pendingEventsMax(1_023)),
                builder("closeDeadline=PT-1S", b -> b.closeDeadline(Duration.ofSeconds(-1))),
                options("processingTime=PT0S", o -> o.withProcessingTime(Duration.ZERO)),
                options("processingTime=PT-1S", o -> o.withProcessingTime(Duration.ofSeconds(-1))),
                options("penalty=0", o -> o.withPenalty(0)),
                options("penalty=1000001", o -> o.withPenalty(StageOptions.PENALTY_MAX + 1)),
                options("priority=-1", o -> o.withPriority(-1)),
                options("priority=8", o -> o.withPriority(StageOptions.PRIORITIES)),
                options("processingTimeNs=-1", o -> new StageOptions(-1, 1, 3, false)),
                options("capacity=0", o -> o.withCapacity(0)),
                options("dataBytes=-1", o -> o.withDataBytes(-1)),
                options("dataBytes=1073741825", o -> o.withDataBytes(StageOptions.DATA_BYTES_MAX + 1)));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("wrong")
    void wrongValue_namesParameterAndValue(String message, Runnable call) {
        String parameter = message.substring(0, message.indexOf('='));
        assertThatIllegalArgumentException()
                .isThrownBy(call::run)
                .withMessageStartingWith(parameter)
                .withMessageEndingWith(": " + message);
    }

    static Stream<Arguments> nulls() {
        return Stream.of(
                builder("stealing", b -> b.policy(Policy.colored(null))),
                builder("errorHandler", b -> b.errorHandler(null)),
                builder("pollers", b -> b.pollers(null)),
                builder("name", b -> b.name(null)),
                policy("timeSlice", p -> p.withTimeSlice(null)),
                policy("spin", p -> p.withSpin(null)),
                builder("closeDeadline", b -> b.closeDeadline(null)),
                options("processingTime", o -> o.withProcessingTime(null)));
    }

    static Stream<Policy> policies() {
        return Stream.of(Policy.colored(), Policy.centralQueue());
    }

    // Where the call is, not where a core finds nothing to call.
    @ParameterizedTest
    @MethodSource("policies")
    void null_isRefusedAtTheCall(Policy policy) {
        try (Mely mely = Mely.builder().cores(1).pinned(false).policy(policy).build()) {
            StageOptions defaults = StageOptions.defaults();
            Stage<String> stage = mely.stage("s", event -> {});
            Color color = mely.colorAt(1);
            refusesNull("name", () -> mely.stage(null, event -> {}));
            refusesNull("handler", () -> mely.stage("n", null));
            refusesNull("options", () -> mely.stage("n", null, event -> {}));
            refusesNull("name", () -> mely.color(null));
            refusesNull("color", () -> mely.executor(null));
            refusesNull("color", () -> mely.blocking(null, () -> 1));
            refusesNull("work", () -> mely.blocking(color, null));
            refusesNull("command", () -> color.execute(null));
            refusesNull("delay", () -> color.schedule(null, stage, "x"));
            refusesNull("stage", () -> color.schedule(Duration.ZERO, null, "x"));
            refusesNull("delay", () -> color.schedule(null, () -> {}));
            refusesNull("command", () -> color.schedule(Duration.ZERO, null));
            refusesNull("deadline", () -> mely.close(null));
            assertThat(mely.stats().sent()).isZero();
        }
    }

    private static void refusesNull(String parameter, ThrowingCallable call) {
        assertThatNullPointerException().isThrownBy(call).withMessage(parameter);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("nulls")
    void null_namesTheParameter(String parameter, Runnable call) {
        assertThatNullPointerException().isThrownBy(call::run).withMessage(parameter);
    }

    @Test
    void limits_areAllowed() {
        MelyBuilder builder = Mely.builder()
                .name("x")
                .cores(MelyBuilder.CORES_MAX)
                .colors(MelyBuilder.COLORS_MAX)
                .colors(2)
                .policy(Policy.colored()
                        .withBatchThreshold(1)
                        .withTimeSlice(Duration.ofNanos(1))
                        .withSpin(Duration.ZERO)
                        .withThreadsPerCore(1_024))
                .blockingLimit(1)
                .pendingEventsMax(1_024)
                .closeDeadline(Duration.ZERO)
                .pinned(false)
                .cores(1);
        try (Mely mely = builder.build()) {
            assertThat(mely.cores()).isEqualTo(1);
            assertThat(mely.colors()).isEqualTo(2);
            assertThat(mely.toString()).contains("name=x", "cores=1", "phase=new");
        }
        StageOptions options = StageOptions.defaults()
                .withPenalty(StageOptions.PENALTY_MAX)
                .withPriority(0)
                .withPriority(7)
                .withProcessingTime(Duration.ofNanos(1))
                .withDataBytes(StageOptions.DATA_BYTES_MAX)
                .withCapacity(1)
                .asSingleThreaded();
        assertThat(options)
                .isEqualTo(new StageOptions(
                        1, 1_000_000, 7, true, 1L << 30, StageOptions.GROUP_DEFAULT, 1, null, null, null));
    }

    @Test
    void defaults_areThePapers() {
        try (Mely mely = Mely.builder().pinned(false).build()) {
            assertThat(mely.colors()).isEqualTo(65_536);
            assertThat(mely.cores()).isBetween(1, Runtime.getRuntime().availableProcessors());
        }
        assertThat(Policy.BATCH_THRESHOLD_EVENTS).isEqualTo(10);
        assertThat(StageOptions.defaults()).isEqualTo(new StageOptions(0, 1, 3, false));
        assertThat(Stealing.mely().withColorsMax(1)).isEqualTo(new Stealing(true, true, true, true));
        assertThat(Stealing.base().withColorsMax(1)).isEqualTo(new Stealing(true, false, false, false));
        assertThat(Stealing.off().enabled()).isFalse();
    }

    @Test
    void colorAt_outOfRange_namesTheSlot() {
        try (Mely mely = Mely.builder().cores(1).pinned(false).colors(16).build()) {
            assertThat(mely.colorAt(15).slot()).isEqualTo(15);
            for (int slot : new int[] {-1, 16, Integer.MIN_VALUE, Integer.MAX_VALUE}) {
                assertThatIllegalArgumentException()
                        .isThrownBy(() -> mely.colorAt(slot))
                        .withMessage("slot must be 0 to 15: slot=" + slot);
            }
        }
    }

    @Test
    void placement_thatThrows_doesSoInBuild() {
        IntUnaryOperator nowhere = slot -> {
            throw new IllegalStateException("no home: slot=" + slot);
        };
        MelyBuilder builder = Mely.builder().cores(1).pinned(false).colors(16);
        assertThatThrownBy(() -> Hooks.NONE.withPlacement(nowhere).on(builder).build())
                .hasMessage("no home: slot=0");
    }

    @Test
    void close_negativeDeadline_isRefused_andNothingIsClosed() {
        try (Mely mely = Mely.builder().cores(1).pinned(false).build()) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> mely.close(Duration.ofNanos(-1)))
                    .withMessage("deadline must be >= 0: deadline=PT-0.000000001S");
            assertThat(mely.stage("s", event -> {}).offer("still open")).isTrue();
        }
    }

    // What belongs to one runtime is refused by another, in each way in.
    @Test
    void anotherRuntimesColorOrStage_isRefused() {
        try (Mely mely = Mely.builder().cores(1).pinned(false).build();
                Mely other = Mely.builder().cores(1).pinned(false).build()) {
            Stage<String> stage = mely.stage("mine", event -> {});
            Stage<String> single = mely.stage("single", StageOptions.defaults().asSingleThreaded(), event -> {});
            Color foreign = other.colorAt(1);
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> stage.offer(foreign, "x"))
                    .withMessageContaining("another runtime")
                    .withMessageContaining("slot=1")
                    .withMessageContaining("stage=mine");
            assertThatIllegalArgumentException().isThrownBy(() -> single.offer(foreign, "x"));
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> foreign.schedule(Duration.ZERO, stage, "x"))
                    .withMessage("stage belongs to another runtime: stage=mine");
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> mely.blocking(foreign, () -> 1))
                    .withMessageContaining("another runtime")
                    .withMessageContaining("slot=1");
            assertThat(mely.stats().sent() + other.stats().sent()).isZero();
        }
    }
}
