// SPDX-License-Identifier: Apache-2.0
package io.mely.sfs.ssh;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class LoginTableTest {
    private final LoginTable<String> table = new LoginTable<>(3);

    @Test
    void add_toAFullTable_takesTheOldestOfTheAddressWithMost() {
        assertThat(table.add(1L, "honest")).isNull();
        assertThat(table.add(2L, "first")).isNull();
        assertThat(table.add(2L, "second")).isNull();
        assertThat(table.add(2L, "third")).isEqualTo("first");
        assertThat(table.add(3L, "other")).isEqualTo("second");
        assertThat(table.add(4L, "late"))
                .as("of equal addresses the one that waits longest")
                .isEqualTo("honest");
        assertThat(table.size()).isEqualTo(3);
    }

    @Test
    void remove_ofOneThatIsNotThere_changesNothing() {
        assertThat(table.add(1L, "a")).isNull();
        table.remove(1L, "b");
        table.remove(2L, "a");
        assertThat(table.size()).isEqualTo(1);
        table.remove(1L, "a");
        table.remove(1L, "a");
        assertThat(table.size()).isZero();
    }

    // Whatever comes and goes: what is there is what came, less what went and what was taken out, and no more than the
    // limit.
    @Test
    void table_usedAtRandom_keepsItsBooks() {
        Random random = new Random(54);
        LoginTable<Integer> many = new LoginTable<>(20);
        Map<Integer, Long> there = new HashMap<>();
        for (int i = 0; i < 10_000; i++) {
            List<Integer> known = new ArrayList<>(there.keySet());
            if (!known.isEmpty() && random.nextInt(3) == 0) {
                Integer gone = known.get(random.nextInt(known.size()));
                many.remove(there.remove(gone), gone);
            } else {
                long address = random.nextInt(8);
                there.put(i, address);
                Integer taken = many.add(address, i);
                if (taken != null) {
                    Map<Long, Integer> counts = new HashMap<>();
                    there.values().forEach(each -> counts.merge(each, 1, Integer::sum));
                    assertThat(counts.get(there.get(taken)))
                            .isEqualTo(counts.values().stream()
                                    .max(Integer::compare)
                                    .orElseThrow());
                    there.remove(taken);
                }
            }
            assertThat(many.size()).isEqualTo(there.size()).isLessThanOrEqualTo(20);
        }
    }
}
