// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.record;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.mely.Color;
import io.mely.Mely;
import io.mely.Policy;
import io.mely.Stage;
import io.mely.StageOptions;
import io.mely.bench.libasync.Libasync;
import io.mely.bench.record.WorkloadProfile.ColorBand;
import io.mely.bench.record.WorkloadProfile.Sends;
import io.mely.bench.record.WorkloadProfile.StageLoad;
import io.mely.bench.record.WorkloadProfile.TimeBucket;
import io.mely.runtime.Hooks;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

// A profile says what the application did, to the event. Its time is what the handlers say; the runtime has its own.
class KnownApplicationTest {
    private static final long SHORT_NS = 5_000;
    private static final long LONG_NS = 500_000;

    private final AtomicLong nowNs = new AtomicLong(1_234_567_891L);
    private final Recorder recorder = new Recorder(nowNs::get, Duration.ZERO);

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
    static Stream<Policy> policies() {
        return Stream.of(Policy.colored(), Policy.centralQueue(), Libasync.smp(true), Libasync.mp());
    }

    @ParameterizedTest
    @MethodSource("policies")
    @Timeout(60)
    void knownApplication_isRecordedAsItIs(Policy policy) {
        SplittableRandom random = new SplittableRandom(1);
        int colors = 50;
        int requests = 5_000;
        long[] parsed = new long[colors];
        long[] worked = new long[colors];
        long[] longOnes = {0};
        try (Mely mely = Hooks.NONE
                .withObservers(recorder)
                .on(Mely.builder())
                .cores(1)
                .policy(policy)
                .build()
                .start()) {
            Stage<Integer> work = mely.stage(
                    "work",
                    StageOptions.defaults()
                            .withProcessingTime(Duration.ofNanos(30_000))
                            .withPenalty(3)
                            .withPriority(5)
                            .withDataBytes(4_096),
                    number -> {
                        boolean isLong = random.nextInt(20) == 0;
                        longOnes[0] += isLong ? 1 : 0;
                        nowNs.addAndGet(isLong ? LONG_NS : SHORT_NS);
                    });
            Stage<Integer> parse = mely.stage("parse", number -> {
                nowNs.addAndGet(1_000);
                if (number % 2 == 0) {
                    int other = number / 2 % colors;
                    worked[other] += 2;
                    Color to = mely.colorAt(1 + colors + other);
                    work.offer(to, number);
                    work.offer(to, -number);
                }
            });
            double atNs = nowNs.get();
            for (int i = 0; i < requests; i++) {
                atNs -= Math.log(1 - random.nextDouble()) * 1_000_000; // 1,000 a second
                nowNs.set(Math.max(nowNs.get(), (long) atNs));
                int color = (int) Math.min(colors - 1, Math.exp(random.nextDouble() * Math.log(colors + 1)) - 1);
                parsed[color]++;
                assertThat(parse.offer(mely.colorAt(1 + color), i)).isTrue();
                while (mely.stats().run() < mely.stats().sent()) {
                    Thread.onSpinWait();
                }
            }
        }
        WorkloadProfile profile = recorder.profile();

        assertThat(profile.cores()).isEqualTo(1);
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
}
