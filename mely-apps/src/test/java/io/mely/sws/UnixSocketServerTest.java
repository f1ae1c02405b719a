// SPDX-License-Identifier: Apache-2.0
package io.mely.sws;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.mely.sws.proxy.AddressRange;
import io.mely.sws.tls.TlsEngine;
import io.mely.sws.tls.TlsSettings;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.unix.DomainSocketAddress;
import io.netty.channel.unix.Socket;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** A server that listens elsewhere than at an address of its own choice. */
class UnixSocketServerTest extends SwsServerHarness {
    @BeforeAll
    static void needsEpoll() {
        assumeTrue(Epoll.isAvailable());
    }

    @Override
    SwsConfig.Transport transport() {
        return SwsConfig.Transport.EPOLL;
    }

    private Path path() {
        return temp.resolve("sws.sock");
    }

    /** The whole answer to a request whose connection ends with it. */
    private static byte[] ask(Path path, String target, String fields) throws IOException {
        String request = "GET " + target + " HTTP/1.1\r\n" + HOST + "Connection: close\r\n" + fields + "\r\n";
        ByteArrayOutputStream answer = new ByteArrayOutputStream();
        try (SocketChannel client = SocketChannel.open(UnixDomainSocketAddress.of(path))) {
            client.write(ByteBuffer.wrap(request.getBytes(StandardCharsets.US_ASCII)));
            ByteBuffer part = ByteBuffer.allocate(1 << 16);
            while (client.read(part.clear()) >= 0) {
                answer.write(part.array(), 0, part.position());
            }
        }
        return answer.toByteArray();
    }

    private static String text(byte[] answer) {
        return new String(answer, StandardCharsets.ISO_8859_1);
    }

    // Small files and large ones, for a proxy that says who the client is; the file of the socket goes with the server.
    @Test
    void unixSocket_serves() throws IOException {
        Path log = temp.resolve("access.log");
        start(builder -> builder.unixSocket(UnixSocket.parse(path() + " 600"))
                .set(SwsSettings.ACCESS_LOG, log.toString())
                .set(SwsSettings.CORES, 1) // others write lines of their own
                .set(SwsSettings.TRUSTED_PROXIES, List.of(AddressRange.parse("127.0.0.1"))));
        assertThat(server.places()).containsExactly("unix:" + path());
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(path())))
                .isEqualTo("rw-------");
        assertThat(text(ask(path(), "/a.html", "X-Forwarded-For: 203.0.113.9\r\n")))
                .startsWith("HTTP/1.1 200 ")
                .endsWith("hello");
        byte[] large = ask(path(), "/large.bin", "");
        assertThat(Arrays.copyOfRange(large, large.length - LARGE, large.length))
                .isEqualTo(LARGE_CONTENT);
        await(() -> server.requestStats().open() == 0);
        server.close();
        assertThat(path()).doesNotExist();
        assertThat(Files.readAllLines(log))
                .extracting(line -> line.substring(0, line.indexOf(' ')))
                .containsExactly("203.0.113.9", "127.0.0.1");
    }

    @Test
    void unixSocket_thatIsInUse_isNamed() throws IOException {
        start(builder -> builder.unixSocket(UnixSocket.parse(path().toString())));
        SwsConfig second = SwsConfig.builder(root)
                .unixSocket(UnixSocket.parse(path().toString()))
                .build();
        assertThatThrownBy(() -> SwsServer.start(second).close()).hasMessageContaining("unix:" + path());
        assertThat(text(ask(path(), "/a.html", ""))).endsWith("hello");
    }

    private static int inheritedTcp() throws IOException {
        Socket socket = Socket.newSocketStream();
        socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        socket.listen(10);
        return socket.intValue();
    }

    // TCP and Unix at once; what was to be bound is not.
    @Test
    void inherited_areServed() throws IOException {
        Socket unix = Socket.newSocketDomain();
        unix.bind(new DomainSocketAddress(path().toString()));
        unix.listen(10);
        SwsConfig config = SwsConfig.builder(root)
                .set(SwsSettings.CORES, 2)
                .unixSocket(UnixSocket.parse("/none/of/these"))
                .build();
        server = SwsServer.start(
                config,
                runtime -> runtime,
                List.of(new InheritedSocket(inheritedTcp(), false), new InheritedSocket(unix.intValue(), false)));
        assertThat(server.places()).hasSize(2).contains("unix:" + path());
        for (int i = 0; i < 10; i++) {
            assertThat(connect().fetch("/a.html").text()).isEqualTo("hello");
            assertThat(text(ask(path(), "/a.html", ""))).endsWith("hello");
        }
    }

    // TLS at a Unix socket has no port that a client could be sent to.
    @Test
    void inherited_redirectsToAUnixSocket_withoutAPort() throws IOException {
        Socket unix = Socket.newSocketDomain();
        unix.bind(new DomainSocketAddress(path().toString()));
        unix.listen(10);
        SwsConfig config = SwsConfig.builder(root)
                .set(SwsSettings.CORES, 1)
                .set(TlsSettings.CERTIFICATES, TlsFiles.certificates())
                .set(TlsSettings.ENGINE, TlsEngine.AUTO)
                .build();
        server = SwsServer.start(
                config,
                runtime -> runtime,
                List.of(new InheritedSocket(inheritedTcp(), true), new InheritedSocket(unix.intValue(), false)));
        try (RawClient plain = new RawClient(server.redirectAddress())) {
            assertThat(plain.fetch("/a.html").field("Location")).isEqualTo("https://test/a.html");
        }
    }

    // By its name one of them redirects to TLS.
    @Test
    void inherited_redirects() throws IOException {
        SwsConfig config = SwsConfig.builder(root)
                .set(SwsSettings.CORES, 1)
                .set(TlsSettings.CERTIFICATES, TlsFiles.certificates())
                .set(TlsSettings.ENGINE, TlsEngine.AUTO)
                .build();
        server = SwsServer.start(
                config,
                runtime -> runtime,
                List.of(new InheritedSocket(inheritedTcp(), true), new InheritedSocket(inheritedTcp(), false)));
        try (RawClient plain = new RawClient(server.redirectAddress());
                RawClient secure = new RawClient(server.localAddress(), 0, TlsFiles.clients())) {
            assertThat(plain.fetch("/a.html").field("Location"))
                    .isEqualTo("https://test:" + server.localAddress().getPort() + "/a.html");
            assertThat(secure.fetch("/a.html").text()).isEqualTo("hello");
        }
    }

    @Test
    void inherited_whatMakesNoSense_isNamed() throws IOException {
        SwsConfig config = SwsConfig.builder(root).set(SwsSettings.CORES, 1).build();
        InheritedSocket redirecting = new InheritedSocket(3, true);
        assertThatThrownBy(() -> SwsServer.start(config, runtime -> runtime, List.of(redirecting)))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("one must not");
        assertThatThrownBy(() -> SwsServer.start(
                        config, runtime -> runtime, List.of(redirecting, new InheritedSocket(4, false))))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("only where TLS is spoken");
        assertThatThrownBy(() ->
                        SwsServer.start(config, runtime -> runtime, List.of(new InheritedSocket(1_000_000, false))))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("descriptor 1000000");
    }

    @Test
    void parse_readsPathAndMode() {
        assertThat(UnixSocket.parse("/a/b").permissions()).isEqualTo(PosixFilePermissions.fromString("rw-rw----"));
        assertThat(UnixSocket.parse("/a/b 777").permissions()).isEqualTo(PosixFilePermissions.fromString("rwxrwxrwx"));
        for (String text : List.of("", "/a 8", "/a 888", "/a b", "/a 0660")) {
            assertThat(UnixSocket.parse(text)).as(text).isNull();
        }
    }
}
