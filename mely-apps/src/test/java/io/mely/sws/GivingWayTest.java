// SPDX-License-Identifier: Apache-2.0
package io.mely.sws;

import static org.assertj.core.api.Assertions.assertThat;

import io.mely.net.ColoredSocket;
import io.mely.simulation.Fault;
import io.mely.simulation.Simulation;
import io.mely.simulation.Simulation.World;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.EnumSet;
import java.util.Queue;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

// A server for one client, stepped in virtual time: another one comes while the first keeps its connection.
class GivingWayTest {
    private static final byte[] REQUEST =
            "GET /a.html HTTP/1.1\r\nHost: test\r\n\r\n".getBytes(StandardCharsets.US_ASCII);

    @TempDir
    Path root;

    @BeforeEach
    void makeFile() throws IOException {
        Files.writeString(root.resolve("a.html"), "hello");
    }

    private Clients run(boolean isAskedAgain) {
        Clients[] clients = new Clients[1];
        Simulation.ofSeed(1)
                .cores(1)
                .faults(EnumSet.noneOf(Fault.class))
                .run(world -> clients[0] = new Clients(world, isAskedAgain));
        return clients[0];
    }

    @Test
    void idleConnection_givesWay() {
        Clients clients = run(false);
        assertThat(clients.kept.isOpen()).isFalse();
        assertThat(clients.kept.taken).isEqualTo(clients.firstBytes);
        assertThat(clients.newcomer.taken).isEqualTo(clients.firstBytes);
    }

    // Its next request has come when it is asked to give way, and no loop has reported that yet.
    @Test
    void connectionWithARequestToRead_isAnswered() {
        Clients clients = run(true);
        assertThat(clients.kept.taken).isEqualTo(2 * clients.firstBytes);
        assertThat(clients.kept.isOpen()).isTrue();
    }

    private final class Clients {
        private final FakeSocket kept;
        private final FakeSocket newcomer;
        private final Queue<ColoredSocket> backlog = new ArrayDeque<>();
        private long firstBytes;

        Clients(World world, boolean isAskedAgain) {
            SwsConfig config =
                    SwsConfig.builder(root).set(SwsSettings.MAX_CLIENTS, 1).build();
            SteppedServer server = new SteppedServer(world, config, backlog::poll);
            kept = new FakeSocket(3, world::work);
            newcomer = new FakeSocket(4, world::work);
            for (FakeSocket each : new FakeSocket[] {kept, newcomer}) {
                each.send(REQUEST);
                each.onRegistered(() -> world.arrive(0, each::report));
            }
            backlog.add(kept);
            server.report();
            world.outsideThread("newcomer", () -> {
                if (kept.taken == 0) {
                    return true;
                }
                firstBytes = kept.taken;
                if (isAskedAgain) {
                    kept.send(REQUEST);
                }
                backlog.add(newcomer);
                server.report();
                return false;
            });
        }
    }
}
