// SPDX-License-Identifier: Apache-2.0
package io.mely.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

// Spec stages §3.2, and §15 check 9, in virtual time.
class PoolControllerTest {
    private static final long PERIOD_NS = 2_000_000_000L;

    private long nowNs = 77;
    private long served;

    private List<Integer> walk(PoolController controller, int ticks, int threads, int waiting, long servedEach) {
        List<Integer> walk = new ArrayList<>();
        int now = threads;
        for (int i = 0; i < ticks; i++) {
            nowNs += PERIOD_NS;
            served += servedEach;
            assertThat(controller.isDue(nowNs - 1)).isFalse();
            assertThat(controller.isDue(nowNs)).isTrue();
            now = controller.tick(nowNs, waiting, served, now);
            walk.add(now);
        }
        return walk;
    }

    @Test
    void oneThreadEachFourTicks_whileManyWait() {
        PoolController controller = new PoolController(PoolTuning.sandstorm(), nowNs);
        assertThat(walk(controller, 9, 1, 1_000, 0)).containsExactly(1, 1, 1, 2, 2, 2, 2, 3, 3);
        assertThat(walk(controller, 8, 3, 999, 0)).containsOnly(3);
    }

    // All threads have waited in their handlers meanwhile.
    @Test
    void periodsInWhichNobodyLooked_areMadeUpFor() {
        PoolController controller = new PoolController(PoolTuning.sandstorm(), nowNs);
        nowNs += 13 * PERIOD_NS + 5;
        assertThat(controller.tick(nowNs, 1_000, 0, 2)).isEqualTo(2 + 3);
        nowNs += 2 * PERIOD_NS;
        assertThat(controller.tick(nowNs, 1_000, 0, 5)).isEqualTo(5);
        nowNs += PERIOD_NS;
        assertThat(controller.tick(nowNs, 1_000, 0, 5)).isEqualTo(6);
    }

    @Test
    void bestNumber_isGoneBackTo_orSomeBelow() {
        PoolTuning tuning = new PoolTuning(Duration.ofSeconds(2), 1_000, true);
        PoolController controller = new PoolController(tuning, nowNs);
        assertThat(walk(controller, 10, 5, 0, 1_000)).containsOnly(5);
        List<Integer> worse = walk(controller, 10, 9, 0, 10);
        assertThat(worse.subList(0, 9)).containsOnly(9);
        assertThat(worse.get(9)).isBetween(2, 5);
    }

    @Test
    void badArguments_areNamed() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new PoolTuning(Duration.ZERO, 1, false))
                .withMessageContaining("period=PT0S");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new PoolTuning(Duration.ofSeconds(1), 0, false))
                .withMessageContaining("waitingMin=0");
        assertThatIllegalArgumentException().isThrownBy(() -> PoolSize.fixed(0)).withMessageContaining("min=0");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new PoolSize(5, 1, 4, Duration.ofSeconds(1)))
                .withMessageContaining("initial=5");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new PoolSize(1, 1, 4, Duration.ZERO))
                .withMessageContaining("idle=PT0S");
    }
}
