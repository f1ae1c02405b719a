// SPDX-License-Identifier: Apache-2.0
package io.mely.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

// What remains of a list of choices is what the failure needs.
class ShrinkerTest {
    @Test
    void shrink_keepsWhatTheFailureNeeds() {
        Random random = new Random(5);
        int[] list = random.ints(500, 1, 9).toArray();
        list[100] = 77;
        list[300] = 78;
        int[] shrunk = Shrinker.shrink(list, candidate -> {
            int first = indexOf(candidate, 77);
            return first >= 0 && indexOf(candidate, 78) > first;
        });
        assertThat(shrunk).containsExactly(77, 78);
    }

    @Test
    void shrink_ofWhatDoesNotFailAgain_isTheListItself() {
        int[] list = {3, 1, 2};
        assertThat(Shrinker.shrink(list, candidate -> false)).isSameAs(list);
    }

    @Test
    void choices_areReadAsWritten() {
        int[] list = {0, 0, 0, 7, 1, 1, 12, 0, 5};
        assertThat(Choices.write(list)).isEqualTo("0x3,7,1x2,12,0,5");
        assertThat(Choices.read(Choices.write(list))).isEqualTo(list);
        assertThat(Choices.read("")).isEmpty();
    }

    private static int indexOf(int[] list, int value) {
        return Arrays.stream(list).boxed().toList().indexOf(value);
    }
}
