// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.mely.bench.load.PipelinedClient.Outcome;
import io.mely.bench.load.PipelinedClient.WrongAnswerException;
import io.netty.buffer.ByteBuf;
import io.netty.channel.epoll.Epoll;
import io.netty.handler.codec.http.FullHttpResponse;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Property: the client accepts right answers, and finds one that is lost, out of order, doubled, refused or wrong. */
class PipelinedClientTest {
    private static final SlowService SERVICE = new SlowService(1_000);
    private static final long TIMEOUT_NS = TimeUnit.SECONDS.toNanos(20);
    private static final long SHORT_TIMEOUT_NS = TimeUnit.MILLISECONDS.toNanos(50);
    private static final int VICTIM = 20;

    @BeforeEach
    void needsEpoll() {
        assumeTrue(Epoll.isAvailable());
    }

    /** Two connections, 60 requests within 10 ms, a third of them in the warm-up. */
    private static SlowPlan plan() {
        return SlowPlan.draw(2, 6_000, 0.2, 3_000_000, 10_000_000, 1);
    }

    private static Outcome run(ScriptedServer.Script script, long timeoutNs) throws IOException {
        try (ScriptedServer server = new ScriptedServer(script);
                PipelinedClient client = new PipelinedClient(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), server.port()), plan(), SERVICE)) {
            return client.run(() -> 0, timeoutNs);
        }
    }

    private static boolean answer(String path, Socket to) throws IOException {
        FullHttpResponse response = SERVICE.answer(path);
        return write(response.status().toString(), response.content(), to);
    }

    private static boolean write(String status, ByteBuf body, Socket to) throws IOException {
        String head = "HTTP/1.1 " + status + "\r\nContent-Length: " + body.readableBytes() + "\r\n\r\n";
        to.getOutputStream()
                .write((head + body.toString(StandardCharsets.ISO_8859_1)).getBytes(StandardCharsets.ISO_8859_1));
        return true;
    }

    private static int number(String path) {
        return Integer.parseInt(path.substring(path.lastIndexOf('/') + 1));
    }

    @Test
    void run_acceptsRightAnswers_andCountsThoseAfterTheWarmUp() throws IOException {
        SlowPlan plan = plan();
        Outcome outcome = run((number, path, to) -> answer(path, to), TIMEOUT_NS);
        long fast = 0;
        long slow = 0;
        for (int i = 0; i < plan.requests(); i++) {
            fast += plan.isMeasured(i) && !plan.isSlow(i) ? 1 : 0;
            slow += plan.isMeasured(i) && plan.isSlow(i) ? 1 : 0;
        }
        assertThat(slow).isPositive();
        assertThat(outcome.fast().getTotalCount()).isEqualTo(fast);
        assertThat(outcome.slow().getTotalCount()).isEqualTo(slow);
        assertThat(outcome.late().getTotalCount()).isEqualTo(fast + slow);
    }

    /** All of a connection wait behind its first, though they were due long before it was answered. */
    @Test
    void run_countsLatencyFromThePlannedInstant() throws IOException {
        Outcome outcome = run(
                (number, path, to) -> {
                    if (number(path) < 2) {
                        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(60));
                    }
                    return answer(path, to);
                },
                TIMEOUT_NS);
        assertThat(outcome.fast().getMinValue()).isGreaterThan(TimeUnit.MILLISECONDS.toNanos(40));
    }

    @Test
    void run_findsLostAnswer() {
        assertThatThrownBy(() -> run((number, path, to) -> number(path) == 58 || answer(path, to), SHORT_TIMEOUT_NS))
                .isInstanceOf(WrongAnswerException.class);
    }

    @Test
    void run_findsAnswersOutOfOrder() {
        // Both of the same connection.
        assertThatThrownBy(() -> run(
                        (number, path, to) -> number(path) == VICTIM
                                ? true
                                : number(path) == VICTIM + 2
                                        ? answer(path, to) && answer("/fast/" + VICTIM, to)
                                        : answer(path, to),
                        TIMEOUT_NS))
                .isInstanceOf(WrongAnswerException.class)
                .hasMessageContaining("out of order");
    }

    @Test
    void run_findsDoubledAnswer() {
        assertThatThrownBy(() -> run(
                        (number, path, to) -> answer(path, to) && (number(path) != VICTIM || answer(path, to)),
                        TIMEOUT_NS))
                .isInstanceOf(WrongAnswerException.class);
    }

    @Test
    void run_findsRefusal() {
        assertThatThrownBy(() ->
                        run((number, path, to) -> answer(number(path) == VICTIM ? "/elsewhere" : path, to), TIMEOUT_NS))
                .isInstanceOf(WrongAnswerException.class)
                .hasMessageContaining("404");
    }

    @Test
    void run_findsWrongResult() {
        assertThatThrownBy(() -> run(
                        (number, path, to) -> answer(
                                number(path) == VICTIM
                                        ? path.replace("fast", "x")
                                                .replace("slow", "fast")
                                                .replace("x", "slow")
                                        : path,
                                to),
                        TIMEOUT_NS))
                .isInstanceOf(WrongAnswerException.class)
                .hasMessageContaining("wrong result");
    }

    @Test
    void run_findsClosedConnection() {
        assertThatThrownBy(() -> run((number, path, to) -> number(path) != VICTIM && answer(path, to), TIMEOUT_NS))
                .isInstanceOf(IOException.class);
    }
}
