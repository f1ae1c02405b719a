// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.simulate;

import java.util.Arrays;
import java.util.SplittableRandom;

/** A walk through lines of memory that no processor guesses: each line says where the next one is. */
final class Rings {
    static final int LINE_INTS = 16;
    /** 1 MB: random steps stay so near for a while, since a page that is not in the TLB is not what a cache's latency means. Less is prefetched. */
    private static final int BLOCK_LINES = 16_384;

    private Rings() {}

    /** A ring through so many lines, from the first on, a line a step: block after block, in each at random. */
    static int[] ring(int lines) {
        int[] order = new int[lines];
        Arrays.setAll(order, i -> i);
        SplittableRandom random = new SplittableRandom(1);
        for (int i = lines - 1; i > 0; i--) {
            int block = i / BLOCK_LINES * BLOCK_LINES;
            int j = block + random.nextInt(i - block + 1);
            int kept = order[i];
            order[i] = order[j];
            order[j] = kept;
        }
        int[] ring = new int[lines * LINE_INTS];
        for (int i = 0; i < lines; i++) {
            ring[order[i] * LINE_INTS] = order[(i + 1) % lines] * LINE_INTS;
        }
        return ring;
    }

    /** Where so many steps lead. */
    static int follow(int[] ring, int from, int steps) {
        int place = from;
        for (int i = 0; i < steps; i++) {
            place = ring[place];
        }
        return place;
    }
}
