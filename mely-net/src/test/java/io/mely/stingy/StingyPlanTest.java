// SPDX-License-Identifier: Apache-2.0
package io.mely.stingy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.Map;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

// Plans that hold, and why others do not.
class StingyPlanTest {
    private static StingyPlan.Builder builder() {
        return StingyPlan.builder(4096).site("a", 100, 4, 0).site("b", 148, 2, 1);
    }

    private static void refused(Supplier<?> plan, String message) {
        assertThatIllegalArgumentException().isThrownBy(plan::get).withMessageContaining(message);
    }

    @Test
    void areas_followEachOther_inLines() {
        StingyPlan plan =
                builder().site("c", 1, 1, 0).stage("s", Map.of("a", 2)).build();
        assertThat(plan.areas())
                .containsExactly(new StingyPlan.Area(0, 0, 128, 4, 0), new StingyPlan.Area(1, 512, 192, 2, 0));
        assertThat(plan.bytes()).isEqualTo(896);
        assertThat(plan.siteId("b")).isEqualTo(1);
        assertThat(plan.needs("s")).isEqualTo(Map.of("a", 2));
    }

    // Own places take room only where there is somebody to share with.
    @Test
    void ownPlaces_lieBehindTheCells() {
        StingyPlan plan = StingyPlan.builder(4096)
                .site("a", 100, 4, 0, 1)
                .site("b", 500, 3, 0, 2)
                .site("alone", 64, 3, 1, 1)
                .build();
        assertThat(plan.areas())
                .containsExactly(
                        new StingyPlan.Area(0, 0, 512, 1, 128 + 2 * 512), new StingyPlan.Area(1, 1664, 64, 3, 0));
        assertThat(plan.bytes()).isEqualTo(1856);
    }

    // spec Stingy §10.3: all areas together fit.
    @Test
    void moreThanTheRegion_isRefused() {
        refused(() -> builder().site("d", 1024, 4, 2).build(), "area=2 ends at byte 4992: regionBytes=4096");
        refused(
                () -> StingyPlan.builder(1 << 30)
                        .site("d", Integer.MAX_VALUE - 63, 2, 0)
                        .build(),
                "the buffers must fit into the region");
    }

    @Test
    void wrongValues_areNamed() {
        refused(() -> StingyPlan.builder(0), "regionBytes must be 1 to 1073741824: regionBytes=0");
        refused(() -> builder().site("x", 0, 1, 0), "sizeBytes must be > 0: site=x: sizeBytes=0");
        refused(() -> builder().site("x", 1, 0, 0), "count must be >= 1: site=x: count=0");
        refused(() -> builder().site("x", 1, 1, -1), "area must be >= 0: site=x: area=-1");
        refused(() -> builder().site("x", 1, 2, 0, 3), "own must be 0 to 2: site=x: own=3");
        refused(() -> builder().site("x", 1, 2, 0, -1), "own must be 0 to 2: site=x: own=-1");
        refused(() -> builder().site("a", 1, 1, 0), "a site must be named once: site=a");
        refused(() -> builder().site(" ", 1, 1, 0), "name must not be blank");
        refused(() -> StingyPlan.builder(64).build(), "a plan must have a site");
        refused(() -> builder().stage("s", Map.of("no", 1)).build(), "site must be in the plan: site=no, plan=[a, b]");
        refused(() -> builder().stage("s", Map.of("a", 5)).build(), "an event of stage s must need 1 to 4 of site a");
        refused(() -> builder().stage("s", Map.of("a", 0)).build(), "an event of stage s must need 1 to 4 of site a");
        refused(() -> builder().stage("s", Map.of()).stage("s", Map.of()), "a stage must be named once: stage=s");
        refused(() -> builder().build().needs("t"), "stage must be in the plan: stage=t");
        refused(() -> Stingy.of(builder().build(), 0), "cores must be >= 1: cores=0");
    }

    // Two sites that one stage allocates together should not share an area; if they do, an event must find room for
    // both.
    @Test
    void stageThatCanNeverRun_isRefused() {
        StingyPlan.Builder shared = StingyPlan.builder(4096).site("a", 64, 2, 0).site("b", 64, 2, 0);
        refused(() -> shared.stage("s", Map.of("a", 2, "b", 1)).build(), "must find room in area 0 for all it needs");
    }
}
