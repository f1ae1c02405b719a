// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import java.util.Arrays;

/**
 * A few numbers, searched one by one.
 *
 * <p><b>Threads.</b> The holder of the core's lock.
 */
final class NumberSet {
    private int[] numbers = {};
    private int count;

    int count() {
        return count;
    }

    void add(int number) {
        for (int i = 0; i < count; i++) {
            if (numbers[i] == number) {
                return;
            }
        }
        if (count == numbers.length) {
            numbers = Arrays.copyOf(numbers, Math.max(4, 2 * count));
        }
        numbers[count++] = number;
    }

    /** Takes all out. May find no memory; then they stay. */
    int[] drain() {
        int[] all = Arrays.copyOf(numbers, count);
        count = 0;
        return all;
    }
}
