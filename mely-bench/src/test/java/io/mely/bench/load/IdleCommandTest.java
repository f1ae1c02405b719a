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

/** Property: a server is looked at before its connections and with all of them. */
class IdleCommandTest {
    @Test
    void execute_looksBeforeAndAfter(@TempDir Path dir) throws IOException {
        assumeTrue(Epoll.isAvailable());
        Path json = dir.resolve("idle.json");
        assertThat(IdleCommand.execute("--server", "netty", "--connections", "50", "--json", json.toString()))
                .isZero();
        assertThat(Files.readAllLines(json).stream().filter(line -> line.contains("\"server\": \"netty\"")))
                .singleElement()
                .asString()
                .contains("\"before\"", "\"after\"", "heapBytes", "nativeBytes", "residentBytes");
    }

    @Test
    void execute_saysThatAServerDoesNotStart() {
        assertThat(IdleCommand.execute("--server", "sws", "--sws", "/nowhere.jar"))
                .isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"--connections 0", "--cores 0"})
    void execute_refuses(String args) {
        assertThat(IdleCommand.execute(args.split(" ", -1))).isEqualTo(2);
    }
}
