// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.simulate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.mely.bench.simulate.Tries.Found;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.DoubleSupplier;
import org.junit.jupiter.api.Test;

/** What neighbours do to some tries does not move the result, and what they do to most is said. */
class TriesTest {
    private static final long BUDGET_NS = 1_000;

    private long nowNs;

    /** Each look at the clock is a nanosecond later. */
    private long clockNs() {
        return nowNs++;
    }

    private Map<String, Found> measure(Map<String, DoubleSupplier> probes) {
        return measure(probes, Tries.Quartile.LOWER);
    }

    private Map<String, Found> measure(Map<String, DoubleSupplier> probes, Tries.Quartile quartile) {
        Tries tries = new Tries(probes, quartile);
        tries.untilSure(this::clockNs, BUDGET_NS);
        return tries.found();
    }

    private Found measure(DoubleSupplier probe) {
        return measure(Map.of("probe", probe)).get("probe");
    }

    @Test
    void quietProbe_needsTheLeastTries() {
        Found found = measure(() -> 20);
        assertThat(found).isEqualTo(new Found(20, 0, Tries.TRIES_MIN));
        assertThat(found.isSure()).isTrue();
    }

    // Two of three tries take from 1.5 to 11 times as long.
    @Test
    void disturbedTries_doNotMoveTheResult() {
        SplittableRandom random = new SplittableRandom(1);
        int[] tries = {0};
        Found found = measure(() -> {
            double quiet = 100 + random.nextDouble();
            return tries[0]++ % 3 == 0 ? quiet : quiet * (1.5 + 10 * random.nextDouble());
        });
        assertThat(found.value()).isCloseTo(100, within(1.0));
        assertThat(found.isSure()).isTrue();
    }

    @Test
    void disturbance_isWaitedFor() {
        int[] tries = {0};
        Found found = measure(() -> ++tries[0] <= 40 ? 300 + tries[0] * 100 : 100);
        assertThat(found.value()).isEqualTo(100);
        assertThat(found.tries()).isGreaterThan(40);
        assertThat(nowNs).isLessThan(BUDGET_NS);
    }

    @Test
    void probeThatNeverAgreesWithItself_isUnsureWhenTheTimeIsUp() {
        double[] last = {1};
        Found found = measure(() -> last[0] *= 1.2);
        assertThat(found.isSure()).isFalse();
        assertThat(nowNs).isGreaterThan(BUDGET_NS);
    }

    // A third of the hand-overs were between two threads of one of the host's cores.
    @Test
    void tooGoodTries_doNotMoveTheMedian() {
        int[] tries = {0};
        Map<String, DoubleSupplier> probe = Map.of("probe", () -> tries[0]++ % 3 == 0 ? 6 : 26);
        Found found = measure(probe, Tries.Quartile.MEDIAN).get("probe");
        assertThat(found.value()).isEqualTo(26);
        assertThat(measure(probe).get("probe").value()).isEqualTo(6);
    }

    // So that a disturbance of some length does not hit one thing alone.
    @Test
    void probes_takeTurns() {
        List<String> order = new ArrayList<>();
        Map<String, DoubleSupplier> probes = new LinkedHashMap<>();
        for (String name : List.of("a", "b")) {
            probes.put(name, () -> {
                order.add(name);
                return 1;
            });
        }
        assertThat(measure(probes).keySet()).containsExactly("a", "b");
        assertThat(order.subList(0, 4)).containsExactly("a", "b", "a", "b");
        assertThat(order).hasSize(2 * Tries.TRIES_MIN);
    }
}
