// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.paper;

import java.util.function.IntConsumer;

/** Where colors are dealt to the workers in turn, neighbours are at home with different ones. */
final class Homes {
    /** Workers, as far as it goes; for another number of them that divides it, too. */
    private static final int STRIPES = 48;

    private Homes() {}

    /**
     * Visits colors so that what is made for one lies beside what is made for another of the same home: else workers share cache lines, whose colors have
     * nothing to do with each other.
     *
     * @param colors 0 to colors - 1, dealt in turn
     * @param each is called once for each
     */
    static void inOrder(int colors, IntConsumer each) {
        for (int stripe = 0; stripe < STRIPES; stripe++) {
            for (int color = stripe; color < colors; color += STRIPES) {
                each.accept(color);
            }
        }
    }
}
