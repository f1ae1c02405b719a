// SPDX-License-Identifier: Apache-2.0
package io.mely.stingy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
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
                .containsExactly(new StingyPlan.Area(0, 0, 512, 2), new StingyPlan.Area(1, 1024, 64, 3));
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

    // spec Stingy §9, checks 3 and 7, at random: never more than the count, nothing overlaps, all is there in the end.
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void randomPlans_keepTheInvariants(long seed) {
        Random random = new Random(seed);
        StingyPlan plan = randomPlan(random);
        Slots[] bySite = Slots.of(plan);
        Map<Integer, Integer> live = new HashMap<>(); // site by offset
        for (int i = 0; i < 20_000; i++) {
            int site = random.nextInt(bySite.length);
            if (random.nextInt(100) < 52) {
                takeOne(plan, bySite[site], site, live);
            } else if (!live.isEmpty()) {
                List<Integer> offsets = new ArrayList<>(live.keySet());
                Integer chosen = offsets.get(random.nextInt(offsets.size()));
                int of = live.remove(chosen);
                assertThat(bySite[of].give(chosen)).isEqualTo(of);
            }
            if (i % 500 == 0) {
                noneOverlaps(plan, live);
            }
        }
        live.forEach((offset, site) -> bySite[site].give(offset));
        for (int site = 0; site < bySite.length; site++) {
            bySite[site].validate();
            assertThat(bySite[site].available(site))
                    .isEqualTo(plan.sites().get(site).count());
        }
    }

    private static StingyPlan randomPlan(Random random) {
        StingyPlan.Builder builder = StingyPlan.builder(StingyPlan.REGION_BYTES_MAX);
        int sites = 1 + random.nextInt(6);
        for (int i = 0; i < sites; i++) {
            builder.site("s" + i, 1 + random.nextInt(700), 1 + random.nextInt(40), random.nextInt(3));
        }
        return builder.build();
    }

    private static void takeOne(StingyPlan plan, Slots slots, int site, Map<Integer, Integer> live) {
        int available = slots.available(site);
        int offset = slots.take(site);
        assertThat(offset != Slots.NONE).as("as available says").isEqualTo(available > 0);
        if (offset != Slots.NONE) {
            assertThat(live.put(offset, site)).isNull();
        }
        long count = live.values().stream().filter(each -> each == site).count();
        assertThat(count)
                .isEqualTo(slots.taken(site))
                .isLessThanOrEqualTo(plan.sites().get(site).count());
    }

    private static void noneOverlaps(StingyPlan plan, Map<Integer, Integer> live) {
        boolean[] lines = new boolean[(int) (plan.bytes() / StingyPlan.LINE_BYTES)];
        live.forEach((offset, site) -> {
            assertThat(offset % StingyPlan.LINE_BYTES).isZero();
            for (int line = 0; line < plan.sites().get(site).slotBytes() / StingyPlan.LINE_BYTES; line++) {
                int at = offset / StingyPlan.LINE_BYTES + line;
                assertThat(lines[at]).as("line %s", at).isFalse();
                lines[at] = true;
            }
        });
    }
}
