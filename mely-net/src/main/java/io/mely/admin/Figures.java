// SPDX-License-Identifier: Apache-2.0
package io.mely.admin;

import java.util.Locale;

/** Numbers for people: three digits and a unit. */
final class Figures {
    private static final String[] THOUSANDS = {"", "k", "M", "G", "T"};
    private static final String[] TIMES = {"ns", "us", "ms", "s"};

    private Figures() {}

    static String count(double number) {
        return scaled(number, THOUSANDS, "");
    }

    static String time(double ns) {
        return scaled(ns, TIMES, " ");
    }

    private static String scaled(double number, String[] units, String gap) {
        double rest = number;
        int unit = 0;
        while (rest >= 999.5 && unit + 1 < units.length) {
            rest /= 1000;
            unit++;
        }
        boolean isWhole = rest >= 99.5 || rest == Math.rint(rest);
        return String.format(Locale.ROOT, isWhole ? "%.0f" : rest >= 9.95 ? "%.1f" : "%.2f", rest) + gap + units[unit];
    }
}
