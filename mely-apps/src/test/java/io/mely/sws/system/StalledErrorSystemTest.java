// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.mely.sws.RawClient;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Standard error is a pipe that nobody empties, as under a supervisor that hangs: the server serves, and stops. */
@EnabledOnOs(OS.LINUX)
class StalledErrorSystemTest {
    @TempDir
    static Path root;

    private static SiteFiles.Page small;

    @BeforeAll
    static void write() throws Exception {
        small = SiteFiles.write(root, "small.html", 1_024, 1);
    }

    // The fifth client is a warning, which the core that meets it must not wait for.
    @Test
    void warning_holdsUpNobody() throws Exception {
        try (SwsProcess sws = SwsProcess.serving(root, "--max-clients", "4", "--cores", "1")
                .stalledError()
                .startReady()) {
            List<RawClient> four = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                four.add(new RawClient(sws.address()).send("GET " + small.path() + " HTTP/1.1\r\n"));
            }
            try (RawClient fifth = new RawClient(sws.address())) {
                assertThat(fifth.fetch(small.path()).status()).isEqualTo(503);
            }
            for (RawClient each : four) {
                assertThat(each.send("Host: test\r\n\r\n").response().body()).isEqualTo(small.content());
                each.close();
            }
            sws.signal("TERM");
            sws.awaitExit();
            assertThat(sws.exitCode()).isZero();
        }
    }

    // The access log's writer hangs in its write; the stop does not wait for it.
    @Test
    void accessLog_holdsUpNoStop() throws Exception {
        try (SwsProcess sws = SwsProcess.serving(root, "--stats")
                .variable("SWS_ACCESS_LOG", "-")
                .stalledError()
                .startReady()) {
            try (RawClient client = new RawClient(sws.address())) {
                assertThat(client.fetch(small.path()).body()).isEqualTo(small.content());
            }
            sws.signal("TERM");
            sws.awaitExit();
            assertThat(sws.exitCode()).isZero();
        }
    }
}
