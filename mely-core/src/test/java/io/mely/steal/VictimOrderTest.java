// SPDX-License-Identifier: Apache-2.0
package io.mely.steal;

import static org.assertj.core.api.Assertions.assertThat;

import io.mely.queue.CoreQueue;
import io.mely.queue.Cores;
import io.mely.queue.Lane;
import io.mely.queue.TimeLeftIntervals;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

// A thief tries each other core once: with locality the nearest first, neighbours not all starting at the same one;
// without, from the most
// loaded core upwards.
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

    private static int[] order(VictimOrder order) {
        int start = order.begin();
        return IntStream.range(0, order.size()).map(i -> order.victim(start, i)).toArray();
    }

    // Acceptance check 3: 8 cores, 6 is the most loaded: 6, 7, 0 to 5.
    @ParameterizedTest
    @CsvSource({"0, '6 7 1 2 3 4 5'", "3, '6 7 0 1 2 4 5'", "5, '6 7 0 1 2 3 4'", "7, '6 0 1 2 3 4 5'"})
    void withoutLocality_fromTheMostLoadedUpwards(int thief, String expected) {
        VictimOrder order = new VictimOrder(thief, cores(1, 1, 0, 2, 1, 0, 5, 3), flat(8), false);
        assertThat(order(order)).containsExactly(ints(expected));
    }

    // A thief that is itself the most loaded (it just got work) still tries everybody else.
    @Test
    void withoutLocality_thiefIsTheMostLoaded_startsBehindIt() {
        VictimOrder order = new VictimOrder(6, cores(1, 1, 0, 2, 1, 0, 5, 3), flat(8), false);
        assertThat(order(order)).containsExactly(7, 0, 1, 2, 3, 4, 5);
    }

    @Test
    void withoutLocality_followsTheLoad() {
        Cores cores = load(new Cores(3, new TimeLeftIntervals(1_000)), 0, 1, 2);
        VictimOrder order = new VictimOrder(0, cores.queues, flat(3), false);
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
                VictimOrder order = new VictimOrder(thief, cores(new int[count]), flat(count), isLocal);
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
        VictimOrder order = new VictimOrder(thief, cores(1, 1, 0, 2, 1, 0, 5, 3), pairs(8), true);
        assertThat(order(order)).containsExactly(ints(expected));
        assertThat(VictimOrder.nearestFirst(thief, pairs(8)[thief])).containsExactly(ints(expected));
    }

    @ParameterizedTest
    @CsvSource({"0, '1 2 3'", "1, '2 3 0'", "2, '3 0 1'", "3, '0 1 2'"})
    void withLocality_equalDistances_areRotated(int thief, String expected) {
        VictimOrder order = new VictimOrder(thief, cores(0, 0, 0, 0), flat(4), true);
        assertThat(order(order)).containsExactly(ints(expected));
    }

    private static int[] ints(String list) {
        return java.util.Arrays.stream(list.split(" "))
                .mapToInt(Integer::parseInt)
                .toArray();
    }
}
