// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.stages;

import io.mely.Color;
import io.mely.Mely;
import io.mely.StageGraph;
import io.mely.deploy.StageFactory;
import org.jspecify.annotations.Nullable;

/** A contender that has none of our stages to run: it answers in its own way. */
final class Whole implements Contender {
    private final Service service;
    private final Runnable stop;
    private final Mely colors = Mely.builder().cores(1).build(); // never started; requests have some color

    /**
     * Makes one that runs.
     *
     * @param service that answers
     * @param stop ends it when nothing is left
     */
    Whole(Service service, Runnable stop) {
        this.service = service;
        this.stop = stop;
    }

    Service service() {
        return service;
    }

    @Override
    public StageFactory stages() {
        throw new IllegalStateException("it has no stages");
    }

    @Override
    public Color color(long client) {
        return colors.color(client);
    }

    @Override
    public void begin(Runnable entrance) {
        entrance.run();
    }

    @Override
    public void start() {}

    @Override
    public @Nullable StageGraph graph() {
        return null;
    }

    @Override
    public void close() {
        stop.run();
        colors.close();
    }
}
