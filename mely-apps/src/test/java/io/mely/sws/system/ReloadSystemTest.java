// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.mely.sws.RawClient;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What service managers and log rotation send to a server that runs. */
class ReloadSystemTest {
    private static final int SMALL_BUFFER_BYTES = 4_096;

    @TempDir
    Path folder;

    private Path root;
    private Path config;
    private Path log;
    private SiteFiles.Page large;

    @BeforeEach
    void write() throws Exception {
        root = Files.createDirectory(folder.resolve("root"));
        large = SiteFiles.write(root, "large.bin", 5_000_000, 2);
        Files.writeString(root.resolve("a.html"), "hello");
        log = folder.resolve("access.log");
        config = folder.resolve("sws.conf");
        Files.writeString(config, text("one"));
    }

    private String text(String value) {
        return "access-log = \"" + log + "\"\nheaders = [\"** X-Test: " + value + "\"]\n";
    }

    // A request a time on one connection, from before to after: each is answered, by the old or by the new. A download
    // under way goes on. What needs a restart is named.
    @Test
    void hangup_takesTheFileOver_andDropsNothing() throws Exception {
        try (SwsProcess sws =
                        SwsProcess.serving(root, "--config", config.toString()).startReady();
                RawClient download = new RawClient(sws.address(), SMALL_BUFFER_BYTES);
                RawClient client = new RawClient(sws.address())) {
            download.get(large.path());
            download.readHead();
            assertThat(client.fetch("/a.html").field("X-Test")).isEqualTo("one");
            for (int i = 0; i < 3; i++) {
                String value = "new" + i;
                Files.writeString(config, text(value) + "max-clients = 7\ndrain-deadline = 3 s\n");
                sws.signal("HUP");
                Await.until(
                        () -> value,
                        () -> client.fetch("/a.html").field("X-Test").equals(value));
            }
            assertThat(download.readRest().body()).isEqualTo(large.content());
            Await.until(
                    sws::stderr,
                    () -> sws.stderr().contains("of use after a restart only: max-clients, drain-deadline"));
        }
    }

    // A file that is wrong, or names what is not there: all goes on as it was, and the log says where it is wrong.
    @Test
    void hangup_wrongFile_keepsTheOldOne() throws Exception {
        try (SwsProcess sws =
                        SwsProcess.serving(root, "--config", config.toString()).startReady();
                RawClient client = new RawClient(sws.address())) {
            Files.writeString(config, "headers = [\"** X-Test: two\"]\nport = none\n");
            sws.signal("HUP");
            Await.until(
                    sws::stderr, () -> sws.stderr().contains("configuration kept as it was: " + config + ":2: port"));
            Files.writeString(config, text("three") + "access-log-keep = 3\naccess-log = /none/access.log\n");
            sws.signal("HUP");
            Await.until(sws::stderr, () -> sws.stderr().lines().count() == 2);
            Files.writeString(
                    config,
                    text("four")
                            .replace(
                                    log.toString(), folder.resolve("none/x.log").toString()));
            sws.signal("HUP");
            Await.until(sws::stderr, () -> sws.stderr().contains("no such folder"));
            assertThat(client.fetch("/a.html").field("X-Test")).isEqualTo("one");
        }
    }

    // The tool moves the file and sends the signal: what comes later is in the new file, and no line is lost.
    @Test
    void usr1_opensTheLogAgain() throws Exception {
        Path moved = folder.resolve("access.log-1");
        AtomicInteger requests = new AtomicInteger(1);
        try (SwsProcess sws =
                        SwsProcess.serving(root, "--config", config.toString()).startReady();
                RawClient client = new RawClient(sws.address())) {
            client.fetch("/a.html");
            Await.until(() -> "a line", () -> Files.size(log) > 0);
            Files.move(log, moved);
            sws.signal("USR1");
            Await.until(() -> "a new file", () -> Files.exists(log));
            Await.until(
                    () -> "a line in it",
                    () -> { // those before the writer takes it over are in the other one
                        requests.incrementAndGet();
                        client.fetch("/a.html");
                        return Files.size(log) > 0;
                    });
            sws.signal("TERM");
            sws.awaitExit();
            assertThat(sws.exitCode()).isZero();
            assertThat(sws.stderr()).isEmpty();
        }
        assertThat(Files.readAllLines(moved).size() + Files.readAllLines(log).size())
                .isEqualTo(requests.get());
    }
}
