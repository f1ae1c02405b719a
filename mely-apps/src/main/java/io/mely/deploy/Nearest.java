// SPDX-License-Identifier: Apache-2.0
package io.mely.deploy;

import java.util.Collection;

/**
 * Finds the known name somebody probably meant.
 *
 * <p><b>Threads.</b> Any. <b>Costs.</b> O(names × length²); used once, in an error message.
 */
public final class Nearest {
    /** Longest given name that is looked at; a longer one is no misspelling. */
    private static final int LENGTH_MAX = 64;

    private Nearest() {}

    /**
     * Chooses the nearest name: one that the given text begins or completes (as {@code -p} does {@code --port}), else the one
     * with the fewest edits.
     *
     * @param given what was written
     * @param known at least one name
     * @return one of the names; of equally near ones the first
     */
    public static String to(String given, Collection<String> known) {
        String text = given.length() > LENGTH_MAX ? given.substring(0, LENGTH_MAX) : given;
        String nearest = "";
        int edits = Integer.MAX_VALUE;
        for (String name : known) {
            int distance = isBeginning(text, name) ? 1 : edits(text, name);
            if (distance < edits) {
                nearest = name;
                edits = distance;
            }
        }
        return nearest;
    }

    /** Whether one name begins with the other, dashes and case aside. */
    private static boolean isBeginning(String given, String name) {
        String start = bare(given);
        return !start.isEmpty() && bare(name).startsWith(start);
    }

    private static String bare(String name) {
        int start = 0;
        while (start < name.length() && name.charAt(start) == '-') {
            start++;
        }
        return name.substring(start).toLowerCase(java.util.Locale.ROOT);
    }

    /** Optimal string alignment: insertions, deletions, replacements and swaps of neighbours each cost 1; case costs nothing. */
    static int edits(String left, String right) {
        int[][] cost = new int[left.length() + 1][right.length() + 1];
        for (int i = 0; i <= left.length(); i++) {
            cost[i][0] = i;
        }
        for (int j = 0; j <= right.length(); j++) {
            cost[0][j] = j;
        }
        for (int i = 1; i <= left.length(); i++) {
            for (int j = 1; j <= right.length(); j++) {
                cost[i][j] = Math.min(
                        Math.min(cost[i - 1][j], cost[i][j - 1]) + 1,
                        cost[i - 1][j - 1] + (isSame(left, i - 1, right, j - 1) ? 0 : 1));
                if (i > 1 && j > 1 && isSame(left, i - 1, right, j - 2) && isSame(left, i - 2, right, j - 1)) {
                    cost[i][j] = Math.min(cost[i][j], cost[i - 2][j - 2] + 1);
                }
            }
        }
        return cost[left.length()][right.length()];
    }

    private static boolean isSame(String left, int i, String right, int j) {
        return Character.toLowerCase(left.charAt(i)) == Character.toLowerCase(right.charAt(j));
    }
}
