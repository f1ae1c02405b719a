// SPDX-License-Identifier: Apache-2.0
package io.mely.topology;

/**
 * One cache that holds data, as seen from a CPU that uses it. Sharing instructions brings nobody nearer to another's data.
 *
 * @param level 1 for the nearest to the CPU, up to {@link #LEVEL_MAX}
 * @param sizeBytes its size; 0 when the machine does not say
 * @param cpus who shares it, the CPU itself included; may name CPUs that this process may not use
 */
public record CpuCache(int level, long sizeBytes, CpuSet cpus) {
    /** The highest level accepted; machines with four exist. */
    public static final int LEVEL_MAX = 8;

    /** Checks the bounds. */
    public CpuCache {
        if (level < 1 || level > LEVEL_MAX || sizeBytes < 0) {
            throw new IllegalArgumentException("level must be from 1 to " + LEVEL_MAX + ", sizeBytes >= 0: level="
                    + level + ", sizeBytes=" + sizeBytes);
        }
    }
}
