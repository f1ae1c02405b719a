// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.mely.bench.load.Result.Failure;
import io.mely.bench.load.ScriptedServer.Script;
import io.netty.channel.epoll.Epoll;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Property: every request is counted once, as a response or as what went wrong with it; an open loop hides no waiting. */
class InjectorTest {
    private static final Injector.Progress SILENT = (responses, errors) -> {};

    @BeforeEach
    void needsEpoll() {
        assumeTrue(Epoll.isAvailable());
    }

    private static long checksum(String body) {
        CRC32C checksum = new CRC32C();
        checksum.update(body.getBytes(StandardCharsets.ISO_8859_1));
        return checksum.getValue();
    }

    private static Target target(String path) {
        return new Target("GET", path, 200, ScriptedServer.BODY.length(), checksum(ScriptedServer.BODY));
    }

    /** Nothing is left out before the measured time, so that counts can be compared. */
    private static Plan plan(ScriptedServer server, int clients, double rate) {
        return new Plan(
                "127.0.0.1",
                server.port(),
                clients,
                2,
                5,
                0,
                200,
                rate,
                true,
                1,
                20_000,
                true,
                true,
                "",
                List.of(target("/a")),
                "",
                0);
    }

    private static Plan withLog(Plan plan, String log) {
        return with(plan, 0, plan.timeoutMs(), log);
    }

    private static Plan withTimeout(Plan plan, long timeoutMs) {
        return with(plan, plan.perConnection(), timeoutMs, "");
    }

    private static Plan withAConnectionEach(Plan plan, long timeoutMs) {
        return with(plan, 1, timeoutMs, "");
    }

    private static Plan with(Plan plan, int perConnection, long timeoutMs, String log) {
        return new Plan(
                plan.host(),
                plan.port(),
                plan.clients(),
                plan.threads(),
                perConnection,
                0,
                plan.measureMs(),
                plan.ratePerS(),
                true,
                1,
                timeoutMs,
                true,
                true,
                "",
                plan.targets(),
                log,
                0);
    }

    @Test
    void run_countsEveryResponse() throws IOException, InterruptedException {
        try (ScriptedServer server = new ScriptedServer((number, path, to) -> ScriptedServer.ok(to))) {
            Result result = Injector.run(plan(server, 3, 0), SILENT);
            assertThat(result.errors()).isZero();
            assertThat(result.responses).isPositive();
            // Of each client, at most one was answered too late and one was under way at the end.
            assertThat(server.requests.get() - result.responses).isBetween(0L, 6L);
            assertThat(result.latency.getTotalCount()).isEqualTo(result.responses);
            assertThat(result.arrived).isEqualTo(result.responses);
            assertThat(result.bytes)
                    .isEqualTo(result.responses
                            * ScriptedServer.response(200, ScriptedServer.BODY).length());
            // Of each client, at most one response was not there as a whole.
            assertThat(result.receivedBytes)
                    .isBetween(
                            result.bytes,
                            result.bytes
                                    + 3L
                                            * ScriptedServer.response(200, ScriptedServer.BODY)
                                                    .length());
            // Five requests a connection.
            assertThat(server.connections.get()).isGreaterThanOrEqualTo((int) (result.responses / 5));
        }
    }

    private static Plan endless(ScriptedServer server, long measureMs) {
        Plan all = plan(server, 2, 0);
        return new Plan(
                all.host(),
                all.port(),
                2,
                1,
                0,
                100,
                measureMs,
                0,
                true,
                1,
                20_000,
                true,
                true,
                "",
                all.targets(),
                "",
                0);
    }

    /** A connection costs some objects, a request none. */
    @Test
    void run_allocatesNothingForARequest() throws IOException, InterruptedException {
        try (ScriptedServer server = new ScriptedServer((number, path, to) -> ScriptedServer.ok(to))) {
            Result result = Injector.run(endless(server, 400), SILENT);
            for (long ms = 800; result.responses <= 100; ms *= 2) { // others may have the CPUs
                assertThat(ms).isLessThan(60_000);
                result = Injector.run(endless(server, ms), SILENT);
            }
            assertThat((double) result.allocatedBytes / result.responses).isLessThan(8);
        }
    }

    @Test
    void run_answersAllThatWasDueInAnOpenLoop() throws IOException, InterruptedException {
        try (ScriptedServer server = new ScriptedServer((number, path, to) -> ScriptedServer.ok(to))) {
            Result result = Injector.run(plan(server, 3, 500), SILENT);
            assertThat(result.errors()).isZero();
            assertThat(result.responses).isEqualTo(server.requests.get());
            // 200 ms of 500/s from two loops; the instants are the same in each run.
            assertThat(result.responses).isBetween(50L, 150L);
        }
    }

    /** Nobody connects before a request is due, and each that is due is counted. */
    @Test
    void run_connectsForEachRequestOfAnOpenLoop() throws IOException, InterruptedException {
        try (ScriptedServer server = new ScriptedServer((number, path, to) -> ScriptedServer.ok(to))) {
            Result result = Injector.run(withAConnectionEach(plan(server, 3, 500), 20_000), SILENT);
            assertThat(result.errors()).isZero();
            assertThat(result.responses)
                    .isEqualTo(server.requests.get())
                    .isEqualTo(server.connections.get())
                    .isBetween(50L, 150L);
        }
    }

    @Test
    void run_countsAllThatWasDueWhereNobodyListens() throws IOException, InterruptedException {
        Plan plan;
        long due;
        try (ScriptedServer server = new ScriptedServer((number, path, to) -> ScriptedServer.ok(to))) {
            plan = withAConnectionEach(plan(server, 3, 500), 100);
            due = Injector.run(withAConnectionEach(plan, 20_000), SILENT).responses;
        }
        Result result = Injector.run(plan, SILENT);
        assertThat(result.responses).isZero();
        assertThat(result.of(Failure.CONNECT)).isPositive();
        assertThat(result.of(Failure.CONNECT) + result.of(Failure.UNANSWERED))
                .isEqualTo(result.errors())
                .isEqualTo(due);
    }

    @ParameterizedTest
    @EnumSource(
            value = Failure.class,
            names = {"RESET", "CLOSED", "REFUSED", "STATUS", "LENGTH", "CHECKSUM", "MALFORMED"})
    void run_countsWhatGoesWrong(Failure failure) throws IOException, InterruptedException {
        Script third = (number, path, to) -> {
            if (number != 3) {
                return ScriptedServer.ok(to);
            }
            switch (failure) {
                case RESET -> {
                    return ScriptedServer.reset(to);
                }
                case CLOSED -> {
                    ScriptedServer.write(to, "HTTP/1.1 200 OK\r\nContent-Length: 12\r\n\r\ntwelve");
                    return false;
                }
                case REFUSED -> ScriptedServer.write(to, ScriptedServer.response(503, ScriptedServer.BODY));
                case STATUS -> ScriptedServer.write(to, ScriptedServer.response(404, ScriptedServer.BODY));
                case LENGTH -> ScriptedServer.write(to, ScriptedServer.response(200, "short"));
                case CHECKSUM -> ScriptedServer.write(to, ScriptedServer.response(200, "twelve Bytes"));
                default -> ScriptedServer.write(to, "HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\n");
            }
            return true;
        };
        try (ScriptedServer server = new ScriptedServer(third)) {
            Result result = Injector.run(plan(server, 1, 200), SILENT);
            assertThat(result.of(failure)).isEqualTo(1);
            assertThat(result.errors()).isEqualTo(1);
            assertThat(result.refusal.getTotalCount()).isEqualTo(result.of(Failure.REFUSED));
            // One client, open loop: everything that was sent has an outcome.
            assertThat(result.responses + 1).isEqualTo(server.requests.get());
        }
    }

    @Test
    void run_findsMoreThanWasAskedFor() throws IOException, InterruptedException {
        Script twice = (number, path, to) -> {
            String one = ScriptedServer.response(200, ScriptedServer.BODY);
            ScriptedServer.write(to, number == 3 ? one + one : one);
            return true;
        };
        try (ScriptedServer server = new ScriptedServer(twice)) {
            assertThat(Injector.run(plan(server, 1, 200), SILENT).of(Failure.MALFORMED))
                    .isEqualTo(1);
        }
    }

    @Test
    void run_countsRefusedConnections() throws IOException, InterruptedException {
        int port;
        try (ServerSocket closed = new ServerSocket(0)) {
            port = closed.getLocalPort();
        }
        Plan plan = new Plan(
                "127.0.0.1", port, 1, 1, 5, 0, 100, 0, true, 1, 1_000, true, true, "", List.of(target("/a")), "", 0);
        Result result = Injector.run(plan, SILENT);
        assertThat(result.responses).isZero();
        assertThat(result.of(Failure.CONNECT)).isEqualTo(result.errors()).isPositive();
    }

    @Test
    void run_givesUpSilentServer() throws IOException, InterruptedException {
        try (ScriptedServer server = new ScriptedServer((number, path, to) -> true)) {
            Result result = Injector.run(withTimeout(plan(server, 1, 0), 20), SILENT);
            assertThat(result.responses).isZero();
            assertThat(result.of(Failure.TIMEOUT)).isEqualTo(result.errors()).isPositive();
        }
    }

    @Test
    void run_countsWhatASilentServerKeptFromBeingSent() throws IOException, InterruptedException {
        try (ScriptedServer server = new ScriptedServer((number, path, to) -> true)) {
            // Nothing is given up while requests fall due; then the run waits 300 ms for answers.
            Result result = Injector.run(withTimeout(plan(server, 1, 500), 300), SILENT);
            assertThat(result.responses).isZero();
            // All 100 or so were due, a few were sent.
            assertThat(result.errors()).isBetween(50L, 150L);
            assertThat(result.of(Failure.UNANSWERED)).isGreaterThan(40);
            assertThat(result.latency.getTotalCount()).isEqualTo(result.of(Failure.UNANSWERED));
        }
    }

    @Test
    void run_readsResponseSplitAtEveryByte() throws IOException, InterruptedException {
        Script split = (number, path, to) -> {
            String text = ScriptedServer.response(200, ScriptedServer.BODY);
            int at = number % text.length();
            ScriptedServer.write(to, text.substring(0, at));
            ScriptedServer.write(to, text.substring(at));
            return true;
        };
        try (ScriptedServer server = new ScriptedServer(split)) {
            Result result = Injector.run(plan(server, 2, 0), SILENT);
            assertThat(result.errors()).isZero();
            assertThat(result.responses).isGreaterThan(0);
        }
    }

    @Test
    void run_followsServerThatCloses() throws IOException, InterruptedException {
        Script closing = (number, path, to) -> {
            ScriptedServer.write(
                    to, "HTTP/1.1 200 OK\r\nConnection: Close\r\nContent-Length: 12\r\n\r\n" + ScriptedServer.BODY);
            return false;
        };
        try (ScriptedServer server = new ScriptedServer(closing)) {
            Result result = Injector.run(plan(server, 1, 100), SILENT);
            assertThat(result.errors()).isZero();
            assertThat(result.responses).isEqualTo(server.requests.get());
            assertThat((long) server.connections.get()).isGreaterThanOrEqualTo(result.responses);
        }
    }

    /**
     * A server that answers one connection, and stalls once. What waited behind the stall is in the latency from the instant it was due, and
     * nearly none of it in that from the instant it was sent.
     */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void run_chargesStallToAllThatWaited(boolean isPoisson) throws IOException, InterruptedException {
        AtomicBoolean hasStalled = new AtomicBoolean();
        Script stalling = (number, path, to) -> {
            if (number == 20 && hasStalled.compareAndSet(false, true)) {
                for (long endNs = System.nanoTime() + 300_000_000; endNs - System.nanoTime() > 0; ) {
                    LockSupport.parkNanos(endNs - System.nanoTime());
                }
            }
            return ScriptedServer.ok(to);
        };
        try (ScriptedServer server = new ScriptedServer(stalling)) {
            Plan plan = new Plan(
                    "127.0.0.1",
                    server.port(),
                    1,
                    1,
                    0,
                    0,
                    400,
                    500,
                    isPoisson,
                    1,
                    20_000,
                    true,
                    true,
                    "",
                    List.of(target("/a")),
                    "",
                    0);
            Result result = Injector.run(plan, SILENT);
            assertThat(result.errors()).isZero();
            // Some 150 requests fell due during the stall; half of them waited for more than half of it.
            long half = 150_000_000;
            long waited = result.latency.getCountBetweenValues(half, Long.MAX_VALUE / 2);
            long seen = result.service.getCountBetweenValues(half, Long.MAX_VALUE / 2);
            assertThat(seen).isPositive();
            assertThat(waited).isGreaterThan(10 * seen);
        }
    }

    @Test
    void run_playsSessions() throws IOException, InterruptedException {
        try (ScriptedServer server = new ScriptedServer((number, path, to) -> ScriptedServer.ok(to))) {
            // Four requests on a connection: one, then two together, then one after a thought.
            Plan plan = withLog(plan(server, 2, 0), "/a\n/b\n  /c think=0.001\n/d\n");
            Result result = Injector.run(plan, SILENT);
            assertThat(result.errors()).isZero();
            assertThat(result.sessions).isPositive();
            assertThat(result.responses).isBetween(4 * result.sessions, 4 * (result.sessions + 2));
            assertThat((long) server.connections.get()).isBetween(result.sessions, result.sessions + 4);
        }
    }

    @Test
    void run_countsSessionThatIsCutWhileItThinks() throws IOException, InterruptedException {
        Script cutting = (number, path, to) -> ScriptedServer.ok(to) && !path.equals("/cut");
        try (ScriptedServer server = new ScriptedServer(cutting)) {
            Plan plan = withLog(plan(server, 3, 0), "/cut think=0.02\n/b\n\n/a think=0.001\n/b\n");
            Result result = Injector.run(plan, SILENT);
            assertThat(result.of(Failure.CLOSED)).isPositive().isEqualTo(result.errors());
            // The sessions between go on as before.
            assertThat(result.sessions).isPositive();
            assertThat(result.responses).isGreaterThanOrEqualTo(2 * result.sessions);
        }
    }

    @Test
    void run_asksForPathsInTurn() throws IOException, InterruptedException {
        Map<String, Integer> asked = new ConcurrentHashMap<>();
        Script counting = (number, path, to) -> {
            asked.merge(path, 1, Integer::sum);
            return ScriptedServer.ok(to);
        };
        try (ScriptedServer server = new ScriptedServer(counting)) {
            Plan one = plan(server, 2, 300);
            Plan two = new Plan(
                    one.host(),
                    one.port(),
                    2,
                    1,
                    5,
                    0,
                    200,
                    300,
                    false,
                    1,
                    20_000,
                    true,
                    true,
                    "",
                    List.of(target("/a"), target("/b")),
                    "",
                    0);
            assertThat(Injector.run(two, SILENT).errors()).isZero();
            assertThat(asked.get("/a") - asked.get("/b")).isBetween(0, 1);
        }
    }

    @Test
    void run_addsUpSlaves() throws IOException, InterruptedException {
        try (ScriptedServer server = new ScriptedServer((number, path, to) -> ScriptedServer.ok(to));
                Slave one = new Slave(new ServerSocket(0));
                Slave two = new Slave(new ServerSocket(0))) {
            for (Slave slave : List.of(one, two)) {
                Thread thread = new Thread(slave, "slave");
                thread.setDaemon(true);
                thread.start();
            }
            try (Master master = new Master(List.of(
                    new InetSocketAddress("127.0.0.1", one.port()), new InetSocketAddress("127.0.0.1", two.port())))) {
                Result result = master.run(plan(server, 3, 300), SILENT);
                assertThat(result.errors()).isZero();
                assertThat(result.responses).isEqualTo(server.requests.get()).isPositive();
                assertThat(result.latency.getTotalCount()).isEqualTo(result.responses);
            }
        }
    }
}
