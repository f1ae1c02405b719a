// SPDX-License-Identifier: Apache-2.0
package io.mely.bench;

import static org.assertj.core.api.Assertions.assertThatCode;

import io.mely.runtime.StealTable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Property: a steal takes one color, however long the machine lets it take. */
class StealTableTest {
    private static final int STEALS = 200;

    @ParameterizedTest
    @ValueSource(longs = {0, 100, 20_000, 1_000_000, 100_000_000})
    void check_slowMachine_oneColorASteal(long nsARead) {
        long[] nowNs = {0};
        StealTable table = new StealTable(10, 10, () -> nowNs[0] += nsARead);
        for (int i = 0; i < STEALS; i++) {
            table.stealAndLink(i & 1);
        }
        assertThatCode(table::check).doesNotThrowAnyException();
    }
}
