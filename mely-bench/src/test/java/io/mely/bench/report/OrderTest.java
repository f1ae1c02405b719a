// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Property: nobody keeps a neighbour, and everybody runs once a round. */
class OrderTest {
    private static Map<List<Integer>, Integer> followers(int contenders, int rounds) {
        List<Integer> all = IntStream.range(0, contenders).boxed().toList();
        Map<List<Integer>, Integer> followers = new HashMap<>();
        for (int round = 0; round < rounds; round++) {
            List<Integer> order = Order.of(all, round);
            assertThat(order).containsExactlyInAnyOrderElementsOf(all);
            for (int i = 1; i < contenders; i++) {
                followers.merge(List.of(order.get(i - 1), order.get(i)), 1, Integer::sum);
            }
        }
        return followers;
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 4, 6, 20})
    void of_letsEverybodyFollowEverybodyOnce(int contenders) {
        assertThat(followers(contenders, contenders))
                .hasSize(contenders * (contenders - 1))
                .allSatisfy((pair, times) -> assertThat(times).isEqualTo(1));
    }

    @ParameterizedTest
    @ValueSource(ints = {3, 5, 19, 21})
    void of_letsNobodyFollowTheSameMoreThanTwice(int contenders) {
        assertThat(followers(contenders, contenders + 1))
                .hasSize(contenders * (contenders - 1))
                .allSatisfy((pair, times) -> assertThat(times).isLessThanOrEqualTo(2));
    }
}
