// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.mely.bench.load.Result.Failure;
import io.mely.bench.load.ScriptedHttp2Server.Script;
import io.netty.channel.epoll.Epoll;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.function.Predicate;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Property: by HTTP/2 as by HTTP/1.1, every request is counted once, as a response or as what went wrong with it. */
class Http2ClientTest {
    private static final Injector.Progress SILENT = (responses, errors) -> {};
    private static final int REFUSED_STREAM = 7;
    private static final int INTERNAL_ERROR = 2;

    @BeforeEach
    void needsEpoll() {
        assumeTrue(Epoll.isAvailable());
    }

    private static Plan plan(int port, int clients, double rate, int streams) {
        return plan(port, clients, rate, streams, 100, 20_000);
    }

    private static Plan plan(int port, int clients, double rate, int streams, long measureMs, long timeoutMs) {
        CRC32C checksum = new CRC32C();
        checksum.update(ScriptedServer.BODY.getBytes(StandardCharsets.US_ASCII));
        Target target = new Target("GET", "/a", 200, ScriptedServer.BODY.length(), checksum.getValue());
        return new Plan(
                "127.0.0.1",
                port,
                clients,
                2,
                0,
                0,
                measureMs,
                rate,
                true,
                1,
                timeoutMs,
                true,
                true,
                "Range: bytes=0-5\r\n",
                List.of(target),
                "",
                streams);
    }

    /** Runs it again until it shows something: the machine may have had no time. */
    private static Result runUntil(Plan plan, Predicate<Result> shows) throws Exception {
        while (true) {
            Result result = Injector.run(plan, SILENT);
            if (shows.test(result)) {
                return result;
            }
        }
    }

    /** A frame that ends with a number. */
    private static byte[] frame(int type, int stream, int number) {
        return Http2Wire.frame(type, 0, stream, Http2Wire.number(number));
    }

    private static byte[] goAway(int last, int error) {
        ByteArrayOutputStream payload = new ByteArrayOutputStream();
        payload.writeBytes(Http2Wire.number(last));
        payload.writeBytes(Http2Wire.number(error));
        return Http2Wire.frame(Http2Wire.GOAWAY, 0, 0, payload.toByteArray());
    }

    @Test
    void run_countsEveryResponse() throws Exception {
        try (ScriptedHttp2Server server =
                new ScriptedHttp2Server((number, stream, wire) -> ScriptedHttp2Server.ok(stream, wire))) {
            Result result = Injector.run(plan(server.port(), 3, 0, 4), SILENT);
            assertThat(result.errors()).isZero();
            // Of each slot, at most one was answered too late and one was under way at the end.
            assertThat(server.requests.get() - result.responses).isBetween(0L, 24L);
            assertThat(result.latency.getTotalCount())
                    .isEqualTo(result.responses)
                    .isEqualTo(result.arrived);
            assertThat(server.connections.get()).isLessThanOrEqualTo(3);
        }
    }

    @Test
    void run_answersAllThatWasDueInAnOpenLoop() throws Exception {
        try (ScriptedHttp2Server server =
                new ScriptedHttp2Server((number, stream, wire) -> ScriptedHttp2Server.ok(stream, wire))) {
            Result result = Injector.run(plan(server.port(), 3, 1_000, 2), SILENT);
            assertThat(result.errors()).isZero();
            // 100 ms of 1,000/s from two loops; the instants are the same in each run.
            assertThat(result.responses).isEqualTo(server.requests.get()).isBetween(50L, 150L);
            assertThat(server.connections.get()).isLessThanOrEqualTo(3);
        }
    }

    /** Nothing is answered before all four streams have asked; then the last comes first. */
    @Test
    void run_asksOnAllStreamsAtOnce() throws Exception {
        Deque<Integer> waiting = new ArrayDeque<>();
        Script together = (number, stream, wire) -> {
            if (stream == 1) {
                waiting.clear(); // another run
            }
            waiting.push(stream);
            boolean isKept = true;
            if (waiting.size() == 4) {
                while (!waiting.isEmpty()) {
                    isKept &= ScriptedHttp2Server.ok(waiting.pop(), wire);
                }
            }
            return isKept;
        };
        try (ScriptedHttp2Server server = new ScriptedHttp2Server(together)) {
            Result result = runUntil(plan(server.port(), 1, 0, 4), r -> r.responses + r.errors() > 0);
            assertThat(result.errors()).isZero();
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = Failure.class,
            names = {"RESET", "CLOSED", "REFUSED", "STATUS", "LENGTH", "CHECKSUM", "MALFORMED"})
    void run_countsWhatGoesWrong(Failure failure) throws Exception {
        Script third = (number, stream, wire) -> {
            if (number != 3) {
                return ScriptedHttp2Server.ok(stream, wire);
            }
            return switch (failure) {
                case RESET -> {
                    wire.send(frame(Http2Wire.RST_STREAM, stream, INTERNAL_ERROR));
                    yield true;
                }
                case CLOSED -> {
                    wire.send(ScriptedHttp2Server.head(200, stream, 0));
                    yield false;
                }
                case REFUSED -> ScriptedHttp2Server.answer(503, "busy", stream, wire);
                case STATUS -> ScriptedHttp2Server.answer(404, ScriptedServer.BODY, stream, wire);
                case LENGTH -> ScriptedHttp2Server.answer(200, "short", stream, wire);
                case CHECKSUM -> ScriptedHttp2Server.answer(200, "twelve Bytes", stream, wire);
                default -> {
                    wire.send(ScriptedHttp2Server.body(ScriptedServer.BODY, stream)); // without a head
                    yield true;
                }
            };
        };
        try (ScriptedHttp2Server server = new ScriptedHttp2Server(third)) {
            Result result = Injector.run(plan(server.port(), 1, 400, 1), SILENT);
            assertThat(result.of(failure)).isEqualTo(1);
            assertThat(result.errors()).isEqualTo(1);
            assertThat(result.refusal.getTotalCount()).isEqualTo(result.of(Failure.REFUSED));
            // One slot, open loop: everything that was sent has an outcome.
            assertThat(result.responses + 1).isEqualTo(server.requests.get());
            boolean isClosed = failure == Failure.CLOSED || failure == Failure.MALFORMED;
            assertThat(server.connections).hasValue(isClosed ? 2 : 1);
        }
    }

    /** A server says in three ways that it has not looked at a request. The connection stays if the server keeps it. */
    @ParameterizedTest
    @ValueSource(strings = {"RST_STREAM", "GOAWAY", "table"})
    void run_countsRefusedStreams(String how) throws Exception {
        Script third = (number, stream, wire) -> {
            if (number < 3 || number > 4) {
                return ScriptedHttp2Server.ok(stream, wire);
            }
            if (how.equals("RST_STREAM")) {
                wire.send(frame(Http2Wire.RST_STREAM, stream, REFUSED_STREAM));
            } else if (how.equals("GOAWAY")) {
                wire.send(goAway(Math.max(0, stream - 2), 0));
            } else {
                // The first 503 makes an entry of the table, the second is that entry.
                byte[] block = number == 3 ? new byte[] {0x48, 3, '5', '0', '3'} : new byte[] {(byte) 0xbe};
                int flags = Http2Wire.END_HEADERS | Http2Wire.END_STREAM;
                wire.send(Http2Wire.frame(Http2Wire.HEADERS, flags, stream, block));
            }
            return true;
        };
        try (ScriptedHttp2Server server = new ScriptedHttp2Server(third)) {
            Result result = Injector.run(plan(server.port(), 1, 400, 1), SILENT);
            assertThat(result.of(Failure.REFUSED)).isEqualTo(2).isEqualTo(result.errors());
            assertThat(result.refusal.getTotalCount()).isEqualTo(2);
            assertThat(result.responses + 2).isEqualTo(server.requests.get());
            assertThat(server.connections).hasValue(how.equals("GOAWAY") ? 3 : 1);
        }
    }

    /** What the server has taken before it leaves, it answers; then the client connects anew. */
    @Test
    void run_followsServerThatLeaves() throws Exception {
        Script leaving = (number, stream, wire) -> {
            if (number == 3) {
                wire.send(goAway(stream, 0));
            }
            return ScriptedHttp2Server.ok(stream, wire);
        };
        try (ScriptedHttp2Server server = new ScriptedHttp2Server(leaving)) {
            Result result = Injector.run(plan(server.port(), 1, 400, 1), SILENT);
            assertThat(result.errors()).isZero();
            assertThat(result.responses).isEqualTo(server.requests.get());
            assertThat(server.connections).hasValue(2);
        }
    }

    @Test
    void run_countsNewcomersThatAreRefusedByHttp1() throws Exception {
        try (ScriptedServer server = new ScriptedServer((number, path, to) -> {
            ScriptedServer.write(to, ScriptedServer.response(503, ScriptedServer.BODY));
            return false;
        })) {
            Result result = runUntil(plan(server.port(), 1, 0, 2), r -> r.of(Failure.REFUSED) > 0);
            assertThat(result.responses).isZero();
            // A reset may overtake the answer.
            assertThat(result.errors() - result.of(Failure.REFUSED))
                    .isEqualTo(result.of(Failure.RESET) + result.of(Failure.CLOSED));
        }
    }

    /** Each is given up, with a word to the server, and the connection stays. */
    @Test
    void run_givesUpSilentServer() throws Exception {
        try (ScriptedHttp2Server server = new ScriptedHttp2Server((number, stream, wire) -> true)) {
            Result result = runUntil(plan(server.port(), 1, 0, 3, 250, 20), r -> r.of(Failure.TIMEOUT) > 0);
            assertThat(result.responses).isZero();
            assertThat(result.of(Failure.TIMEOUT)).isEqualTo(result.errors());
            assertThat(result.connect.getTotalCount()).isLessThanOrEqualTo(1);
        }
    }

    @Test
    void run_countsWhatASilentServerKeptFromBeingSent() throws Exception {
        try (ScriptedHttp2Server server = new ScriptedHttp2Server((number, stream, wire) -> true)) {
            // Nothing is given up while requests fall due; then the run waits 200 ms for answers.
            Result result = Injector.run(plan(server.port(), 1, 1_000, 2, 100, 200), SILENT);
            assertThat(result.responses).isZero();
            assertThat(result.errors()).isBetween(50L, 150L);
            assertThat(result.of(Failure.UNANSWERED)).isGreaterThan(40);
            assertThat(result.latency.getTotalCount()).isEqualTo(result.of(Failure.UNANSWERED));
        }
    }

    @Test
    void run_readsAnswersSplitAtEveryByte() throws Exception {
        Script split = (number, stream, wire) -> {
            ByteArrayOutputStream whole = new ByteArrayOutputStream();
            whole.writeBytes(ScriptedHttp2Server.head(200, stream, 0));
            whole.writeBytes(ScriptedHttp2Server.body(ScriptedServer.BODY, stream));
            int at = number % whole.size();
            wire.send(Arrays.copyOf(whole.toByteArray(), at));
            wire.send(Arrays.copyOfRange(whole.toByteArray(), at, whole.size()));
            return true;
        };
        try (ScriptedHttp2Server server = new ScriptedHttp2Server(split)) {
            Result result = Injector.run(plan(server.port(), 2, 1_000, 2), SILENT);
            assertThat(result.errors()).isZero();
            assertThat(result.responses).isEqualTo(server.requests.get()).isPositive();
        }
    }

    /** Padding, a priority, a head that says to wait, an empty piece of the body, trailers, a frame of an unknown type, and a ping that must be answered. */
    @Test
    void run_readsAllThatMayBeInAnAnswer() throws Exception {
        byte[] text = ScriptedServer.BODY.getBytes(StandardCharsets.US_ASCII);
        Script all = (number, stream, wire) -> {
            wire.send(Http2Wire.frame(Http2Wire.PING, 0, 0, new byte[8]));
            wire.send(Http2Wire.frame(0x77, 0, 0, (byte) 1));
            wire.send(ScriptedHttp2Server.head(103, stream, 0));
            int flags = Http2Wire.END_HEADERS | Http2Wire.PADDED | 0x20;
            wire.send(Http2Wire.frame(
                    Http2Wire.HEADERS,
                    flags,
                    stream,
                    (byte) 2,
                    (byte) 0,
                    (byte) 0,
                    (byte) 0,
                    (byte) 0,
                    (byte) 1,
                    (byte) 0x88,
                    (byte) 0,
                    (byte) 0));
            wire.send(Http2Wire.frame(Http2Wire.DATA, 0, stream));
            ByteArrayOutputStream padded = new ByteArrayOutputStream();
            padded.write(3);
            padded.writeBytes(text);
            padded.writeBytes(new byte[3]);
            wire.send(Http2Wire.frame(Http2Wire.DATA, Http2Wire.PADDED, stream, padded.toByteArray()));
            // accept-ranges: x
            int last = Http2Wire.END_HEADERS | Http2Wire.END_STREAM;
            wire.send(Http2Wire.frame(Http2Wire.HEADERS, last, stream, (byte) 0x0f, (byte) 3, (byte) 1, (byte) 'x'));
            Http2Wire.Frame answer = wire.read();
            while (answer.type != Http2Wire.PING) {
                answer = wire.read();
            }
            return (answer.flags & Http2Wire.ACK) != 0;
        };
        try (ScriptedHttp2Server server = new ScriptedHttp2Server(all)) {
            Result result = Injector.run(plan(server.port(), 1, 200, 1), SILENT);
            assertThat(result.errors()).isZero();
            assertThat(result.responses).isEqualTo(server.requests.get()).isPositive();
            assertThat(server.connections).hasValue(1);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"stream", "hpack", "padding", "continued", "short", "long", "status"})
    void run_findsWhatIsNotHttp2(String what) throws Exception {
        Script wrong = (number, stream, wire) -> {
            int whole = Http2Wire.END_HEADERS | Http2Wire.END_STREAM;
            wire.send(
                    switch (what) {
                        case "stream" -> ScriptedHttp2Server.head(200, stream + 2, 0);
                        case "hpack" -> Http2Wire.frame(Http2Wire.HEADERS, whole, stream, (byte) 0xff, (byte) 0xff);
                        case "padding" ->
                            Http2Wire.frame(Http2Wire.HEADERS, whole | Http2Wire.PADDED, stream, (byte) 9, (byte) 0x88);
                        case "continued" -> Http2Wire.frame(Http2Wire.HEADERS, 0, stream, (byte) 0x88);
                        case "short" -> Http2Wire.frame(Http2Wire.RST_STREAM, 0, stream, (byte) 0);
                        case "long" -> Http2Wire.frame(Http2Wire.DATA, 0, stream, new byte[(1 << 14) + 1]);
                        default -> Http2Wire.frame(Http2Wire.HEADERS, whole, stream, (byte) 0x0f, (byte) 3, (byte) 0);
                    });
            return true;
        };
        try (ScriptedHttp2Server server = new ScriptedHttp2Server(wrong)) {
            Result result = Injector.run(plan(server.port(), 1, 100, 1), SILENT);
            assertThat(result.responses).isZero();
            assertThat(result.of(Failure.MALFORMED))
                    .isEqualTo(result.errors())
                    .isEqualTo(server.requests.get())
                    .isPositive();
        }
    }

    @Test
    void plan_keepsItsStreamsOnTheWayToASlave() {
        Plan plan = plan(80, 4, 100, 10);
        assertThat(Plan.of(plan.properties()).streams()).isEqualTo(10);
        assertThat(plan.share(0, 2).streams()).isEqualTo(10);
        assertThat(plan.withClients(2).streams()).isEqualTo(10);
    }

    @Test
    void plan_refusesStreamsOfConnectionsThatEnd() {
        Plan plan = plan(80, 4, 100, 10);
        assertThatThrownBy(() ->
                        new Plan("127.0.0.1", 80, 1, 1, 5, 0, 1, 0, true, 1, 1, true, true, "", plan.targets(), "", 10))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("perConnection=5");
    }
}
