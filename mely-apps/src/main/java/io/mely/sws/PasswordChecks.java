// SPDX-License-Identifier: Apache-2.0
package io.mely.sws;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;

/**
 * Has passwords checked on threads that may block, so few at once that half of the CPUs are left to the cores: a check is tens of milliseconds of a CPU, and strangers can ask for
 * many. The others wait their turn.
 *
 * <p><b>Threads.</b> Any. <b>Bounds.</b> As many wait as there may be clients; one more is refused.
 */
final class PasswordChecks {
    private final SwsStages stages;
    private final int waitingMax;
    private final int runningMax = Math.max(1, Runtime.getRuntime().availableProcessors() / 2);

    /** Guarded by this. */
    private final Queue<Check<?>> waiting = new ArrayDeque<>();

    /** Guarded by this. */
    private int running;

    PasswordChecks(SwsStages stages, int waitingMax) {
        this.stages = stages;
        this.waitingMax = waitingMax;
    }

    private record Check<T>(Connection connection, Callable<T> work, CompletableFuture<T> result) {}

    /** Runs a check now or later. The result fails if it is one too many, or the runtime is closing. */
    <T> CompletableFuture<T> run(Connection c, Callable<T> work) {
        Check<T> check = new Check<>(c, work, new CompletableFuture<>());
        synchronized (this) {
            if (running == runningMax) {
                if (waiting.size() < waitingMax) {
                    waiting.add(check);
                } else {
                    check.result.completeExceptionally(new RejectedExecutionException("too many passwords to check"));
                }
                return check.result;
            }
            running++;
        }
        start(check);
        return check.result;
    }

    private <T> void start(Check<T> check) {
        CompletableFuture<T> unused = stages.blocking(check.connection, check.work)
                .whenComplete((value, failure) -> {
                    startNext();
                    if (failure == null) {
                        check.result.complete(value);
                    } else {
                        check.result.completeExceptionally(failure);
                    }
                });
    }

    /** The next that waits, as an event of its own: refused ones must not nest. */
    private void startNext() {
        while (true) {
            Check<?> next;
            synchronized (this) {
                next = waiting.poll();
                if (next == null) {
                    running--;
                    return;
                }
            }
            Check<?> begun = next;
            try {
                begun.connection.color.execute(() -> start(begun));
                return;
            } catch (RejectedExecutionException closing) {
                begun.result.completeExceptionally(closing);
            }
        }
    }
}
