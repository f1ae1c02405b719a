// SPDX-License-Identifier: Apache-2.0
package io.mely.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.netty.channel.epoll.Epoll;
import io.netty.channel.unix.DomainSocketAddress;
import io.netty.channel.unix.Socket;
import java.io.IOException;
import java.net.BindException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CyclicBarrier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Listeners that are no address of this machine: Unix sockets, and sockets that were inherited. */
@Timeout(60)
final class UnixSocketTest {
    private static final String MODE = "rw-rw----";
    private static final byte[] WORDS = "some words".getBytes(java.nio.charset.StandardCharsets.US_ASCII);

    @TempDir
    Path folder;

    private final Queue<ColoredSocket> accepted = new ConcurrentLinkedQueue<>();
    private CoreEventLoopGroup group;
    private HandCores cores;
    private HandCores.Lane lane;
    private Path path;

    @BeforeAll
    static void needsEpoll() {
        assumeTrue(Epoll.isAvailable());
    }

    @BeforeEach
    void start() {
        group = CoreEventLoopGroup.epoll();
        cores = HandCores.started(group, 1);
        lane = cores.lane(1);
        path = folder.resolve("socket");
    }

    @AfterEach
    void stop() {
        cores.close();
    }

    private ColoredListener listen() throws IOException {
        return ColoredListener.listenUnix(
                group, path, PosixFilePermissions.fromString(MODE), ListenOptions.defaults(), 0, this::accept);
    }

    private boolean accept(ColoredListener listener) {
        lane.execute(() -> {
            try {
                for (ColoredSocket socket = listener.accept(); socket != null; socket = listener.accept()) {
                    accepted.add(socket);
                }
            } catch (ClosedChannelException closed) {
                // reported when it was closed
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        });
        return true;
    }

    private ColoredSocket next() {
        Await.until("a connection", () -> !accepted.isEmpty());
        return accepted.remove();
    }

    private SocketChannel connect() throws IOException {
        return SocketChannel.open(UnixDomainSocketAddress.of(path));
    }

    /** What is sent from either side comes to the other; then this side closes. */
    private static void talk(ColoredSocket socket, SocketChannel peer) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocateDirect(100);
        assertThat(socket.write(buffer.put(WORDS).flip())).isEqualTo(WORDS.length);
        ByteBuffer received = ByteBuffer.allocate(WORDS.length);
        while (received.hasRemaining()) {
            assertThat(peer.read(received)).isPositive();
        }
        assertThat(received.array()).isEqualTo(WORDS);
        peer.write(received.flip());
        assertThat(socket.read(buffer.clear())).isEqualTo(WORDS.length);
        assertThat(socket.silentNs()).isEqualTo(-1);
        socket.acknowledge();
        assertThat(socket.writeBeforeMore(buffer.flip())).isEqualTo(WORDS.length);
        socket.close();
        assertThat(peer.read(received.clear())).isEqualTo(WORDS.length);
        assertThat(peer.read(received.clear())).isEqualTo(-1);
    }

    @Test
    void listenUnix_connectionsTalk_andTheFileGoes() throws IOException {
        ColoredListener listener = listen();
        assertThat(listener.name()).isEqualTo("unix:" + path);
        assertThat(listener.localAddress()).isEqualTo(new InetSocketAddress("127.0.0.1", 0));
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(path)))
                .isEqualTo(MODE);
        try (SocketChannel peer = connect()) {
            ColoredSocket socket = next();
            assertThat(socket.remoteAddress()).isEqualTo(new InetSocketAddress("127.0.0.1", 0));
            talk(socket, peer);
        }
        listener.close();
        Await.until("end of the file", () -> !Files.exists(path));
    }

    // What a process has left that died is replaced; where somebody listens, or there is another file, nothing is.
    @Test
    void listenUnix_replacesWhatIsStaleOnly() throws IOException {
        try (ServerSocketChannel dead = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            dead.bind(UnixDomainSocketAddress.of(path));
        }
        assertThat(path).exists();
        ColoredListener listener = listen();
        assertThatThrownBy(this::listen).isInstanceOf(BindException.class).hasMessageEndingWith("unix:" + path);
        connect().close();
        next().close();
        listener.close();
        Await.until("end of the file", () -> !Files.exists(path));
        Files.writeString(path, "a file");
        assertThatThrownBy(this::listen).isInstanceOf(BindException.class);
        assertThat(path).hasContent("a file");
    }

    // Of several that find a stale socket at once one listens, and is there; the others are told.
    @Test
    void listenUnix_severalAtOnce_oneListens() throws Exception {
        int starts = 4;
        for (int round = 0; round < 25; round++) {
            try (ServerSocketChannel dead = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
                dead.bind(UnixDomainSocketAddress.of(path));
            }
            Queue<ColoredListener> listening = new ConcurrentLinkedQueue<>();
            Queue<Throwable> told = new ConcurrentLinkedQueue<>();
            CyclicBarrier together = new CyclicBarrier(starts);
            List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < starts; i++) {
                threads.add(new Thread(() -> {
                    try {
                        together.await();
                        listening.add(listen());
                    } catch (Exception refused) {
                        told.add(refused);
                    }
                }));
            }
            threads.forEach(Thread::start);
            for (Thread each : threads) {
                each.join();
            }
            assertThat(listening).hasSize(1);
            assertThat(told)
                    .hasSize(starts - 1)
                    .allSatisfy(each ->
                            assertThat(each).isInstanceOf(BindException.class).hasMessageEndingWith("unix:" + path));
            for (int i = 1; i < starts; i++) {
                next().close(); // whoever came later has tried whether somebody listens
            }
            try (SocketChannel peer = connect()) {
                talk(next(), peer);
            }
            listening.remove().close();
            Await.until("end of the file", () -> !Files.exists(path));
        }
    }

    /** Another process, in the middle of its start. */
    static final class Starter {
        private Starter() {}

        public static void main(String[] args) throws IOException {
            try (FileChannel start = FileChannel.open(Path.of(args[0]), StandardOpenOption.WRITE)) {
                System.out.println(start.lock().isValid());
                int unused = System.in.read();
            }
        }
    }

    // The other process may still listen there; when it has died, however it did, the place is free.
    @Test
    void listenUnix_whileAnotherProcessStarts_isTold() throws Exception {
        listen().close();
        Await.until("end of the file", () -> !Files.exists(path));
        Process other = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        Starter.class.getName(),
                        path + ".lock")
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try {
            assertThat(other.inputReader().readLine()).isEqualTo("true");
            assertThatThrownBy(this::listen)
                    .isInstanceOf(BindException.class)
                    .hasMessage("another server is just starting there: unix:" + path);
            assertThat(path).doesNotExist();
        } finally {
            other.destroyForcibly().waitFor();
        }
        listen().close();
    }

    // A server whose backlog is full lives: nothing is taken from it.
    @Test
    void listenUnix_backlogIsFull_isTaken() throws IOException {
        try (ServerSocketChannel busy = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            busy.bind(UnixDomainSocketAddress.of(path), 1);
            List<SocketChannel> waiting = new ArrayList<>();
            try {
                boolean isFull = false;
                while (!isFull) {
                    assertThat(waiting).hasSizeLessThan(10);
                    SocketChannel one = SocketChannel.open(StandardProtocolFamily.UNIX);
                    waiting.add(one);
                    one.configureBlocking(false);
                    isFull = isTurnedAway(one);
                }
                assertIsKept();
            } finally {
                for (SocketChannel each : waiting) {
                    each.close();
                }
            }
        }
    }

    private boolean isTurnedAway(SocketChannel one) throws IOException {
        try {
            return !one.connect(UnixDomainSocketAddress.of(path));
        } catch (SocketException full) {
            assertThat(full).isNotInstanceOf(ConnectException.class);
            return true;
        }
    }

    private void assertIsKept() throws IOException {
        Object key = Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS)
                .fileKey();
        assertThatThrownBy(this::listen).isInstanceOf(BindException.class).hasMessageStartingWith("somebody listens");
        assertThat(Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS)
                        .fileKey())
                .isEqualTo(key);
    }

    // What has never been a socket of streams is another's.
    @Test
    void listenUnix_otherKindsOfFiles_areTaken() throws Exception {
        Socket datagrams = Socket.newSocketDomainDgram();
        try {
            datagrams.bind(new DomainSocketAddress(path.toString()));
            assertIsKept();
        } finally {
            datagrams.close();
        }
        path = folder.resolve("fifo");
        assertThat(new ProcessBuilder("mkfifo", path.toString()).start().waitFor())
                .isZero();
        assertIsKept();
        Path link = Files.createSymbolicLink(folder.resolve("link"), folder.resolve("socket"));
        path = link; // to a socket that nobody has any more
        assertIsKept();
    }

    // A successor's file is not removed.
    @Test
    void close_leavesTheFileOfASuccessor() throws IOException {
        ColoredListener first = listen();
        Files.delete(path);
        ColoredListener second = listen();
        first.close();
        cores.close();
        assertThat(second.isOpen()).isFalse();
        cores = HandCores.started(CoreEventLoopGroup.epoll(), 1);
        assertThat(path).doesNotExist(); // the second one's own close
    }

    @Test
    void listenUnix_whatCanNotBe_isNamed() {
        path = folder.resolve("none").resolve("socket");
        assertThatThrownBy(this::listen).isInstanceOf(BindException.class).hasMessage("no such folder: unix:" + path);
        path = folder.resolve("x".repeat(200));
        assertThatThrownBy(this::listen).isInstanceOf(BindException.class).hasMessageStartingWith("longer than 106");
        assertThatThrownBy(() -> ColoredListener.listenUnix(
                        group, path, PosixFilePermissions.fromString(MODE), ListenOptions.defaults(), 7, this::accept))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void listenUnix_withoutEpoll_isRefused() {
        CoreEventLoopGroup nio = CoreEventLoopGroup.nio();
        try (HandCores others = HandCores.started(nio, 1)) {
            assertThat(others.core(0)).isNotNull();
            assertThatThrownBy(() -> ColoredListener.listenUnix(
                            nio,
                            path,
                            PosixFilePermissions.fromString(MODE),
                            ListenOptions.defaults(),
                            0,
                            this::accept))
                    .isInstanceOf(UnsupportedOperationException.class)
                    .hasMessageContaining("epoll");
            assertThatThrownBy(() -> ColoredListener.adopt(nio, 0, 0, this::accept))
                    .isInstanceOf(UnsupportedOperationException.class);
        }
    }

    // Blocking as it comes: an accept that finds nothing must not hold up the core.
    @Test
    void adopt_tcp_isTakenOver() throws IOException {
        assumeTrue(Posix.isAvailable());
        Socket inherited = Socket.newSocketStream();
        inherited.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        inherited.listen(10);
        int flags = Posix.fcntl(inherited.intValue(), Posix.F_GETFL, 0);
        Posix.fcntl(inherited.intValue(), Posix.F_SETFL, flags & ~Posix.O_NONBLOCK);
        ColoredListener listener = ColoredListener.adopt(group, inherited.intValue(), 0, this::accept);
        assertThat(listener.localAddress()).isEqualTo(inherited.localAddress());
        assertThat(listener.accept()).isNull();
        try (SocketChannel peer = SocketChannel.open(listener.localAddress())) {
            ColoredSocket socket = next();
            assertThat(((EpollSocket) socket).socket.isTcpNoDelay()).isTrue();
            assertThat(socket.remoteAddress()).isEqualTo(peer.getLocalAddress());
            socket.close();
        }
        listener.close();
    }

    @Test
    void adopt_unix_isTakenOver_andItsFileStays() throws IOException {
        assumeTrue(Posix.isAvailable());
        Socket inherited = Socket.newSocketDomain();
        inherited.bind(new DomainSocketAddress(path.toString()));
        inherited.listen(10);
        ColoredListener listener = ColoredListener.adopt(group, inherited.intValue(), 0, this::accept);
        assertThat(listener.name()).isEqualTo("unix:" + path);
        try (SocketChannel peer = connect()) {
            talk(next(), peer);
        }
        listener.close();
        cores.close();
        assertThat(path).exists();
        cores = HandCores.started(CoreEventLoopGroup.epoll(), 1);
    }

    @Test
    void adopt_whatIsNoListener_isRefused() throws IOException {
        assumeTrue(Posix.isAvailable());
        assertThatThrownBy(() -> ColoredListener.adopt(group, 1_000_000, 0, this::accept))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("descriptor 1000000");
        Socket plain = Socket.newSocketStream();
        assertThatThrownBy(() -> ColoredListener.adopt(group, plain.intValue(), 0, this::accept))
                .isInstanceOf(IOException.class)
                .hasMessage("no listening socket of streams: descriptor " + plain.intValue());
        plain.close();
        Socket datagrams = Socket.newSocketDgram();
        assertThatThrownBy(() -> ColoredListener.adopt(group, datagrams.intValue(), 0, this::accept))
                .isInstanceOf(IOException.class);
        datagrams.close();
    }
}
