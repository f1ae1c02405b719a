// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.paper;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;

/** Waiting for threads. */
final class Threads {
    private static final long JOIN_MS = 10_000;

    private Threads() {}

    static void stop(ExecutorService pool) {
        pool.shutdown();
        try {
            if (!pool.awaitTermination(JOIN_MS, TimeUnit.MILLISECONDS)) {
                throw new IllegalStateException("the pool does not stop");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    static void join(Thread thread) {
        try {
            thread.join(JOIN_MS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        if (thread.isAlive()) {
            throw new IllegalStateException(thread.getName() + " does not stop");
        }
    }
}
