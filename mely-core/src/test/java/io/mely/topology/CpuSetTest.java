// SPDX-License-Identifier: Apache-2.0
package io.mely.topology;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.BitSet;
import java.util.NoSuchElementException;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CpuSetTest {
    // The kernel's own syntax is read, and the shortest form is written.
    @Test
    void parse_kernelList_readsNumbersAndRanges() {
        CpuSet set = CpuSet.parse(" 0-3,8,10-11\n");

        assertThat(set.stream()).containsExactly(0, 1, 2, 3, 8, 10, 11);
        assertThat(set.size()).isEqualTo(7);
        assertThat(set.first()).isZero();
        assertThat(set).hasToString("0-3,8,10-11").isEqualTo(CpuSet.of(11, 10, 8, 3, 2, 1, 0));
    }

    @Test
    void parse_overlappingAndUnorderedParts_areOneSet() {
        assertThat(CpuSet.parse("5,0-3,2-4,5")).hasToString("0-5");
    }

    @Test
    void parse_blank_isEmpty() {
        assertThat(CpuSet.parse("\n").isEmpty()).isTrue();
        assertThat(CpuSet.of()).hasToString("").isEqualTo(CpuSet.parse(""));
    }

    // Whoever wrote the text finds it in the message.
    @ParameterizedTest
    @ValueSource(
            strings = {
                "a",
                "0-",
                "-1",
                "3-1",
                "0,,2",
                "0,",
                "0 1",
                "1-2-3",
                "0x3",
                "65536",
                "0-99999999999999999999",
                "٣",
                "+1"
            })
    void parse_anythingElse_namesTheText(String text) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> CpuSet.parse(text))
                .withMessageContaining("list=" + Texts.quoted(text));
    }

    @Test
    void parse_longHostileText_givesAShortPlainMessage() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> CpuSet.parse("\u001b[31m\n".repeat(10_000)))
                .satisfies(
                        e -> assertThat(e.getMessage()).hasSizeLessThan(1_500).matches("\\p{Print}*"));
    }

    @Test
    void contains_beyond64_works() {
        CpuSet set = CpuSet.of(63, 64, 1_000);

        assertThat(set.contains(64)).isTrue();
        assertThat(set.contains(65)).isFalse();
        assertThat(set.contains(-1)).isFalse();
        assertThat(set.contains(Integer.MAX_VALUE)).isFalse();
        assertThat(set).hasToString("63-64,1000");
    }

    @Test
    void intersectAndWithout_splitTheSet() {
        CpuSet set = CpuSet.range(0, 8);
        CpuSet other = CpuSet.parse("2-3,6,9");

        assertThat(set.intersect(other)).hasToString("2-3,6");
        assertThat(set.without(other)).hasToString("0-1,4-5,7");
        assertThat(set).as("the operands stay").isEqualTo(CpuSet.range(0, 8));
    }

    @Test
    void first_empty_throws() {
        assertThatThrownBy(() -> CpuSet.of().first()).isInstanceOf(NoSuchElementException.class);
    }

    @Test
    void of_outOfBounds_namesTheValue() {
        assertThatIllegalArgumentException().isThrownBy(() -> CpuSet.of(-7)).withMessageContaining("-7");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> CpuSet.of(CpuSet.CPUS_MAX))
                .withMessageContaining("65536");
    }

    // What is written is read back, for any set.
    @Test
    void toString_anySet_isReadBack() {
        long seed = Long.getLong("mely.seed", System.nanoTime());
        Random random = new Random(seed);
        for (int round = 0; round < 500; round++) {
            BitSet bits = new BitSet();
            int count = random.nextInt(100);
            for (int i = 0; i < count; i++) {
                bits.set(random.nextInt(200));
            }
            CpuSet set = CpuSet.of(bits.stream().toArray());
            assertThat(CpuSet.parse(set.toString())).as("seed=%d", seed).isEqualTo(set);
            assertThat(set.hashCode()).isEqualTo(CpuSet.parse(set.toString()).hashCode());
            assertThat(set.size()).isEqualTo(bits.cardinality());
        }
    }
}
