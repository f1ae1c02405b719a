// SPDX-License-Identifier: Apache-2.0
package io.mely.topology;

import java.util.List;

/**
 * One CPU of a machine: its place and its caches.
 *
 * @param number the kernel's number of this CPU
 * @param packageId of the chip it is on, &gt;= 0
 * @param siblings the hardware threads of its physical core, itself included
 * @param caches those that hold data, nearest first; empty when unknown
 * @param isEfficient whether it is one of the slower, thriftier CPUs of a hybrid machine
 */
public record Cpu(int number, int packageId, CpuSet siblings, List<CpuCache> caches, boolean isEfficient) {
    /** Checks that the parts agree, and copies the list. */
    public Cpu {
        caches = List.copyOf(caches);
        boolean isRight = packageId >= 0
                && siblings.contains(number)
                && caches.stream().allMatch(cache -> cache.cpus().contains(number));
        if (!isRight) {
            throw new IllegalArgumentException(
                    "packageId must be >= 0, siblings and caches must contain the CPU itself:"
                            + " number=" + number + ", packageId=" + packageId + ", siblings=" + siblings + ", caches="
                            + caches);
        }
    }
}
