// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.simulate;

import io.mely.topology.Pinning;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;

/** Threads on CPUs of one's choice, where the system lets a thread choose. */
final class Bound {
    /** One that is to be started. */
    Thread thread(int cpu, Runnable work) {
        return new Thread(
                () -> {
                    Pinning.pinCallingThread(cpu);
                    work.run();
                },
                "calibration");
    }

    /**
     * Waits for a result that is found on a CPU.
     *
     * @throws CompletionException if it throws
     */
    <T> T on(int cpu, Supplier<T> work) {
        CompletableFuture<T> result = new CompletableFuture<>();
        thread(cpu, () -> result.completeAsync(work, Runnable::run)).start();
        return result.join();
    }

    static void join(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }
}
