// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import java.util.Arrays;

/**
 * A few numbers, searched one by one.
 *
 * <p><b>Threads.</b> The holder of the core's lock.
 */
final class NumberSet {
    private static final int[] EMPTY = {};

    private int[] numbers = EMPTY;
    private int count;

    int count() {
        return count;
    }

    boolean contains(int number) {
        return indexOf(number) >= 0;
    }

    /** Returns false if it was there. */
    boolean add(int number) {
        if (contains(number)) {
            return false;
        }
        if (count == numbers.length) {
            numbers = Arrays.copyOf(numbers, Math.max(4, 2 * count));
        }
        numbers[count++] = number;
        return true;
    }

    /** Takes all out. May find no memory; then they stay. */
    int[] drain() {
        int[] all = Arrays.copyOf(numbers, count);
        count = 0;
        return all;
    }

    private int indexOf(int number) {
        for (int i = 0; i < count; i++) {
            if (numbers[i] == number) {
                return i;
            }
        }
        return -1;
    }
}
