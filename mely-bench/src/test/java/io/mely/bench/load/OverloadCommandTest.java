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
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Property: each multiple of what a server can do is asked for, and is in the raw data with what became of it. */
class OverloadCommandTest {
    /** By HTTP/1.1, and by HTTP/2 for a file that is larger than its windows at first. */
    @ParameterizedTest
    @CsvSource({
        "nginx, --requests 0",
        "nginx, --requests 1",
        "nginx-h2c, --requests 0 --streams 3 --clients 20 --ranges 0 --bytes 200000"
    })
    void execute_asksForEachMultiple(String server, String more, @TempDir Path dir) throws IOException {
        assumeTrue(Epoll.isAvailable() && CompareCommandTest.has("nginx"));
        Path json = dir.resolve("runs.json");
        Path html = dir.resolve("page.html");
        String options = "--server " + server + " --cpus / --factors 0.1,0.2 --rounds 1 --seconds 0.5 --warm-seconds 0"
                + " --json " + json + " --html " + html + " " + more;
        assertThat(OverloadCommand.execute(options.split(" ", -1))).isZero();
        for (String factor : new String[] {"0", "0.100000", "0.200000"}) {
            assertThat(Files.readAllLines(json).stream().filter(line -> line.contains("\"factor\": " + factor + ",")))
                    .singleElement()
                    .asString()
                    .contains("\"server\": \"" + server + "\"", "\"refused\": 0")
                    .doesNotContain("\"arrived\": 0,");
        }
        assertThat(html).content().contains("closed loop", "0.1", "0.2");
    }

    @Test
    void execute_saysThatAServerDoesNotStart() {
        assertThat(OverloadCommand.execute("--server", "sws", "--cpus", "/", "--sws", "/nowhere.jar"))
                .isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "--cpus 0",
                "--factors 0",
                "--requests -1",
                "--clients 0",
                "--ranges -1",
                "--streams -1 --requests 0",
                "--streams 101 --requests 0",
                "--streams 10 --requests 1",
                "--bytes 0",
                "--quota 101",
                "--deadline-ms 0",
                "--ranges 65",
                "--rounds 0",
                "--seconds 0",
                "--timeout-ms 0",
                "--target-ms 0"
            })
    void execute_refuses(String args) {
        assertThat(OverloadCommand.execute(args.split(" ", -1))).isEqualTo(2);
    }
}
