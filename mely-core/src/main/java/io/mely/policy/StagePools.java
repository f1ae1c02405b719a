// SPDX-License-Identifier: Apache-2.0
package io.mely.policy;

import io.mely.Stage;
import io.mely.spi.StageGroup;
import io.mely.spi.Worker;
import io.mely.spi.Workers;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Stages that are run by pools of threads.
 *
 * <p><b>Threads.</b> Any. <b>Source.</b> spec: stages §3.
 */
final class StagePools implements StageGroup {
    private final Workers workers;
    private final PoolPolicy policy;
    private final @Nullable LanePool shared;
    private final List<LanePool> pools = new ArrayList<>(); // guarded by this
    private final Map<Stage<?>, LanePool> byStage = new HashMap<>(); // guarded by this
    private boolean isStarted; // guarded by this
    private boolean isStopped; // guarded by this

    StagePools(Workers workers, PoolPolicy policy) {
        this.workers = workers;
        this.policy = policy;
        PoolSize size = policy.shared();
        shared = size == null ? null : add(new LanePool(workers, "pool", size, policy.tuning()));
    }

    @Override
    public synchronized Sink sink(Stage<?> stage) {
        LanePool pool = shared != null
                ? shared
                : add(new LanePool(workers, stage.name(), policy.sizeOf(stage), policy.tuning()));
        byStage.put(stage, pool);
        return pool;
    }

    @Override
    public synchronized int threads(Stage<?> stage, int cores) {
        LanePool pool = byStage.get(stage);
        return pool == null ? 1 : Math.max(1, pool.threads());
    }

    private synchronized LanePool add(LanePool pool) {
        if (isStarted && !isStopped) {
            pool.start();
        }
        pools.add(pool);
        return pool;
    }

    /** {@inheritDoc} The first core lets the controllers look. */
    @Override
    public @Nullable Visitor visitor(int core) {
        PoolTuning tuning = policy.tuning();
        return core == 0 && tuning != null ? new Looks(tuning.periodNs()) : null;
    }

    private synchronized void control(long nowNs) {
        pools.forEach(pool -> pool.control(nowNs));
    }

    /** Runs nothing: the controllers must look when nobody sends, too. */
    private final class Looks implements Visitor {
        private final long periodNs;
        private long lastNs;

        Looks(long periodNs) {
            this.periodNs = periodNs;
            lastNs = workers.clock().nanoTime();
        }

        @Override
        public int run(Worker worker) {
            long nowNs = workers.clock().nanoTime();
            if (nowNs - lastNs >= periodNs) {
                lastNs = nowNs;
                control(nowNs);
            }
            return 0;
        }

        @Override
        public boolean hasWork() {
            return false;
        }

        @Override
        public long sleepNsMax() {
            return periodNs;
        }
    }

    @Override
    public synchronized void start() {
        isStarted = true;
        pools.forEach(LanePool::start);
    }

    @Override
    public synchronized void stop() {
        isStopped = true;
        pools.forEach(LanePool::stop);
    }
}
