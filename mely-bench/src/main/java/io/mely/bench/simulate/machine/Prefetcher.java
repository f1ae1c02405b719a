// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.simulate.machine;

import java.util.Arrays;

/**
 * What a core fetches before it is asked to: lines beside one that it has fetched lately. So who goes through colors in turn does not wait for them, and
 * who goes from color to color at random does. And who walks on where a walk has ended lately does not begin anew.
 */
final class Prefetcher {
    /** Guess: what a second level follows at a time. */
    private static final int FOLLOWED = 32;
    /** Lines: objects that are laid out in turn have those that are touched so near. */
    private static final int NEAR = 2;
    /** Guess, as many. */
    private static final int WALKS = 32;

    private final int[] fetched = new int[FOLLOWED];
    private int next;
    private final int[] walkEnds = new int[WALKS];
    private int nextWalk;

    Prefetcher() {
        Arrays.fill(fetched, -1 - NEAR);
    }

    /** Whether a line that has to be fetched was seen coming. It is fetched now. */
    boolean foresees(int line) {
        boolean isNear = false;
        for (int i = 0; i < FOLLOWED && !isNear; i++) {
            isNear = Math.abs(line - fetched[i]) <= NEAR && line != fetched[i];
        }
        fetched[next] = line;
        next = (next + 1) % FOLLOWED;
        return isNear;
    }

    /** Whether a walk goes on where one of the last ones ended. It is one of them now. */
    boolean continues(int firstLine, int lines) {
        for (int i = 0; i < WALKS; i++) {
            if (walkEnds[i] == firstLine) {
                walkEnds[i] = firstLine + lines;
                return true;
            }
        }
        walkEnds[nextWalk] = firstLine + lines;
        nextWalk = (nextWalk + 1) % WALKS;
        return false;
    }
}
