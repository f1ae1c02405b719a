// SPDX-License-Identifier: Apache-2.0
package io.mely.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.mely.Mely;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.unix.DomainSocketAddress;
import io.netty.channel.unix.Socket;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class ServiceManagerTest {
    private static final long PID = 4711;
    private static final int MESSAGE_BYTES_MAX = 1_000;

    @TempDir
    Path folder;

    @BeforeAll
    static void needsUnixSockets() {
        assumeTrue(Epoll.isAvailable());
    }

    /** What has come; a datagram is there when its send has returned. */
    private static String received(Socket socket) throws IOException {
        ByteBuffer message = ByteBuffer.allocateDirect(MESSAGE_BYTES_MAX);
        int bytes = socket.read(message, 0, MESSAGE_BYTES_MAX);
        if (bytes <= 0) {
            return "";
        }
        byte[] copy = new byte[bytes];
        message.get(0, copy);
        return new String(copy, UTF_8);
    }

    private static Socket listening(String path) throws IOException {
        Socket socket = Socket.newSocketDomainDgram();
        socket.bind(new DomainSocketAddress(path));
        return socket;
    }

    // Each message as sd_notify(3) has it; the time of a reload is that of this machine since it started.
    @Test
    void messages_arrive() throws IOException {
        String path = folder.resolve("notify").toString();
        Socket socket = listening(path);
        try {
            ServiceManager manager = ServiceManager.of(Map.of("NOTIFY_SOCKET", path), PID);
            manager.ready("serving ü");
            assertThat(received(socket)).isEqualTo("READY=1\nSTATUS=serving ü\n");
            long beforeUs = System.nanoTime() / 1_000;
            manager.reloading();
            String reloading = received(socket);
            assertThat(reloading).matches("RELOADING=1\nMONOTONIC_USEC=[0-9]+\n");
            assertThat(Long.parseLong(reloading.replaceAll("\\A.*\n.*=|\n\\z", "")))
                    .isBetween(beforeUs, System.nanoTime() / 1_000);
            manager.reloaded();
            assertThat(received(socket)).isEqualTo("READY=1\n");
            manager.alive();
            assertThat(received(socket)).isEqualTo("WATCHDOG=1\n");
            manager.stopping();
            assertThat(received(socket)).isEqualTo("STOPPING=1\n");
        } finally {
            socket.close();
        }
    }

    @Test
    void abstractName_arrives() throws IOException {
        String name = "mely-notify-test-" + ProcessHandle.current().pid();
        Socket socket = listening("\0" + name);
        try {
            ServiceManager.of(Map.of("NOTIFY_SOCKET", "@" + name), PID).alive();
            assertThat(received(socket)).isEqualTo("WATCHDOG=1\n");
        } finally {
            socket.close();
        }
    }

    // Nobody listens, or the address makes no sense: the service goes on.
    @Test
    void whatCanNotBeSent_isNoFault() {
        for (String address : new String[] {
            folder.resolve("none").toString(), "relative", "vsock:2:1", "/" + "x".repeat(200), "@none-" + PID, ""
        }) {
            ServiceManager manager = ServiceManager.of(Map.of("NOTIFY_SOCKET", address), PID);
            manager.ready("x");
            manager.alive();
            manager.stopping();
        }
        ServiceManager.of(Map.of(), PID).ready("x");
    }

    @Test
    void watchdog_isOfThisProcess() {
        Duration look = Duration.ofSeconds(1);
        String socket = folder.resolve("none").toString();
        ServiceManager watched = ServiceManager.of(
                Map.of("NOTIFY_SOCKET", socket, "WATCHDOG_USEC", "500000", "WATCHDOG_PID", "4711"), PID);
        assertThat(watched.isWatching()).isTrue();
        assertThat(watched.lookAtLeast(look)).isEqualTo(Duration.ofMillis(250));
        ServiceManager slow = ServiceManager.of(Map.of("NOTIFY_SOCKET", socket, "WATCHDOG_USEC", "30000000"), PID);
        assertThat(slow.isWatching()).isTrue();
        assertThat(slow.lookAtLeast(look)).isEqualTo(look);
        for (Map<String, String> others : java.util.List.of(
                Map.of("NOTIFY_SOCKET", socket, "WATCHDOG_USEC", "500000", "WATCHDOG_PID", "4712"),
                Map.of("NOTIFY_SOCKET", socket, "WATCHDOG_USEC", "soon"),
                Map.of("NOTIFY_SOCKET", socket, "WATCHDOG_USEC", "0"),
                Map.of("WATCHDOG_USEC", "500000"))) {
            assertThat(ServiceManager.of(others, PID).isWatching())
                    .as("%s", others)
                    .isFalse();
            assertThat(ServiceManager.of(others, PID).lookAtLeast(look)).isEqualTo(look);
        }
    }

    // A core that stands still is missed, and beats again when it goes on.
    @Test
    void pulse_missesACoreThatStandsStill() throws InterruptedException {
        MeterBinder none = registry -> {};
        try (Mely mely = Mely.builder().cores(1).build().start()) {
            Pulse pulse = new Pulse(new Program.Monitored(mely, none));
            assertThat(pulse.beats()).isTrue();
            awaitBeat(pulse);
            CountDownLatch begun = new CountDownLatch(1);
            CountDownLatch end = new CountDownLatch(1);
            mely.colorAt(mely.colors() - 1).execute(() -> {
                begun.countDown();
                await(end);
            });
            begun.await();
            boolean isSent = pulse.beats();
            assertThat(pulse.beats()).as("sent: %s", isSent).isFalse();
            end.countDown();
            awaitBeat(pulse);
        }
        assertThat(new Pulse(null).beats()).isTrue();
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private static void awaitBeat(Pulse pulse) {
        while (!pulse.beats()) {
            Thread.onSpinWait();
        }
    }
}
