// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.rules;

import io.mely.sws.http.PathPattern;
import java.util.BitSet;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * A {@link PathPattern} that many paths are compared with, and what each of its stars stands for in a path.
 *
 * <p><b>Threads.</b> Any; immutable. <b>Costs.</b> Most paths differ before the first star: a comparison of that beginning. Else time by the length of the path and of the
 * pattern, whatever they are.
 */
final class PathRule {
    private final String pattern;
    private final String beginning;
    private final int[] stars; // where each begins

    /** Of a valid pattern. */
    PathRule(String pattern) {
        if (!PathPattern.isValid(pattern)) {
            throw new IllegalArgumentException(
                    "pattern must begin with / or *, and have no blanks: pattern=" + pattern);
        }
        this.pattern = pattern;
        int literal = 0;
        while (literal < pattern.length() && pattern.charAt(literal) != '*' && pattern.charAt(literal) != '?') {
            literal++;
        }
        beginning = pattern.substring(0, literal);
        stars = IntStream.range(0, pattern.length())
                .filter(i -> pattern.charAt(i) == '*' && !isSecondStar(i))
                .toArray();
    }

    private boolean isSecondStar(int i) {
        int first = i;
        while (first > 0 && pattern.charAt(first - 1) == '*') {
            first--;
        }
        return (i - first) % 2 == 1;
    }

    private boolean isDouble(int i) {
        return i + 1 < pattern.length() && pattern.charAt(i + 1) == '*';
    }

    /** How many stars it has; two beside each other are one. */
    int groups() {
        return stars.length;
    }

    /** Whether the whole path matches; decoded. */
    boolean matches(String path) {
        if (!path.startsWith(beginning)) {
            return false;
        }
        return beginning.length() == pattern.length()
                ? path.length() == pattern.length()
                : PathPattern.matches(pattern, path);
    }

    /** What each star stands for, the first ones as much as can be; null if the path does not match. */
    @Nullable
    List<String> groupsOf(String path) {
        if (!matches(path)) {
            return null;
        }
        BitSet[] ends = matchingEnds(path);
        int[] at = {0};
        int[] token = {0};
        return IntStream.of(stars)
                .mapToObj(star -> {
                    at[0] += star - token[0]; // what stands for itself in between
                    int next = star + (isDouble(star) ? 2 : 1);
                    int from = at[0];
                    int most = isDouble(star) ? path.length() : endOfName(path, from);
                    at[0] = ends[next].previousSetBit(most);
                    token[0] = next;
                    return path.substring(from, at[0]);
                })
                .toList();
    }

    private static int endOfName(String path, int from) {
        int slash = path.indexOf('/', from);
        return slash < 0 ? path.length() : slash;
    }

    /** For each index of the pattern the indices of the path from which on the rests match. */
    private BitSet[] matchingEnds(String path) {
        BitSet[] ends = new BitSet[pattern.length() + 1];
        ends[pattern.length()] = new BitSet();
        ends[pattern.length()].set(path.length());
        for (int j = pattern.length() - 1; j >= 0; j--) {
            BitSet here = new BitSet(path.length() + 1);
            char c = pattern.charAt(j);
            if (c != '*') {
                BitSet behind = ends[j + 1];
                for (int i = behind.nextSetBit(1); i >= 0; i = behind.nextSetBit(i + 1)) {
                    char of = path.charAt(i - 1);
                    here.set(i - 1, c == '?' ? of != '/' : of == c);
                }
            } else if (!isSecondStar(j)) {
                BitSet behind = ends[j + (isDouble(j) ? 2 : 1)];
                boolean isOpen = false;
                for (int i = path.length(); i >= 0; i--) {
                    boolean mayPass = i < path.length() && (isDouble(j) || path.charAt(i) != '/');
                    isOpen = behind.get(i) || (isOpen && mayPass);
                    here.set(i, isOpen);
                }
            }
            ends[j] = here;
        }
        return ends;
    }

    /** As it was given. */
    @Override
    public String toString() {
        return pattern;
    }
}
