// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.stingy.solve;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.BitSet;
import java.util.Random;
import org.junit.jupiter.api.Test;

// What the algorithms on graphs say, against what their definitions say, on random graphs.
class GraphsTest {
    private static final int GRAPHS = 2_000;

    private final long seed = Long.getLong("mely.seed", 3);
    private final Random random = new Random(seed);

    private BitSet[] graph(int nodesMax) {
        BitSet[] next = new BitSet[1 + random.nextInt(nodesMax)];
        double density = random.nextDouble() * 0.6;
        for (int node = 0; node < next.length; node++) {
            next[node] = new BitSet();
            for (int to = 0; to < next.length; to++) {
                next[node].set(to, random.nextDouble() < density);
            }
        }
        return next;
    }

    private static boolean reaches(BitSet[] next, int from, int to, int without) {
        BitSet seen = new BitSet();
        if (from == without) {
            return false;
        }
        BitSet open = new BitSet();
        open.set(from);
        while (!open.isEmpty()) {
            int node = open.nextSetBit(0);
            open.clear(node);
            seen.set(node);
            next[node].stream()
                    .filter(each -> each != without && !seen.get(each))
                    .forEach(open::set);
        }
        return seen.get(to);
    }

    @Test
    void components_areNodesThatReachEachOther() {
        for (int graph = 0; graph < GRAPHS; graph++) {
            BitSet[] next = graph(8);
            Components components = new Components(next);
            for (int a = 0; a < next.length; a++) {
                int from = a;
                for (int b = 0; b < next.length; b++) {
                    boolean isTogether = reaches(next, a, b, -1) && reaches(next, b, a, -1);
                    assertThat(components.of(a).get(b)).as("seed %s", seed).isEqualTo(isTogether);
                }
                boolean isInCycle = next[a].stream().anyMatch(to -> reaches(next, to, from, -1));
                assertThat(components.isInCycle(a)).as("seed %s", seed).isEqualTo(isInCycle);
                boolean isTerminal = components.of(a).stream()
                        .allMatch(node -> next[node].stream().allMatch(to -> reaches(next, to, from, -1)));
                assertThat(components.isTerminal(a)).as("seed %s", seed).isEqualTo(isTerminal);
            }
        }
    }

    @Test
    void dominator_isOnEveryPath() {
        for (int graph = 0; graph < GRAPHS; graph++) {
            BitSet[] next = graph(7);
            BitSet entries = new BitSet();
            entries.set(random.nextInt(next.length));
            entries.set(random.nextInt(next.length));
            Dominators dominators = new Dominators(next, entries);
            for (int a = 0; a < next.length; a++) {
                for (int b = 0; b < next.length; b++) {
                    int to = b;
                    int without = a;
                    boolean isReached = entries.stream().anyMatch(entry -> reaches(next, entry, to, -1));
                    boolean isAvoided = entries.stream().anyMatch(entry -> reaches(next, entry, to, without));
                    boolean isExpected = a == b || (isReached && !isAvoided);
                    assertThat(dominators.dominates(a, b)).as("seed %s", seed).isEqualTo(isExpected);
                }
            }
        }
    }

    @Test
    void colors_areAsFewAsCanBe() {
        for (int graph = 0; graph < GRAPHS; graph++) {
            BitSet[] next = graph(7);
            BitSet all = new BitSet();
            all.set(0, next.length);
            for (int a = 0; a < next.length; a++) {
                for (int b = 0; b < next.length; b++) {
                    next[a].set(b, a != b && (next[a].get(b) || next[b].get(a)));
                }
            }
            long[] bytes = random.longs(next.length, 1, 9).toArray();
            Colors colors = new Colors(next, all, bytes);
            for (int a = 0; a < next.length; a++) {
                int own = colors.of(a);
                assertThat(own).isBetween(0, colors.count() - 1);
                assertThat(next[a].stream().map(colors::of)).as("seed %s", seed).doesNotContain(own);
            }
            assertThat(isColorable(next, new int[next.length], 0, colors.count() - 1))
                    .as("seed %s: %s with fewer than %s", seed, Arrays.toString(next), colors.count())
                    .isFalse();
        }
    }

    private static boolean isColorable(BitSet[] neighbors, int[] color, int node, int count) {
        if (node == color.length) {
            return true;
        }
        for (int chosen = 0; chosen < count; chosen++) {
            int each = chosen;
            boolean isFree = neighbors[node].stream().noneMatch(other -> other < node && color[other] == each);
            color[node] = chosen;
            if (isFree && isColorable(neighbors, color, node + 1, count)) {
                return true;
            }
        }
        return false;
    }
}
