// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class StatTest {
    @Test
    void of_oddNumber_hasTheMiddleOne() {
        assertThat(Stat.of(9, 1, 4)).isEqualTo(new Stat(4, 1, 9));
    }

    @Test
    void of_evenNumber_hasTheMeanOfTheMiddleTwo() {
        assertThat(Stat.of(9, 1, 4, 6)).isEqualTo(new Stat(5, 1, 9));
    }

    @Test
    void of_notNumbers_doNotCount() {
        assertThat(Stat.of(List.of("7", "", "5"), s -> s.isEmpty() ? Double.NaN : Double.parseDouble(s)))
                .isEqualTo(new Stat(6, 5, 7));
    }

    @Test
    void of_nothing_isNotANumber() {
        assertThat(Stat.of(Double.NaN)).isEqualTo(new Stat(Double.NaN, Double.NaN, Double.NaN));
        assertThat(Stat.of().spread(Double::toString)).isEqualTo("-");
    }

    @Test
    void spread_isLeastToMost() {
        assertThat(Stat.of(3, 2, 8).spread(v -> "<" + (int) v + ">")).isEqualTo("<2>-<8>");
    }
}
