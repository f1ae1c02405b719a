// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import io.mely.ErrorHandler;
import io.mely.HandlerObserver;
import io.mely.StageOptions;
import io.mely.StallListener;
import io.mely.Stealing;
import io.mely.spi.NanoClock;
import io.mely.spi.Poller;
import io.mely.spi.StageGroup;
import java.nio.file.Path;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.IntUnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Everything a runtime is built from; null or 0 where the runtime decides.
 *
 * @param name prefix of thread names
 * @param cores number of cores; 0: what the machine and the container allow
 * @param isPinned whether threads are pinned
 * @param colors number of slots, a power of two
 * @param hashSeed seed of the slot hash; null: random
 * @param batchThresholdEvents most events of one color in a row
 * @param timeSliceNs longest time between two polls, as far as handlers allow
 * @param spinNs how long an idle core spins before it blocks; -1: decided from the quota
 * @param stealing which heuristics are on
 * @param errorHandler null: log
 * @param sysfsRoot where the cache map is read; null: /sys
 * @param pollers null: cores park
 * @param clock the clock
 * @param blockingLimit most blocking calls under way
 * @param pendingEventsMax most events pending in the runtime, to within a few hundred per sending thread
 * @param closeDeadlineNs drain time of a plain close
 * @param placement first home of a slot; null: slot modulo cores
 * @param workersPerCore most threads of a core, see {@link Crew}
 * @param groups by name, that of stages that name none is {@link StageOptions#GROUP_DEFAULT}; null: the cores' own colored one
 * @param threadSetup called with each thread before it starts; null: nothing
 * @param stallAfterNs how long a handler may take before the listener is told; 0: it never is
 * @param stallListener null: log
 * @param observers told of what handlers do; null: nobody
 */
public record RuntimeConfig(
        String name,
        int cores,
        boolean isPinned,
        int colors,
        @Nullable Long hashSeed,
        int batchThresholdEvents,
        long timeSliceNs,
        long spinNs,
        Stealing stealing,
        @Nullable ErrorHandler errorHandler,
        @Nullable Path sysfsRoot,
        Poller.@Nullable Factory pollers,
        NanoClock clock,
        int blockingLimit,
        int pendingEventsMax,
        long closeDeadlineNs,
        @Nullable IntUnaryOperator placement,
        int workersPerCore,
        Map<String, StageGroup.@Nullable Factory> groups,
        @Nullable Consumer<Thread> threadSetup,
        long stallAfterNs,
        @Nullable StallListener stallListener,
        HandlerObserver.@Nullable Factory observers) {
    /**
     * The first homes of colors.
     *
     * @param cores how many there are
     * @return from a slot to a core
     */
    public IntUnaryOperator firstHomes(int cores) {
        IntUnaryOperator placement = this.placement;
        return placement == null ? slot -> slot % cores : slot -> Math.floorMod(placement.applyAsInt(slot), cores);
    }
}
