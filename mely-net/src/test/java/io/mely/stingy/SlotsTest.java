// SPDX-License-Identifier: Apache-2.0
package io.mely.stingy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

// The places of areas: counts, joint counts, no overlap.
class SlotsTest {
    private static StingyPlan shared() {
        return StingyPlan.builder(4096)
                .site("small", 65, 7, 0) // two lines, so four fit into a cell
                .site("large", 500, 2, 0)
                .site("alone", 64, 3, 1)
                .build();
    }

    // spec Stingy §9, checks 3 and 7: what shares an area is counted jointly.
    @Test
    void sharedArea_isCountedJointly() {
        StingyPlan plan = shared();
        assertThat(plan.areas())
                .containsExactly(new StingyPlan.Area(0, 0, 512, 2, 0), new StingyPlan.Area(1, 1024, 64, 3, 0));
        Slots slots = Slots.of(plan)[0];
        assertThat(Slots.of(plan)[1]).isNotSameAs(slots);
        assertThat(slots.available(0)).isEqualTo(7);
        assertThat(slots.available(1)).isEqualTo(2);
        int small = slots.take(0);
        assertThat(slots.available(0)).isEqualTo(6);
        assertThat(slots.available(1)).as("one cell is the small ones'").isEqualTo(1);
        int large = slots.take(1);
        assertThat(slots.available(0)).as("three are left in their cell").isEqualTo(3);
        assertThat(slots.take(1)).isEqualTo(Slots.NONE);
        for (int i = 0; i < 3; i++) {
            assertThat(slots.take(0)).isNotEqualTo(Slots.NONE);
        }
        assertThat(slots.take(0)).as("the other cell is the large one's").isEqualTo(Slots.NONE);
        assertThat(slots.give(large)).isEqualTo(1);
        assertThat(slots.available(0)).isEqualTo(3);
        assertThat(slots.give(small)).isZero();
        slots.validate();
    }

    @Test
    void give_twiceOrOfNothing_isAnErrorAndChangesNothing() {
        Slots slots = Slots.of(shared())[0];
        int first = slots.take(0);
        int second = slots.take(0);
        slots.give(first);
        assertThatIllegalStateException().isThrownBy(() -> slots.give(first)).withMessageContaining("freed twice");
        assertThatIllegalStateException().isThrownBy(() -> slots.give(second + 1));
        assertThatIllegalStateException().isThrownBy(() -> slots.give(512)).withMessageContaining("freed before");
        assertThatIllegalStateException().isThrownBy(() -> slots.give(-64));
        assertThatIllegalStateException().isThrownBy(() -> slots.give(1024));
        slots.validate();
        slots.give(second);
        assertThatIllegalStateException().isThrownBy(() -> slots.give(second));
        slots.validate();
        assertThat(slots.available(0)).isEqualTo(7);
        assertThat(slots.available(1)).isEqualTo(2);
    }

    // Whoever has all cells of an area, another site finds its own place.
    @Test
    void ownPlaces_areLeftToTheirSite() {
        StingyPlan plan = StingyPlan.builder(4096)
                .site("small", 65, 9, 0, 1)
                .site("large", 500, 2, 0, 1)
                .build();
        Slots slots = Slots.of(plan)[0];
        int own = slots.take(0);
        assertThat(own).as("behind two cells").isEqualTo(1024);
        for (int i = 1; i < 9; i++) {
            assertThat(slots.take(0)).isBetween(0, 1023);
        }
        assertThat(slots.take(0)).isEqualTo(Slots.NONE);
        assertThat(slots.available(1)).isEqualTo(1);
        int large = slots.take(1);
        assertThat(large).isEqualTo(1024 + 128);
        assertThat(slots.take(1)).isEqualTo(Slots.NONE);
        slots.validate();
        assertThat(slots.give(large)).isEqualTo(1);
        assertThatIllegalStateException().isThrownBy(() -> slots.give(large)).withMessageContaining("freed twice");
        assertThatIllegalStateException().isThrownBy(() -> slots.give(own + 64)).withMessageContaining("freed before");
        assertThatIllegalStateException().isThrownBy(() -> slots.give(1024 + 128 + 512));
        assertThat(slots.give(own)).isZero();
        assertThat(slots.take(1)).isEqualTo(large);
        slots.validate();
    }

    // spec Stingy §9, checks 3 and 7, at random: never more than the count, nothing overlaps, all is there in the end.
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void randomPlans_keepTheInvariants(long seed) {
        assertThat(new RandomSlots(seed).call()).isNull();
    }
}
