// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.simulate;

import io.mely.bench.simulate.Tries.Found;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * What is left of the last cache: others have the rest, be they other programs or the host's other guests.
 *
 * <p>More and more of it is tried, until it answers as memory does.
 */
final class LastLevel {
    /** No step is larger: what is behind it takes gigabytes of heap to see. */
    private static final long STEP_BYTES_MAX = 64 << 20;

    private final long size;
    private final List<Long> steps = new ArrayList<>();

    /**
     * Of a machine.
     *
     * @param cacheBytes of each level, the nearest first; at least one
     */
    LastLevel(List<Long> cacheBytes) {
        int last = cacheBytes.size() - 1;
        size = cacheBytes.get(last);
        long max = Math.min(size / 2, STEP_BYTES_MAX);
        for (long bytes = last == 0 ? max : 2 * cacheBytes.get(last - 1); bytes <= max; bytes *= 2) {
            steps.add(bytes);
        }
        if (steps.isEmpty()) {
            steps.add(max);
        }
    }

    /** Bytes to be tried, rising. */
    List<Long> steps() {
        return List.copyOf(steps);
    }

    /** The probe of a load in so much of it. */
    static String probe(long bytes) {
        return "last level, " + (bytes >> 10) + " KB";
    }

    /**
     * What was found.
     *
     * @param bytes that are left: the largest step that is nearer to the first than to memory, or all if each is
     * @param load in the first step
     * @param beyond the first step that is not left; {@code bytes} if all is
     */
    record Left(long bytes, Found load, long beyond) {
        boolean isAll() {
            return beyond == bytes;
        }
    }

    /** What is left, by the probes of all steps and that of {@code memory}. */
    Left left(Map<String, Found> found) {
        Found load = of(found, probe(steps.get(0)));
        double farNs = (load.value() + of(found, "memory").value()) / 2;
        for (int i = 1; i < steps.size(); i++) {
            if (of(found, probe(steps.get(i))).value() >= farNs) {
                return new Left(steps.get(i - 1), load, steps.get(i));
            }
        }
        return new Left(size, load, size);
    }

    private static Found of(Map<String, Found> found, String probe) {
        return Objects.requireNonNull(found.get(probe), probe);
    }
}
