// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * The result of blocking work, which an event of a color completes, and what depends on it: to wait for them in that color is an error. A dependent that another
 * executor completes is no exception, as nothing tells the two apart and a handler must not wait anyway.
 *
 * @param <T> the type of the result
 */
final class BlockingFuture<T> extends CompletableFuture<T> {
    private final ColorImpl color;

    BlockingFuture(ColorImpl color) {
        this.color = color;
    }

    @Override
    public <U> CompletableFuture<U> newIncompleteFuture() {
        return new BlockingFuture<>(color);
    }

    @Override
    public T get() throws InterruptedException, ExecutionException {
        beforeWait();
        return super.get();
    }

    @Override
    public T get(long timeout, TimeUnit unit) throws InterruptedException, ExecutionException, TimeoutException {
        if (unit.toNanos(timeout) > 0) {
            beforeWait();
        }
        return super.get(timeout, unit);
    }

    @Override
    public T join() {
        beforeWait();
        return super.join();
    }

    private void beforeWait() {
        if (!isDone()) {
            color.checkMayWait();
        }
    }
}
