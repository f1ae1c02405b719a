// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.mely.sws.RawClient;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

class AccessLogSystemTest {
    @TempDir
    static Path folder;

    private static Path root;
    private static SiteFiles.Page small;

    @BeforeAll
    static void write() throws Exception {
        root = Files.createDirectory(folder.resolve("root"));
        small = SiteFiles.write(root, "small.html", 1_024, 1);
    }

    // To standard error, and nothing of it to standard output, which keeps to its one line.
    @Test
    void dash_isStandardError() throws Exception {
        try (SwsProcess sws =
                SwsProcess.serving(root).variable("SWS_ACCESS_LOG", "-").startReady()) {
            try (RawClient client = new RawClient(sws.address())) {
                assertThat(client.fetch(small.path()).body()).isEqualTo(small.content());
            }
            sws.signal("TERM");
            sws.awaitExit();
            assertThat(sws.exitCode()).isZero();
            assertThat(sws.stdout().lines()).hasSize(1);
            assertThat(sws.stderr())
                    .matches("127\\.0\\.0\\.1 - - \\[.*] \"GET /small.html HTTP/1.1\" 200 1024 \"-\" \"-\"\n");
        }
    }

    // A tool moves the file away while the server runs: what comes later is in a new one, and no line is lost.
    @Test
    void movedFile_isBegunAnew() throws Exception {
        Path log = folder.resolve("access.log");
        Path moved = folder.resolve("access.log-20261121");
        int before = 10;
        int requests = before;
        try (SwsProcess sws = SwsProcess.serving(root)
                .variable("SWS_ACCESS_LOG", log.toString())
                .startReady()) {
            try (RawClient client = new RawClient(sws.address())) {
                for (int i = 0; i < before; i++) {
                    client.fetch(small.path());
                }
                Await.until(() -> "lines", () -> Files.readAllLines(log).size() == before);
                Files.move(log, moved);
                Await.until(() -> "a new file", () -> Files.exists(log));
                client.fetch(small.path());
                requests++;
            }
            sws.signal("TERM");
            sws.awaitExit();
            assertThat(sws.exitCode()).isZero();
            assertThat(sws.stderr()).isEmpty();
        }
        assertThat(Files.readAllLines(moved)).hasSize(before);
        assertThat(Files.readAllLines(moved).size() + Files.readAllLines(log).size())
                .isEqualTo(requests);
    }

    // A rehearsal, as by another user, leaves no file that the service could not open; and it says what would be wrong.
    @Test
    void rehearsal_makesNoLog() throws Exception {
        Path log = folder.resolve("rehearsed.log");
        for (String path :
                new String[] {log.toString(), folder.resolve("none/x.log").toString()}) {
            try (SwsProcess sws = SwsProcess.launch(root.toString(), "--rehearse")
                    .variable("SWS_ACCESS_LOG", path)
                    .start()) {
                sws.awaitExit();
                boolean isPossible = path.equals(log.toString());
                assertThat(sws.exitCode()).isEqualTo(isPossible ? 0 : 1);
                assertThat(sws.stderr()).contains(isPossible ? "" : "no such folder");
            }
        }
        assertThat(log).doesNotExist();
    }

    // A stream of the process itself is written to as it is open, and never renamed.
    @Test
    @EnabledOnOs(OS.LINUX)
    void devStdout_isWritten_andNotRotated() throws Exception {
        Path device = Path.of("/dev/stdout");
        try (SwsProcess sws = SwsProcess.serving(root)
                .variable("SWS_ACCESS_LOG", device.toString())
                .variable("SWS_ACCESS_LOG_ROTATE", "1 B")
                .startReady()) {
            try (RawClient client = new RawClient(sws.address())) {
                client.fetch(small.path());
            }
            sws.signal("TERM");
            sws.awaitExit();
            assertThat(sws.exitCode()).isZero();
            assertThat(sws.stdout().lines()).hasSize(2).last().asString().contains("\"GET /small.html");
            assertThat(sws.stderr()).isEmpty();
        }
        assertThat(device).isSymbolicLink();
    }

    @Test
    void impossibleFile_isRefusedAtStart() throws Exception {
        try (SwsProcess sws = SwsProcess.serving(root)
                .variable("SWS_ACCESS_LOG", folder.resolve("none/access.log").toString())
                .start()) {
            sws.awaitExit();
            assertThat(sws.exitCode()).isEqualTo(1);
            assertThat(sws.stderr()).startsWith("sws: ").contains("access log", "no such folder");
            assertThat(sws.stdout()).isEmpty();
        }
    }
}
