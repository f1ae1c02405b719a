// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.stages;

import io.mely.Color;
import java.util.function.Consumer;

/** An application on the stages of a contender, which answers numbered requests. <b>Threads.</b> Any. */
@FunctionalInterface
interface Service extends AutoCloseable {
    /**
     * Begins a request.
     *
     * @param number of the request
     * @param color of who asks
     * @param answer gets true, once, when it is answered; false if it was given up
     * @return false if it was refused: nobody will answer it
     */
    boolean ask(int number, Color color, Consumer<Boolean> answer);

    /** How much was done since the start, in its own unit; 0 if answers are all there is. */
    default double done() {
        return 0;
    }

    /** Waits until all that was answered is done. */
    default void awaitDone() throws InterruptedException {}

    /** Waits for what goes on behind the answers. Its contender still runs. */
    @Override
    default void close() {}
}
