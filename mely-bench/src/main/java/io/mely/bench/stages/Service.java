// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.stages;

import io.mely.Color;
import java.util.function.Consumer;

/** An application on the stages of a contender, which answers numbered requests. <b>Threads.</b> Any. */
@FunctionalInterface
interface Service {
    /**
     * Begins a request.
     *
     * @param number of the request
     * @param color of who asks
     * @param answer gets true, once, when it is answered; false if it was given up
     * @return false if it was refused: nobody will answer it
     */
    boolean ask(int number, Color color, Consumer<Boolean> answer);
}
