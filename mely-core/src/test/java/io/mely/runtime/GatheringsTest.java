// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.mely.steal.Loans;
import org.junit.jupiter.api.Test;

// Who has gathered whose colors: one trial at a time, and nobody takes part twice.
class GatheringsTest {
    @Test
    void gatherings_areTriedOneAtATime_andNotOfWhoTakesPart() {
        Loans loans = new Loans(5);
        Gatherings gatherings = new Gatherings(5, loans, 7);
        assertThat(gatherings.begin(0, 2, 6)).as("too soon").isFalse();
        assertThat(gatherings.begin(0, 2, 7)).isTrue();
        assertThat(gatherings.begin(1, 3, 7)).as("another is tried").isFalse();
        gatherings.judged();
        assertThat(gatherings.begin(1, 2, 7)).as("another has it").isFalse();
        assertThat(gatherings.begin(2, 3, 7)).as("has nothing of its own").isFalse();
        assertThat(gatherings.begin(1, 3, 7)).isTrue();
        gatherings.judged();
        assertThat(gatherings.begin(0, 1, 7)).as("has another's").isFalse();
        assertThat(gatherings.returnsFrom(2)).isEqualTo(Gatherings.NONE);
        gatherings.giveBack(2);
        assertThat(gatherings.returnsFrom(2)).isZero();
        assertThat(gatherings.begin(0, 2, 7)).as("it takes back").isFalse();
        gatherings.hasBack(2);
        assertThat(gatherings.returnsFrom(2)).isEqualTo(Gatherings.NONE);
        assertThat(gatherings.begin(0, 2, 7)).isTrue();
        gatherings.giveBack(2);
        assertThat(gatherings.begin(0, 4, 7)).as("what failed is not back").isFalse();
        gatherings.hasBack(2);
        gatherings.waitUntil(9);
        assertThat(gatherings.begin(0, 4, 8)).as("one has just failed").isFalse();
        assertThat(gatherings.begin(0, 4, 9)).isTrue();
    }
}
