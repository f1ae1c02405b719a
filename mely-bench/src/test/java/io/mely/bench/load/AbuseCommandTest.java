// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.mely.bench.load.AbusiveClients.Abuse;
import io.mely.bench.load.AbusiveClients.End;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.EnumMap;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

// A server that does wrong is found out: each kind of answer has its column in the books. The command itself runs for
// minutes.
@Timeout(60)
class AbuseCommandTest {
    private static final byte[] REQUEST = "GET / HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.US_ASCII);

    /** Answers everybody the same, after the end of what is sent or of the head. */
    private static void serve(ServerSocket server, String answer) {
        Thread thread = new Thread(() -> {
            while (!server.isClosed()) {
                try (Socket socket = server.accept()) {
                    socket.setSoTimeout(10_000);
                    if (socket.getInputStream().readNBytes(REQUEST.length).length == REQUEST.length) {
                        OutputStream out = socket.getOutputStream();
                        out.write(answer.getBytes(StandardCharsets.US_ASCII));
                    }
                } catch (IOException e) {
                    // a client that is gone, or the end
                }
            }
        });
        thread.setDaemon(true);
        thread.start();
    }

    @ParameterizedTest
    @CsvSource({
        "HTTP/1.1 413 x, ANSWERED",
        "HTTP/1.1 503 x, REFUSED",
        "HTTP/1.1 429 x, REFUSED",
        "HTTP/1.1 200 x, WRONG",
        "HTTP/1.1 500 x, WRONG",
        "'', CUT"
    })
    void answers_areInTheBooks(String answer, End expected) throws Exception {
        try (ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            serve(server, answer);
            AbusiveClients clients =
                    new AbusiveClients(server.getLocalPort(), List.of(new Abuse("it", REQUEST, Set.of(413))));
            Thread running = new Thread(clients);
            running.start();
            while (!clients.ends().getOrDefault("it", new EnumMap<>(End.class)).containsKey(expected)) {
                Thread.onSpinWait();
            }
            clients.stop();
            running.join();
            assertThat(clients.wrong().isEmpty()).isEqualTo(expected != End.WRONG);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"--server sws", "--minutes 0", "--clients 0", "--nothing"})
    void nonsense_isRefused(String args) {
        assertThat(AbuseCommand.execute(args.split(" "))).isEqualTo(2);
    }

    @Test
    void missingJar_isSaid() {
        assertThat(AbuseCommand.execute("--jar", "/nowhere/images.jar", "--minutes", "0.001"))
                .isEqualTo(1);
    }
}
