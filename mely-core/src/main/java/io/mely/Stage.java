// SPDX-License-Identifier: Apache-2.0
package io.mely;

import java.util.concurrent.RejectedExecutionException;

/**
 * A named event handler with what is known about it: how long it takes, how dear its data is to move, how urgent it is.
 *
 * <p><b>Threads.</b> Any thread may send, and none waits: what is too much is refused. <b>Costs.</b> A send is one compare-and-set: into the other core's
 * inbox, or of the lock of the sender's own core; from a handler into its own, otherwise empty color it is none. No allocation in steady state. <b>Source.</b> spec:
 * Mely §1, §4.2; staged servers §1.
 *
 * @param <E> the type of event
 */
public interface Stage<E> {
    /**
     * Sends an event in a color. On a single-threaded stage the event runs in the stage's own color instead.
     *
     * <p>{@code true} means accepted: it will run exactly once, or be counted as discarded if the runtime is closed and its
     * deadline passes first. {@code false} means refused, and nothing was kept: the runtime is closed, which {@link Mely#isAccepting} tells; its limit of pending events is reached; or the stage's
     * {@linkplain StageOptions#withCapacity capacity} or {@linkplain StageOptions#withAdmission admission} refuses. {@link #whenRoom} waits for a full stage.
     *
     * @param color the lane
     * @param event what to send; null, too, if the handler takes it
     * @return false if refused: to be sent again later, or given up if the runtime no longer {@linkplain Mely#isAccepting accepts} any
     * @throws IllegalArgumentException if the color belongs to another runtime
     */
    boolean offer(Color color, E event);

    /**
     * Sends an event in the color of a key, as {@link #offer(Color, Object)} does in {@link Mely#color(long)}. It looks at no object of the color, so with keys
     * by the ten thousand it is up to twice as fast; with few of them who keeps their colors saves the hash, some 10 ns. A slot is no key: for that see {@link Mely#colorAt}.
     *
     * @param key any, as a connection's number; ignored by a single-threaded stage
     * @param event what to send; null, too, if the handler takes it
     * @return false if refused
     */
    boolean offer(long key, E event);

    /**
     * Sends an event without a color. A single-threaded stage runs it in its own color, another stage of the colored policy in the default color. In another group it has no color, and
     * runs beside others, unless the group says otherwise.
     *
     * @param event what to send
     * @return false if refused
     */
    boolean offer(E event);

    /**
     * As {@link #offer(Color, Object)}, for who has no other way when an event is refused.
     *
     * @param color the lane
     * @param event what to send; null, too, if the handler takes it
     * @throws RejectedExecutionException if refused; nothing was kept
     * @throws IllegalArgumentException if the color belongs to another runtime
     */
    default void send(Color color, E event) {
        if (!offer(color, event)) {
            throw refused();
        }
    }

    /**
     * As {@link #offer(long, Object)}.
     *
     * @param key any; ignored by a single-threaded stage
     * @param event what to send; null, too, if the handler takes it
     * @throws RejectedExecutionException if refused; nothing was kept
     */
    default void send(long key, E event) {
        if (!offer(key, event)) {
            throw refused();
        }
    }

    /**
     * As {@link #offer(Object)}.
     *
     * @param event what to send; null, too, if the handler takes it
     * @throws RejectedExecutionException if refused; nothing was kept
     */
    default void send(E event) {
        if (!offer(event)) {
            throw refused();
        }
    }

    private RejectedExecutionException refused() {
        return new RejectedExecutionException("refused, closed or full: stage=" + name());
    }

    /**
     * Calls back once when a full stage has room again: the way to stop a source after an event was refused, and to start it again.
     *
     * <pre>{@code
     * void pass() {
     *     if (parse.offer(color, request)) {
     *         startReading();
     *     } else {
     *         stopReading();
     *         if (!parse.whenRoom(() -> loop.execute(this::pass))) {
     *             loop.schedule(this::pass, 1, TimeUnit.MILLISECONDS);
     *         }
     *     }
     * }
     * }</pre>
     *
     * <p>Each event that begins calls one who waits, in the order they came, and the last one calls all. No place is kept for who is called: another sender may be faster, and then who is refused waits again. A close calls all.
     *
     * <p><b>Threads.</b> Any. The action runs on the thread that is about to run an event of the stage, or in this call; so it hands over to a loop or a color, and does not wait. A full or closed runtime may refuse that, which is the action's matter. <b>Costs.</b> One object. <b>Errors.</b> What the action throws is
     * logged, and it is not called again. <b>Bounds.</b> None: wait once for each source, not for each event.
     *
     * @param action called once
     * @return false if the stage has room now, or the runtime is closed: the action is not kept. If an event is refused nevertheless, no event tells when that ends: send it again a little later
     */
    boolean whenRoom(Runnable action);

    /**
     * How many of its events wait, where somebody counts that: if it has a {@linkplain StageOptions#withCapacity capacity} or an {@linkplain StageOptions#withAdmission admission}. <b>Costs.</b> One load.
     *
     * @return of now; 0 if nobody counts. {@link #stats} has the figure of any stage, for a higher price
     */
    int waiting();

    /**
     * The name given at creation.
     *
     * @return the name
     */
    String name();

    /**
     * The annotations given at creation.
     *
     * @return as given
     */
    StageOptions options();

    /**
     * The color used by {@link #offer(Object)}, if that uses one.
     *
     * @return the stage's own if it is single-threaded, else the default color
     */
    Color color();

    /**
     * What the runtime takes one event of this stage to cost: the annotation, or else the smoothed measurement.
     *
     * @return nanoseconds, &gt;= 1
     */
    long processingTimeNs();

    /**
     * The figures of now. <b>Costs.</b> Some microseconds, and 6 KB.
     *
     * @return since the stage was made
     */
    StageStats stats();
}
