// SPDX-License-Identifier: Apache-2.0
package io.mely.images;

import static org.assertj.core.api.Assertions.assertThat;

import io.mely.images.PixelBudget.Grant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

// Property: no more is taken than there is, who waits is served in turn, and the line has an end.
class PixelBudgetTest {
    private final PixelBudget budget = new PixelBudget(100, 3);
    private final List<String> served = new ArrayList<>();

    private Grant take(long bytes, String name) {
        return budget.take(bytes, () -> served.add(name));
    }

    @Test
    void take_upToTheBudget() {
        assertThat(take(60, "a")).isEqualTo(Grant.TAKEN);
        assertThat(take(40, "b")).isEqualTo(Grant.TAKEN);
        assertThat(take(1, "c")).isEqualTo(Grant.WAITS);
        assertThat(budget.usedBytes()).isEqualTo(100);
    }

    // A small one does not overtake a large one, which would else wait for ever.
    @Test
    void waiting_areServedInTurn() {
        take(100, "a");
        assertThat(take(80, "large")).isEqualTo(Grant.WAITS);
        assertThat(take(10, "small")).isEqualTo(Grant.WAITS);
        budget.giveBack(50);
        assertThat(served).isEmpty();
        assertThat(take(10, "late")).isEqualTo(Grant.WAITS);
        budget.giveBack(50);
        assertThat(served).containsExactly("large", "small", "late");
        assertThat(budget.usedBytes()).isEqualTo(100);
    }

    @Test
    void take_refusesWhenTheLineIsFull() {
        take(100, "a");
        for (int i = 0; i < 3; i++) {
            assertThat(budget.isFull()).isFalse();
            assertThat(take(10, "b")).isEqualTo(Grant.WAITS);
        }
        assertThat(budget.isFull()).isTrue();
        assertThat(take(10, "c")).isEqualTo(Grant.REFUSED);
        budget.giveBack(100);
        assertThat(served).hasSize(3);
        budget.giveBack(30);
        assertThat(budget.usedBytes()).isZero();
    }
}
