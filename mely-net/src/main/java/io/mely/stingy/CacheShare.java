// SPDX-License-Identifier: Apache-2.0
package io.mely.stingy;

import io.mely.topology.CacheMap;
import io.mely.topology.Cpus;
import java.util.OptionalLong;

/**
 * How large the region of a core may be: its share of the cache that has most for it.
 *
 * <p>That is a cache of its own, or a shared one divided by the CPUs of this process that share it. Where the CPUs differ, the smallest share counts, as a core may run on any of them.
 *
 * <p><b>Source.</b> spec: Stingy §8.
 */
public final class CacheShare {
    private CacheShare() {}

    /**
     * Reads it from the machine.
     *
     * @return bytes; empty if the machine does not say how large its caches are
     */
    public static OptionalLong ofThisMachine() {
        return of(CacheMap.ofThisMachine(Cpus.allowed()));
    }

    static OptionalLong of(CacheMap map) {
        long least = map.cpus().stream()
                .mapToLong(cpu -> map.cpu(cpu).caches().stream()
                        .mapToLong(cache -> cache.sizeBytes() / sharers(cache, map))
                        .max()
                        .orElse(0))
                .min()
                .orElse(0);
        return least == 0 ? OptionalLong.empty() : OptionalLong.of(least);
    }

    private static long sharers(CacheMap.Cache cache, CacheMap map) {
        return Math.max(1, cache.cpus().intersect(map.cpus()).size());
    }
}
