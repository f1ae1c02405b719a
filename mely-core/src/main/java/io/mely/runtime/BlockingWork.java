// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Blocking calls made for handlers, on virtual threads where the JDK has them and on a bounded pool elsewhere. The result is completed in
 * the caller's color.
 *
 * <p>{@code started} grows before the caller's event counts as run, and {@code done} after the result's event was sent, so a drain that
 * sees everything run and {@code started == done} misses no result: see {@link Lifecycle}. Those under way when all has stopped were
 * cut off: a call leaves them while its result is undecided, so that it is among the accepted events or among those, and never both.
 *
 * <p><b>Threads.</b> Any. <b>Bounds.</b> {@code limit} calls under way.
 */
final class BlockingWork {
    /** Room for an executor to start a thread: one that breaks off may keep its lock, or run the call and throw as well. Guess: 16 KB, some 2 us. */
    private static final int STACK_FRAMES = 1000;

    /** Whose call the thread is in. */
    private static final ThreadLocal<@Nullable BlockingWork> CALLER = new ThreadLocal<>();

    private final MelyRuntime runtime;
    private final String name;
    private final int limit;
    private final AtomicLong started = new AtomicLong();
    private final AtomicLong done = new AtomicLong();
    private final Set<CompletableFuture<?>> open = ConcurrentHashMap.newKeySet();
    private final AtomicLong underWay = new AtomicLong();
    private @Nullable ExecutorService executor; // guarded by this
    private boolean isClosed; // guarded by this

    BlockingWork(MelyRuntime runtime, String name, int limit) {
        this.runtime = runtime;
        this.name = name;
        this.limit = limit;
    }

    @SuppressWarnings("CollectionUndefinedEquality") // identity is what is meant
    <T> CompletableFuture<T> submit(ColorImpl color, Callable<T> work) {
        StackRoom.check(STACK_FRAMES);
        CompletableFuture<T> result = new BlockingFuture<>(color);
        boolean isOutside = CoreThread.workerOf(Thread.currentThread(), runtime) == null;
        // not counted: who asks again and again would keep the drain from its end
        if (isOutside && runtime.life().isDraining()) {
            result.completeExceptionally(closed());
            return result;
        }
        open.add(result);
        CompletableFuture<T> unused = result.whenComplete((value, error) -> open.remove(result));
        started.incrementAndGet(); // before the phase is read: as with a send from outside
        long callsUnderWay = underWay.incrementAndGet();
        try {
            if (isOutside && runtime.life().isDraining()) {
                throw closed();
            }
            if (callsUnderWay > limit) {
                throw new RejectedExecutionException("limit of blocking calls reached: blockingLimit=" + limit);
            }
            Call<T> call = new Call<>(this, color, work, result);
            CoreThread.startingThreads(() -> executor().execute(call));
        } catch (Throwable e) { // refused, or no thread to be had
            underWay.decrementAndGet();
            done.incrementAndGet();
            result.completeExceptionally(e);
        }
        return result;
    }

    private static RejectedExecutionException closed() {
        return new RejectedExecutionException("the runtime is closed");
    }

    /** A call under way: what its thread runs. It is made with all that its end needs, as by then there may be no memory. */
    private static final class Call<T> implements Runnable {
        private final BlockingWork of;
        private final ColorImpl color;
        private final Callable<T> work;
        private final CompletableFuture<T> result;
        private final OwnEvent completion = this::complete;
        private final Runnable leaving = this::leave;
        private @Nullable T value;
        private @Nullable Throwable error;
        private boolean isUnderWay = true;

        Call(BlockingWork of, ColorImpl color, Callable<T> work, CompletableFuture<T> result) {
            this.of = of;
            this.color = color;
            this.work = work;
            this.result = result;
        }

        @Override
        public void run() {
            try {
                call();
                // no longer under way before the result is sent: what it starts is not in its own way
                if (!of.runtime.sends().sendResult(color, completion, leaving)) {
                    result.completeExceptionally(closed());
                }
            } catch (Throwable e) { // no memory
                leave();
                result.completeExceptionally(e);
            } finally {
                of.done.incrementAndGet();
            }
        }

        private void call() {
            CALLER.set(of);
            of.runtime.life().takeContext(Thread.currentThread());
            try {
                value = work.call();
            } catch (Throwable e) {
                error = e;
            } finally {
                CALLER.remove();
            }
        }

        private void leave() {
            if (isUnderWay) {
                isUnderWay = false;
                of.underWay.decrementAndGet();
            }
        }

        /** In the color. */
        private void complete() {
            boolean unused = error != null ? result.completeExceptionally(error) : result.complete(value);
        }
    }

    long started() {
        return started.get();
    }

    long done() {
        return done.get();
    }

    /** Calls whose results nobody gets. After the stop. */
    long cutOff() {
        return underWay.get();
    }

    /** Whether the calling thread is in one of these calls. */
    boolean isCaller() {
        return CALLER.get() == this;
    }

    private synchronized ExecutorService executor() {
        if (isClosed) {
            throw closed();
        }
        ExecutorService current = executor;
        if (current == null) {
            current = Threads.virtualThreads();
            if (current == null) {
                current = platformThreads();
            }
            executor = current;
        }
        return current;
    }

    private ExecutorService platformThreads() {
        AtomicLong number = new AtomicLong();
        return Executors.newCachedThreadPool(body -> {
            Thread thread = new Thread(body, name + "-blocking-" + number.getAndIncrement());
            thread.setDaemon(true);
            return thread;
        });
    }

    /** Fails the futures whose completing event was discarded, when every core has stopped: nobody waits for ever. */
    void failRest() {
        for (CompletableFuture<?> result : open) {
            result.completeExceptionally(closed());
        }
    }

    /** Interrupts what still blocks. */
    synchronized void close() {
        isClosed = true;
        ExecutorService current = executor;
        if (current != null) {
            current.shutdownNow();
        }
    }
}
