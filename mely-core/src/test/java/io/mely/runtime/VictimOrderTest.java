// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.mely.topology.Distance;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

// A thief tries each other core once: with locality the nearest first, neighbours not all starting at the same one;
// without, from the most loaded core upwards. On a large machine, with locality, it tries the near ones each time and
// the others in turn.
class VictimOrderTest {
    private static CoreQueue[] cores(int... readyColors) {
        return load(new Cores(readyColors.length, new TimeLeftIntervals(1_000)), readyColors).queues;
    }

    private static Cores load(Cores cores, int... readyColors) {
        for (int core = 0; core < readyColors.length; core++) {
            for (int i = 0; i < readyColors[core]; i++) {
                cores.ready(core, Lane.handler(100), 1);
            }
        }
        return cores;
    }

    private static int[][] flat(int cores) {
        return new int[cores][cores];
    }

    /** Pairs share a cache, four pairs a machine: the E5410 twice. */
    private static int[][] pairs(int cores) {
        int[][] distances = new int[cores][cores];
        for (int from = 0; from < cores; from++) {
            for (int to = 0; to < cores; to++) {
                distances[from][to] = from == to ? 0 : from / 2 == to / 2 ? 2 : from / 4 == to / 4 ? 4 : 5;
            }
        }
        return distances;
    }

    /** Groups of so many share a cache, all are one package. */
    private static int[][] groups(int cores, int each) {
        int[][] distances = new int[cores][cores];
        for (int from = 0; from < cores; from++) {
            for (int to = 0; to < cores; to++) {
                distances[from][to] = from == to ? 0 : from / each == to / each ? 3 : 4;
            }
        }
        return distances;
    }

    /** All victims, as a look has them, or as many looks have them in turn. */
    private static int[] order(VictimOrder order) {
        return order.isInTurns() ? order.nearestFirst() : look(order);
    }

    private static int[] look(VictimOrder order) {
        int start = order.begin();
        return IntStream.range(0, order.size()).map(i -> order.victim(start, i)).toArray();
    }

    /** One look in turn, in vain. */
    private static int[] turn(VictimOrder order) {
        int[] look = look(order);
        order.nextTurn();
        return look;
    }

    // Acceptance check 3: 8 cores, 6 is the most loaded: 6, 7, 0 to 5.
    @ParameterizedTest
    @CsvSource({"0, '6 7 1 2 3 4 5'", "3, '6 7 0 1 2 4 5'", "5, '6 7 0 1 2 3 4'", "7, '6 0 1 2 3 4 5'"})
    void withoutLocality_fromTheMostLoadedUpwards(int thief, String expected) {
        VictimOrder order = new VictimOrder(thief, cores(1, 1, 0, 2, 1, 0, 5, 3), flat(8)[thief], false);
        assertThat(order(order)).containsExactly(ints(expected));
    }

    // A thief that is itself the most loaded (it just got work) still tries everybody else.
    @Test
    void withoutLocality_thiefIsTheMostLoaded_startsBehindIt() {
        VictimOrder order = new VictimOrder(6, cores(1, 1, 0, 2, 1, 0, 5, 3), flat(8)[6], false);
        assertThat(order(order)).containsExactly(7, 0, 1, 2, 3, 4, 5);
    }

    @Test
    void withoutLocality_followsTheLoad() {
        Cores cores = load(new Cores(3, new TimeLeftIntervals(1_000)), 0, 1, 2);
        VictimOrder order = new VictimOrder(0, cores.queues, flat(3)[0], false);
        assertThat(order(order)).containsExactly(2, 1);
        load(cores, 0, 3);
        assertThat(order(order)).containsExactly(1, 2);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 8, 17})
    void everyOrder_hasEachOtherCoreOnce(int count) {
        for (boolean isLocal : new boolean[] {false, true}) {
            for (int thief = 0; thief < count; thief++) {
                int self = thief;
                VictimOrder order = new VictimOrder(thief, cores(new int[count]), flat(count)[thief], isLocal);
                assertThat(order(order))
                        .hasSize(count - 1)
                        .doesNotHaveDuplicates()
                        .doesNotContain(self);
            }
        }
    }

    // Acceptance check 6: the first victim is the pair's other core; then the own package; the load does not matter.
    @ParameterizedTest
    @CsvSource({
        "0, '1 2 3 4 5 6 7'",
        "1, '0 2 3 4 5 6 7'",
        "2, '3 0 1 4 5 6 7'",
        "5, '4 6 7 0 1 2 3'",
        "7, '6 4 5 0 1 2 3'"
    })
    void withLocality_byDistance(int thief, String expected) {
        VictimOrder order = new VictimOrder(thief, cores(1, 1, 0, 2, 1, 0, 5, 3), pairs(8)[thief], true);
        assertThat(order(order)).containsExactly(ints(expected));
        assertThat(order.nearestFirst()).containsExactly(ints(expected));
    }

    @ParameterizedTest
    @CsvSource({"0, '1 2 3'", "1, '2 3 0'", "2, '3 0 1'", "3, '0 1 2'"})
    void withLocality_equalDistances_areRotated(int thief, String expected) {
        VictimOrder order = new VictimOrder(thief, cores(0, 0, 0, 0), flat(4)[thief], true);
        assertThat(order(order)).containsExactly(ints(expected));
    }

    // ------------------------------------------------------------------ looks in turn

    @Test
    void fewVictims_areLookedAtWhole() {
        for (int[][] distances : new int[][][] {pairs(8), groups(16, 8), groups(17, 1), flat(17)}) {
            int count = distances.length;
            for (boolean isLocal : new boolean[] {false, true}) {
                VictimOrder order = new VictimOrder(3, cores(new int[count]), distances[3], isLocal);
                int[] whole = order(order);
                assertThat(turn(order)).isEqualTo(whole).hasSize(count - 1);
                assertThat(turn(order)).isEqualTo(whole);
            }
        }
    }

    @Test
    @SuppressWarnings("EnumOrdinal") // declared from near to far
    void near_isWhatSharesACache() {
        assertThat(VictimOrder.SHARED_CACHE).isEqualTo(Distance.SHARED_L3.ordinal());
    }

    // Own group and one other, near to far; all others have had their turn before the first comes again.
    @Test
    void manyVictims_ownGroupAndOneOtherInTurn() {
        VictimOrder order = new VictimOrder(10, cores(new int[32]), groups(32, 8)[10], true);
        assertThat(turn(order)).containsExactly(ints("11 12 13 14 15 8 9 16 17 18 19 20 21 22 23"));
        assertThat(turn(order)).containsExactly(ints("11 12 13 14 15 8 9 24 25 26 27 28 29 30 31"));
        assertThat(turn(order)).containsExactly(ints("11 12 13 14 15 8 9 0 1 2 3 4 5 6 7"));
        assertThat(turn(order)).containsExactly(ints("11 12 13 14 15 8 9 16 17 18 19 20 21 22 23"));
    }

    @ParameterizedTest
    @CsvSource({"18, 1", "20, 8", "64, 64", "100, 6", "128, 8"})
    void turns_reachEachVictim_andAreShort(int count, int group) {
        for (int thief = 0; thief < count; thief++) {
            VictimOrder order = new VictimOrder(thief, cores(new int[count]), groups(count, group)[thief], true);
            int[] whole = order(order);
            assertThat(whole).hasSize(count - 1).doesNotHaveDuplicates().doesNotContain(thief);
            IntStream seen = IntStream.empty();
            for (int i = 0; i < (count + 7) / 8; i++) {
                int[] look = turn(order);
                assertThat(look).hasSizeLessThanOrEqualTo(16).doesNotHaveDuplicates();
                seen = IntStream.concat(seen, IntStream.of(look));
            }
            assertThat(seen.distinct().toArray()).containsExactlyInAnyOrder(whole);
        }
    }

    @Test
    void turnTo_nextLookHasTheVictim_thenTurnsGoOn() {
        for (int victim = 0; victim < 64; victim++) {
            if (victim != 20) {
                VictimOrder order = new VictimOrder(20, cores(new int[64]), groups(64, 8)[20], true);
                order.turnTo(victim);
                assertThat(look(order)).contains(victim).hasSize(15);
            }
        }
    }

    // The baseline is the report's.
    @Test
    void withoutLocality_looksAreWhole() {
        VictimOrder order = new VictimOrder(0, cores(new int[32]), groups(32, 8)[0], false);
        assertThat(turn(order)).hasSize(31);
    }

    private static int[] ints(String list) {
        return java.util.Arrays.stream(list.split(" "))
                .mapToInt(Integer::parseInt)
                .toArray();
    }
}
