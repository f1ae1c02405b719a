// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.paper;

import io.vertx.core.impl.TaskQueue;
import java.util.concurrent.ExecutorService;

/** What stands behind Vert.x's ordered {@code executeBlocking}: a task queue per key, on one pool; without its futures. */
final class VertxQueues implements KeyedExecutor {
    private final ExecutorService pool;
    private final TaskQueue[] queues;

    VertxQueues(Setup setup, ExecutorService pool) {
        this.pool = pool;
        queues = new TaskQueue[setup.keys()];
        for (int key = 0; key < queues.length; key++) {
            queues[key] = new TaskQueue();
        }
    }

    @Override
    public void execute(int key, int kind, Runnable event) {
        queues[key].execute(event, pool);
    }

    @Override
    public void close() {
        Threads.stop(pool);
    }
}
