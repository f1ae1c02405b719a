// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.http;

import java.util.regex.Pattern;

/**
 * Patterns of paths: {@code *} stands for any characters but slashes, {@code **} for any characters, {@code ?} for one that is no slash; all else for itself. A
 * pattern is compared with the whole path, decoded.
 *
 * <p><b>Threads.</b> Any.
 */
public final class PathPattern {
    /** Longest pattern. */
    public static final int CHARS_MAX = 1000;

    private static final Pattern VALID = Pattern.compile("[/*][^\\x00-\\x20\\x7f]{0," + (CHARS_MAX - 1) + "}");

    private PathPattern() {}

    /**
     * Tells whether text is a pattern.
     *
     * @param text any
     * @return true if it begins with a slash or an asterisk, and has no blanks
     */
    public static boolean isValid(String text) {
        return VALID.matcher(text).matches();
    }

    /**
     * Tells whether a path matches. Takes time by the length of the path and of the pattern, whatever they are: it follows all ways through the pattern at once.
     *
     * @param pattern valid
     * @param path decoded
     * @return true if the whole path does
     */
    public static boolean matches(String pattern, String path) {
        int end = pattern.length();
        boolean[] isDouble = doubleStars(pattern);
        boolean[] at = new boolean[end + 1]; // how far in the pattern the path so far may have come
        at[0] = true;
        passStars(pattern, at, isDouble);
        for (int i = 0; i < path.length(); i++) {
            char c = path.charAt(i);
            boolean[] next = new boolean[end + 1];
            for (int j = 0; j < end; j++) {
                char token = pattern.charAt(j);
                if (at[j] && token == '*') {
                    next[j] |= c != '/' || isDouble[j];
                } else if (at[j]) {
                    next[j + 1] |= token == '?' ? c != '/' : token == c;
                }
            }
            passStars(pattern, next, isDouble);
            at = next;
        }
        return at[end];
    }

    /** Where two stars begin that stand for any characters. */
    private static boolean[] doubleStars(String pattern) {
        boolean[] isDouble = new boolean[pattern.length()];
        for (int i = 0; i + 1 < pattern.length(); i++) {
            if (pattern.charAt(i) == '*' && pattern.charAt(i + 1) == '*') {
                isDouble[i++] = true;
            }
        }
        return isDouble;
    }

    /** A star may stand for nothing. */
    private static void passStars(String pattern, boolean[] at, boolean[] isDouble) {
        for (int j = 0; j < pattern.length(); j++) {
            if (at[j] && pattern.charAt(j) == '*') {
                at[j + (isDouble[j] ? 2 : 1)] = true;
            }
        }
    }
}
