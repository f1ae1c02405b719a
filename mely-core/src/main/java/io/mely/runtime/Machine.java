// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

/** What the runtime needs to know of the machine. */
final class Machine {
    private final int cores;

    private Machine(int cores) {
        this.cores = cores;
    }

    static Machine of(RuntimeConfig config) {
        return new Machine(
                config.cores() != 0 ? config.cores() : Runtime.getRuntime().availableProcessors());
    }

    int cores() {
        return cores;
    }

    int[][] distances() {
        int[][] d = new int[cores][cores];
        for (int i = 0; i < cores; i++) for (int j = 0; j < cores; j++) d[i][j] = i == j ? 0 : 3;
        return d;
    }

    int[] distanceClasses() {
        return new int[] {3};
    }

    long spinNs() {
        return 20_000;
    }

    int pin(int core) {
        return -1;
    }
}
