// SPDX-License-Identifier: Apache-2.0
package io.mely.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

// In virtual time.
class DemandTest {
    private static final long MS = 1_000_000;
    private static final long S = 1_000_000_000;
    private static final long GOAL_NS = 20 * MS;
    private static final long EVENT_NS = 200_000;

    private final Demand demand = new Demand(4, 100 * MS);

    @Test
    void oneCoreMore_whenAQuarterOfTheGoalWaits() {
        assertThat(demand.active()).isEqualTo(1);
        assertThat(demand.waits(25, MS)).isFalse();
        assertThat(demand.waits(26, MS)).isTrue();
        assertThat(demand.active()).isEqualTo(2);
        assertThat(demand.waits(50, MS)).as("two cores share it").isFalse();
        assertThat(demand.waits(51, MS)).isTrue();
        assertThat(demand.waits(1_000, MS)).isTrue();
        assertThat(demand.waits(1_000, MS)).as("there are no more").isFalse();
        assertThat(demand.active()).isEqualTo(4);
    }

    // Few colors with many events each.
    @Test
    void oneCoreMore_whenTheLanesAreLong() {
        demand.taken(10 * MS);
        assertThat(demand.waits(2, 0)).isFalse();
        demand.taken(90 * MS);
        assertThat(demand.waits(0, 0)).as("nothing waits").isFalse();
        assertThat(demand.waits(1, 0)).as("50 ms on average").isTrue();
        assertThat(demand.waits(1, 0)).as("known anew").isFalse();
        assertThat(demand.active()).isEqualTo(2);
    }

    @Test
    void oneCoreFewer_whenTheOthersCanDoIt_lookedAtEachTenthOfASecond() {
        assertThat(demand.waits(26, MS) && demand.waits(51, MS)).isTrue();
        assertThat(demand.worked(0, 0)).isFalse();
        assertThat(demand.worked(99 * MS, 0)).isFalse();
        assertThat(demand.worked(100 * MS, 120 * MS))
                .as("two would be busy 0.6 of their time")
                .isFalse();
        assertThat(demand.active()).isEqualTo(3);
        assertThat(demand.worked(200 * MS, 239 * MS)).isTrue();
        assertThat(demand.active()).isEqualTo(2);
        assertThat(demand.worked(300 * MS, 239 * MS + 59 * MS)).isTrue();
        assertThat(demand.active()).isEqualTo(1);
        assertThat(demand.worked(900 * MS, 239 * MS + 59 * MS)).isFalse();
    }

    // A simulated queue of events of 0.2 ms: the load steps from 5 % of a core to 150 % and back.
    @Test
    void stepsOfTheLoad_areFollowedWithinASecond_andTheGoalIsKeptAllTheTime() {
        Demand two = new Demand(2, GOAL_NS);
        SplittableRandom random = new SplittableRandom(3);
        ArrayDeque<Double> queue = new ArrayDeque<>(); // when each has arrived
        double[] freeNs = {0, 0};
        double[] busyNs = {0};
        double[] loads = {0.05, 1.5, 0.05};
        double t = 0;
        for (int phase = 0; phase < loads.length; phase++) {
            List<Double> responsesNs = new ArrayList<>();
            int most = 0;
            int least = 2;
            double endNs = (phase + 1) * 5 * S;
            while (t < endNs) {
                t -= Math.log(1 - random.nextDouble()) * EVENT_NS / loads[phase];
                run(two, queue, freeNs, busyNs, t, responsesNs);
                queue.add(t);
                if (two.waits(queue.size(), EVENT_NS)) {
                    freeNs[1] = Math.max(freeNs[1], t);
                }
                if (t > endNs - 4 * S) {
                    most = Math.max(most, two.active());
                    least = Math.min(least, two.active());
                }
            }
            double p99Ns = responsesNs.stream().sorted().toList().get(responsesNs.size() * 99 / 100);
            assertThat(p99Ns).as("phase %s", phase).isLessThan(GOAL_NS);
            assertThat(List.of(least, most))
                    .as("phase %s", phase)
                    .isEqualTo(phase == 1 ? List.of(2, 2) : List.of(1, 1));
        }
    }

    /** Begins what can begin before an instant. */
    private static void run(
            Demand demand, ArrayDeque<Double> queue, double[] freeNs, double[] busyNs, double nowNs, List<Double> out) {
        while (!queue.isEmpty()) {
            int core = demand.active() == 2 && freeNs[1] < freeNs[0] ? 1 : 0;
            double beginNs = Math.max(queue.element(), freeNs[core]);
            if (beginNs >= nowNs) {
                return;
            }
            freeNs[core] = beginNs + EVENT_NS;
            busyNs[0] += EVENT_NS;
            out.add(freeNs[core] - queue.remove());
            boolean unused = demand.worked((long) freeNs[core], (long) busyNs[0]);
        }
    }

    @Test
    void goal_isChecked() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> DemandPolicy.of(Duration.ZERO))
                .withMessageContaining("goal=PT0S");
    }
}
