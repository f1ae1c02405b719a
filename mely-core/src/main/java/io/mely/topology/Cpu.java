// SPDX-License-Identifier: Apache-2.0
package io.mely.topology;

import java.util.List;

/**
 * One CPU of a machine: its place and its caches.
 *
 * <p><b>Threads.</b> Any; immutable. <b>Units.</b> {@code capacity} is relative: the machine's strongest CPU has {@link
 * #CAPACITY_MAX}. <b>Errors.</b> {@link IllegalArgumentException} when a value is out of bounds, or when {@code
 * siblings} or the CPUs of a cache do not contain {@code number}.
 *
 * @param number the kernel's number of this CPU
 * @param packageId of the chip it is on, &gt;= 0
 * @param node its NUMA node, &gt;= 0; 0 on a machine with uniform memory
 * @param siblings the hardware threads of its physical core, itself included
 * @param caches all its caches, nearest first; empty when unknown
 * @param capacity relative speed, 1 to {@link #CAPACITY_MAX}
 * @param isEfficient whether it is one of the slower, thriftier CPUs of a hybrid machine
 */
public record Cpu(
        int number,
        int packageId,
        int node,
        CpuSet siblings,
        List<CpuCache> caches,
        int capacity,
        boolean isEfficient) {
    /** Capacity of the machine's strongest CPU; the kernel's scale. */
    public static final int CAPACITY_MAX = 1024;

    /** Checks that the parts agree, and copies the list. */
    public Cpu {
        caches = List.copyOf(caches);
        check(number >= 0 && number < CpuSet.CPUS_MAX, "number must be from 0 to " + (CpuSet.CPUS_MAX - 1), number);
        check(packageId >= 0, "packageId must be >= 0", packageId);
        check(node >= 0, "node must be >= 0", node);
        check(siblings.contains(number), "siblings must contain the CPU itself", siblings);
        check(capacity >= 1 && capacity <= CAPACITY_MAX, "capacity must be from 1 to " + CAPACITY_MAX, capacity);
        for (CpuCache cache : caches) {
            check(cache.cpus().contains(number), "the CPUs of a cache must contain the CPU itself", cache);
        }
    }

    private static void check(boolean isRight, String rule, Object value) {
        if (!isRight) {
            throw new IllegalArgumentException(rule + ": value=" + value);
        }
    }
}
