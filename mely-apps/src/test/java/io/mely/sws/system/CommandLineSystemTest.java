// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.mely.Version;
import io.mely.sws.RawClient;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class CommandLineSystemTest {
    @TempDir
    static Path folder;

    // The packaged jar says its version, Java and system, and nothing else.
    @Test
    void version_isOneLine() throws Exception {
        try (SwsProcess sws = SwsProcess.run("--version")) {
            assertThat(sws.exitCode()).isZero();
            assertThat(sws.stdout())
                    .startsWith("sws " + Version.version() + " (Java " + System.getProperty("java.version") + ", ")
                    .endsWith(")\n")
                    .hasLineCount(1);
            assertThat(sws.stderr()).isEmpty();
        }
    }

    @Test
    void help_fitsTerminal() throws Exception {
        try (SwsProcess sws = SwsProcess.run("--help")) {
            assertThat(sws.exitCode()).isZero();
            assertThat(sws.stdout()).startsWith("Usage: java -jar sws.jar [DIR] [--root DIR]");
            assertThat(sws.stdout().lines()).allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(80));
            assertThat(sws.stderr()).isEmpty();
        }
    }

    static List<Arguments> mistakes() throws IOException {
        Path file = Files.writeString(folder.resolve("plain.txt"), "x");
        Path prot = Files.writeString(folder.resolve("prot.conf"), "# first line\nprot = 80\n");
        Path type = Files.writeString(folder.resolve("type.conf"), "\n\nidle-timeout = 30\n");
        Path twice = Files.writeString(folder.resolve("twice.conf"), "port = 1\nport = 2\n");
        Path syntax = Files.writeString(folder.resolve("syntax.conf"), "port = 1\nbind = [\n");
        String site = folder.toString();
        return List.of(
                mistake(2, "unknown option '--prot'; the nearest known option is --port (see --help)", "--prot", "80"),
                mistake(2, "--port needs a value (see --help)", "--port"),
                mistake(2, "--port is given twice (see --help)", "--port", "1", "--port", "2"),
                mistake(2, "unexpected argument 'b' (see --help)", "a", "b"),
                mistake(2, "two folders: --root / and DIR " + site + " (see --help)", site, "--root", "/"),
                mistake(2, "--port 65536: not allowed; allowed: 0 to 65535", site, "--port", "65536"),
                mistake(2, "--port -1: not allowed; allowed: 0 to 65535", site, "--port", "-1"),
                mistake(2, "--port abc: not allowed; allowed: 0 to 65535", site, "--port", "abc"),
                mistake(2, "--cores 0: not allowed; allowed: auto, or 1 to 1024", site, "--cores", "0"),
                mistake(2, "--cores 5000: not allowed; allowed: auto, or 1 to 1024", site, "--cores", "5000"),
                mistake(2, "--max-clients 0: not allowed; allowed: 1 to 16777216", site, "--max-clients", "0"),
                mistake(2, "--stealing all: not allowed; allowed: off, base or mely", site, "--stealing", "all"),
                mistake(2, prot + ":2: unknown key 'prot'; the nearest known key is port", "--config", prot.toString()),
                mistake(
                        2,
                        type + ":3: idle-timeout = 30: not allowed; allowed: a time with its unit, 1 ms to 86400 s",
                        "--config",
                        type.toString()),
                mistake(2, twice + ":2: port is given twice; before in line 1", "--config", twice.toString()),
                mistake(2, syntax + ":", "--config", syntax.toString()),
                mistake(2, "configuration file '/no/such.conf': no such file", "--config", "/no/such.conf"),
                mistake(1, "--root /no/such: no such folder", "--root", "/no/such"),
                mistake(1, "DIR " + file + ": not a folder", file.toString()),
                mistake(1, "--bind nosuch.invalid: no such host or network interface", "--bind", "nosuch.invalid"),
                // TEST-NET-1, an address that no machine has.
                mistake(
                        1,
                        "cannot listen on 192.0.2.1:0: not an address of this machine (--bind 192.0.2.1)",
                        site,
                        "--port",
                        "0",
                        "--bind",
                        "192.0.2.1"));
    }

    private static Arguments mistake(int code, String start, String... args) {
        return Arguments.of(code, start, args);
    }

    // Each mistake ends with its exit code and one line on standard error, without a stack trace.
    @ParameterizedTest
    @MethodSource("mistakes")
    void mistake_isExplainedInOneLine(int code, String start, String[] args) throws Exception {
        try (SwsProcess sws = SwsProcess.run(args)) {
            assertThat(sws.stderr()).startsWith("sws: " + start).endsWith("\n").hasLineCount(1);
            assertThat(sws.exitCode()).isEqualTo(code);
            assertThat(sws.stdout()).isEmpty();
        }
    }

    @Test
    void usedPort_isExplainedInOneLine() throws Exception {
        try (ServerSocket holder = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
            int port = holder.getLocalPort();
            try (SwsProcess sws = SwsProcess.run(folder.toString(), "--port", String.valueOf(port))) {
                assertThat(sws.stderr())
                        .isEqualTo("sws: cannot listen on 127.0.0.1:" + port + ": the port is in use (--port " + port
                                + ")\n");
                assertThat(sws.exitCode()).isEqualTo(1);
                assertThat(sws.stdout()).isEmpty();
            }
        }
    }

    // Root may read everything, unless it gives up the right to.
    @Test
    void forbiddenRoot_isExplainedInOneLine() throws Exception {
        Path forbidden = Files.createDirectory(folder.resolve("forbidden"));
        Files.setPosixFilePermissions(forbidden, PosixFilePermissions.fromString("---------"));
        SwsProcess.Launch launch = SwsProcess.launch(forbidden.toString());
        if (Files.isReadable(forbidden)) {
            String[] asOthers = {"setpriv", "--bounding-set=-dac_override,-dac_read_search", "--inh-caps=-all"};
            assumeTrue(
                    SwsProcess.works(asOthers[0], asOthers[1], asOthers[2], "true"), "needs setpriv or another user");
            launch.prefix(asOthers);
        }
        try (SwsProcess sws = launch.start().awaitExit()) {
            assertThat(sws.stderr()).isEqualTo("sws: DIR " + forbidden + ": permission denied\n");
            assertThat(sws.exitCode()).isEqualTo(1);
        } finally {
            Files.setPosixFilePermissions(forbidden, PosixFilePermissions.fromString("rwx------"));
        }
    }

    // Good case: one line on standard output, with the real port and what was decided; nothing on standard error.
    @Test
    void readyLine_isTheOnlyOutput() throws Exception {
        try (SwsProcess sws = SwsProcess.serving(folder, "--cores", "2", "--stealing", "base")
                        .startReady();
                RawClient client = new RawClient(sws.address())) {
            assertThat(client.fetch("/no-such-file").status()).isEqualTo(404);
            sws.signal("TERM");
            sws.awaitExit();
            assertThat(sws.exitCode()).isZero();
            assertThat(sws.stdout())
                    .matches("SWS listening on http://127\\.0\\.0\\.1:" + sws.port() + " \\(root \\Q" + folder
                            + "\\E, 2 cores, stealing base, (epoll|nio)\\)\n");
            assertThat(sws.stderr()).isEmpty();
        }
    }

    // The two commands of the manual for a quicker start: a rehearsal leaves an archive, and a server that uses it is
    // the
    // same server, with its classes from there.
    @Test
    void rehearsal_makesAnArchiveOfClasses() throws Exception {
        Path archive = folder.resolve("sws.jsa");
        Path log = folder.resolve("classes.log");
        try (SwsProcess rehearsal = SwsProcess.launch(folder.toString(), "--rehearse", "--port", "1")
                .jvm("-XX:ArchiveClassesAtExit=" + archive, "-Xlog:disable")
                .start()
                .awaitExit()) {
            assertThat(rehearsal.exitCode()).isZero();
            assertThat(rehearsal.stdout())
                    .startsWith("SWS listening on http://127.0.0.1:")
                    .hasLineCount(1);
            assertThat(rehearsal.stderr()).isEmpty();
            assertThat(archive).isNotEmptyFile();
        }
        try (SwsProcess sws = SwsProcess.serving(folder)
                        .jvm("-XX:SharedArchiveFile=" + archive, "-Xlog:class+load:file=" + log)
                        .startReady();
                RawClient client = new RawClient(sws.address())) {
            assertThat(client.fetch("/no-such-file").status()).isEqualTo(404);
            sws.signal("TERM");
            sws.awaitExit();
            assertThat(sws.exitCode()).isZero();
            assertThat(sws.stdout()).hasLineCount(1);
            assertThat(sws.stderr()).isEmpty();
            assertThat(Files.readAllLines(log))
                    .anyMatch(line -> line.endsWith("io.mely.sws.SwsServer source: shared objects file (top)"));
        }
    }

    @Test
    void readyLine_putsIpv6InBrackets() throws Exception {
        assumeTrue(Files.exists(Path.of("/proc/net/if_inet6")), "needs IPv6");
        try (SwsProcess sws = SwsProcess.serving(folder, "--bind", "::1").startReady()) {
            assertThat(sws.stdout()).startsWith("SWS listening on http://[::1]:" + sws.port() + " (");
        }
    }

    // Flags win over environment variables, these over the file; a folder without a flag works too.
    @Test
    void settings_haveTheirOrder() throws Exception {
        Path file = Files.writeString(folder.resolve("order.conf"), "cores = 1\nstealing = off\nport = 1\n");
        try (SwsProcess sws = SwsProcess.launch(folder.toString(), "--config", file.toString(), "--port", "0")
                .variable("SWS_STEALING", "base")
                .variable("SWS_PORT", "2")
                .startReady()) {
            assertThat(sws.port()).isGreaterThan(2);
            assertThat(sws.stdout()).contains(", 1 core, stealing base, ");
        }
    }

    @Test
    void unknownVariable_isExplainedInOneLine() throws Exception {
        try (SwsProcess sws =
                SwsProcess.launch().variable("SWS_PROT", "80").start().awaitExit()) {
            assertThat(sws.stderr())
                    .isEqualTo("sws: unknown environment variable 'SWS_PROT'; the nearest known one is SWS_PORT\n");
            assertThat(sws.exitCode()).isEqualTo(2);
        }
    }

    // The statistics close the books of what was asked for.
    @Test
    void stats_arePrintedAtExit() throws Exception {
        SiteFiles.write(folder, "page.html", 10, 1);
        try (SwsProcess sws =
                        SwsProcess.serving(folder, "--stats", "--cores", "2").startReady();
                RawClient client = new RawClient(sws.address())) {
            for (int i = 0; i < 7; i++) {
                assertThat(client.fetch("/page.html").status()).isEqualTo(200);
            }
            assertThat(client.fetch("/missing").status()).isEqualTo(404);
            sws.signal("TERM");
            sws.awaitExit();
            assertThat(sws.exitCode()).isZero();
            List<String> lines = sws.stderr().lines().toList();
            assertThat(lines).hasSize(7);
            assertThat(lines.get(0)).isEqualTo("SWS statistics");
            assertThat(lines.get(1))
                    .matches(
                            "core +cpu +events +failed +steals +steal tries +steal time us +stolen time us +wake-ups +sleeps +polls");
            assertThat(lines.get(2)).matches(" +0 .*").hasSameSizeAs(lines.get(1));
            assertThat(lines.get(3)).matches(" +1 .*").hasSameSizeAs(lines.get(1));
            assertThat(lines.get(4)).matches(" all .*").hasSameSizeAs(lines.get(1));
            assertThat(lines.get(5)).startsWith("responses: 8  2xx: 7  3xx: 0  4xx: 1  5xx: 0  bytes: ");
            assertThat(lines.get(6))
                    .isEqualTo("connections: 1  refused: 0  lost: 0  timed out: 0  failed: 0  still open: 0");
            assertThat(sws.stdout()).hasLineCount(1);
        }
    }
}
