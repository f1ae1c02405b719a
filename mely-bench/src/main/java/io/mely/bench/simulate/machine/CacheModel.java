// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.simulate.machine;

import java.util.Arrays;

/**
 * One cache: sets of lines, least recently used out first. A line is there if its version is the one the directory knows; a write elsewhere makes
 * a new version, which is how copies become invalid.
 */
final class CacheModel {
    static final int LINE_BYTES = 64;

    private final int sets;
    private final int ways;
    private final int[] lines; // -1 is empty; most recently used first in each set
    private final int[] versions;

    CacheModel(long bytes, int ways) {
        this.ways = ways;
        sets = (int) Math.max(1, bytes / LINE_BYTES / ways);
        lines = new int[sets * ways];
        versions = new int[sets * ways];
        Arrays.fill(lines, -1);
    }

    /** Whether a line is there in its current version; it becomes the most recently used. */
    boolean hit(int line, int version) {
        int start = line % sets * ways;
        for (int i = start; i < start + ways; i++) {
            if (lines[i] == line) {
                boolean isCurrent = versions[i] == version;
                toFront(start, i, line, version);
                return isCurrent;
            }
        }
        return false;
    }

    /** Whether it is there, without a use. */
    boolean holds(int line, int version) {
        int start = line % sets * ways;
        for (int i = start; i < start + ways; i++) {
            if (lines[i] == line) {
                return versions[i] == version;
            }
        }
        return false;
    }

    void fill(int line, int version) {
        int start = line % sets * ways;
        int at = start + ways - 1;
        for (int i = start; i < start + ways; i++) {
            if (lines[i] == line) {
                at = i;
                break;
            }
        }
        toFront(start, at, line, version);
    }

    private void toFront(int start, int at, int line, int version) {
        System.arraycopy(lines, start, lines, start + 1, at - start);
        System.arraycopy(versions, start, versions, start + 1, at - start);
        lines[start] = line;
        versions[start] = version;
    }
}
