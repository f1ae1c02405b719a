// SPDX-License-Identifier: Apache-2.0
package io.mely.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

// The vectors of spec stages §5.4.
class PollingTableTest {
    private static final double[] UNEVEN = {.5, .2, .1, .05, .005};

    private static int[] numbers(String text) {
        return Arrays.stream(text.split(" ")).mapToInt(Integer::parseInt).toArray();
    }

    private static double[] equal(double rho) {
        return IntStream.range(0, 5).mapToDouble(i -> rho).toArray();
    }

    private static int[] visits(int[] table, int stages) {
        int[] visits = new int[stages];
        Arrays.stream(table).forEach(stage -> visits[stage]++);
        return visits;
    }

    @Test
    void ranks_areThoseOfTheGoldenRatio() {
        assertThat(new PollingTable(34).ranks())
                .isEqualTo(numbers(
                        "0 21 8 29 16 3 24 11 32 19 6 27 14 1 22 9 30 17 4 25 12 33 20 7 28 15 2 23 10 31 18 5 26 13"));
    }

    @Test
    void fiveEqualLoads_areTheExampleOfThePaper() {
        PollingTable tables = new PollingTable(34);
        double[] rhos = equal(.1);
        assertThat(tables.shares(rhos)).containsExactly(6, 6, 6, 6, 6);
        int[] table = tables.table(rhos);
        assertThat(table).isEqualTo(numbers("0 2 4 0 3 0 1 3 0 2 4 1 3 0 2 4 0 2 0 1 3 0 2 4 1 3 0 1 4 0 2 4 1 3"));
        assertThat(visits(table, 5)).containsExactly(10, 6, 6, 6, 6);
    }

    // Three gaps: spec §15, check 3.
    @Test
    void distancesOfEqualLoads_takeThreeValues() {
        int[] table = new PollingTable(34).table(equal(.1));
        for (int stage = 0; stage < 5; stage++) {
            assertThat(gaps(table, stage)).isSubsetOf(stage == 0 ? List.of(2, 3, 5) : List.of(3, 5, 8));
        }
    }

    // With as many stages as this the shares of one slot are more than there are slots.
    @Test
    void eachStage_hasASlot() {
        double[] rhos = IntStream.range(0, 100).mapToDouble(i -> i < 4 ? .2 : 0).toArray();
        int[] visits = visits(new PollingTable(144).table(rhos), 100);
        assertThat(visits).doesNotContain(0);
        assertThat(Arrays.stream(visits).sum()).isEqualTo(144);
    }

    private static List<Integer> gaps(int[] table, int stage) {
        int[] slots =
                IntStream.range(0, table.length).filter(i -> table[i] == stage).toArray();
        List<Integer> gaps = new ArrayList<>();
        for (int i = 0; i < slots.length; i++) {
            int next = i + 1 < slots.length ? slots[i + 1] : slots[0] + table.length;
            gaps.add(next - slots[i]);
        }
        return gaps;
    }

    @Test
    void unevenLoads() {
        PollingTable tables = new PollingTable(34);
        assertThat(tables.shares(UNEVEN)).containsExactly(11, 9, 6, 4, 1);
        int[] table = tables.table(UNEVEN);
        assertThat(table).isEqualTo(numbers("0 1 3 0 1 0 0 2 0 1 3 0 2 0 1 2 0 1 4 0 2 0 1 3 0 1 0 1 2 0 1 3 0 2"));
        assertThat(visits(table, 5)).containsExactly(14, 9, 6, 4, 1);
    }

    @Test
    void unevenLoads_inALargeTable() {
        PollingTable tables = new PollingTable(144);
        assertThat(tables.shares(UNEVEN)).containsExactly(48, 38, 29, 21, 6);
        assertThat(visits(tables.table(UNEVEN), 5)).containsExactly(50, 38, 29, 21, 6);
    }

    @Test
    void threeLoads_inASmallTable() {
        PollingTable tables = new PollingTable(21);
        double[] rhos = {.6, .1, .05};
        assertThat(tables.shares(rhos)).containsExactly(10, 6, 4);
        int[] table = tables.table(rhos);
        assertThat(table).isEqualTo(numbers("0 1 0 2 1 0 1 0 0 1 0 2 0 0 1 0 2 1 0 2 0"));
        assertThat(visits(table, 3)).containsExactly(11, 6, 4);
    }

    @Test
    void fiveEqualLoads_inALargeTable() {
        PollingTable tables = new PollingTable(144);
        assertThat(tables.shares(equal(.1))).containsExactly(28, 28, 28, 28, 28);
        assertThat(visits(tables.table(equal(.1)), 5)).containsExactly(32, 28, 28, 28, 28);
    }

    // A saturated stage needs few, long visits by the formula: spec §5.5.
    @Test
    void saturatedStage_isVisitedSeldom() {
        PollingTable tables = new PollingTable(34);
        double[] rhos = {.99, .3, .3};
        assertThat(tables.shares(rhos)).containsExactly(3, 15, 15);
        assertThat(visits(tables.table(rhos), 3)).containsExactly(3, 16, 15);
    }

    @Test
    void moreStagesThanSlots_areRefused_asSomeWouldNeverBeVisited() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new PollingTable(21).table(new double[50]))
                .withMessageContaining("stages=50, slots=21");
    }

    @Test
    void loadsBeyondTheirRange_areClamped() {
        PollingTable tables = new PollingTable(34);
        assertThat(tables.table(new double[] {7, 0})).isEqualTo(tables.table(new double[] {.99, .005}));
    }
}
