// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.record;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.within;

import io.mely.Mely;
import io.mely.Stage;
import io.mely.bench.record.WorkloadProfile.ColorBand;
import io.mely.bench.record.WorkloadProfile.Dispersion;
import io.mely.bench.record.WorkloadProfile.Sends;
import io.mely.bench.record.WorkloadProfile.StageLoad;
import io.mely.bench.record.WorkloadProfile.TimeBucket;
import io.mely.runtime.HandlerObserver;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

// What the parts of a recording keep is what was put in, within the resolution they promise, and within their bounds.
class RecorderTest {
    private final AtomicLong nowNs = new AtomicLong(1_234_567_891L);
    private final Mely mely = Mely.builder().cores(1).build();

    private Recorder recorder() {
        return new Recorder(nowNs::get, Duration.ZERO);
    }

    private Stage<Integer> stage(String name) {
        return mely.stage(name, number -> {});
    }

    private void run(Track track, Stage<?> stage, int slot, long ns) {
        track.began(stage, slot);
        nowNs.addAndGet(ns);
        track.ended();
    }

    @AfterEach
    void close() {
        mely.close();
    }

    @Test
    void histogram_hasEachTimeInABucketOfItsSize() {
        for (long ns = 0; ns >= 0 && ns < Long.MAX_VALUE / 2; ns = ns < 70 ? ns + 1 : ns + ns / 7) {
            TimeHistogram one = new TimeHistogram();
            one.add(ns);
            TimeBucket bucket = one.buckets().get(0);
            assertThat(ns).isBetween(bucket.fromNs(), bucket.belowNs() - 1);
            assertThat(bucket.belowNs() - bucket.fromNs()).isLessThanOrEqualTo(Math.max(1, bucket.fromNs() / 16));
        }
    }

    @Test
    void histogram_bucketsDoNotOverlap() {
        TimeHistogram all = new TimeHistogram();
        for (long ns = 0; ns < 100_000; ns++) {
            all.add(ns);
        }
        long next = 0;
        for (TimeBucket bucket : all.buckets()) {
            assertThat(bucket.fromNs()).isEqualTo(next);
            next = bucket.belowNs();
        }
    }

    @Test
    void colors_areCountedEach() {
        ColorCounts counts = new ColorCounts();
        SplittableRandom random = new SplittableRandom(3);
        Map<Integer, Long> expected = new HashMap<>();
        for (int i = 0; i < 20_000; i++) {
            int color = random.nextInt(5_000) * 64; // a stride as aligned slots have
            expected.merge(color, 1L, Long::sum);
            if (!counts.increment(color)) {
                counts.put(color);
            }
        }
        Map<Integer, Long> seen = new HashMap<>();
        counts.forEach(seen::put);
        assertThat(seen).isEqualTo(expected);
    }

    @Test
    void colorsBeyondTheRoom_areCountedTogether() {
        Recorder recorder = recorder();
        Track track = recorder.create(0);
        Stage<Integer> stage = stage("many");
        for (int color = 0; color < 70_000; color++) {
            run(track, stage, color, 1);
        }
        WorkloadProfile profile = recorder.profile();
        assertThat(profile.runs()).isEqualTo(70_000);
        assertThat(profile.uncountedColors()).isEqualTo(70_000 - 65_536);
        assertThat(profile.colors().stream().mapToInt(ColorBand::colors).sum()).isEqualTo(65_536);
    }

    // Stages of one name, of several threads, are one.
    @Test
    void tracks_areAddedUp() {
        Recorder recorder = recorder();
        for (int i = 0; i < 2; i++) {
            Track track = recorder.create(i);
            Stage<Integer> stage = stage("same");
            track.sent(stage, 5);
            track.began(stage, 5);
            track.sent(stage, 5);
            track.sent(stage, 5);
            nowNs.addAndGet(40);
            track.ended();
        }
        nowNs.addAndGet(1_000_000_000);
        StageLoad load = recorder.profile().stages().get(0);
        assertThat(recorder.profile().cores()).isEqualTo(2);
        assertThat(recorder.profile().stages()).hasSize(1);
        assertThat(load.runs()).isEqualTo(2);
        assertThat(load.totalNs()).isEqualTo(80);
        assertThat(load.arrivals()).isEqualTo(2);
        assertThat(load.sends()).containsExactly(new Sends("same", true, 4, 2));
    }

    @Test
    void ownColor_isToldFromOthers() {
        Recorder recorder = recorder();
        Track track = recorder.create(0);
        Stage<Integer> last = stage("last");
        track.began(stage("first"), 3);
        track.sent(last, 3);
        track.sent(last, 7);
        track.ended();
        assertThat(recorder.profile().stages().get(0).sends())
                .containsExactly(new Sends("last", true, 1, 1), new Sends("last", false, 1, 1));
    }

    // What a handler sends that began in the warm-up is no arrival.
    @Test
    void warmUp_isLeftOut() {
        Recorder recorder = new Recorder(nowNs::get, Duration.ofNanos(100));
        Track track = recorder.create(0);
        Stage<Integer> stage = stage("stage");
        track.sent(stage, 1);
        run(track, stage, 1, 10);
        track.began(stage, 1);
        nowNs.addAndGet(90);
        track.sent(stage, 1);
        track.ended();
        assertThat(recorder.profile().runs()).isZero();
        track.sent(stage, 1);
        run(track, stage, 1, 20);
        StageLoad load = recorder.profile().stages().get(0);
        assertThat(load.runs()).isEqualTo(1);
        assertThat(load.totalNs()).isEqualTo(20);
        assertThat(load.arrivals()).isEqualTo(1);
        assertThat(load.sends()).isEmpty();
        assertThat(recorder.profile().seconds()).isEqualTo(20 / 1e9);
    }

    @Test
    void profileWithoutRuntime_isRefused() {
        Recorder recorder = recorder();
        assertThatIllegalStateException().isThrownBy(recorder::profile).withMessageContaining("built with");
        recorder.create(HandlerObserver.OUTSIDE);
        assertThat(recorder.hasCores()).isFalse();
        recorder.create(0);
        assertThat(recorder.profile().cores()).isEqualTo(1);
    }

    // One arrival each millisecond has no variance; ten at once each tenth has ten.
    @Test
    void dispersion_isVarianceOverMean() {
        ArrivalWindows regular = new ArrivalWindows();
        ArrivalWindows bunched = new ArrivalWindows();
        for (int ms = 0; ms < 1_000; ms++) {
            regular.add(ms * 1_000_000L);
            bunched.add(ms / 10 * 10_000_000L);
        }
        assertThat(regular.dispersion(1_000_000_000)).hasSize(5).allMatch(window -> window.index() == 0);
        List<Dispersion> windows = bunched.dispersion(1_000_000_000);
        assertThat(windows.get(0).windowMs()).isEqualTo(1);
        assertThat(windows.get(0).index()).isCloseTo(9, within(0.02)); // (10 - 1)^2 / 10 + 9 / 10 of the time 1
    }

    @Test
    void windows_growWithTheRecording() {
        ArrivalWindows one = new ArrivalWindows();
        ArrivalWindows other = new ArrivalWindows();
        for (int s = 0; s < 1_000; s++) {
            one.add(s * 1_000_000_000L);
            other.add(s * 1_000_000L);
        }
        one.addAll(other);
        assertThat(one.total()).isEqualTo(2_000);
        List<Dispersion> windows = one.dispersion(1_000_000_000_000L);
        assertThat(windows.get(0).windowMs()).isEqualTo(64); // 1,000 s in at most 16,384
        // the other's second fills the first 15 windows and a part of the next; the first and that one have one more
        double squares = 65 * 65 + 14 * 64 * 64 + 41 * 41 + 998;
        double mean = 2_000 / 15_625.0;
        assertThat(windows.get(0).index()).isCloseTo((squares - 2_000 * mean) / 15_624 / mean, within(1e-9));
    }

    @Test
    void text_isJson() {
        Recorder recorder = recorder();
        Track track = recorder.create(2);
        run(track, stage("a \"quoted\" \\ name\n"), 1, 17);
        nowNs.addAndGet(2_499_999_983L);
        assertThat(recorder.profile().toJson()).isEqualTo("""
                        {"format": "mely-profile", "version": 1, "seconds": 2.50000000, "cores": 3, "uncountedColors": 0,
                        "stages": [
                        {"name": "a \\"quoted\\" \\\\ name\\u000a", "processingTimeNs": 0, "penalty": 1, "priority": 3, "dataBytes": 0, "runs": 1, "totalNs": 17,
                         "times": [[17, 18, 1]],
                         "sends": [],
                         "arrivals": 0, "dispersion": []}
                        ],
                        "colors": [
                        {"colors": 1, "events": [1]}
                        ]}
                        """);
    }

    @Test
    void profilesThatDoNotAddUp_areRefused() {
        List<StageLoad> none = List.of();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new WorkloadProfile(0, 1, none, List.of(), 0))
                .withMessageContaining("seconds");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new WorkloadProfile(1, 1, none, List.of(new ColorBand(1, List.of(1L))), 0))
                .withMessageContaining("count for each stage");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new StageLoad("s", 0, 1, 3, 0, 2, 10, List.of(), List.of(), 0, List.of()))
                .withMessageContaining("add up");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Sends("s", true, 1, 2))
                .withMessageContaining("runs");
    }
}
