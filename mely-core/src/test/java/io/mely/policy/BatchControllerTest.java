// SPDX-License-Identifier: Apache-2.0
package io.mely.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;

// Spec stages §3.3, in virtual time.
class BatchControllerTest {
    private static final long S = 1_000_000_000;

    private final BatchController controller = new BatchController(2, 1_000, 0);

    @Test
    void batchShrinks_whileTheStageDoesAsMuch_toTheLeast() {
        controller.decide(100);
        assertThat(controller.target()).isEqualTo(833);
        controller.decide(100);
        assertThat(controller.target()).isEqualTo(694);
        controller.decide(91);
        assertThat(controller.target()).as("within a tenth of the best").isEqualTo(578);
        for (int i = 0; i < 100; i++) {
            controller.decide(100);
        }
        assertThat(controller.target()).isEqualTo(2);
    }

    @Test
    void batchGrows_afterTheThroughputHasFallen_untilItIsBack() {
        controller.decide(100);
        controller.decide(100); // 694
        controller.decide(90);
        assertThat(controller.target()).isEqualTo(833);
        controller.decide(97);
        assertThat(controller.target()).as("not yet").isEqualTo(1_000);
        controller.decide(98);
        assertThat(controller.target()).as("back").isEqualTo(833);
    }

    @Test
    void batchThatCannotGrow_takesWhatThereIsForTheBest() {
        controller.decide(100); // 833
        controller.decide(50); // grows to 1,000
        assertThat(controller.target()).isEqualTo(1_000);
        controller.decide(50); // beyond the most
        assertThat(controller.target()).isEqualTo(1_000);
        controller.decide(50); // which is the best now
        assertThat(controller.target()).isEqualTo(833);
    }

    @Test
    void anotherLoad_startsAnew() {
        controller.decide(100);
        controller.decide(100); // 694
        controller.decide(200);
        assertThat(controller.target()).as("the most, and a step down").isEqualTo(833);
        controller.decide(30);
        assertThat(controller.target())
                .as("the most, and what there is is less")
                .isEqualTo(1_000);
    }

    @Test
    void throughput_isSmoothed_andLookedAtAfterFiveWindows() {
        for (int second = 1; second <= 4; second++) {
            controller.served(10, second * S);
        }
        assertThat(controller.target()).isEqualTo(1_000);
        controller.served(10, 5 * S);
        assertThat(controller.target()).isEqualTo(833);
    }

    @Test
    void badArguments_areNamed() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Service.batched(0, 3))
                .withMessageContaining("min=0");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Service.batched(4, 3))
                .withMessageContaining("max=3");
    }
}
