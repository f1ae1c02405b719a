// SPDX-License-Identifier: Apache-2.0
package io.mely.simulation;

import java.util.Arrays;

/**
 * The decisions of one run: drawn from a seed, or replayed from a list. All are recorded. 0 is always the plainest choice (no preemption, no
 * fault), and what a replayed list does not hold is 0, so that a shorter list is a plainer run.
 */
final class Choices {
    private final int[] replayed;
    private final boolean isReplay;
    private long state;
    private int[] taken = new int[1024];
    private int size;

    private Choices(long seed, int[] replayed, boolean isReplay) {
        state = mix(seed + 0x9E3779B97F4A7C15L);
        this.replayed = replayed;
        this.isReplay = isReplay;
    }

    static Choices ofSeed(long seed) {
        return new Choices(seed, new int[0], false);
    }

    static Choices ofList(int[] list) {
        return new Choices(0, list, true);
    }

    /** 0 to bound - 1. */
    int next(int bound) {
        int value;
        if (isReplay) {
            value = size < replayed.length ? Math.min(replayed[size], bound - 1) : 0;
        } else {
            state += 0x9E3779B97F4A7C15L;
            value = (int) ((mix(state) >>> 33) % bound);
        }
        if (size == taken.length) {
            taken = Arrays.copyOf(taken, size * 2);
        }
        taken[size++] = value;
        return value;
    }

    /** True once in so many. */
    boolean oneIn(int times) {
        return next(times) == times - 1;
    }

    int[] taken() {
        int end = size;
        while (end > 0 && taken[end - 1] == 0) {
            end--;
        }
        return Arrays.copyOf(taken, end);
    }

    int size() {
        return size;
    }

    private static long mix(long value) {
        long z = (value ^ (value >>> 30)) * 0xbf58476d1ce4e5b9L;
        z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
        return z ^ (z >>> 31);
    }

    /** Runs of equal values are written once: {@code 3,0x12,5}. */
    static String write(int[] list) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < list.length; ) {
            int end = i;
            while (end < list.length && list[end] == list[i]) {
                end++;
            }
            text.append(text.isEmpty() ? "" : ",").append(list[i]);
            if (end - i > 1) {
                text.append('x').append(end - i);
            }
            i = end;
        }
        return text.toString();
    }

    static int[] read(String text) {
        return Arrays.stream(text.split(","))
                .filter(part -> !part.isBlank())
                .flatMapToInt(part -> {
                    String[] halves = part.trim().split("x");
                    int times = halves.length == 1 ? 1 : Integer.parseInt(halves[1]);
                    int[] same = new int[times];
                    Arrays.fill(same, Integer.parseInt(halves[0]));
                    return Arrays.stream(same);
                })
                .toArray();
    }
}
