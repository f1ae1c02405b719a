// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.record;

/**
 * How often each color came: an open hash table of color and count, side by side in one array, which a reader on another thread so never sees
 * half-exchanged.
 *
 * <p><b>Threads.</b> One writer.
 */
final class ColorCounts {
    /** What is done with each. */
    interface Visitor {
        /** Called once a color. */
        void visit(int color, long events);
    }

    private long[] table = new long[2 * 16]; // color + 1, or 0 for none; then its count
    private int size;

    /** Counts one more, of a color that is known; false for another. */
    boolean increment(int color) {
        int at = find(table, color);
        if (table[at] == 0) {
            return false;
        }
        table[at + 1]++;
        return true;
    }

    /** Counts the first of a color. */
    void put(int color) {
        size++;
        if (4 * size > table.length) { // half full
            grow();
        }
        int at = find(table, color);
        table[at + 1] = 1;
        table[at] = color + 1L;
    }

    private void grow() {
        long[] grown = new long[2 * table.length];
        for (int i = 0; i < table.length; i += 2) {
            if (table[i] != 0) {
                int at = find(grown, (int) table[i] - 1);
                grown[at] = table[i];
                grown[at + 1] = table[i + 1];
            }
        }
        table = grown;
    }

    /** Where a color is, or would be. */
    private static int find(long[] table, int color) {
        int mask = table.length - 1;
        int at = (((color * 0x9e3779b9) >>> 8) * 2) & mask; // Fibonacci hashing
        while (table[at] != 0 && table[at] != color + 1L) {
            at = (at + 2) & mask;
        }
        return at;
    }

    void forEach(Visitor visitor) {
        long[] table = this.table;
        for (int i = 0; i < table.length; i += 2) {
            if (table[i] != 0) {
                visitor.visit((int) table[i] - 1, table[i + 1]);
            }
        }
    }
}
