// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * The future of a command. To wait for it in the color that has to run it is an error, and so is to wait for one that a stopped executor will never run: it is cancelled then, as are those that the stop
 * finds. (The JDK's {@code ExecutorCompletionService} hides its futures inside others, so that the stop finds only the outer ones.)
 *
 * @param <V> the type of the result
 */
class CommandFuture<V> extends FutureTask<V> {
    final ColorExecutor executor;
    private volatile boolean hasBegun;

    CommandFuture(ColorExecutor executor, Callable<V> callable) {
        super(callable);
        this.executor = executor;
    }

    @Override
    public void run() {
        hasBegun = true;
        super.run();
    }

    @Override
    protected boolean runAndReset() {
        hasBegun = true;
        return super.runAndReset();
    }

    @Override
    public V get() throws InterruptedException, ExecutionException {
        beforeWait();
        return super.get();
    }

    @Override
    public V get(long timeout, TimeUnit unit) throws InterruptedException, ExecutionException, TimeoutException {
        if (unit.toNanos(timeout) > 0) {
            beforeWait();
        }
        return super.get(timeout, unit);
    }

    private void beforeWait() {
        if (!isDone()) {
            executor.color().checkMayWait();
            if (!hasBegun && executor.isStopped()) {
                cancel(false);
            }
        }
    }
}
