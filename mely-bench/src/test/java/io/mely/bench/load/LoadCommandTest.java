// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.netty.channel.epoll.Epoll;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Property: the command runs waves, says what it found by its exit code, and writes what it promises. */
class LoadCommandTest {
    private static int execute(ScriptedServer server, String path, double seconds, String... more) {
        String[] args = new String[8 + more.length];
        System.arraycopy(
                new String[] {
                    "http://127.0.0.1:" + server.port() + path,
                    "--seconds",
                    String.valueOf(seconds),
                    "--warm-seconds",
                    "0",
                    "--pause-ms",
                    "0",
                    "--threads=1"
                },
                0,
                args,
                0,
                8);
        System.arraycopy(more, 0, args, 8, more.length);
        return LoadCommand.execute(args);
    }

    @Test
    void execute_runsWavesAndWritesFiles(@TempDir Path dir) throws IOException {
        assumeTrue(Epoll.isAvailable());
        Path json = dir.resolve("load.json");
        Path html = dir.resolve("load.html");
        Files.writeString(dir.resolve("a"), ScriptedServer.BODY);
        try (ScriptedServer server = new ScriptedServer((number, path, to) -> ScriptedServer.ok(to))) {
            assertThat(execute(
                            server,
                            "/a",
                            0.05,
                            "--clients",
                            "1:3:2",
                            "--repeat",
                            "2",
                            "--root",
                            dir.toString(),
                            "--json",
                            json.toString(),
                            "--html",
                            html.toString(),
                            "--hdr",
                            dir.resolve("hdr").toString()))
                    .isZero();
        }
        assertThat(Files.readAllLines(json).stream().filter(l -> l.contains("\"requestsPerS\"")))
                .hasSize(4);
        assertThat(Files.readString(html)).contains("polyline", "requests/s", "latency, ms", "3 clients");
        assertThat(dir.resolve("hdr/clients-00001.hgrm")).content().contains("Percentile");
        assertThat(dir.resolve("hdr/clients-00003.hlog")).content().contains("Tag=latency");
    }

    @Test
    void execute_saysThatRequestsFailed(@TempDir Path dir) throws IOException {
        assumeTrue(Epoll.isAvailable());
        Files.writeString(dir.resolve("a"), "another text");
        try (ScriptedServer server = new ScriptedServer((number, path, to) -> ScriptedServer.ok(to))) {
            double seconds = 1; // in which one is answered, whoever else has the CPUs
            assertThat(execute(server, "/a", seconds, "--clients", "1", "--repeat", "1", "--root", dir.toString()))
                    .isEqualTo(3);
            assertThat(execute(server, "/a", seconds, "--clients", "1", "--repeat", "1", "--status", "404"))
                    .isEqualTo(3);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "https://localhost/",
                "http://localhost/ --clients 0",
                "http://localhost/ --clients 1:2",
                "http://localhost/ --clients x",
                "http://localhost/ --close never",
                "http://localhost/ --header nothing",
                "http://localhost/ --root /nowhere",
                "http://localhost/ --specweb -1",
                "http://localhost/ --specweb 1 --root /nowhere",
                "--make-files --root /nowhere",
                "--make-files --specweb 1"
            })
    void execute_refuses(String args) {
        assertThat(LoadCommand.execute(args.isEmpty() ? new String[0] : args.split(" ", -1)))
                .isEqualTo(2);
    }
}
