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

/** Property: every contender serves, its answers are checked, and what is asked for is what is measured. */
class NettyCommandTest {
    private static final String[] SHORT = {
        "--rounds=1",
        "--warm-seconds=0",
        "--seconds=0.2",
        "--rate=500",
        "--connections=4",
        "--slow-us=500",
        "--slow-percent=5"
    };

    @Test
    void execute_measuresEachContender(@TempDir Path dir) throws IOException {
        assumeTrue(Epoll.isAvailable());
        Path json = dir.resolve("runs.json");
        String[] args = new String[SHORT.length + 1];
        System.arraycopy(SHORT, 0, args, 0, SHORT.length);
        args[SHORT.length] = "--json=" + json;
        assertThat(NettyCommand.execute(args)).isZero();
        String runs = Files.readString(json);
        for (String name : NettyContenders.all().keySet()) {
            assertThat(runs.lines().filter(line -> line.contains("\"engine\": \"" + name + "\"")))
                    .singleElement()
                    .asString()
                    .contains("\"p99.9 ms\": ", "\"late p99 ms\": ", "\"server CPU %\": ")
                    .doesNotContain("\"fastRequests\": 0,", "\"slowRequests\": 0,", "null");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "--engine nobody",
                "--connections 0",
                "--rate 0",
                "--slow-percent 101",
                "--slow-us 0",
                "--threads 0",
                "--rounds 0",
                "--warm-seconds -1",
                "--seconds 0",
                "--timeout-s 0"
            })
    void execute_refuses(String args) {
        assertThat(NettyCommand.execute(args.split(" ", -1))).isEqualTo(2);
    }
}
