// SPDX-License-Identifier: Apache-2.0
package io.mely.topology;

/**
 * One cache, as seen from a CPU that uses it.
 *
 * <p><b>Threads.</b> Any; immutable. <b>Units.</b> {@code sizeBytes} in bytes. <b>Errors.</b> {@link
 * IllegalArgumentException} for a level or size out of bounds.
 *
 * @param level 1 for the nearest to the CPU, up to {@link #LEVEL_MAX}
 * @param type what it holds
 * @param sizeBytes its size; 0 when the machine does not say
 * @param cpus who shares it, the CPU itself included; may name CPUs that this process may not use
 */
public record CpuCache(int level, Type type, long sizeBytes, CpuSet cpus) {
    /** The highest level accepted; machines with four exist. */
    public static final int LEVEL_MAX = 8;

    /** What a cache holds. */
    public enum Type {
        /** Data only. */
        DATA,
        /** Instructions only: sharing it brings nobody nearer to another's data. */
        INSTRUCTION,
        /** Both. */
        UNIFIED
    }

    /** Checks the bounds. */
    public CpuCache {
        if (level < 1 || level > LEVEL_MAX) {
            throw new IllegalArgumentException("level must be from 1 to " + LEVEL_MAX + ": level=" + level);
        }
        if (sizeBytes < 0) {
            throw new IllegalArgumentException("sizeBytes must be >= 0: sizeBytes=" + sizeBytes);
        }
    }

    /** Whether this cache makes another CPU's data near. */
    boolean bringsNear(int cpu) {
        return type != Type.INSTRUCTION && cpus.contains(cpu);
    }
}
