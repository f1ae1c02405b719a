// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.paper;

import com.google.common.util.concurrent.MoreExecutors;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;

/** A sequential executor of Guava's per key, on one pool. */
final class SequentialExecutors implements KeyedExecutor {
    private final ExecutorService pool;
    private final Executor[] executors;

    SequentialExecutors(Setup setup, ExecutorService pool) {
        this.pool = pool;
        executors = new Executor[setup.keys()];
        for (int key = 0; key < executors.length; key++) {
            executors[key] = MoreExecutors.newSequentialExecutor(pool);
        }
    }

    @Override
    public void execute(int key, int kind, Runnable event) {
        executors[key].execute(event);
    }

    @Override
    public void close() {
        Threads.stop(pool);
    }
}
