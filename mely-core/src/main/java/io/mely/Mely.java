// SPDX-License-Identifier: Apache-2.0
package io.mely;

import io.mely.runtime.ApiAccess;
import io.mely.runtime.Hooks;
import io.mely.runtime.MelyRuntime;
import io.mely.runtime.RuntimeConfig;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ScheduledExecutorService;

/**
 * A runtime of N cores: one thread at a time per core runs that core's poller and its colored events; a core with nothing to do
 * steals a whole color from another, if the work left in it pays for the trip.
 *
 * <pre>{@code
 * try (Mely mely = Mely.builder().build().start()) {
 *     Stage<String> greet = mely.stage("greet", name -> System.out.println("hello " + name));
 *     greet.offer(mely.color(42), "world");
 * }
 * }</pre>
 *
 * <p>Life: built (accepts events and runs none), started, draining (refuses events from outside and runs what is left), closed.
 *
 * <p><b>Threads.</b> Any. <b>Source.</b> spec: Mely §1.
 */
public final class Mely implements AutoCloseable {
    static {
        ApiAccess.set(new ApiAccess() {
            @Override
            protected Mely mely(MelyRuntime runtime) {
                return new Mely(runtime);
            }

            @Override
            protected MelyRuntime runtime(Mely mely) {
                return mely.runtime;
            }

            @Override
            protected RuntimeConfig config(MelyBuilder builder) {
                return builder.config();
            }

            @Override
            protected Hooks hooks(MelyBuilder builder) {
                return builder.hooks;
            }

            @Override
            protected void setHooks(MelyBuilder builder, Hooks hooks) {
                builder.hooks = hooks;
            }
        });
    }

    private final MelyRuntime runtime;

    Mely(MelyRuntime runtime) {
        this.runtime = runtime;
    }

    /**
     * Starts the description of a runtime.
     *
     * @return a builder with the defaults
     */
    public static MelyBuilder builder() {
        return new MelyBuilder();
    }

    /**
     * Starts the cores.
     *
     * @return this
     * @throws IllegalStateException if it was started or closed before
     */
    public Mely start() {
        runtime.start();
        return this;
    }

    /**
     * Whether threads outside may send. A send that is refused while they may was refused for want of room, and may be accepted later; after false no
     * later one is.
     *
     * <p><b>Threads.</b> Any; true may be outdated when it is read. Handlers may send on while a close drains, though it is false by then. <b>Costs.</b> One read.
     *
     * @return true from the building on; false, for good, once {@link #close} has begun, or a bug, as of a poller or a group, has stopped the runtime, which is
     *     logged
     */
    public boolean isAccepting() {
        return runtime.isAccepting();
    }

    /**
     * The color of a key. Keys are spread over the slots by a hash that is seeded per runtime; two keys may share a lane, which
     * is slower and never wrong. No key gets the default color.
     *
     * @param key any key, for instance a user id
     * @return always the same color for the same key
     */
    public Color color(long key) {
        return runtime.color(key);
    }

    /**
     * The color of a name, such as a user's. The hash has the seed of this runtime, so that whoever chooses the names cannot
     * aim them at one color, as with the known collisions of {@link String#hashCode}. Two names may share a color, as two keys may.
     *
     * <p><b>Costs.</b> Two to three nanoseconds a character.
     *
     * @param name its characters alone count, not its type
     * @return always the same color for equal names
     */
    public Color color(CharSequence name) {
        return runtime.color(name);
    }

    /**
     * The color of a slot, without hashing: for keys that are small and dense already, such as descriptors.
     *
     * @param slot 0 to {@link #colors()} - 1; 0 is the default color
     * @return always the same color for the same slot
     * @throws IllegalArgumentException if there is no such slot
     */
    public Color colorAt(int slot) {
        return runtime.colorAt(slot);
    }

    /**
     * The number of slots.
     *
     * @return a power of two
     */
    public int colors() {
        return runtime.colors();
    }

    /**
     * The lane of what is sent without a color, under the colored policy.
     *
     * @return slot 0
     */
    public Color defaultColor() {
        return runtime.defaultColor();
    }

    /**
     * The number of cores.
     *
     * @return &gt;= 1
     */
    public int cores() {
        return runtime.cores();
    }

    /**
     * Makes a stage with default annotations.
     *
     * @param <E> the type of event
     * @param name for messages
     * @param handler runs its events
     * @return the stage
     */
    public <E> Stage<E> stage(String name, Handler<E> handler) {
        return stage(name, StageOptions.defaults(), handler);
    }

    /**
     * Makes a stage.
     *
     * @param <E> the type of event
     * @param name for messages
     * @param options annotations
     * @param handler runs its events
     * @return the stage
     */
    public <E> Stage<E> stage(String name, StageOptions options, Handler<E> handler) {
        return runtime.stage(name, options, handler);
    }

    /**
     * An executor service over the color of a key: its commands run one at a time, in order, as events of that color. It behaves as {@link java.util.concurrent.Executors#newSingleThreadScheduledExecutor()} does,
     * without a thread of its own. Each call makes a new one, with its own shutdown. Several over one key share the lane, with each other and with the color's
     * events.
     *
     * <p>Commands of one sender without a delay run in the order given. Delayed ones run in the order of their times, from when the delay is over and the core looks at its timers. After {@code shutdown()}
     * those with one delay still run, and periodic ones are cancelled.
     *
     * <p>Where it differs from the JDK's: what {@code shutdownNow()} returns is as it was given, and a {@link java.util.concurrent.RunnableFuture} among it is cancelled, so that nobody
     * waits for it for ever. The same happens, when the runtime closes, to all that has not run. What an {@code execute}d command throws goes to the error handler. A delayed command that is cancelled is let go of at once.
     *
     * <p><b>Threads.</b> Any. A handler may use it, but may not wait, in this color, for what has to run in it: {@code get}, {@code awaitTermination}, {@code invokeAll}, {@code invokeAny} and {@code close} throw
     * {@link IllegalStateException} then, unless what they wait for is done. A {@code CompletableFuture} that is given this executor does not know its color, and waits for ever. <b>Costs.</b> An executor takes some 200
     * bytes, and needs no shutdown. A command takes 32 bytes more than {@link Color#execute} does, and a submitted one a future; an executor's users share a short lock. <b>Bounds.</b>
     * A command is one pending event; a delayed one becomes that when it is due, as a {@link Timer} does. <b>Errors.</b> {@link java.util.concurrent.RejectedExecutionException} after its
     * shutdown, and when the runtime refuses: closed, closing, or too many events pending.
     *
     * @param key any, as of {@link #color(long)}
     * @return a new one
     */
    public ScheduledExecutorService executor(long key) {
        return executor(color(key));
    }

    /**
     * The same over a color, such as that of a name.
     *
     * @param color of this runtime
     * @return a new one
     * @throws IllegalArgumentException if the color belongs to another runtime
     */
    public ScheduledExecutorService executor(Color color) {
        return runtime.executor(color);
    }

    /**
     * Runs blocking work on another thread and completes the result inside the caller's color: what handlers of that color make depend on it, without
     * {@code Async}, runs in that color. Elsewhere use {@code thenAcceptAsync(action, color)} and the like, for which a color is the {@link java.util.concurrent.Executor}:
     * without it what depends on a result that is there already runs at once, where it is said. To wait for the result, or for what depends on it, in the color that has to complete
     * it throws {@link IllegalStateException}, unless it is there. A virtual thread where the JDK has them, a bounded pool elsewhere.
     *
     * @param <T> the type of the result
     * @param work may block
     * @return completed in {@link Color#current()}, or exceptionally with a
     *     {@link java.util.concurrent.RejectedExecutionException} if the limit of blocking work is reached or the runtime is closed, and then
     *     in no color; while it drains handlers may still ask for blocking work
     * @throws IllegalStateException outside a handler
     */
    public <T> CompletableFuture<T> blocking(Callable<T> work) {
        return blocking(Color.current(), work);
    }

    /**
     * Runs blocking work on another thread and completes the result inside a color.
     *
     * @param <T> the type of the result
     * @param color where the result is completed
     * @param work may block
     * @return completed in that color; see {@link #blocking(Callable)}
     */
    public <T> CompletableFuture<T> blocking(Color color, Callable<T> work) {
        return runtime.blocking(color, work);
    }

    /**
     * The counters of now. Consistent only when the runtime is idle or closed.
     *
     * @return a copy
     */
    public MelyStats stats() {
        return runtime.stats();
    }

    /**
     * The stages, who sends to whom, and what each does. <b>Costs.</b> Some tens of microseconds a stage.
     *
     * @return of now
     */
    public StageGraph graph() {
        return runtime.graph();
    }

    /**
     * What each core does now, and each thread of a group that is in a handler. A peek: a core may have gone on meanwhile, and stage and color may belong to two events. Many looks say what the cores'
     * time is spent on.
     *
     * <p><b>Costs.</b> A microsecond or so; none for the threads that are looked at.
     *
     * @return one for each core, and one for each further thread in a handler
     */
    public List<Activity> activity() {
        return runtime.activity();
    }

    /**
     * Closes with the deadline of {@link MelyBuilder#closeDeadline}. Later calls wait for the first and do nothing more.
     *
     * @throws IllegalStateException as {@link #close(Duration)} does
     */
    @Override
    public void close() {
        runtime.close();
    }

    /**
     * Refuses events from outside, drops the timers, runs what is pending and what it sends, waits for blocking calls, and stops the cores. What has not
     * run when the deadline passes is discarded and counted; blocking calls are interrupted then, and their futures fail; a handler that runs on is waited for until then, and
     * at least a second.
     *
     * @param deadline longest time to drain; zero discards what is pending
     * @return what became of the pending events; the first call's answer if it was closed before
     * @throws IllegalStateException if called by one of the cores or by {@link #blocking} work of this runtime, which would wait for itself
     */
    public CloseReport close(Duration deadline) {
        return runtime.close(deadline);
    }

    /**
     * Closes without waiting: the same as {@link #close(Duration)} on a thread of its own. A handler may call it.
     *
     * @param drain longest time to drain
     * @return completed on that thread, with what became of the pending events
     */
    public CompletionStage<CloseReport> shutdown(Duration drain) {
        return runtime.shutdown(drain);
    }

    @Override
    public String toString() {
        return runtime.toString();
    }

    /**
     * What a close did.
     *
     * @param isDrained true if every accepted event ran, every blocking call was answered, and every core stopped
     * @param discardedEvents accepted events that did not run; a send from outside that is being refused at this very moment may still
     *     count as one
     * @param droppedTimers timers that were still waiting
     * @param cutOffCalls blocking calls that had not come to their end, or whose results came too late
     */
    public record CloseReport(boolean isDrained, long discardedEvents, long droppedTimers, long cutOffCalls) {}
}
