// SPDX-License-Identifier: Apache-2.0
package io.mely.policy;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SizeClassesTest {
    @Test
    void classes_growWithTheSize_andTellQuartersApart() {
        assertThat(SizeClasses.classOf(-1)).isZero();
        int before = SizeClasses.classOf(0);
        assertThat(before).isZero();
        for (long size = 1; size > 0 && size < Long.MAX_VALUE / 2; size += Math.max(1, size / 16)) {
            int next = SizeClasses.classOf(size);
            assertThat(next).isBetween(before, before + 1);
            assertThat(SizeClasses.classOf(size + Math.max(1, size / 4))).isGreaterThan(next);
            before = next;
        }
        assertThat(SizeClasses.classOf(Long.MAX_VALUE)).isLessThan(256);
    }
}
