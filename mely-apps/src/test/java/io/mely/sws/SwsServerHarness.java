// SPDX-License-Identifier: Apache-2.0
package io.mely.sws;

import static org.assertj.core.api.Assertions.assertThat;

import io.mely.Color;
import io.mely.deploy.stingy.DeclarationCheck;
import io.mely.runtime.Hooks;
import io.mely.spi.NanoClock;
import io.mely.stingy.Stingy;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** One server on real sockets for each test; and after it, that every connection, buffer and file was given back. */
@Timeout(300)
abstract class SwsServerHarness {
    static final String HOST = "Host: test\r\n";
    static final int LARGE = 8 << 20;

    /** So many come at once to overload a core; of 20 all were served before the overload was seen, and it took thousands. */
    static final int NEWCOMERS = 100;

    /** Longer than a client waits: a test in which it passes moves the clock, and no other passes by it. */
    static final Duration HEADER_TIMEOUT = Duration.ofMinutes(10);

    /** For a close: it passes only if something hangs. */
    static final Duration PATIENCE = Duration.ofMinutes(1);

    /** Of a server whose time passes so much slower, nobody is late, however busy the machine is. */
    private static final int SLOWNESS = 60;

    static final byte[] LARGE_CONTENT = new byte[LARGE];

    /** What is linked into the folder of each test, as to write it for each takes longer than most of them. */
    private static final Path LARGE_FILE;

    static {
        new Random(1).nextBytes(LARGE_CONTENT);
        try {
            LARGE_FILE = Files.write(Files.createTempFile("large", ".bin"), LARGE_CONTENT);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        LARGE_FILE.toFile().deleteOnExit();
    }

    @TempDir
    Path temp;

    Path root;
    SwsServer server;
    private final long startNs = System.nanoTime();
    private int slowness = 1;
    final AtomicLong clockAheadNs = new AtomicLong();
    final List<AutoCloseable> clients = new ArrayList<>();

    abstract SwsConfig.Transport transport();

    @BeforeEach
    void makeFolder() throws IOException {
        root = Files.createDirectories(temp.resolve("root"));
        Files.writeString(root.resolve("a.html"), "hello");
        Files.writeString(root.resolve("b.txt"), "b".repeat(3000));
        Files.writeString(root.resolve("c.txt"), "c".repeat(20_000));
        Files.createDirectories(root.resolve("dir"));
        Files.writeString(root.resolve("dir/index.html"), "index");
        Files.writeString(temp.resolve("secret.txt"), "secret");
        Files.createLink(root.resolve("large.bin"), LARGE_FILE);
    }

    /** The large file, for a test that changes it where it is. */
    final Path ownLargeFile() throws IOException {
        Path file = root.resolve("large.bin");
        Files.delete(file);
        return Files.write(file, LARGE_CONTENT);
    }

    /** The clients leave: a server that is told to stop waits for those that it has refused to read so. */
    final void closeClients() throws Exception {
        for (AutoCloseable client : clients) {
            client.close();
        }
        clients.clear();
    }

    @AfterEach
    void nothingIsLeft() throws Exception {
        closeClients();
        if (server != null) {
            await(() -> server.requestStats().open() == 0);
            SwsStats stats = server.requestStats();
            assertThat(stats.exchanges()).isZero();
            assertThat(stats.failures()).isZero();
            server.close(PATIENCE);
            assertThat(server.memoryBytes()).isZero();
            assertThat(server.isTlsReleased()).isTrue();
            assertThat(server.requestStats().openFiles()).isZero();
            assertNoBufferIsLive();
        }
        if (Files.size(LARGE_FILE) != LARGE) {
            Files.write(LARGE_FILE, LARGE_CONTENT);
            throw new AssertionError("the file of all tests was changed: use ownLargeFile()");
        }
    }

    /** After the close: of those in the cores' caches, if there are any. */
    final void assertNoBufferIsLive() {
        Stingy stingy = server.stingy();
        if (stingy != null) {
            assertThat(stingy.stats().sites()).allMatch(site -> site.live() == 0);
        }
    }

    /** Who observes its handlers, and its buffers in the cores' caches; null: nobody. */
    DeclarationCheck declarations() {
        return null;
    }

    void start(UnaryOperator<SwsConfig.Builder> change) throws IOException {
        start(change, Long.MAX_VALUE);
    }

    /** Before the start: for a test of what happens at once, and not of what happens when somebody is late. */
    final void slowClock() {
        slowness = SLOWNESS;
    }

    private long nowNs() {
        return startNs + (System.nanoTime() - startNs) / slowness + clockAheadNs.get();
    }

    /** With so much native memory. */
    void start(UnaryOperator<SwsConfig.Builder> change, long nativeBytesMax) throws IOException {
        SwsConfig config = change.apply(SwsConfig.builder(root)
                        .bind(new InetSocketAddress("127.0.0.1", 0))
                        .cores(2)
                        .transport(transport())
                        .headerTimeout(HEADER_TIMEOUT)
                        .cacheRevalidation(Duration.ofMillis(20)))
                .build();
        NanoClock clock = this::nowNs;
        DeclarationCheck check = declarations();
        Hooks hooks = Hooks.NONE.withClock(clock);
        Hooks observed = check == null ? hooks : hooks.withObservers(check);
        server = SwsServer.start(config, observed::on, clock, nativeBytesMax, application);
        if (check != null) {
            server.stingy().observe(check);
        }
    }

    /** Null: none. */
    Application.Factory application;

    void start() throws IOException {
        start(builder -> builder);
    }

    RawClient connect() throws IOException {
        return connect(0);
    }

    RawClient connect(int receiveBytes) throws IOException {
        RawClient client = dial(receiveBytes);
        clients.add(client);
        return client;
    }

    /** A client that the caller closes. */
    final RawClient dial() throws IOException {
        return dial(0);
    }

    /** The same, with a receive buffer of a size; 0 leaves it to the system. */
    RawClient dial(int receiveBytes) throws IOException {
        return new RawClient(server.localAddress(), receiveBytes);
    }

    static void await(BooleanSupplier condition) {
        long deadline =
                System.nanoTime() + Duration.ofMillis(RawClient.TIMEOUT_MS).toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - deadline > 0) {
                throw new AssertionError("condition not met in time");
            }
            Thread.onSpinWait();
            java.util.concurrent.locks.LockSupport.parkNanos(1_000_000);
        }
    }

    void sparse(String name, long size) throws IOException {
        try (RandomAccessFile file = new RandomAccessFile(root.resolve(name).toFile(), "rw")) {
            file.setLength(size);
        }
    }

    /** Moves the server's clock, and waits until the timers of all cores have seen it. Time passes without it, too: times of a test are hours beside that. */
    final void jump(Duration time) {
        AtomicInteger rang = new AtomicInteger();
        int cores = server.mely.cores();
        for (int core = 0; core < cores; core++) {
            unusedColor(core).schedule(time, rang::incrementAndGet); // the last that is due there
        }
        clockAheadNs.addAndGet(time.toNanos());
        await(() -> {
            wakeCores();
            return rang.get() == cores;
        });
    }

    /** Moves the server's clock until something has come of it: the time that is to be over may begin after the first look. */
    final void advanceUntil(Duration step, BooleanSupplier condition) {
        await(() -> {
            clockAheadNs.addAndGet(step.toNanos());
            wakeCores();
            return condition.getAsBoolean();
        });
    }

    /** A core that sleeps until its next timer, by the time before the jump, looks at the clock again. */
    final void wakeCores() {
        AtomicInteger ran = new AtomicInteger();
        int cores = server.mely.cores();
        for (int core = 0; core < cores; core++) {
            unusedColor(core).execute(ran::incrementAndGet);
        }
        await(() -> ran.get() == cores);
    }

    /** No connection's, with so few of them. */
    private Color unusedColor(int core) {
        int slot = server.mely.colors() - 1;
        while (server.mely.colorAt(slot).homeCore() != core) {
            slot--;
        }
        return server.mely.colorAt(slot);
    }
}
