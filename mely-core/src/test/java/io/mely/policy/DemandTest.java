// SPDX-License-Identifier: Apache-2.0
package io.mely.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import org.junit.jupiter.api.Test;

// In virtual time.
class DemandTest {
    private static final long MS = 1_000_000;

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

    @Test
    void goal_isChecked() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> DemandPolicy.of(Duration.ZERO))
                .withMessageContaining("goal=PT0S");
    }
}
