// SPDX-License-Identifier: Apache-2.0
package io.mely.search;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class SetCombinerTest {
    private static int[] list(int... numbers) {
        return numbers;
    }

    @Test
    void common_isWhatAllHave() {
        assertThat(SetCombiner.common()).isEmpty();
        assertThat(SetCombiner.common(list(1, 2, 3))).containsExactly(1, 2, 3);
        assertThat(SetCombiner.common(list(1, 2, 3), list())).isEmpty();
        assertThat(SetCombiner.common(list(1, 3, 5), list(0, 1, 2, 5), list(1, 5, 9)))
                .containsExactly(1, 5);
        assertThat(SetCombiner.common(list(Integer.MAX_VALUE), list(0, Integer.MAX_VALUE)))
                .containsExactly(Integer.MAX_VALUE);
    }

    @Test
    void without_isWhatTheFirstHasNot() {
        assertThat(SetCombiner.without(list(), list(1, 2))).containsExactly(1, 2);
        assertThat(SetCombiner.without(list(1, 2), list(1, 2))).isEmpty();
        assertThat(SetCombiner.without(list(2, 9), list(1, 2, 3))).containsExactly(1, 3);
    }

    private static int[] random(SplittableRandom random, int length, int range) {
        return random.ints(length, 0, range).sorted().distinct().toArray();
    }

    // Beside sets of the JDK, with lists of like and of very different lengths.
    @Test
    void randomLists_asSets() {
        SplittableRandom random = new SplittableRandom(1);
        for (int round = 0; round < 20_000; round++) {
            int range = 1 << random.nextInt(1, 12);
            int[][] lists = new int[random.nextInt(1, 5)][];
            Arrays.setAll(lists, i -> random(random, random.nextInt(1 << random.nextInt(11)), range));
            int[][] before = Arrays.stream(lists).map(int[]::clone).toArray(int[][]::new);
            TreeSet<Integer> expected =
                    new TreeSet<>(Arrays.stream(lists[0]).boxed().toList());
            for (int[] list : lists) {
                expected.retainAll(Arrays.stream(list).boxed().toList());
            }
            assertThat(SetCombiner.common(lists))
                    .isEqualTo(expected.stream().mapToInt(i -> i).toArray());
            assertThat(lists).isDeepEqualTo(before);
            TreeSet<Integer> rest =
                    new TreeSet<>(Arrays.stream(lists[lists.length - 1]).boxed().toList());
            rest.removeAll(Arrays.stream(lists[0]).boxed().toList());
            assertThat(SetCombiner.without(lists[0], lists[lists.length - 1]))
                    .isEqualTo(rest.stream().mapToInt(i -> i).toArray());
        }
    }
}
