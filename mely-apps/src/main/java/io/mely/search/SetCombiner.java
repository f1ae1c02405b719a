// SPDX-License-Identifier: Apache-2.0
package io.mely.search;

import java.util.Arrays;
import java.util.Comparator;

/**
 * What several ascending lists have in common.
 *
 * <p>The shortest list is looked up in the next longer one, and so on: the rest never gets longer. Where one list is much longer than the other, it is searched in steps of doubled length from the last place found. So a pair takes m log(n / m) looks for lists of m and n.
 */
final class SetCombiner {
    private SetCombiner() {}

    /** The numbers that are in all lists, ascending. The lists are not changed. */
    static int[] common(int[]... lists) {
        if (lists.length == 0) {
            return new int[0];
        }
        int[][] byLength = lists.clone();
        Arrays.sort(byLength, Comparator.comparingInt(list -> list.length));
        int[] common = byLength[0].clone();
        int count = common.length;
        for (int i = 1; i < byLength.length && count > 0; i++) {
            count = keep(common, count, byLength[i]);
        }
        return Arrays.copyOf(common, count);
    }

    /** Keeps of the first numbers those that another list has, too. Returns how many. */
    private static int keep(int[] numbers, int count, int[] list) {
        int kept = 0;
        int from = 0;
        for (int i = 0; i < count && from < list.length; i++) {
            int number = numbers[i];
            from = firstNotBelow(list, from, number);
            if (from < list.length && list[from] == number) {
                numbers[kept++] = number;
                from++;
            }
        }
        return kept;
    }

    /** The first place from one on whose number is no less than another. */
    private static int firstNotBelow(int[] list, int from, int number) {
        int step = 1;
        int low = from; // all before it are less
        int high = from;
        while (high < list.length && list[high] < number) {
            low = high + 1;
            high += step;
            step <<= 1;
            if (high < 0) { // beyond what can be counted
                break;
            }
        }
        int end = high < 0 ? list.length : Math.min(high, list.length);
        int found = Arrays.binarySearch(list, low, end, number);
        return found >= 0 ? found : -found - 1;
    }

    /** Of the second list what the first has not; both ascending. */
    static int[] without(int[] first, int[] second) {
        int[] rest = new int[second.length];
        int count = 0;
        int at = 0;
        for (int number : second) {
            at = firstNotBelow(first, at, number);
            if (at == first.length || first[at] != number) {
                rest[count++] = number;
            }
        }
        return Arrays.copyOf(rest, count);
    }
}
