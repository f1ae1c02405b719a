// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.within;

import io.mely.Color;
import io.mely.Engine;
import io.mely.Mely;
import io.mely.Recording;
import io.mely.Stage;
import io.mely.StageOptions;
import io.mely.WorkloadProfile;
import io.mely.WorkloadProfile.ColorBand;
import io.mely.WorkloadProfile.Sends;
import io.mely.WorkloadProfile.StageLoad;
import io.mely.WorkloadProfile.TimeBucket;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

// A recording says what the application did, to the event; and nothing is timed when nobody records. Time is what the
// handlers say.
class SteppedRecordingTest {
    private static final long SHORT_NS = 5_000;
    private static final long LONG_NS = 500_000;

    private Stepper stepper = new Stepper(Mely.builder().cores(2).errorHandler(failure -> {}));

    private void rebuild(Engine engine) {
        stepper.close();
        stepper = new Stepper(Mely.builder().cores(2).engine(engine).errorHandler(failure -> {}));
    }

    @AfterEach
    void close() {
        stepper.close();
    }

    private static StageLoad stage(WorkloadProfile profile, String name) {
        return profile.stages().stream()
                .filter(stage -> stage.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    private static TimeBucket bucketOf(StageLoad stage, long ns) {
        return stage.times().stream()
                .filter(bucket -> bucket.fromNs() <= ns && ns < bucket.belowNs())
                .findFirst()
                .orElseThrow();
    }

    // Poisson arrivals in Zipf colors; each is parsed, and half of them are worked on, in two parts, in another color;
    // 5 % take long.
    @ParameterizedTest
    @EnumSource
    void knownApplication_isRecordedAsItIs(Engine engine) {
        rebuild(engine);
        SplittableRandom random = new SplittableRandom(1);
        int colors = 50;
        int requests = 5_000;
        long[] parsed = new long[colors];
        long[] worked = new long[colors];
        long[] longOnes = {0};
        Stage<Integer> work = stepper.mely.stage(
                "work",
                StageOptions.defaults()
                        .withProcessingTime(Duration.ofNanos(30_000))
                        .withPenalty(3)
                        .withPriority(5)
                        .withDataBytes(4_096),
                number -> {
                    boolean isLong = random.nextInt(20) == 0;
                    longOnes[0] += isLong ? 1 : 0;
                    stepper.clock.advance(isLong ? LONG_NS : SHORT_NS);
                });
        Stage<Integer> parse = stepper.mely.stage("parse", number -> {
            stepper.clock.advance(1_000);
            if (number % 2 == 0) {
                int other = number / 2 % colors;
                worked[other] += 2;
                Color to = stepper.mely.colorAt(1 + colors + other);
                assertThat(work.send(to, number)).isTrue();
                assertThat(work.send(to, -number)).isTrue();
            }
        });
        Recording recording = stepper.mely.record();
        double atNs = stepper.clock.nanoTime();
        for (int i = 0; i < requests; i++) {
            atNs -= Math.log(1 - random.nextDouble()) * 1_000_000; // 1,000 a second
            stepper.clock.advance(Math.max(0, (long) atNs - stepper.clock.nanoTime()));
            int color = (int) Math.min(colors - 1, Math.exp(random.nextDouble() * Math.log(colors + 1)) - 1);
            parsed[color]++;
            assertThat(parse.send(stepper.mely.colorAt(1 + color), i)).isTrue();
            stepper.run(0, 1);
        }
        WorkloadProfile profile = recording.stop();

        assertThat(profile.cores()).isEqualTo(2);
        assertThat(profile.stages()).extracting(StageLoad::name).containsExactly("parse", "work");
        StageLoad first = stage(profile, "parse");
        assertThat(first.runs()).isEqualTo(requests);
        assertThat(first.arrivals()).isEqualTo(requests);
        assertThat(first.totalNs()).isEqualTo(requests * 1_000L);
        assertThat(first.times()).containsExactly(new TimeBucket(992, 1_024, requests));
        assertThat(first.sends()).containsExactly(new Sends("work", false, requests, requests / 2));
        assertThat(first.arrivals() / profile.seconds()).isCloseTo(1_000, within(30.0));
        assertThat(first.dispersion())
                .isNotEmpty()
                .allSatisfy(window ->
                        assertThat(window.index()).isCloseTo(1, within(window.windowMs() <= 8 ? 0.2 : 0.8)));
        StageLoad second = stage(profile, "work");
        assertThat(second.runs()).isEqualTo(requests);
        assertThat(second.arrivals()).isZero();
        assertThat(second.sends()).isEmpty();
        assertThat(second.times()).hasSize(2);
        assertThat(bucketOf(second, LONG_NS).events()).isEqualTo(longOnes[0]);
        assertThat(bucketOf(second, SHORT_NS).events()).isEqualTo(requests - longOnes[0]);
        assertThat(second.totalNs()).isEqualTo(longOnes[0] * LONG_NS + (requests - longOnes[0]) * SHORT_NS);
        assertThat(List.of(second.processingTimeNs(), (long) second.penalty(), (long) second.priority()))
                .containsExactly(30_000L, 3L, 5L);
        assertThat(second.dataBytes()).isEqualTo(4_096);
        checkColors(profile, LongStream.concat(Arrays.stream(parsed), Arrays.stream(worked)));
    }

    /** The most popular ones one by one, the others in bands of growing size. */
    private static void checkColors(WorkloadProfile profile, LongStream counts) {
        long[] ranked = counts.filter(count -> count > 0).sorted().toArray();
        int next = ranked.length;
        for (ColorBand band : profile.colors()) {
            long expected = 0;
            for (int i = 0; i < band.colors(); i++) {
                expected += ranked[--next];
            }
            assertThat(band.events().stream().mapToLong(Long::longValue).sum()).isEqualTo(expected);
        }
        assertThat(next).isZero();
        assertThat(profile.colors().stream().limit(32)).allMatch(band -> band.colors() == 1);
        assertThat(profile.colors().get(32).colors()).isEqualTo(32);
        assertThat(profile.uncountedColors()).isZero();
    }

    @Test
    void ownColor_isToldFromOthers() {
        Stage<Integer> last = stepper.mely.stage("last", number -> {});
        Stage<Integer> first = stepper.mely.stage("first", number -> {
            assertThat(last.send(Color.current(), number)).isTrue();
            assertThat(last.send(stepper.mely.colorAt(7), number)).isTrue();
        });
        try (Recording recording = stepper.mely.record()) {
            assertThat(first.send(stepper.mely.colorAt(3), 1)).isTrue();
            stepper.run(0, 1);
            assertThat(stage(recording.stop(), "first").sends())
                    .containsExactly(new Sends("last", true, 1, 1), new Sends("last", false, 1, 1));
        }
    }

    // What a poller or a timer sends is caused by no handler.
    @Test
    void pollersAndTimers_areArrivals() {
        Stage<Integer> stage = stepper.mely.stage("stage", number -> {});
        Recording recording = stepper.mely.record();
        assertThat(stepper.step(0)).isZero(); // learns of it
        boolean isSent = stepper.on(0, () -> stage.send(stepper.mely.colorAt(2), 1));
        assertThat(isSent).isTrue();
        stepper.on(0, () -> stepper.mely.colorAt(2).schedule(Duration.ofMillis(1), stage, 2));
        stepper.clock.advance(2_000_000);
        stepper.run(0, 1);
        StageLoad load = stage(recording.stop(), "stage");
        assertThat(load.runs()).isEqualTo(2);
        assertThat(load.arrivals()).isEqualTo(2);
    }

    @Test
    void handlerThatThrows_isARun() {
        Stage<Integer> stage = stepper.mely.stage("broken", number -> {
            stepper.clock.advance(64);
            throw new IllegalStateException("as it should");
        });
        Recording recording = stepper.mely.record();
        assertThat(stage.send(stepper.mely.colorAt(2), 1)).isTrue();
        stepper.run(0, 1);
        assertThat(stage(recording.stop(), "broken").times()).containsExactly(new TimeBucket(64, 68, 1));
    }

    @Test
    void stop_endsIt_andAnswersTheSame() {
        Stage<Integer> stage = stepper.mely.stage("stage", number -> {});
        Recording recording = stepper.mely.record();
        assertThatIllegalStateException().isThrownBy(stepper.mely::record).withMessageContaining("another");
        assertThat(stage.send(stepper.mely.colorAt(2), 1)).isTrue();
        stepper.run(0, 1);
        WorkloadProfile profile = recording.stop();
        assertThat(stage.send(stepper.mely.colorAt(2), 2)).isTrue();
        stepper.run(0, 1);
        assertThat(recording.stop()).isSameAs(profile);
        assertThat(profile.runs()).isEqualTo(1);
        try (Recording next = stepper.mely.record()) {
            assertThat(stage.send(stepper.mely.colorAt(2), 3)).isTrue();
            stepper.run(0, 1);
            assertThat(next.stop().runs()).isEqualTo(1);
        }
        stepper.mely.close();
        assertThatIllegalStateException().isThrownBy(stepper.mely::record).withMessageContaining("closed");
    }

    // An annotated stage is timed each 61st time without a recording, and each time with one.
    @Test
    void clock_isReadForEachEventOnlyWhileRecording() {
        Stage<Integer> stage = stepper.mely.stage(
                "stage", StageOptions.defaults().withProcessingTime(Duration.ofNanos(100)), number -> {});
        long before = readsOf(stage);
        Recording recording = stepper.mely.record();
        long during = readsOf(stage);
        assertThat(recording.stop().runs()).isEqualTo(1_000);
        long after = readsOf(stage);
        assertThat(during).isGreaterThan(2_000);
        assertThat(before).isLessThan(200);
        assertThat(after).isLessThan(200);
    }

    private long readsOf(Stage<Integer> stage) {
        long before = stepper.clock.reads();
        for (int i = 0; i < 1_000; i++) {
            assertThat(stage.send(stepper.mely.colorAt(2), i)).isTrue();
        }
        stepper.run(0);
        return stepper.clock.reads() - before;
    }
}
