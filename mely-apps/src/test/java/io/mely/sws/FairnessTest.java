// SPDX-License-Identifier: Apache-2.0
package io.mely.sws;

import static org.assertj.core.api.Assertions.assertThat;

import io.mely.MelyBuilder;
import io.mely.Policy;
import io.mely.Stage;
import io.mely.net.ColoredSocket;
import io.mely.runtime.HandlerObserver;
import io.mely.runtime.Hooks;
import io.mely.simulation.Fault;
import io.mely.simulation.Simulation;
import io.mely.simulation.Simulation.World;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.EnumSet;
import java.util.Queue;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * One client does not keep another waiting: on one core, stepped in virtual time, a client that has always something to do, and one that asks
 * for a small file now and then. Nothing is timed; what the first is served between a request of the second and its answer is counted.
 */
class FairnessTest {
    private static final int ASKED = 40;
    private static final int SEEDS = 20;
    private static final int SLICE = 512 << 10;

    /** The one under way, and one before each look at the sockets and each turn of the other client, whose stages do not always run in one. */
    private static final long SLICES_MAX = 4;

    /** The one under way, and those of one time slice: one of a full buffer, and one where what the core has read from the client ends. */
    private static final long WRITES_MAX = 3;

    private static final long BUFFERS_MAX = 2;

    private static final long HUGE = 1L << 30;
    private static final int FLOOD = 50_000;
    private static final Duration LONG_TIME_SLICE = Duration.ofMillis(10);

    @TempDir
    Path root;

    @BeforeEach
    void makeFiles() throws IOException {
        Files.writeString(root.resolve("a.html"), "hello");
        try (RandomAccessFile huge =
                new RandomAccessFile(root.resolve("huge.bin").toFile(), "rw")) {
            huge.setLength(HUGE);
        }
    }

    private static byte[] request(String path) {
        return ("GET " + path + " HTTP/1.1\r\nHost: test\r\n\r\n").getBytes(StandardCharsets.US_ASCII);
    }

    /**
     * What was counted.
     *
     * @param bytes that the busy client was served at most while the other one waited for an answer
     * @param writes in which it got them
     * @param answers that the other one got
     * @param isBusy whether the busy one was served after the last of them, too
     */
    private record Most(long bytes, long writes, int answers, boolean isBusy) {}

    private Most most(int sliceBytes, byte[] busyAsks) {
        return most(sliceBytes, busyAsks, builder -> builder);
    }

    private Most most(int sliceBytes, byte[] busyAsks, UnaryOperator<MelyBuilder> settings) {
        Most most = new Most(0, 0, 0, true);
        for (long seed = 1; seed <= SEEDS; seed++) {
            Clients[] clients = new Clients[1];
            Working working = new Working();
            Simulation.ofSeed(seed)
                    .cores(1)
                    .settings(
                            builder -> Hooks.NONE.withObservers(core -> working).on(settings.apply(builder)))
                    .faults(EnumSet.noneOf(Fault.class))
                    .run(world -> {
                        working.world = world;
                        clients[0] = new Clients(world, sliceBytes, busyAsks);
                    });
            Most of = clients[0].most;
            most = new Most(
                    Math.max(most.bytes, of.bytes),
                    Math.max(most.writes, of.writes),
                    most.answers + of.answers,
                    most.isBusy && clients[0].busy.taken > clients[0].bytesAtLast);
        }
        return most;
    }

    /** Lets virtual time pass while handlers run: as long as their stages are annotated, or a microsecond. */
    private static final class Working implements HandlerObserver {
        private World world;
        private long timeNs;

        @Override
        public void began(Stage<?> stage, int slot) {
            timeNs = Math.max(1_000, stage.options().processingTimeNs());
        }

        @Override
        public void ended() {
            if (world != null) {
                world.work(Duration.ofNanos(timeNs));
            }
        }

        @Override
        public void sent(Stage<?> stage, int slot) {
            // takes no time of its own
        }
    }

    @Test
    void download_delaysNobodyByMoreThanSomeSlices() {
        Most most = most(SLICE, request("/huge.bin"));
        assertThat(most.answers).isEqualTo(SEEDS * ASKED);
        assertThat(most.isBusy).isTrue();
        assertThat(most.bytes).isBetween(1L, SLICES_MAX * SLICE);
    }

    // The same with slices of 64 MB: what is counted shows it.
    @Test
    void download_inLargeSlices_isNoticed() {
        Most most = most(128 * SLICE, request("/huge.bin"));
        assertThat(most.bytes).isGreaterThan(SLICES_MAX * SLICE);
    }

    // 50,000 requests at once: they are answered by the bufferful, and the other client's one is answered in between.
    @Test
    void flood_delaysNobodyByMoreThanSomeWrites() {
        Most most = most(SLICE, flood());
        assertThat(most.answers).isEqualTo(SEEDS * ASKED);
        assertThat(most.isBusy).isTrue();
        assertThat(most.writes).isBetween(1L, WRITES_MAX);
        assertThat(most.bytes).isBetween(1L, BUFFERS_MAX * Exchange.OUT_BYTES);
    }

    // The same by a core that looks at its sockets every 10 ms: what is counted shows it.
    @Test
    void flood_inLongTimeSlices_isNoticed() {
        Most most =
                most(SLICE, flood(), builder -> builder.policy(Policy.colored().withTimeSlice(LONG_TIME_SLICE)));
        assertThat(most.writes).isGreaterThan(WRITES_MAX);
        assertThat(most.bytes).isGreaterThan(BUFFERS_MAX * Exchange.OUT_BYTES);
    }

    private static byte[] flood() {
        byte[] one = request("/a.html");
        ByteBuffer flood = ByteBuffer.allocate(FLOOD * one.length);
        while (flood.hasRemaining()) {
            flood.put(one);
        }
        return flood.array();
    }

    /** The two clients of a stepped server. */
    private final class Clients {
        private final Simulation.World world;
        private final FakeSocket busy;
        private final FakeSocket small;
        private final Queue<ColoredSocket> backlog = new ArrayDeque<>();
        private final byte[] ask = request("/a.html");
        private int asked;
        private long bytesBefore;
        private long writesBefore;
        private long bytesAtLast;
        private Most most = new Most(0, 0, 0, true);

        Clients(Simulation.World world, int sliceBytes, byte[] busyAsks) {
            this.world = world;
            SwsConfig config =
                    SwsConfig.builder(root).set(SwsSettings.SLICE, sliceBytes).build();
            SteppedServer server = new SteppedServer(world, config, backlog::poll);
            busy = new FakeSocket(3, world::work);
            small = new FakeSocket(4, world::work);
            small.onTaken(this::answered);
            busy.send(busyAsks);
            backlog.add(busy);
            backlog.add(small);
            server.report();
            world.outsideThread("busy", () -> {
                world.arrive(0, busy::report);
                return busy.taken == 0;
            });
            world.outsideThread("small", this::askNext);
        }

        /** While the other is being served: when the last answer has come, asks again. */
        private boolean askNext() {
            if (busy.taken > 0 && most.answers == asked) {
                asked++;
                bytesBefore = busy.taken;
                writesBefore = busy.writes;
                world.arrive(0, () -> {
                    small.send(ask);
                    small.report();
                });
            }
            return asked < ASKED;
        }

        private void answered() {
            bytesAtLast = busy.taken;
            most = new Most(
                    Math.max(most.bytes, busy.taken - bytesBefore),
                    Math.max(most.writes, busy.writes - writesBefore),
                    most.answers + 1,
                    true);
        }
    }
}
