// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import io.mely.ErrorHandler;
import io.mely.StageOptions;
import io.mely.StallListener;
import io.mely.spi.Poller;
import io.mely.spi.StageGroup;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Everything a runtime is built from; null or 0 where the runtime decides. See {@link io.mely.MelyBuilder}.
 *
 * @param name prefix of thread names
 * @param cores number of cores; 0: what the machine and the container allow
 * @param isPinned whether threads are pinned
 * @param colors number of slots, a power of two
 * @param blockingLimit most blocking calls under way
 * @param pendingEventsMax most events pending in the runtime, to within a few hundred per sending thread
 * @param closeDeadlineNs drain time of a plain close
 * @param tuning of the cores
 * @param groups by name, that of stages that name none is {@link StageOptions#GROUP_DEFAULT}; null: the cores' own colored one
 * @param stageOptions of a stage's name and what its program says, those that count
 * @param errorHandler null: log
 * @param pollers null: cores park
 * @param threadSetup called with each thread before it starts; null: nothing
 * @param stallAfterNs how long a handler may take before the listener is told; 0: it never is
 * @param stallListener null: log
 * @param hooks of tests
 */
public record RuntimeConfig(
        String name,
        int cores,
        boolean isPinned,
        int colors,
        int blockingLimit,
        int pendingEventsMax,
        long closeDeadlineNs,
        Tuning tuning,
        Map<String, StageGroup.@Nullable Factory> groups,
        BiFunction<String, StageOptions, StageOptions> stageOptions,
        @Nullable ErrorHandler errorHandler,
        Poller.@Nullable Factory pollers,
        @Nullable Consumer<Thread> threadSetup,
        long stallAfterNs,
        @Nullable StallListener stallListener,
        Hooks hooks) {
    /** The group of stages that are called by their senders; the runtime sees to that, and never calls it. */
    public static final StageGroup.Factory CALLED = workers -> {
        throw new IllegalStateException("its stages are called");
    };
}
