// SPDX-License-Identifier: Apache-2.0
package io.mely.deploy;

import io.mely.Handler;
import io.mely.Mely;
import io.mely.Stage;
import io.mely.StageOptions;

/**
 * Makes the stages of a graph: those of a runtime, or ones of another kind, which an experiment compares with it.
 *
 * <p><b>Threads.</b> One at a time.
 */
public interface StageFactory {
    /**
     * Makes a stage.
     *
     * @param name of the stage, its own
     * @param options of the stage
     * @param handler of its events
     * @param <E> its events
     * @return takes them
     */
    <E> Stage<E> stage(String name, StageOptions options, Handler<E> handler);

    /**
     * Makes the stages of a runtime.
     *
     * @param mely the runtime
     * @return makes its stages
     */
    static StageFactory of(Mely mely) {
        return mely::stage;
    }
}
