// SPDX-License-Identifier: Apache-2.0
package io.mely.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * What a colored socket promises, whatever the transport: reading and writing, files, ends, listening. Peers are plain JDK sockets. One class, as both
 * transports inherit it whole and all parts share its fixtures.
 */
@Timeout(120)
abstract class ColoredSocketContract {
    private static final int CORES = 2;
    private static final InetSocketAddress ANY_PORT = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

    @TempDir
    Path folder;

    CoreEventLoopGroup group;
    HandCores cores;

    abstract CoreEventLoopGroup newGroup();

    abstract boolean isNoDelay(ColoredSocket socket) throws IOException;

    /** Whether it knows how long a peer has been silent. */
    abstract boolean knowsSilence();

    @BeforeEach
    void start() {
        group = newGroup();
        cores = HandCores.started(group, CORES);
    }

    @AfterEach
    void stop() {
        cores.close();
    }

    @Test
    void silentNs_growsUntilSomethingComes() throws IOException {
        try (Accepting accepting = new Accepting();
                Socket peer = accepting.connect()) {
            ColoredSocket socket = accepting.next();
            if (knowsSilence()) {
                long shortNs = TimeUnit.MILLISECONDS.toNanos(20);
                Await.until("a connection that says nothing", () -> socket.silentNs() > 2 * shortNs);
                Await.until("bytes that have just come", () -> {
                    write(peer);
                    return socket.silentNs() < shortNs;
                });
                socket.close();
            }
            assertThat(socket.silentNs()).isEqualTo(-1);
            socket.close();
        }
    }

    private static void write(Socket peer) {
        try {
            peer.getOutputStream().write(1);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    // ------------------------------------------------------------------ fixtures

    /** A listener whose connections are handed to the test. */
    private final class Accepting implements AutoCloseable {
        final Queue<ColoredSocket> accepted = new ConcurrentLinkedQueue<>();
        final HandCores.Lane lane = cores.lane(1);
        final ColoredListener listener;

        Accepting() throws IOException {
            listener = ColoredListener.listen(group, ANY_PORT, ListenOptions.defaults(), 0, l -> {
                lane.execute(() -> acceptAll(l));
                return true;
            });
        }

        private void acceptAll(ColoredListener listener) {
            try {
                for (ColoredSocket s = listener.accept(); s != null; s = listener.accept()) {
                    accepted.add(s);
                }
            } catch (ClosedChannelException e) {
                // the end of the test
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        }

        Socket connect() throws IOException {
            Socket peer = new Socket();
            peer.setSoTimeout((int) Await.TIMEOUT.toMillis());
            peer.connect(listener.localAddress());
            return peer;
        }

        ColoredSocket next() {
            Await.until("a connection", () -> !accepted.isEmpty());
            return accepted.remove();
        }

        @Override
        public void close() {
            listener.close();
        }
    }

    /** Echoes what it reads, in a lane of its own. */
    private final class Echo {
        final HandCores.Lane lane;
        final ByteBuffer buffer = ByteBuffer.allocateDirect(1 << 16);
        boolean isHungUp;

        Echo(long seed) {
            lane = cores.lane(seed);
        }

        void serve(ColoredSocket socket) {
            try {
                echo(socket);
            } catch (PeerGoneException | ClosedChannelException e) {
                socket.close();
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        }

        private void echo(ColoredSocket socket) throws IOException {
            while (true) {
                if (buffer.position() > 0) {
                    buffer.flip();
                    socket.write(buffer);
                    buffer.compact();
                    if (buffer.position() > 0) {
                        socket.awaitWritable();
                        return;
                    }
                }
                int room = buffer.remaining();
                int n = socket.read(buffer);
                if (n < 0) {
                    socket.close();
                    return;
                }
                if (n == 0 || (n < room && !isHungUp && buffer.position() == 0)) {
                    return;
                }
            }
        }
    }

    private void registerEcho(ColoredSocket socket, int core, long seed) throws IOException {
        Echo echo = new Echo(seed);
        socket.attach(echo);
        socket.register(core, (s, ready) -> {
            ((Echo) s.attachment()).lane.execute(() -> {
                echo.isHungUp |= (ready & ColoredSocket.HANGUP) != 0;
                ((Echo) s.attachment()).serve(s);
            });
            return true;
        });
    }

    private static ByteBuffer direct(String text) {
        byte[] bytes = text.getBytes(java.nio.charset.StandardCharsets.US_ASCII);
        return ByteBuffer.allocateDirect(bytes.length).put(bytes).flip();
    }

    private static void patternAt(long position, ByteBuffer into) {
        while (into.hasRemaining()) {
            into.put(patternAt(position++));
        }
    }

    private static byte patternAt(long position) {
        return (byte) (position * 31 + (position >>> 13));
    }

    // ------------------------------------------------------------------ reading and writing

    /** What goes in comes out, however it is split, and wherever the color runs. */
    @Test
    void echo_randomSplitsAndStolenColors() throws Exception {
        long seed = System.nanoTime();
        System.out.println("echo seed=" + seed);
        int connections = 8;
        int bytesEach = 1 << 20;
        try (Accepting accepting = new Accepting()) {
            List<Thread> clients = new ArrayList<>();
            AtomicReference<Throwable> failure = new AtomicReference<>();
            for (int i = 0; i < connections; i++) {
                Random random = new Random(seed + i);
                Socket peer = accepting.connect();
                registerEcho(accepting.next(), i % CORES, seed + i);
                Thread writer = new Thread(() -> writeRandomly(peer, bytesEach, random, failure));
                Thread reader = new Thread(() -> readPattern(peer, bytesEach, failure));
                clients.add(writer);
                clients.add(reader);
                writer.start();
                reader.start();
            }
            for (Thread client : clients) {
                client.join(Await.TIMEOUT.toMillis());
                assertThat(client.isAlive()).isFalse();
            }
            assertThat(failure.get()).isNull();
        }
    }

    private static void writeRandomly(Socket peer, int bytes, Random random, AtomicReference<Throwable> failure) {
        try {
            int at = 0;
            while (at < bytes) {
                byte[] part = new byte[Math.min(bytes - at, 1 + random.nextInt(random.nextBoolean() ? 100 : 50_000))];
                patternAt(at, ByteBuffer.wrap(part));
                peer.getOutputStream().write(part);
                at += part.length;
            }
        } catch (Throwable e) {
            failure.compareAndSet(null, e);
        }
    }

    private static void readPattern(Socket peer, long bytes, AtomicReference<Throwable> failure) {
        try (peer) {
            readPattern(peer.getInputStream(), bytes);
        } catch (Throwable e) {
            failure.compareAndSet(null, e);
        }
    }

    private static void readPattern(InputStream in, long bytes) throws IOException {
        byte[] part = new byte[1 << 16];
        long at = 0;
        while (at < bytes) {
            int n = in.read(part);
            assertThat(n).as("bytes at " + at).isPositive();
            for (int i = 0; i < n; i++) {
                if (part[i] != patternAt(at + i)) {
                    throw new AssertionError("wrong byte at " + (at + i));
                }
            }
            at += n;
        }
    }

    /** A transfer larger than all buffers gets through by partial writes and awaitWritable. */
    @Test
    void write_largerThanTheBuffers() throws Exception {
        long bytes = 48L << 20;
        AtomicInteger waits = new AtomicInteger();
        try (Accepting accepting = new Accepting();
                Socket peer = accepting.connect()) {
            ColoredSocket socket = accepting.next();
            HandCores.Lane lane = cores.lane(2);
            ByteBuffer buffer = ByteBuffer.allocateDirect(1 << 18).flip();
            long[] at = {0};
            Runnable pump = () -> {
                try {
                    while (true) {
                        if (!buffer.hasRemaining()) {
                            if (at[0] == bytes) {
                                socket.shutdownOutput();
                                return;
                            }
                            buffer.clear();
                            patternAt(at[0], buffer);
                            buffer.flip();
                            at[0] += buffer.remaining();
                        }
                        socket.write(buffer);
                        if (buffer.hasRemaining()) {
                            waits.incrementAndGet();
                            socket.awaitWritable();
                            return;
                        }
                    }
                } catch (IOException e) {
                    throw new AssertionError(e);
                }
            };
            socket.register(1, (s, ready) -> {
                if ((ready & ColoredSocket.WRITE) != 0) {
                    lane.execute(pump);
                }
                return true;
            });
            lane.execute(pump);
            Await.until("the buffers are full", () -> waits.get() > 0);
            readPattern(peer.getInputStream(), bytes);
            assertThat(peer.getInputStream().read()).isEqualTo(-1);
            socket.close();
        }
    }

    /** A gathering write takes the buffers in order and moves their positions. */
    @Test
    void write_gathering() throws Exception {
        try (Accepting accepting = new Accepting();
                Socket peer = accepting.connect()) {
            ColoredSocket socket = accepting.next();
            ByteBuffer[] parts = {
                direct("not this"),
                direct("one "),
                direct("two ").asReadOnlyBuffer(),
                direct(""),
                direct("three"),
                direct("nor this")
            };
            assertThat(socket.write(parts, 1, 4)).isEqualTo(13);
            assertThat(parts[1].hasRemaining() || parts[2].hasRemaining() || parts[4].hasRemaining())
                    .isFalse();
            assertThat(parts[0].remaining()).isEqualTo(8);
            assertThat(peer.getInputStream().readNBytes(13)).asString().isEqualTo("one two three");
            socket.close();
        }
    }

    /** Bytes before more come in order, before those; and by themselves when there are no more. */
    @Test
    void writeBeforeMore() throws Exception {
        Path path = folder.resolve("body");
        Files.writeString(path, "the body");
        try (Accepting accepting = new Accepting();
                Socket peer = accepting.connect();
                OpenFile file = OpenFile.open(path)) {
            ColoredSocket socket = accepting.next();
            ByteBuffer head = direct("not this: head, ").position(10);
            assertThat(socket.writeBeforeMore(head)).isEqualTo(6);
            assertThat(head.hasRemaining()).isFalse();
            assertThat(socket.sendFile(file, 0, 8)).isEqualTo(8);
            assertThat(peer.getInputStream().readNBytes(14)).asString().isEqualTo("head, the body");
            assertThat(socket.writeBeforeMore(direct("last").asReadOnlyBuffer()))
                    .isEqualTo(4);
            assertThat(peer.getInputStream().readNBytes(4)).asString().isEqualTo("last");
            assertThat(socket.writeBeforeMore(direct(""))).isZero();
            socket.close();
            assertThatThrownBy(() -> socket.writeBeforeMore(direct("x"))).isInstanceOf(ClosedChannelException.class);
        }
    }

    /** What the kernel doesn't take of them is left, and a peer that is gone is told as by a write. */
    @Test
    void writeBeforeMore_fullAndGone() throws Exception {
        try (Accepting accepting = new Accepting()) {
            Socket peer = accepting.connect();
            ColoredSocket socket = accepting.next();
            ByteBuffer block = ByteBuffer.allocateDirect(1 << 20);
            int n = 1;
            for (int i = 0; n > 0; i++) {
                assertThat(i).isLessThan(1_000);
                n = socket.writeBeforeMore(block.clear());
                assertThat(block.position()).isEqualTo(n);
            }
            peer.setSoLinger(true, 0);
            peer.close();
            Await.until("the reset", () -> isGone(socket, block.clear()));
            socket.close();
        }
    }

    private static boolean isGone(ColoredSocket socket, ByteBuffer block) {
        try {
            socket.writeBeforeMore(block);
            return false;
        } catch (PeerGoneException e) {
            return true;
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /** More buffers than the kernel takes at once are written in part, in order. */
    @Test
    void write_gatheringMoreThanTheKernelTakes() throws Exception {
        int count = 3000;
        try (Accepting accepting = new Accepting();
                Socket peer = accepting.connect()) {
            ColoredSocket socket = accepting.next();
            ByteBuffer[] parts = new ByteBuffer[count];
            for (int i = 0; i < count; i++) {
                parts[i] = ByteBuffer.allocateDirect(1).put(patternAt(i)).flip();
            }
            int offset = 0;
            while (offset < count) {
                long n = socket.write(parts, offset, count - offset);
                assertThat(n).isPositive();
                offset += (int) n;
            }
            readPattern(peer.getInputStream(), count);
            socket.close();
        }
    }

    /** Wrong buffers are refused by name, before anything is touched. */
    @Test
    void buffers_wrong() throws Exception {
        try (Accepting accepting = new Accepting();
                Socket peer = accepting.connect()) {
            ColoredSocket socket = accepting.next();
            ByteBuffer heap = ByteBuffer.allocate(1);
            ByteBuffer full = ByteBuffer.allocateDirect(1).position(1);
            assertThatThrownBy(() -> socket.read(heap))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("dst");
            assertThatThrownBy(() -> socket.read(full))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("dst");
            assertThatThrownBy(() -> socket.write(heap))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("src");
            assertThatThrownBy(() -> socket.writeBeforeMore(heap))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("src");
            assertThatThrownBy(() -> socket.write(new ByteBuffer[] {direct("x"), heap}, 0, 2))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("srcs[1]");
            assertThat(socket.write(full)).isZero();
            assertThat(socket.isOpen()).isTrue();
            assertThat(peer.isConnected()).isTrue();
            socket.close();
        }
    }

    /** What was there before the registration, end of stream included, is reported after it. */
    @Test
    void register_lateAndFromAnotherThread() throws Exception {
        try (Accepting accepting = new Accepting();
                Socket peer = accepting.connect()) {
            ColoredSocket socket = accepting.next();
            assertThat(socket.core()).isEqualTo(-1);
            peer.getOutputStream().write("hello".getBytes(java.nio.charset.StandardCharsets.US_ASCII));
            peer.shutdownOutput();
            AtomicInteger all = new AtomicInteger();
            socket.register(1, (s, ready) -> {
                assertThat(Thread.currentThread()).isSameAs(cores.core(1));
                all.set(all.get() | ready);
                return true;
            });
            assertThat(socket.core()).isEqualTo(1);
            Await.until("READ", () -> (all.get() & ColoredSocket.READ) != 0);
            ByteBuffer buffer = ByteBuffer.allocateDirect(100);
            assertThat(socket.read(buffer)).isEqualTo(5);
            if ((all.get() & ColoredSocket.HANGUP) == 0) { // then another report must come
                all.set(0);
                Await.until("the end of the stream", () -> readQuietly(socket, buffer) < 0);
            } else {
                assertThat(socket.read(buffer)).isEqualTo(-1);
            }
            assertThatThrownBy(() -> socket.register(0, (s, ready) -> true)).isInstanceOf(IllegalStateException.class);
            socket.close();
        }
    }

    private static int readQuietly(ColoredSocket socket, ByteBuffer buffer) {
        try {
            return socket.read(buffer);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /** After each read that found less than it had room for, new bytes are reported again: none is lost, over many rounds. */
    @Test
    void readiness_isReportedForEachMessage() throws Exception {
        int rounds = 20_000;
        try (Accepting accepting = new Accepting();
                Socket peer = accepting.connect()) {
            peer.setTcpNoDelay(true);
            registerEcho(accepting.next(), 0, 5);
            byte[] message = {1, 2, 3, 4};
            for (int i = 0; i < rounds; i++) {
                peer.getOutputStream().write(message);
                assertThat(peer.getInputStream().readNBytes(4)).hasSize(4);
            }
        }
    }

    /** A wait for room that meets the registration on the loop is heard, and once: the first mask may not undo it. */
    @Test
    void awaitWritable_whileItIsRegistered() throws Exception {
        int rounds = 2_000;
        int spinsMax = 50;
        Random random = new Random(11);
        try (Accepting accepting = new Accepting()) {
            for (int i = 0; i < rounds; i++) {
                try (Socket peer = accepting.connect()) {
                    ColoredSocket socket = accepting.next();
                    AtomicInteger writes = new AtomicInteger();
                    socket.register(0, (s, ready) -> {
                        if ((ready & ColoredSocket.WRITE) != 0) {
                            writes.incrementAndGet();
                        }
                        return true;
                    });
                    while (((LoopHandle) socket).registration() == null) {
                        Thread.onSpinWait();
                    }
                    for (int spins = random.nextInt(spinsMax); spins > 0; spins--) {
                        Thread.onSpinWait();
                    }
                    socket.awaitWritable();
                    String round = "room, in round " + i;
                    Await.until(round, () -> writes.get() > 0);
                    socket.close();
                    assertThat(peer.getInputStream().read()).isEqualTo(-1); // by the loop, after what it has to report
                    assertThat(writes.get()).as(round).isEqualTo(1);
                }
            }
        }
    }

    // ------------------------------------------------------------------ files

    /** 64 MB arrive as they are in the file, by partial sends. */
    @Test
    void sendFile_large() throws Exception {
        long bytes = (64L << 20) + 12_345;
        Path path = folder.resolve("large");
        long crc = writeFile(path, bytes);
        AtomicInteger waits = new AtomicInteger();
        try (Accepting accepting = new Accepting();
                Socket peer = accepting.connect();
                OpenFile file = OpenFile.open(path)) {
            assertThat(file.size()).isEqualTo(bytes);
            ColoredSocket socket = accepting.next();
            HandCores.Lane lane = cores.lane(3);
            AtomicLong at = new AtomicLong();
            Runnable pump = () -> {
                try {
                    while (at.get() < bytes) {
                        long n = socket.sendFile(file, at.get(), Math.min(1 << 20, bytes - at.get()));
                        assertThat(n).isNotNegative();
                        if (n == 0) {
                            waits.incrementAndGet();
                            socket.awaitWritable();
                            return;
                        }
                        at.addAndGet(n);
                    }
                    socket.shutdownOutput();
                } catch (IOException e) {
                    throw new AssertionError(e);
                }
            };
            socket.register(0, (s, ready) -> {
                if ((ready & ColoredSocket.WRITE) != 0) {
                    lane.execute(pump);
                }
                return true;
            });
            lane.execute(pump);
            Await.until("the buffers are full", () -> waits.get() > 0);
            CRC32C received = new CRC32C();
            byte[] part = new byte[1 << 16];
            long total = 0;
            for (int n = peer.getInputStream().read(part);
                    n >= 0;
                    n = peer.getInputStream().read(part)) {
                received.update(part, 0, n);
                total += n;
            }
            assertThat(total).isEqualTo(bytes);
            assertThat(received.getValue()).isEqualTo(crc);
            socket.close();
        }
    }

    private static long writeFile(Path path, long bytes) throws IOException {
        CRC32C crc = new CRC32C();
        Random random = new Random(7);
        byte[] part = new byte[1 << 20];
        try (var out = Files.newOutputStream(path)) {
            for (long at = 0; at < bytes; at += part.length) {
                random.nextBytes(part);
                int n = (int) Math.min(part.length, bytes - at);
                crc.update(part, 0, n);
                out.write(part, 0, n);
            }
        }
        return crc.getValue();
    }

    /** A file that shrank is told from a full buffer. */
    @Test
    void sendFile_truncated() throws Exception {
        Path path = folder.resolve("shrinks");
        writeFile(path, 10_000);
        try (Accepting accepting = new Accepting();
                Socket peer = accepting.connect();
                OpenFile file = OpenFile.open(path)) {
            ColoredSocket socket = accepting.next();
            assertThat(socket.sendFile(file, 0, 4_000)).isEqualTo(4_000);
            try (RandomAccessFile shrink = new RandomAccessFile(path.toFile(), "rw")) {
                shrink.setLength(6_000);
            }
            assertThat(socket.sendFile(file, 4_000, 6_000)).isEqualTo(2_000);
            assertThat(socket.sendFile(file, 6_000, 4_000)).isEqualTo(-1);
            assertThat(socket.sendFile(file, 9_000, 1_000)).isEqualTo(-1);
            assertThat(peer.getInputStream().readNBytes(6_000)).hasSize(6_000);
            socket.close();
        }
    }

    /** A color that sends with its interrupt set, which the JDK's channels take for a wish to be closed, leaves the file open for the others. */
    @Test
    void sendFile_interrupted() throws Exception {
        Path path = folder.resolve("shared");
        writeFile(path, 10);
        try (Accepting accepting = new Accepting();
                Socket peer = accepting.connect();
                OpenFile known = OpenFile.open(path);
                OpenFile plain = ChannelFile.openByChannel(path)) {
            ColoredSocket socket = accepting.next();
            for (OpenFile file : List.of(known, plain)) {
                Thread.currentThread().interrupt();
                assertThat(socket.sendFile(file, 0, 10)).isEqualTo(10);
                assertThat(socket.sendFile(file, 10, 1)).isEqualTo(-1);
                assertThat(Thread.interrupted()).isTrue();
                assertThat(socket.sendFile(file, 0, 10)).isEqualTo(10);
            }
            assertThat(peer.getInputStream().readNBytes(40)).hasSize(40);
            socket.close();
        } finally {
            boolean unused = Thread.interrupted();
        }
    }

    /** Files of the JDK go through every transport, too. */
    @Test
    void sendFile_withoutNativeCalls() throws Exception {
        Path path = folder.resolve("plain");
        writeFile(path, 300_000);
        byte[] bytes = Files.readAllBytes(path);
        try (Accepting accepting = new Accepting();
                Socket peer = accepting.connect();
                OpenFile file = ChannelFile.openByChannel(path)) {
            ColoredSocket socket = accepting.next();
            long at = 0;
            while (at < 100_000) {
                long n = socket.sendFile(file, at, 100_000 - at);
                assertThat(n).isNotNegative(); // 0 while the kernel is behind
                at += n;
            }
            assertThat(socket.sendFile(file, 300_000, 1)).isEqualTo(-1);
            assertThat(peer.getInputStream().readNBytes(100_000)).isEqualTo(java.util.Arrays.copyOf(bytes, 100_000));
            socket.close();
        }
    }

    /** Wrong arguments and a closed file are refused. */
    @Test
    void sendFile_wrong() throws Exception {
        Path path = folder.resolve("small");
        writeFile(path, 10);
        OpenFile file = OpenFile.open(path);
        try (Accepting accepting = new Accepting();
                Socket peer = accepting.connect()) {
            ColoredSocket socket = accepting.next();
            assertThatThrownBy(() -> socket.sendFile(file, -1, 1))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("position=-1");
            assertThatThrownBy(() -> socket.sendFile(file, 0, 0))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("count=0");
            file.close();
            assertThatThrownBy(() -> socket.sendFile(file, 0, 1))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("small");
            assertThat(peer.isConnected()).isTrue();
            socket.close();
        }
    }

    // ------------------------------------------------------------------ ends

    /** A reset is reported and told from other errors; whatever is called then fails the same way or says the end. */
    @Test
    void peer_resets() throws Exception {
        try (Accepting accepting = new Accepting()) {
            Socket peer = accepting.connect();
            ColoredSocket socket = accepting.next();
            CountDownLatch told = new CountDownLatch(1);
            socket.register(0, (s, ready) -> {
                told.countDown();
                return true;
            });
            peer.setSoLinger(true, 0);
            peer.close();
            assertThat(told.await(60, TimeUnit.SECONDS)).isTrue();
            assertThatThrownBy(() -> socket.read(ByteBuffer.allocateDirect(10))).isInstanceOf(PeerGoneException.class);
            assertThatThrownBy(() -> socket.write(direct("x"))).isInstanceOf(PeerGoneException.class);
            socket.shutdownOutput();
            assertThat(socket.isOpen()).isTrue();
            assertThat(socket.remoteAddress().getPort()).isPositive();
            socket.close();
            assertThat(socket.isOpen()).isFalse();
        }
    }

    /** Writing to a peer that reads no more fails as a lost connection, by every kind of write. */
    @Test
    void peer_closesWhileWrittenTo() throws Exception {
        Path path = folder.resolve("some");
        writeFile(path, 1 << 16);
        try (Accepting accepting = new Accepting();
                OpenFile file = OpenFile.open(path)) {
            List<java.util.function.ToLongFunction<ColoredSocket>> writes = List.of(
                    s -> quietly(() -> (long) s.write(direct("x"))),
                    s -> quietly(() -> s.write(new ByteBuffer[] {direct("x"), direct("y")}, 0, 2)),
                    s -> quietly(() -> s.sendFile(file, 0, 100)));
            for (var write : writes) {
                Socket peer = accepting.connect();
                ColoredSocket socket = accepting.next();
                peer.close();
                Await.until("a lost connection", () -> write.applyAsLong(socket) == Long.MIN_VALUE);
                socket.close();
            }
        }
    }

    private interface Call {
        long call() throws IOException;
    }

    private static long quietly(Call call) {
        try {
            return call.call();
        } catch (PeerGoneException e) {
            return Long.MIN_VALUE;
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /** Each direction ends by itself. */
    @Test
    void halfClose_bothWays() throws Exception {
        try (Accepting accepting = new Accepting();
                Socket peer = accepting.connect()) {
            ColoredSocket socket = accepting.next();
            AtomicInteger all = new AtomicInteger();
            socket.register(0, (s, ready) -> {
                all.getAndUpdate(r -> r | ready);
                return true;
            });
            peer.shutdownOutput();
            Await.until("the peer's end", () -> (all.get() & ColoredSocket.READ) != 0);
            assertThat(socket.read(ByteBuffer.allocateDirect(10))).isEqualTo(-1);
            assertThat(socket.write(direct("still here"))).isEqualTo(10);
            socket.shutdownOutput();
            assertThat(peer.getInputStream().readAllBytes()).asString().isEqualTo("still here");
            socket.close();
        }
    }

    /** A closed socket refuses every call, and closing again does nothing. */
    @Test
    void close_refusesCalls() throws Exception {
        Path path = folder.resolve("small");
        writeFile(path, 10);
        try (Accepting accepting = new Accepting();
                OpenFile file = OpenFile.open(path)) {
            for (boolean isRegistered : new boolean[] {true, false}) {
                try (Socket peer = accepting.connect()) {
                    ColoredSocket socket = accepting.next();
                    if (isRegistered) {
                        socket.register(1, (s, ready) -> true);
                    }
                    socket.close();
                    socket.close();
                    assertThat(socket.isOpen()).isFalse();
                    assertClosed(() -> socket.read(ByteBuffer.allocateDirect(1)));
                    assertClosed(() -> socket.write(direct("x")));
                    assertClosed(() -> socket.write(new ByteBuffer[] {direct("x")}, 0, 1));
                    assertClosed(() -> socket.sendFile(file, 0, 1));
                    assertClosed(() -> {
                        socket.awaitWritable();
                        return 0;
                    });
                    assertClosed(() -> {
                        socket.shutdownOutput();
                        return 0;
                    });
                    if (!isRegistered) {
                        assertClosed(() -> {
                            socket.register(0, (s, ready) -> true);
                            return 0;
                        });
                    }
                    assertThat(peer.getInputStream().read()).isEqualTo(-1);
                }
            }
        }
    }

    private static void assertClosed(Call call) {
        assertThatThrownBy(call::call).isInstanceOf(ClosedChannelException.class);
    }

    /** Numbers are unique among open sockets, small, and used again. */
    @Test
    void id_isUniqueAndReused() throws Exception {
        int max = 0;
        try (Accepting accepting = new Accepting()) {
            List<Socket> peers = new ArrayList<>();
            List<ColoredSocket> sockets = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                peers.add(accepting.connect());
                sockets.add(accepting.next());
            }
            assertThat(sockets.stream().map(ColoredSocket::id).distinct()).hasSize(20);
            max = sockets.stream().mapToInt(ColoredSocket::id).max().getAsInt();
            sockets.forEach(ColoredSocket::close);
            for (Socket peer : peers) {
                peer.close();
            }
            for (int i = 0; i < 200; i++) {
                try (Socket peer = accepting.connect()) {
                    ColoredSocket socket = accepting.next();
                    assertThat(socket.id()).isNotNegative().isLessThanOrEqualTo(max);
                    socket.register(i % CORES, (s, ready) -> true);
                    socket.close();
                    assertThat(peer.getInputStream().read()).isEqualTo(-1);
                }
            }
        }
    }

    /** 2,000 connections leave no descriptor behind, closed before, during or after their registration. */
    @Test
    void descriptors_doNotLeak() throws Exception {
        try (Accepting accepting = new Accepting()) {
            connectAndClose(accepting, 0);
            int before = Descriptors.open();
            for (int i = 0; i < 2_000; i++) {
                connectAndClose(accepting, i);
            }
            Await.until("as many descriptors as before", () -> Descriptors.open() <= before + 5);
        }
    }

    private void connectAndClose(Accepting accepting, int how) throws Exception {
        try (Socket peer = accepting.connect()) {
            ColoredSocket socket = accepting.next();
            CountDownLatch told = new CountDownLatch(1);
            if (how % 3 != 0) {
                socket.register(how % CORES, (s, ready) -> {
                    told.countDown();
                    return true;
                });
            }
            if (how % 3 == 2) {
                peer.getOutputStream().write(1);
                assertThat(told.await(60, TimeUnit.SECONDS)).isTrue();
            }
            socket.close();
        }
    }

    /** The end of the runtime closes what is open, tells its handlers, and leaves nothing behind. */
    @Test
    void shutdown_closesWhatIsOpen() throws Exception {
        int connections = 50;
        Accepting accepting = new Accepting();
        int before = Descriptors.open();
        List<Socket> peers = new ArrayList<>();
        List<ColoredSocket> sockets = new ArrayList<>();
        Queue<ColoredSocket> told = new ConcurrentLinkedQueue<>();
        for (int i = 0; i < connections; i++) {
            peers.add(accepting.connect());
            ColoredSocket socket = accepting.next();
            sockets.add(socket);
            socket.register(i % CORES, (s, ready) -> {
                if ((ready & ColoredSocket.HANGUP) != 0) {
                    told.add(s);
                }
                return true;
            });
        }
        Socket unregisteredPeer = accepting.connect();
        ColoredSocket unregistered = accepting.next();
        cores.close();
        assertThat(told).containsExactlyInAnyOrderElementsOf(sockets);
        for (ColoredSocket socket : sockets) {
            assertThat(socket.isOpen()).isFalse();
            assertClosed(() -> socket.read(ByteBuffer.allocateDirect(1)));
            socket.close();
        }
        assertThat(accepting.listener.isOpen()).isFalse();
        assertClosed(() -> {
            accepting.listener.accept();
            return 0;
        });
        assertThatThrownBy(() -> unregistered.register(0, (s, ready) -> true))
                .isInstanceOf(RejectedExecutionException.class);
        assertThat(unregistered.isOpen()).isFalse();
        for (Socket peer : peers) {
            assertThat(peer.getInputStream().read()).isEqualTo(-1);
            peer.close();
        }
        unregisteredPeer.close();
        Await.until("no more descriptors than before", () -> Descriptors.open() <= before);
    }

    // ------------------------------------------------------------------ urgent bytes

    /** A reader that stops at each short read, as it may, gets all ordinary bytes, wherever urgent ones cut the stream. */
    @Test
    void read_shortBeforeUrgentBytes() throws Exception {
        try (Accepting accepting = new Accepting()) {
            for (int round = 0; round < 60; round++) {
                Socket peer = accepting.connect();
                ColoredSocket socket = accepting.next();
                boolean isEarly = round % 2 == 0; // all is there before the first report, or comes while it reads
                int room = 1 + round % 7;
                AtomicInteger got = new AtomicInteger();
                AtomicReference<Throwable> failure = new AtomicReference<>();
                HandCores.Lane lane = cores.lane(round);
                if (isEarly) {
                    writeWithUrgentBytes(peer);
                }
                socket.register(1, (s, ready) -> {
                    lane.execute(() -> readToShort(s, room, got, failure));
                    return true;
                });
                if (!isEarly) {
                    writeWithUrgentBytes(peer);
                }
                int nr = round;
                Await.until("all bytes of round " + nr, () -> got.get() == 12 || failure.get() != null);
                assertThat(failure.get()).isNull();
                lane.execute(socket::close);
                assertThat(peer.getInputStream().read()).isEqualTo(-1);
                peer.close();
            }
        }
    }

    private static void writeWithUrgentBytes(Socket peer) throws IOException {
        peer.setTcpNoDelay(true);
        peer.getOutputStream().write(new byte[5]);
        peer.sendUrgentData(1);
        peer.getOutputStream().write(new byte[7]);
    }

    private static void readToShort(
            ColoredSocket socket, int room, AtomicInteger got, AtomicReference<Throwable> failure) {
        try {
            int n;
            do {
                n = socket.read(ByteBuffer.allocateDirect(room));
                got.addAndGet(Math.max(n, 0));
            } while (n == room);
        } catch (Throwable e) {
            failure.compareAndSet(null, e);
        }
    }

    // ------------------------------------------------------------------ refused reports

    /** Refuses as long as it is told to, then takes; notes what it was offered. */
    private static final class Choosy {
        final AtomicInteger refused = new AtomicInteger();
        final AtomicInteger taken = new AtomicInteger();
        final AtomicInteger bits = new AtomicInteger();
        volatile boolean isFull = true;

        boolean offer(int ready) {
            if (isFull) {
                if (refused.incrementAndGet() % 2 == 0) {
                    throw new RejectedExecutionException("planted");
                }
                return false;
            }
            bits.getAndUpdate(b -> b | ready);
            taken.incrementAndGet();
            return true;
        }
    }

    /** A report that is refused is made again until it is taken, once, with what became ready meanwhile; and the core sleeps in between. */
    @Test
    void report_refused() throws Exception {
        try (Accepting accepting = new Accepting();
                Socket peer = accepting.connect()) {
            ColoredSocket socket = accepting.next();
            Choosy choosy = new Choosy();
            socket.register(1, (s, ready) -> choosy.offer(ready));
            peer.getOutputStream().write(1);
            Await.until("refused", () -> choosy.refused.get() > 2);
            socket.awaitWritable();
            HandCores.HandCore core = cores.core(1);
            long blocks = core.blocks;
            Await.until("the core sleeps meanwhile", () -> core.blocks > blocks + 2);
            choosy.isFull = false;
            Await.until("all is reported", () -> (choosy.bits.get() & ColoredSocket.WRITE) != 0);
            assertThat(choosy.bits.get()).isEqualTo(ColoredSocket.READ | ColoredSocket.WRITE);
            int taken = choosy.taken.get();
            assertThat(taken).isBetween(1, 2);
            long polls = core.polls;
            core.send(() -> {});
            Await.until("another turn", () -> core.polls > polls + 1);
            assertThat(choosy.taken.get()).isEqualTo(taken);
            ByteBuffer buffer = ByteBuffer.allocateDirect(10);
            assertThat(socket.read(buffer)).isEqualTo(1);
            socket.close();
        }
    }

    /** More handles than one poll offers are reported all the same, and one that refuses for good does not stop the others. */
    @Test
    void report_refusedByMany() throws Exception {
        int count = 100;
        AtomicInteger served = new AtomicInteger();
        AtomicInteger refused = new AtomicInteger();
        Choosy never = new Choosy();
        List<Socket> peers = new ArrayList<>();
        AtomicInteger room = new AtomicInteger();
        try (Accepting accepting = new Accepting()) {
            for (int i = 0; i < count; i++) {
                Socket peer = accepting.connect();
                peers.add(peer);
                ColoredSocket socket = accepting.next();
                boolean isNever = i % 10 == 0;
                socket.register(1, (s, ready) -> {
                    if (isNever) {
                        return never.offer(ready);
                    }
                    if (room.get() == 0) {
                        refused.incrementAndGet();
                        return false;
                    }
                    served.incrementAndGet();
                    return true;
                });
                peer.getOutputStream().write(1);
            }
            Await.until("all have tried", () -> refused.get() >= count);
            assertThat(served.get()).isZero();
            room.set(1);
            Await.until("all are served", () -> served.get() == count - count / 10);
            assertThat(never.taken.get()).isZero();
            never.isFull = false;
            Await.until("those, too", () -> never.taken.get() == count / 10);
        }
        for (Socket peer : peers) {
            peer.close();
        }
    }

    /** The color's close ends the offers; the shutdown of the loop is one more thing to report, and is offered after it. */
    @Test
    void report_refusedUntilTheEnd() throws Exception {
        try (Accepting accepting = new Accepting();
                Socket peer = accepting.connect();
                Socket other = accepting.connect()) {
            ColoredSocket closed = accepting.next();
            ColoredSocket cutOff = accepting.next();
            Choosy ofClosed = new Choosy();
            Choosy ofCutOff = new Choosy();
            closed.register(1, (s, ready) -> ofClosed.offer(ready));
            cutOff.register(1, (s, ready) -> ofCutOff.offer(ready));
            peer.getOutputStream().write(1);
            other.getOutputStream().write(1);
            Await.until("refused", () -> ofClosed.refused.get() > 0 && ofCutOff.refused.get() > 0);
            closed.close();
            group.loop(1).shutdownGracefully().sync();
            int before = ofCutOff.refused.get();
            Await.until("offered still, without a loop", () -> ofCutOff.refused.get() > before + 2);
            ofClosed.isFull = false;
            ofCutOff.isFull = false;
            Await.until("told", () -> ofCutOff.taken.get() == 1);
            assertThat(ofCutOff.bits.get() & ColoredSocket.HANGUP).isNotZero();
            assertThat(ofClosed.taken.get()).isZero();
            assertClosed(() -> cutOff.read(ByteBuffer.allocateDirect(1)));
        }
    }

    /** Connections are reported again, too. */
    @Test
    void accept_refused() throws Exception {
        Choosy choosy = new Choosy();
        ColoredListener listener = ColoredListener.listen(
                group, ANY_PORT, ListenOptions.defaults(), 1, l -> choosy.offer(ColoredSocket.READ));
        try (Socket peer = new Socket()) {
            peer.connect(listener.localAddress());
            Await.until("refused", () -> choosy.refused.get() > 1);
            choosy.isFull = false;
            Await.until("reported", () -> choosy.taken.get() > 0);
            ColoredSocket socket = listener.accept();
            assertThat(socket).isNotNull();
            socket.close();
        }
        listener.close();
    }

    /** A handler that throws costs its report and nothing else. Netty's own answer is a sleep of one second, which would add up here. */
    @Test
    @Timeout(60)
    void handler_throws() throws Exception {
        Logger log = Logger.getLogger(LoopHandle.class.getName());
        log.setLevel(Level.OFF);
        try (Accepting accepting = new Accepting();
                Socket bad = accepting.connect()) {
            AtomicInteger thrown = new AtomicInteger();
            ByteBuffer buffer = ByteBuffer.allocateDirect(8);
            accepting.next().register(0, (s, ready) -> {
                try {
                    s.read(buffer.clear()); // else nothing more is reported
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
                thrown.incrementAndGet();
                throw new IllegalStateException("planted");
            });
            for (int i = 0; i < 100; i++) {
                int before = i;
                bad.getOutputStream().write(1);
                Await.until("the bad handler was called", () -> thrown.get() > before);
            }
            try (Socket good = accepting.connect()) {
                registerEcho(accepting.next(), 0, 9);
                good.getOutputStream().write(42);
                assertThat(good.getInputStream().read()).isEqualTo(42);
            }
        } finally {
            cores.close();
            log.setLevel(null);
        }
    }

    // ------------------------------------------------------------------ listening

    /** Want of descriptors is told from other errors, and the connection that waited is accepted afterwards. */
    @Test
    void accept_outOfDescriptors() throws Exception {
        ColoredListener listener = ColoredListener.listen(group, ANY_PORT, ListenOptions.defaults(), 0, l -> true);
        try (Socket peer = new Socket(
                listener.localAddress().getAddress(), listener.localAddress().getPort())) {
            AtomicReference<IOException> failure = new AtomicReference<>();
            AtomicInteger calls = new AtomicInteger();
            Descriptors.exhausted(() -> {
                try {
                    if (calls.getAndIncrement() > 0) {
                        listener.accept();
                    } else {
                        failure.set(new OutOfDescriptorsException("loaded", null));
                        failure.set(null);
                    }
                } catch (IOException e) {
                    failure.set(e);
                }
            });
            assertThat(failure.get()).isInstanceOf(OutOfDescriptorsException.class);
            ColoredSocket socket = listener.accept();
            assertThat(socket).isNotNull();
            assertThat(listener.accept()).isNull();
            assertThat(socket.remoteAddress().getPort()).isEqualTo(peer.getLocalPort());
            socket.close();
        } finally {
            listener.close();
        }
    }

    /** A connection that was reset before it was accepted does no harm. */
    @Test
    void accept_connectionDiedWaiting() throws Exception {
        ColoredListener listener = ColoredListener.listen(group, ANY_PORT, ListenOptions.defaults(), 0, l -> true);
        try (Socket peer = new Socket()) {
            peer.setSoLinger(true, 0);
            peer.connect(listener.localAddress());
        }
        ColoredSocket socket = listener.accept();
        if (socket != null) { // Linux hands it out, and the first call says what became of it
            assertThatThrownBy(() -> {
                        Await.until("reset", () -> readQuietly2(socket));
                        socket.write(direct("x"));
                    })
                    .isInstanceOf(PeerGoneException.class);
            socket.close();
        }
        listener.close();
    }

    private static boolean readQuietly2(ColoredSocket socket) {
        try {
            return socket.read(ByteBuffer.allocateDirect(1)) < 0;
        } catch (PeerGoneException e) {
            return true;
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /** Else the loop would find nothing to call, later. */
    @Test
    void listen_nullIsNamed() {
        ListenOptions options = ListenOptions.defaults();
        assertThatNullPointerException()
                .isThrownBy(() -> ColoredListener.listen(null, ANY_PORT, options, 0, l -> true))
                .withMessage("group");
        assertThatNullPointerException()
                .isThrownBy(() -> ColoredListener.listen(group, null, options, 0, l -> true))
                .withMessage("address");
        assertThatNullPointerException()
                .isThrownBy(() -> ColoredListener.listen(group, ANY_PORT, null, 0, l -> true))
                .withMessage("options");
        assertThatNullPointerException()
                .isThrownBy(() -> ColoredListener.listen(group, ANY_PORT, options, 0, null))
                .withMessage("handler");
    }

    /** A port in use is named. */
    @Test
    void listen_addressInUse() throws Exception {
        ColoredListener first = ColoredListener.listen(group, ANY_PORT, ListenOptions.defaults(), 0, l -> true);
        InetSocketAddress address = first.localAddress();
        int before = Descriptors.open();
        assertThatThrownBy(() -> ColoredListener.listen(group, address, ListenOptions.defaults(), 1, l -> true))
                .isInstanceOf(BindException.class)
                .hasMessageContaining("127.0.0.1:" + address.getPort());
        assertThat(Descriptors.open()).isLessThanOrEqualTo(before);
        first.close();
        Await.until("the port is free", () -> {
            try {
                ColoredListener.listen(group, address, ListenOptions.defaults(), 1, l -> true)
                        .close();
                return true;
            } catch (IOException e) {
                return false;
            }
        });
    }

    /** With SO_REUSEPORT each core can have a listener at one address, and between them they get all connections. */
    @Test
    void listen_reusePort() throws Exception {
        ListenOptions options = ListenOptions.defaults().withReusePort(true);
        AtomicInteger accepted = new AtomicInteger();
        AcceptHandler handler = l -> {
            try {
                for (ColoredSocket s = l.accept(); s != null; s = l.accept()) {
                    s.close();
                    accepted.incrementAndGet();
                }
            } catch (IOException e) {
                throw new AssertionError(e);
            }
            return true;
        };
        ColoredListener first = ColoredListener.listen(group, ANY_PORT, options, 0, handler);
        ColoredListener second = ColoredListener.listen(group, first.localAddress(), options, 1, handler);
        for (int i = 0; i < 40; i++) {
            new Socket(first.localAddress().getAddress(), first.localAddress().getPort()).close();
        }
        Await.until("all are accepted", () -> accepted.get() == 40);
        first.close();
        second.close();
    }

    /** What is accepted does not wait to fill packets, and knows its peer. */
    @Test
    void accept_isReadyForUse() throws Exception {
        try (Accepting accepting = new Accepting();
                Socket peer = accepting.connect()) {
            ColoredSocket socket = accepting.next();
            assertThat(isNoDelay(socket)).isTrue();
            assertThat(socket.remoteAddress()).isEqualTo(peer.getLocalSocketAddress());
            assertThat(socket.read(ByteBuffer.allocateDirect(1))).isZero();
            assertThat(socket.toString()).contains("127.0.0.1:" + peer.getLocalPort());
            socket.close();
        }
    }

    /** IPv6 peers and listeners at all addresses work where the machine has IPv6. */
    @Test
    void listen_allAddresses() throws Exception {
        ColoredListener listener =
                ColoredListener.listen(group, new InetSocketAddress(0), ListenOptions.defaults(), 0, l -> true);
        int port = listener.localAddress().getPort();
        assertThat(port).isPositive();
        for (String host : List.of("127.0.0.1", "::1")) {
            try (Socket peer = new Socket()) {
                try {
                    peer.connect(new InetSocketAddress(host, port));
                } catch (IOException e) {
                    assertThat(host).isEqualTo("::1");
                    continue;
                }
                AtomicReference<ColoredSocket> socket = new AtomicReference<>();
                Await.until("accepted", () -> {
                    try {
                        socket.set(listener.accept());
                        return socket.get() != null;
                    } catch (IOException e) {
                        throw new AssertionError(e);
                    }
                });
                assertThat(socket.get().remoteAddress()).isEqualTo(peer.getLocalSocketAddress());
                socket.get().close();
            }
        }
        listener.close();
    }

    /** Wrong arguments are named, and nothing stays open. */
    @Test
    void listen_wrong() throws Exception {
        CoreEventLoopGroup unbuilt = newGroup();
        int before = Descriptors.open();
        assertThatThrownBy(() -> ListenOptions.defaults().withBacklog(0)).hasMessageContaining("backlog=0");
        assertThatThrownBy(() -> ColoredListener.listen(group, ANY_PORT, ListenOptions.defaults(), 2, l -> true))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("core=2");
        assertThatThrownBy(() -> ColoredListener.listen(
                        group,
                        InetSocketAddress.createUnresolved("nowhere", 1),
                        ListenOptions.defaults(),
                        0,
                        l -> true))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("nowhere");
        assertThatThrownBy(() -> ColoredListener.listen(unbuilt, ANY_PORT, ListenOptions.defaults(), 0, l -> true))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("build()");
        assertThat(Descriptors.open()).isLessThanOrEqualTo(before);
    }
}
