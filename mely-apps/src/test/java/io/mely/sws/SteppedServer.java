// SPDX-License-Identifier: Apache-2.0
package io.mely.sws;

import io.mely.net.ColoredSocket;
import io.mely.simulation.Simulation.World;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The stages of a server on a simulated runtime, with one listener; it is closed at the end of the simulation. */
final class SteppedServer {
    private final World world;
    private final SwsStages stages;
    private final Acceptor acceptor;

    /** Those who wait to be let in come from a queue, which has null for nobody. */
    SteppedServer(World world, SwsConfig config, Supplier<@Nullable ColoredSocket> backlog) {
        this.world = world;
        ServerContext context;
        try {
            context = new ServerContext(config, world::nanoTime, world.mely(), null);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        stages = new SwsStages(context, world.mely(), List.of());
        acceptor = stages.acceptors().get(0);
        acceptor.listen(new FakeListener(backlog));
        world.checkAtEnd(context::close);
    }

    /** The loop reports that somebody waits. */
    void report() {
        world.arrive(0, () -> stages.onAcceptable(acceptor));
    }
}
