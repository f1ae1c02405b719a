// SPDX-License-Identifier: Apache-2.0
package io.mely.simulation;

import java.util.Arrays;
import java.util.function.Predicate;

/**
 * Finds a shorter list of choices that still fails. What is cut off or set to 0 is the plainest choice, so what remains is what the failure
 * needs: first a prefix, then ever smaller pieces are left out or made plain.
 *
 * <p><b>Bounds.</b> {@link #ATTEMPTS_MAX} runs.
 */
final class Shrinker {
    private static final int ATTEMPTS_MAX = 4_000;

    private final Predicate<int[]> fails;
    private int[] best;
    private int attempts;

    private Shrinker(int[] failing, Predicate<int[]> fails) {
        best = trim(failing);
        this.fails = fails;
    }

    static int[] shrink(int[] failing, Predicate<int[]> fails) {
        Shrinker shrinker = new Shrinker(failing, fails);
        if (!fails.test(failing)) {
            return failing; // not repeatable: better the whole list than none
        }
        int before;
        do {
            before = cost(shrinker.best);
            shrinker.prefix();
            for (int size = Math.max(1, shrinker.best.length / 2); size > 0; size /= 2) {
                shrinker.pieces(size, true);
                shrinker.pieces(size, false);
            }
        } while (cost(shrinker.best) < before && shrinker.attempts < ATTEMPTS_MAX);
        return shrinker.best;
    }

    /** Disturbances count more than length. */
    private static int cost(int[] list) {
        int disturbances = 0;
        for (int choice : list) {
            disturbances += choice != 0 ? 1 : 0;
        }
        return disturbances * 16 + list.length;
    }

    private void prefix() {
        int low = 0;
        int high = best.length;
        while (low < high && attempts < ATTEMPTS_MAX) {
            int middle = (low + high) >>> 1;
            if (accepts(Arrays.copyOf(best, middle))) {
                high = Math.min(middle, best.length);
            } else {
                low = middle + 1;
            }
        }
    }

    private void pieces(int size, boolean isCut) {
        for (int at = 0; at < best.length && attempts < ATTEMPTS_MAX; ) {
            int end = Math.min(best.length, at + size);
            if (!accepts(isCut ? cut(at, end) : plain(at, end))) {
                at = end;
            } else if (!isCut) {
                at = end;
            }
        }
    }

    private int[] cut(int from, int to) {
        int[] list = new int[best.length - (to - from)];
        System.arraycopy(best, 0, list, 0, from);
        System.arraycopy(best, to, list, from, best.length - to);
        return list;
    }

    private int[] plain(int from, int to) {
        int[] list = best.clone();
        Arrays.fill(list, from, to, 0);
        return list;
    }

    private boolean accepts(int[] list) {
        int[] trimmed = trim(list);
        if (cost(trimmed) >= cost(best)) {
            return false;
        }
        attempts++;
        if (!fails.test(trimmed)) {
            return false;
        }
        best = trimmed;
        return true;
    }

    private static int[] trim(int[] list) {
        int end = list.length;
        while (end > 0 && list[end - 1] == 0) {
            end--;
        }
        return Arrays.copyOf(list, end);
    }
}
