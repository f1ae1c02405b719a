// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.system;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.mely.sws.RawClient;
import io.mely.sws.TlsFiles;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.unix.DomainSocketAddress;
import io.netty.channel.unix.Socket;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The files of {@code config} for service managers and containers: what they run is run here. */
@Timeout(120)
class ServiceSystemTest {
    private static final Path CONFIG = Path.of("..", "config");
    private static final Path UNIT = CONFIG.resolve("systemd/sws.service");
    private static final Path SOCKET = CONFIG.resolve("systemd/sws.socket");
    private static final Path DOCKERFILE = CONFIG.resolve("container/Dockerfile");
    private static final int MESSAGE_BYTES_MAX = 1_000;
    private static final int RELOADS = 100;

    @TempDir
    Path folder;

    private Path root;

    @BeforeEach
    void write() throws IOException {
        root = Files.createDirectory(folder.resolve("root"));
        Files.writeString(root.resolve("a.html"), "hello");
    }

    /** The value of a line {@code KEY=VALUE}. */
    private static String valueOf(Path unit, String key) throws IOException {
        return Files.readAllLines(unit).stream()
                .filter(line -> line.startsWith(key + "="))
                .map(line -> line.substring(key.length() + 1))
                .findFirst()
                .orElseThrow();
    }

    private static String received(Socket socket) {
        ByteBuffer message = ByteBuffer.allocateDirect(MESSAGE_BYTES_MAX);
        try {
            int bytes = socket.read(message, 0, MESSAGE_BYTES_MAX);
            byte[] copy = new byte[Math.max(bytes, 0)];
            message.get(0, copy);
            return new String(copy, UTF_8);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /** Waits for a message; those of the watchdog may come at any time. */
    private static String awaitMessage(Socket socket, String start) throws Exception {
        List<String> all = new ArrayList<>();
        Await.until(() -> start + " of " + all, () -> {
            String message = received(socket);
            if (!message.isEmpty()) {
                all.add(message);
            }
            return message.startsWith(start);
        });
        String last = all.remove(all.size() - 1);
        assertThat(all).allMatch(each -> each.equals("WATCHDOG=1\n"));
        return last;
    }

    // The unit's command with its options; its signal for a reload; and what systemd is told from start to stop.
    @Test
    void unit_runs_andSystemdIsTold() throws Exception {
        assumeTrue(Epoll.isAvailable());
        Matcher command = Pattern.compile("/usr/bin/java (.*) -jar /usr/share/sws/sws.jar --config /etc/sws/sws.conf")
                .matcher(valueOf(UNIT, "ExecStart"));
        assertThat(command.matches()).isTrue();
        assertThat(valueOf(UNIT, "ExecReload")).isEqualTo("/bin/kill -HUP $MAINPID");
        assertThat(valueOf(UNIT, "Type")).isEqualTo("notify");
        Path notify = folder.resolve("notify");
        Path config = Files.writeString(folder.resolve("sws.conf"), "drain-deadline = 3 s\n");
        Socket manager = Socket.newSocketDomainDgram();
        manager.bind(new DomainSocketAddress(notify.toString()));
        try (SwsProcess sws = SwsProcess.serving(root, "--config", config.toString())
                .jvm(command.group(1).split(" "))
                .variable("NOTIFY_SOCKET", notify.toString())
                .variable("WATCHDOG_USEC", "2000000") // few enough for the ten messages that wait for a reader
                .startReady()) {
            assertThat(awaitMessage(manager, "READY=1")).startsWith("READY=1\nSTATUS=SWS listening on http://");
            awaitMessage(manager, "WATCHDOG=1");
            sws.signal("HUP");
            assertThat(awaitMessage(manager, "RELOADING=1")).matches("RELOADING=1\nMONOTONIC_USEC=[0-9]+\n");
            awaitMessage(manager, "READY=1");
            sws.signal("TERM");
            awaitMessage(manager, "STOPPING=1");
            assertThat(sws.awaitExit().exitCode()).isZero();
        } finally {
            manager.close();
        }
    }

    // Clients ask all the while, some on kept connections; what changes is what they are told and the certificate.
    @Test
    void hundredReloads_underLoad_failNoRequest() throws Exception {
        assumeTrue(Epoll.isAvailable());
        Path notify = folder.resolve("notify");
        Path config = folder.resolve("sws.conf");
        Socket manager = Socket.newSocketDomainDgram();
        manager.bind(new DomainSocketAddress(notify.toString()));
        configure(config, 0);
        try (SwsProcess sws = SwsProcess.serving(root, "--config", config.toString())
                        .variable("NOTIFY_SOCKET", notify.toString())
                        .startReady();
                Askers askers = new Askers(sws.address(), 4)) {
            awaitMessage(manager, "READY=1");
            for (int i = 1; i <= RELOADS; i++) {
                configure(config, i);
                sws.signal("HUP");
                awaitMessage(manager, "RELOADING=1");
                awaitMessage(manager, "READY=1");
            }
            assertThat(askers.end()).isEmpty();
            try (RawClient last = new RawClient(sws.address(), 0, TlsFiles.clients())) {
                assertThat(last.fetch("/a.html").field("X-Reload")).isEqualTo(Integer.toString(RELOADS));
            }
            assertThat(sws.stderr()).isEmpty();
        } finally {
            manager.close();
        }
    }

    /** Every fifth time with another certificate. */
    private static void configure(Path config, int number) throws IOException {
        String name = number / 5 % 2 == 0 ? "ec" : "other";
        Files.writeString(
                config,
                "headers = [\"/** X-Reload: " + number + "\"]\ntls-certificates = [\"" + TlsFiles.file(name + ".pem")
                        + " " + TlsFiles.file(name + "-key.pem") + "\"]\n");
    }

    /** Clients that ask as fast as they are answered; half of them with a new connection each time. */
    private static final class Askers implements AutoCloseable {
        private final List<Thread> threads = new ArrayList<>();
        private final ConcurrentLinkedQueue<String> faults = new ConcurrentLinkedQueue<>();
        private volatile boolean isOver;

        Askers(InetSocketAddress address, int count) {
            for (int i = 0; i < count; i++) {
                boolean isKept = i % 2 == 0;
                Thread thread = new Thread(() -> ask(address, isKept));
                thread.setDaemon(true);
                thread.start();
                threads.add(thread);
            }
        }

        private void ask(InetSocketAddress address, boolean isKept) {
            try {
                while (!isOver) {
                    try (RawClient client = new RawClient(address, 0, TlsFiles.clients())) {
                        do {
                            assertThat(client.fetch("/a.html").status()).isEqualTo(200);
                        } while (isKept && !isOver);
                    }
                }
            } catch (IOException | AssertionError e) {
                faults.add(e.toString());
            }
        }

        /** What went wrong. */
        Collection<String> end() throws InterruptedException {
            isOver = true;
            for (Thread thread : threads) {
                thread.join();
            }
            return faults;
        }

        @Override
        public void close() {
            isOver = true;
        }
    }

    // By the tool that reads units, as far as it is there: no word of them is unknown to it.
    @Test
    void units_areVerified() throws Exception {
        assumeTrue(SwsProcess.works("systemd-analyze", "--version"), "systemd-analyze is not there");
        String unit = Files.readString(UNIT)
                .replace("/usr/bin/java", SwsProcess.JAVA_BIN.resolve("java").toString());
        Path service = Files.writeString(folder.resolve("sws.service"), unit);
        Path socket = Files.copy(SOCKET, folder.resolve("sws.socket"));
        Process verify = new ProcessBuilder("systemd-analyze", "verify", service.toString(), socket.toString())
                .redirectErrorStream(true)
                .start();
        String problems = new String(verify.getInputStream().readAllBytes(), UTF_8);
        int code = verify.waitFor();
        assertThat(problems.lines().filter(line -> line.contains("sws."))).isEmpty();
        assertThat(code).as(problems).isZero();
    }

    // Who connects before the server runs is served by it.
    @Test
    void sockets_arePassedBySystemd() throws Exception {
        assumeTrue(Epoll.isAvailable());
        assumeTrue(SwsProcess.works("systemd-socket-activate", "--version"), "systemd-socket-activate is not there");
        Path path = folder.resolve("http.sock");
        try (SwsProcess sws = SwsProcess.serving(root)
                .prefix(
                        "systemd-socket-activate",
                        "--listen=" + path,
                        "--fdname=" + valueOf(SOCKET, "FileDescriptorName"))
                .start()) {
            Await.until(() -> "it listens; " + sws.stderr(), () -> sws.stderr().contains("Listening on " + path));
            for (int i = 0; i < 2; i++) {
                assertThat(ask(path)).startsWith("HTTP/1.1 200 ").endsWith("hello");
            }
            assertThat(sws.stdout()).startsWith("SWS listening on unix:" + path + " (root ");
            sws.signal("TERM");
            assertThat(sws.awaitExit().exitCode()).isZero();
        }
        assertThat(path).exists();
    }

    private static String ask(Path path) throws IOException {
        ByteBuffer answer = ByteBuffer.allocate(1 << 16);
        try (SocketChannel client = SocketChannel.open(UnixDomainSocketAddress.of(path))) {
            String request = "GET /a.html HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
            client.write(ByteBuffer.wrap(request.getBytes(UTF_8)));
            while (client.read(answer) >= 0) {
                assertThat(answer.hasRemaining()).isTrue();
            }
        }
        return new String(answer.array(), 0, answer.position(), UTF_8);
    }

    // What the image runs, with its environment, as there is no image here. A missing archive of classes is no fault.
    @Test
    void imageEntryPoint_runs() throws Exception {
        String file = Files.readString(DOCKERFILE);
        Matcher entry = Pattern.compile("ENTRYPOINT \\[(.*)]").matcher(file);
        Matcher environment = Pattern.compile("ENV (.*)").matcher(file);
        assertThat(entry.find() && environment.find()).isTrue();
        List<String> words = Pattern.compile("\"([^\"]*)\"")
                .matcher(entry.group(1))
                .results()
                .map(word -> word.group(1))
                .toList();
        int jar = words.indexOf("-jar");
        assertThat(words.get(0)).isEqualTo("java");
        assertThat(words.subList(jar, words.size())).containsExactly("-jar", "/opt/sws/sws.jar");
        SwsProcess.Launch launch = SwsProcess.launch().jvm(words.subList(1, jar).toArray(String[]::new));
        for (String each : environment.group(1).split(" ")) {
            String[] parts = each.split("=", 2);
            String value = parts[0].equals("SWS_ROOT") ? root.toString() : parts[1];
            launch.variable(parts[0], parts[0].equals("SWS_PORT") ? "0" : value);
        }
        try (SwsProcess sws = launch.startReady();
                RawClient client = new RawClient(sws.address())) {
            assertThat(sws.stdout()).doesNotContain("127.0.0.1"); // clients come from elsewhere
            assertThat(client.fetch("/a.html").body()).isEqualTo("hello".getBytes(UTF_8));
        }
    }
}
