// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.mely.bench.load.AttacksCommand.Attack;
import io.mely.bench.load.AttacksCommand.Round;
import io.mely.bench.load.Result.Failure;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

// The command itself runs for minutes.
@Timeout(60)
class AttacksCommandTest {
    private static final int CONNECTIONS = 20;
    private static final byte[] FIRST = "first".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] MORE = {'m'};

    private static InetSocketAddress addressOf(ServerSocket server) {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), server.getLocalPort());
    }

    private static ServerSocket server() throws IOException {
        return new ServerSocket(0, CONNECTIONS, InetAddress.getLoopbackAddress());
    }

    @Test
    void crowd_sendsItsBeginningAndMore_andReplacesWhomTheServerEnds() throws Exception {
        ArrayDeque<Socket> sockets = new ArrayDeque<>();
        try (ServerSocket server = server()) {
            try (Crowd crowd = new Crowd(addressOf(server), CONNECTIONS, FIRST, MORE, 1)) {
                for (int i = 0; i < CONNECTIONS; i++) {
                    Socket socket = server.accept();
                    sockets.add(socket);
                    assertThat(socket.getInputStream().readNBytes(FIRST.length + 2))
                            .isEqualTo("firstmm".getBytes(StandardCharsets.US_ASCII));
                }
                crowd.awaitFull();
                assertThat(crowd.connected()).isEqualTo(CONNECTIONS);
                assertThat(crowd.ended()).isZero();
                sockets.remove().close();
                sockets.add(server.accept());
                assertThat(crowd.ended()).isEqualTo(1);
            }
            for (Socket socket : sockets) {
                assertThat(socket).satisfies(AttacksCommandTest::isOver);
                socket.close();
            }
        }
    }

    /** By an end or a reset. */
    private static void isOver(Socket socket) {
        try {
            while (socket.getInputStream().read() >= 0) {
                // what was under way
            }
        } catch (IOException e) {
            assertThat(e).hasMessageContaining("reset");
        }
    }

    @Test
    void crowd_thatSendsNoMore_isSilent() throws Exception {
        try (ServerSocket server = server();
                Crowd crowd = new Crowd(addressOf(server), 1, FIRST, new byte[0], 0);
                Socket socket = server.accept()) {
            assertThat(socket.getInputStream().readNBytes(FIRST.length)).isEqualTo(FIRST);
            crowd.awaitFull();
            assertThat(socket.getInputStream().available()).isZero();
        }
    }

    private static Round round(Attack attack, int number, long quietMs, long besideMs) {
        Result quiet = new Result();
        Result beside = new Result();
        Result.record(quiet.latency, quietMs * 1_000_000);
        Result.record(beside.latency, besideMs * 1_000_000);
        beside.count(Failure.RESET, number);
        return new Round(attack, number, quiet, beside, 10, 1);
    }

    @Test
    void table_hasMediansOfTheRounds_andAllErrors() {
        String table = AttacksCommand.table(List.of(
                round(Attack.PING_FLOOD, 0, 10, 10),
                round(Attack.PING_FLOOD, 1, 10, 20),
                round(Attack.PING_FLOOD, 2, 10, 50)));
        assertThat(table.lines().toList()).hasSize(2);
        assertThat(table.lines().toList().get(1))
                .contains("ping flood")
                .containsPattern("10\\.0 \\(10\\.0-10\\.0\\) +20\\.0 \\(10\\.0-50\\.0\\) +2\\.00 \\(1\\.00-5\\.0")
                .containsPattern(" 3 *$");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "--connections 0",
                "--clients 0",
                "--rate 0",
                "--rounds 0",
                "--seconds 0",
                "--attacks-per-s 0",
                "--attack nothing"
            })
    void nonsense_isRefused(String args) {
        assertThat(AttacksCommand.execute(args.split(" "))).isEqualTo(2);
    }

    @Test
    void missingJar_isSaid() {
        assertThat(AttacksCommand.execute("--sws", "/nowhere.jar")).isEqualTo(1);
    }
}
