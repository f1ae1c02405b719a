// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.paper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.mely.bench.paper.Comparisons.Check;
import io.mely.bench.paper.Comparisons.Ratio;
import io.mely.bench.paper.Report.Sample;
import io.mely.bench.paper.Workload.Measured;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Property: ratios are of the same round, above 1 where the first is better, and of the best peer by its median. */
class ComparisonsTest {
    private final List<Sample> samples = new ArrayList<>();

    private void add(String workload, Metric metric, String engine, int round, long elapsedNs, double p99) {
        Map<String, Double> extras = Map.of("p50 us", p99 / 2, "p99 us", p99, "p99.9 us", p99 * 2);
        Measured measured = new Measured(1_000, elapsedNs, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, extras);
        samples.add(new Sample(workload, metric, engine, round, 0, Double.NaN, 1, measured));
    }

    private void rate(String engine, int round, long elapsedNs) {
        add("w", Metric.K_EVENTS_PER_S, engine, round, elapsedNs, 1);
    }

    @Test
    void besideBestPeers_takesRatiosWithinRounds() {
        // The second round is ten times slower for all: medians of times would hide that Mely is twice as good.
        rate("mely", 0, 100);
        rate("mely", 1, 1_000);
        rate("netty-hash", 0, 200);
        rate("netty-hash", 1, 2_000);
        rate("agrona-hash", 0, 400);
        rate("agrona-hash", 1, 4_000);
        rate("pekko", 1, 500);
        List<Ratio> ratios = new Comparisons(samples).besideBestPeers();
        assertThat(ratios).extracting(Ratio::theirs).containsExactly("netty-hash", "pekko");
        assertThat(ratios.get(0).ratio().least()).isEqualTo(2, within(1e-9));
        assertThat(ratios.get(0).ratio().most()).isEqualTo(2, within(1e-9));
        assertThat(ratios.get(0).rounds()).isEqualTo(2);
        assertThat(ratios.get(1).ratio().median()).isEqualTo(0.5, within(1e-9));
        assertThat(ratios.get(1).rounds()).isEqualTo(1);
    }

    @Test
    void besideBestPeers_hasThreeFiguresOfWaiting() {
        add("skewed-server", Metric.P99_US, "mely", 0, 1, 10);
        add("skewed-server", Metric.P99_US, "netty-hash", 0, 1, 40);
        add("skewed-server", Metric.P99_US, "guava", 0, 1, 20);
        List<Ratio> ratios = new Comparisons(samples).besideBestPeers();
        assertThat(ratios)
                .extracting(Ratio::figure)
                .containsExactly("p50 us", "p50 us", "p99 us", "p99 us", "p99.9 us", "p99.9 us");
        assertThat(ratios).extracting(r -> r.ratio().median()).containsExactly(4.0, 2.0, 4.0, 2.0, 4.0, 2.0);
    }

    @Test
    void stealingOnBesideOff_judgesByMedian() {
        for (int round = 0; round < 3; round++) {
            rate("mely-nosteal", round, 100);
            rate("mely-nosteal-again", round, 100 + round * 10);
        }
        rate("mely", 0, 100);
        rate("mely", 1, 110);
        rate("mely", 2, 90);
        Check within = new Comparisons(samples).stealingOnBesideOff(0.97).get(0);
        assertThat(within.isMet()).isTrue();
        assertThat(within.ratio().ratio().median()).isEqualTo(1, within(1e-9));
        assertThat(within.noise().ratio().least()).isEqualTo(100.0 / 120, within(1e-9));
        assertThat(new Comparisons(samples).stealingOnBesideOff(1.01).get(0).isMet())
                .isFalse();
    }
}
