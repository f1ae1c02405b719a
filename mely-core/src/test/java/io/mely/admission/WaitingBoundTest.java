// SPDX-License-Identifier: Apache-2.0
package io.mely.admission;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

// Steps of the bound, and what it does to a simulated queue. All in virtual time, with fixed seeds.
class WaitingBoundTest {
    private static final long MS = 1_000_000;
    private static final long S = 1_000_000_000;
    private static final long TARGET_NS = 100 * MS;

    private final WaitingBound bound = new WaitingBound(TARGET_NS);
    private long nowNs = S;

    /** Events that all take as long, one of them ends each millisecond. */
    private void events(int count, long sojournNs) {
        for (int i = 0; i < count; i++) {
            nowNs += MS;
            bound.ran("x", sojournNs, nowNs);
        }
    }

    private void reach() {
        assertThat(bound.admits("x", bound.most(), nowNs)).isFalse();
    }

    @Test
    void nothingIsRefused_untilThePercentileIsAboveTheTarget() {
        assertThat(bound.admits("x", 1_000_000, nowNs)).isTrue();
        events(1_000, 99 * MS);
        assertThat(bound.most()).isEqualTo(Integer.MAX_VALUE);
    }

    @Test
    void firstBound_isByLittlesLaw() {
        events(100, 200 * MS); // one each ms, the first has had the stage for itself
        double inside = 100 * 200 / (200 + 99.0);
        assertThat(bound.most()).isEqualTo((int) Math.rint(inside * 0.9 * 100 / 200));
    }

    @Test
    void boundThatIsReached_isMultipliedByTheRatio_andDoubledAtMost() {
        events(100, 200 * MS);
        int first = bound.most();
        nowNs += S;
        reach();
        events(100, 60 * MS);
        assertThat(bound.most()).isEqualTo((int) Math.rint(first * 1.5));
        int second = bound.most();
        nowNs += S;
        reach();
        events(100, MS);
        assertThat(bound.most()).isEqualTo(second * 2);
        nowNs += S;
        events(100, MS);
        assertThat(bound.most()).as("not reached").isEqualTo(second * 2);
    }

    @Test
    void eventsOfTheBoundBefore_doNotCount() {
        events(100, 200 * MS);
        int first = bound.most();
        reach();
        events(199, 200 * MS); // all were sent before the decision
        assertThat(bound.most()).isEqualTo(first);
        events(101, 200 * MS);
        assertThat(bound.most()).isLessThan(first);
    }

    @Test
    void itIsOneAtLeast() {
        for (int i = 0; i < 10; i++) {
            reach();
            events(100, 100 * S);
            nowNs += 1_000 * S;
        }
        assertThat(bound.most()).isEqualTo(1);
    }

    /**
     * A queue with Poisson arrivals.
     *
     * @param perS what all servers do
     * @param servers that take from it
     * @param spread of a service time: uniform between so much below and above its mean
     */
    private record Queue(double perS, int servers, double spread) {
        /** What came out in the second half of the time. */
        record Outcome(double p90Ns, double inTimePerS, double refusedShare) {}

        Outcome run(Admission admission, double load, double targetNs, double endS) {
            SplittableRandom random = new SplittableRandom(7);
            double[] freeNs = new double[servers];
            PriorityQueue<double[]> ends = new PriorityQueue<>((a, b) -> Double.compare(a[0], b[0])); // end, arrival
            ArrayDeque<Double> begins = new ArrayDeque<>();
            List<Double> sojourns = new ArrayList<>();
            int arrived = 0;
            int refused = 0;
            double t = S;
            double halfNs = S + endS / 2 * S;
            while (t < S + endS * S) {
                t -= Math.log(1 - random.nextDouble()) / (load * perS) * S;
                while (!ends.isEmpty() && ends.element()[0] <= t) {
                    double[] end = ends.remove();
                    admission.ran("x", (long) (end[0] - end[1]), (long) end[0]);
                    if (end[0] >= halfNs) {
                        sojourns.add(end[0] - end[1]);
                    }
                }
                while (!begins.isEmpty() && begins.element() <= t) {
                    begins.remove();
                }
                boolean isIn = admission.admits("x", begins.size(), (long) t);
                arrived += t >= halfNs ? 1 : 0;
                refused += t >= halfNs && !isIn ? 1 : 0;
                if (isIn) {
                    int server = 0;
                    for (int i = 1; i < servers; i++) {
                        server = freeNs[i] < freeNs[server] ? i : server;
                    }
                    double beginNs = Math.max(t, freeNs[server]);
                    double serviceNs = servers * S / perS * (1 + spread * (2 * random.nextDouble() - 1));
                    freeNs[server] = beginNs + serviceNs;
                    begins.add(beginNs);
                    ends.add(new double[] {freeNs[server], t});
                }
            }
            double inTime = sojourns.stream().filter(ns -> ns <= targetNs).count();
            double p90Ns = sojourns.stream().sorted().toList().get(sojourns.size() * 9 / 10);
            return new Outcome(p90Ns, inTime / (endS / 2), (double) refused / arrived);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "5000, 2, 50",
        "5000, 1, 5",
        "200000, 16, 2",
        "1000, 4, 100",
        "100, 1, 1000",
    })
    void overloadedQueue_isInTime_andWorksAllTheTime(double perS, int servers, long targetMs) {
        double targetNs = targetMs * MS;
        for (double load : new double[] {2, 5}) {
            Admission admission =
                    ResponseTime.bound(Duration.ofMillis(targetMs)).create(null);
            Queue.Outcome outcome = new Queue(perS, servers, 0.5).run(admission, load, targetNs, 200 * targetMs / 1e3);
            assertThat(outcome.p90Ns()).as("load %s", load).isBetween(0.7 * targetNs, 1.05 * targetNs);
            assertThat(outcome.inTimePerS()).as("load %s", load).isBetween(0.9 * perS, 1.05 * perS);
        }
    }

    @Test
    void queueThatIsNotOverloaded_refusesNothing() {
        Queue queue = new Queue(5_000, 2, 0.5);
        Admission admission = ResponseTime.bound(Duration.ofMillis(50)).create(null);
        assertThat(queue.run(admission, 0.8, 50 * MS, 10).refusedShare()).isZero();
    }
}
