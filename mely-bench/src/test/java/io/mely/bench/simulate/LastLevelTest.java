// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.simulate;

import static org.assertj.core.api.Assertions.assertThat;

import io.mely.bench.simulate.LastLevel.Left;
import io.mely.bench.simulate.Tries.Found;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** A cache is as large as what of it answers sooner than memory. */
class LastLevelTest {
    private static final long KB = 1 << 10;
    private static final long MB = 1 << 20;
    private static final LastLevel OF_32_MB = new LastLevel(List.of(32 * KB, 512 * KB, 32 * MB));

    private static List<Long> steps(Long... cacheBytes) {
        return new LastLevel(List.of(cacheBytes)).steps();
    }

    private static Left left(double... ns) {
        Map<String, Found> found = new TreeMap<>();
        for (int i = 0; i < ns.length; i++) {
            found.put(LastLevel.probe(OF_32_MB.steps().get(i)), new Found(ns[i], 0, 1));
        }
        found.put("memory", new Found(82, 0, 1));
        return OF_32_MB.left(found);
    }

    @Test
    void steps_areBeyondTheLevelBefore_upToHalf() {
        assertThat(OF_32_MB.steps()).containsExactly(MB, 2 * MB, 4 * MB, 8 * MB, 16 * MB);
        assertThat(steps(32 * KB, 512 * KB, 768 * KB)).containsExactly(384 * KB);
        assertThat(steps(32 * KB)).containsExactly(16 * KB);
        assertThat(steps(32 * KB, MB, 1_024 * MB)).last().isEqualTo(64 * MB);
    }

    // As found on two CPUs of a host with many more.
    @Test
    void stepThatIsNearerToMemory_isNotLeft() {
        Left left = left(15, 17, 27, 84, 86);
        assertThat(left.bytes()).isEqualTo(4 * MB);
        assertThat(left.beyond()).isEqualTo(8 * MB);
        assertThat(left.load().value()).isEqualTo(15);
        assertThat(left.isAll()).isFalse();
    }

    @Test
    void noStepIsNearerToMemory_allIsLeft() {
        Left left = left(15, 16, 16, 18, 30);
        assertThat(left.bytes()).isEqualTo(32 * MB);
        assertThat(left.isAll()).isTrue();
    }

    @Test
    void secondStepIsFar_theFirstIsLeft() {
        assertThat(left(15, 80, 80, 80, 80).bytes()).isEqualTo(MB);
    }
}
