// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class ColorHomesTest {
    private static final int COLORS = 100;

    /** Of versions. */
    private static final int WRAP = 1 << 22;

    @ParameterizedTest
    @CsvSource({"1, 0", "7, 2", "100, 1023"})
    void where_holdsTheCore_andChangesWithEachMove(int number, int core) {
        ColorHomes homes = new ColorHomes(COLORS, slot -> core);
        int before = homes.where(number);
        assertThat(homes.coreOfColor(number)).isEqualTo(core);
        assertThat(ColorHomes.coreOf(before)).isEqualTo(core);
        homes.move(number, 1_023 - core);
        assertThat(homes.coreOfColor(number)).isEqualTo(1_023 - core);
        homes.move(number, core);
        assertThat(homes.coreOfColor(number)).isEqualTo(core);
        assertThat(homes.where(number)).as("it was away").isNotEqualTo(before);
    }

    @Test
    void where_versionWraps_afterAsManyMovesAsItsDocSays() {
        ColorHomes homes = new ColorHomes(COLORS, slot -> 1_023);
        int before = homes.where(3);
        for (int i = 1; i < WRAP; i++) {
            homes.move(3, 1_023);
            if (homes.where(3) == before) {
                fail("same word after %d moves", i);
            }
        }
        homes.move(3, 1_023);
        assertThat(homes.where(3)).isEqualTo(before);
    }

    @Test
    void firstHomes_areAskedOnce_ofEachSlot() {
        List<Integer> asked = new ArrayList<>();
        ColorHomes homes = new ColorHomes(COLORS, slot -> {
            asked.add(slot);
            return slot % 3;
        });
        assertThat(asked).isEqualTo(IntStream.range(0, COLORS).boxed().toList());
        assertThat(homes.coreOfColor(5)).isEqualTo(1);
        assertThat(asked).as("looks ask nobody").hasSize(COLORS);
    }

    @Test
    void move_leavesAllOthersWhereTheyAre() {
        ColorHomes homes = new ColorHomes(COLORS, slot -> 7);
        int last = COLORS;
        for (int moved = 1; moved <= last; moved++) {
            homes.move(moved, 3);
            for (int number = 1; number <= last; number++) {
                assertThat(homes.coreOfColor(number)).isEqualTo(number <= moved ? 3 : 7);
            }
        }
    }
}
