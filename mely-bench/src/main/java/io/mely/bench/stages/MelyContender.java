// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.stages;

import io.mely.Color;
import io.mely.Deployment;
import io.mely.Mely;
import io.mely.StageGraph;
import io.mely.bench.paper.CheckFailedException;
import io.mely.deploy.StageFactory;
import io.mely.runtime.Hooks;
import java.time.Duration;

/** A runtime, its stages under the policies of a deployment. */
final class MelyContender implements Contender {
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    private final Mely mely;

    MelyContender(int cores, Deployment deployment) {
        this(cores, deployment, Hooks.NONE);
    }

    /** One that observers watch, for example. */
    MelyContender(int cores, Deployment deployment, Hooks hooks) {
        mely = hooks.on(deployment.applyTo(Mely.builder().name("stages").cores(cores)))
                .build();
    }

    @Override
    public StageFactory stages() {
        return StageFactory.of(mely);
    }

    @Override
    public Color color(long client) {
        return mely.color(client);
    }

    @Override
    public void begin(Runnable entrance) {
        entrance.run();
    }

    @Override
    public void start() {
        mely.start();
    }

    @Override
    public StageGraph graph() {
        return mely.graph();
    }

    @Override
    public void close() {
        if (!mely.close(PATIENCE).isDrained()) {
            throw new CheckFailedException("did not come to an end: " + mely.stats());
        }
    }
}
