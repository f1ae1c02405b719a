// SPDX-License-Identifier: Apache-2.0
package io.mely.sws;

import static org.assertj.core.api.Assertions.assertThat;

import io.mely.net.ColoredSocket;
import io.mely.simulation.Fault;
import io.mely.simulation.Simulation;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Queue;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Newcomers with one request each before a stepped server, in virtual time: they wait in a queue as the kernel has one, which tells how long each
 * has been in there.
 */
class NewcomersTest {
    private static final long MS = Duration.ofMillis(1).toNanos();
    private static final long TARGET_NS = 2 * MS;
    private static final long BYTES = 1 << 20;

    /** About what it takes to send so much, by {@link FakeSocket}. */
    private static final long SERVICE_NS = 220_000;

    private static final int BACKLOG = 4_096;

    @TempDir
    Path root;

    @BeforeEach
    void makeFile() throws IOException {
        try (RandomAccessFile file = new RandomAccessFile(root.resolve("f.bin").toFile(), "rw")) {
            file.setLength(BYTES);
        }
    }

    private Newcomers run(Consumer<Newcomers> scenario) {
        Newcomers[] newcomers = new Newcomers[1];
        Simulation.ofSeed(1).cores(1).faults(EnumSet.noneOf(Fault.class)).run(world -> {
            newcomers[0] = new Newcomers(world);
            scenario.accept(newcomers[0]);
        });
        return newcomers[0];
    }

    // Twice and five times what it can do: as many are told to come later as the budget pays for, and it goes on with
    // the others.
    @ParameterizedTest
    @ValueSource(ints = {2, 5})
    void tooMany_someAreRefused_theRestIsServed(int load) {
        long timeNs = 150 * MS;
        Newcomers all = run(newcomers -> newcomers.comeFor(timeNs, SERVICE_NS / load));
        assertThat((double) all.takenInTime / BYTES * SERVICE_NS / timeNs).isBetween(0.9, 1.1);
        assertThat(all.refused).isBetween(100, 64 + 225); // 1,500 a second, and as many as one event takes
    }

    // Two moments in which some had to wait, with many in between who had not: a queue that comes and goes.
    @Test
    void standstills_nobodyIsRefused() {
        Newcomers all = run(newcomers -> {
            newcomers.waited(3, 40 * TARGET_NS);
            for (int i = 0; i < 50; i++) {
                newcomers.waited(1, 0);
            }
            newcomers.waited(3, 40 * TARGET_NS);
        });
        assertThat(all.served).isEqualTo(56);
        assertThat(all.refused).isZero();
    }

    /** The queue of the kernel, and what became of those who were in there. */
    private final class Newcomers {
        private final Simulation.World world;
        private final SteppedServer server;
        private final Queue<Long> backlog = new ArrayDeque<>();
        private final Queue<long[]> crowds = new ArrayDeque<>();
        private boolean isReported;
        private int opened;
        private int served;
        private long endNs;
        private final List<FakeSocket> all = new ArrayList<>();

        /** Bytes, also of those who are not done. */
        private long takenInTime;

        private int refused;

        Newcomers(Simulation.World world) {
            this.world = world;
            SwsConfig config = SwsConfig.builder(root)
                    .set(SwsSettings.OVERLOAD_TARGET, Duration.ofNanos(TARGET_NS))
                    .set(SwsSettings.OVERLOAD_INTERVAL, Duration.ofNanos(2 * TARGET_NS))
                    .build();
            server = new SteppedServer(world, config, this::accept);
        }

        /** One each so many nanoseconds. */
        void comeFor(long timeNs, long gapNs) {
            long[] nextNs = {world.nanoTime()};
            endNs = world.nanoTime() + timeNs;
            world.outsideThread("newcomers", () -> {
                for (; nextNs[0] <= world.nanoTime(); nextNs[0] += gapNs) {
                    if (backlog.size() < BACKLOG) {
                        backlog.add(nextNs[0]);
                    }
                }
                report();
                boolean isOver = world.nanoTime() - endNs > 0;
                if (isOver) {
                    takenInTime = all.stream().mapToLong(each -> each.taken).sum();
                    backlog.clear();
                }
                return !isOver;
            });
        }

        /** Some come at once, when all before have been served, and have waited already. */
        void waited(int count, long waitedNs) {
            if (crowds.isEmpty()) {
                world.outsideThread("crowds", () -> {
                    if (backlog.isEmpty() && served + refused == opened && !isReported) {
                        long[] crowd = crowds.remove();
                        for (int i = 0; i < crowd[0]; i++) {
                            backlog.add(world.nanoTime() - crowd[1]);
                        }
                        report();
                    }
                    return !crowds.isEmpty();
                });
            }
            crowds.add(new long[] {count, waitedNs});
        }

        private void report() {
            if (!backlog.isEmpty() && !isReported) {
                isReported = true;
                server.report();
            }
        }

        private @Nullable ColoredSocket accept() {
            Long sinceNs = backlog.poll();
            isReported = sinceNs != null;
            return sinceNs == null ? null : open(sinceNs);
        }

        private ColoredSocket open(long sinceNs) {
            FakeSocket socket = new FakeSocket(opened++, world::work);
            all.add(socket);
            socket.silence(() -> world.nanoTime() - sinceNs);
            socket.send("GET /f.bin HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n"
                    .getBytes(StandardCharsets.US_ASCII));
            socket.onRegistered(() -> world.arrive(0, socket::report));
            socket.onClosed(() -> {
                boolean isServed = socket.taken >= BYTES;
                served += isServed ? 1 : 0;
                refused += isServed ? 0 : 1;
            });
            return socket;
        }
    }
}
