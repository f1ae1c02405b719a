// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.stages;

import io.mely.Color;
import io.mely.StageGraph;
import io.mely.deploy.StageFactory;
import org.jspecify.annotations.Nullable;

/** What runs the stages of an application: a runtime under some policy, or a peer that calls the same handlers. <b>Threads.</b> {@link #color}: any. */
interface Contender extends AutoCloseable {
    /** Makes its stages, before {@link #start}. */
    StageFactory stages();

    /** The color of a client; of peers, which have none, always the same. */
    Color color(long client);

    /** Begins a request whose first stage is entered by the action. */
    void begin(Runnable entrance);

    void start();

    /** Its stages and what they have done; null of a peer. */
    @Nullable
    StageGraph graph();

    /** Ends its threads. What is under way is run before. */
    @Override
    void close();
}
