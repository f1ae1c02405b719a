// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.paper;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.function.IntToDoubleFunction;

/** Starting threads together, and waiting for them. */
final class Threads {
    private static final long JOIN_MS = 10_000;

    private Threads() {}

    /**
     * Runs a body on new threads that begin together. One that fails fails all: it must not pass for a slow one.
     *
     * @param count of the threads
     * @param name of each, before its number
     * @param body gets the number, from 0
     * @return the sum of what they return
     */
    static double sum(int count, String name, IntToDoubleFunction body) {
        CyclicBarrier start = new CyclicBarrier(count);
        List<FutureTask<Double>> tasks = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            int number = i;
            FutureTask<Double> task = new FutureTask<>(() -> {
                start.await();
                return body.applyAsDouble(number);
            });
            tasks.add(task);
            new Thread(task, name + "-" + i).start();
        }
        double sum = 0;
        try {
            for (FutureTask<Double> task : tasks) {
                sum += task.get();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(name + " was interrupted", e);
        } catch (ExecutionException e) {
            throw new IllegalStateException(name + " could not be measured", e);
        }
        return sum;
    }

    static void stop(ExecutorService pool) {
        pool.shutdown();
        try {
            if (!pool.awaitTermination(JOIN_MS, TimeUnit.MILLISECONDS)) {
                throw new CheckFailedException("the pool does not stop");
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
            throw new CheckFailedException(thread.getName() + " does not stop");
        }
    }
}
