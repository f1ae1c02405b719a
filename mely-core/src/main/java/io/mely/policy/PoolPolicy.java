// SPDX-License-Identifier: Apache-2.0
package io.mely.policy;

import io.mely.Stage;
import io.mely.spi.StageGroup;
import io.mely.spi.Workers;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Threads beside the cores: a pool for each stage, as in SEDA, or one for all stages of the group. Handlers may wait.
 *
 * <pre>
 *   Policy.of("disk", PoolPolicy.perStage(2).withSize("fsync", PoolSize.fixed(1)))
 * </pre>
 *
 * <p>A single-threaded stage has one thread, as more would be idle.
 *
 * <p><b>Threads.</b> Immutable. <b>Source.</b> spec: stages §2, §3.
 */
public final class PoolPolicy implements StageGroup.Factory {
    private final PoolSize size;
    private final boolean isShared;
    private final Map<String, PoolSize> sizes;
    private final @Nullable PoolTuning tuning;

    private PoolPolicy(PoolSize size, boolean isShared, Map<String, PoolSize> sizes, @Nullable PoolTuning tuning) {
        this.size = size;
        this.isShared = isShared;
        this.sizes = sizes;
        this.tuning = tuning;
    }

    /**
     * A pool for each stage, which keeps its size.
     *
     * @param threads of each stage, &gt;= 1
     * @return the policy
     */
    public static PoolPolicy perStage(int threads) {
        return perStage(PoolSize.fixed(threads));
    }

    /**
     * A pool for each stage.
     *
     * @param size of each
     * @return the policy
     */
    public static PoolPolicy perStage(PoolSize size) {
        return new PoolPolicy(Objects.requireNonNull(size, "size"), false, Map.of(), null);
    }

    /**
     * One pool for all stages of the group, first come, first served. Where all but the first stage are called by their senders, a request runs in one go on one thread: thread per connection. Beside an
     * event loop it is the helpers of Flash.
     *
     * @param threads &gt;= 1
     * @return the policy
     */
    public static PoolPolicy shared(int threads) {
        return new PoolPolicy(PoolSize.fixed(threads), true, Map.of(), null);
    }

    /**
     * Gives one stage a pool of another size.
     *
     * @param stage its name
     * @param stageSize of its pool
     * @return a changed copy
     */
    public PoolPolicy withSize(String stage, PoolSize stageSize) {
        if (isShared) {
            throw new IllegalStateException("one pool for all stages has one size");
        }
        Map<String, PoolSize> changed = new LinkedHashMap<>(sizes);
        changed.put(Objects.requireNonNull(stage, "stage"), Objects.requireNonNull(stageSize, "stageSize"));
        return new PoolPolicy(size, false, Map.copyOf(changed), tuning);
    }

    /**
     * Lets a controller change the pools, within the bounds of their sizes. Default: none; idle threads beyond the fewest leave all the same.
     *
     * @param newTuning any
     * @return a changed copy
     */
    public PoolPolicy withTuning(PoolTuning newTuning) {
        return new PoolPolicy(size, isShared, sizes, Objects.requireNonNull(newTuning, "tuning"));
    }

    @Nullable
    PoolTuning tuning() {
        return tuning;
    }

    PoolSize sizeOf(Stage<?> stage) {
        PoolSize given = sizes.get(stage.name());
        return given != null ? given : stage.options().singleThreaded() ? PoolSize.fixed(1) : size;
    }

    /** Of the one pool for all; null if there is one for each. */
    @Nullable
    PoolSize shared() {
        return isShared ? size : null;
    }

    @Override
    public int threadsMax(Collection<String> stages) {
        return isShared
                ? size.max()
                : stages.stream()
                        .mapToInt(stage -> sizes.getOrDefault(stage, size).max())
                        .sum();
    }

    @Override
    public StageGroup create(Workers workers) {
        return new StagePools(workers, this);
    }
}
