// SPDX-License-Identifier: Apache-2.0
package io.mely.sws;

import static org.assertj.core.api.Assertions.assertThat;

import io.mely.sws.RawClient.Response;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What one client may want, and what all may want together. */
class LimitsTest extends SwsServerHarness {
    @Override
    SwsConfig.Transport transport() {
        return SwsConfig.Transport.AUTO;
    }

    private RawClient connectFrom(String address) throws IOException {
        RawClient client = new RawClient(server.localAddress(), 0, InetAddress.getByName(address));
        clients.add(client);
        return client;
    }

    private static void assertRefused(Response response, int status) {
        assertThat(response.status()).isEqualTo(status);
        assertThat(response.field("Retry-After")).isEqualTo("1");
    }

    // Connections of one address: one more is answered and closed, another address is not touched, and one that ends
    // makes room.
    @Test
    void clientConnections_oneMoreIs429() throws IOException {
        start(builder -> builder.set(SwsSettings.CLIENT_CONNECTIONS_MAX, 3));
        List<RawClient> three = List.of(connect(), connect(), connect());
        for (RawClient each : three) {
            assertThat(each.get("/a.html").response().status()).isEqualTo(200);
        }
        for (int i = 0; i < 5; i++) {
            RawClient refused = connect().get("/a.html");
            Response response = refused.response();
            assertRefused(response, 429);
            assertThat(response.field("Connection")).isEqualTo("close");
            assertThat(refused.isEnded()).isTrue();
        }
        assertThat(connectFrom("127.0.0.2").get("/a.html").response().status()).isEqualTo(200);
        three.get(1).close();
        await(() -> {
            try (RawClient next = new RawClient(server.localAddress())) {
                return next.get("/a.html").response().status() == 200;
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        });
        assertThat(three.get(0).get("/a.html").response().status()).isEqualTo(200);
        assertThat(server.requestStats().refused()).isGreaterThanOrEqualTo(5);
    }

    // A crowd of one address that never says a word holds up nobody else.
    @Test
    void clientConnections_aSilentCrowd_holdsUpNobody() throws IOException {
        start(builder -> builder.set(SwsSettings.CLIENT_CONNECTIONS_MAX, 1));
        for (int i = 0; i < 600; i++) {
            connect();
        }
        for (int i = 2; i < 12; i++) {
            RawClient other = connectFrom("127.0.0." + i);
            assertThat(other.get("/a.html").response().text()).isEqualTo("hello");
        }
        await(() -> server.requestStats().refused() == 599);
    }

    // Requests of one address: a burst, then the rate, over all its connections, new ones too. The connection stays,
    // and another address is
    // not touched.
    @Test
    void clientRate_tooMany_are429() throws IOException {
        start(builder -> builder.set(SwsSettings.CLIENT_RATE, 1).set(SwsSettings.CLIENT_BURST, 5));
        long startNs = System.nanoTime();
        int served = 0;
        int tries = 60;
        for (int connection = 0; connection < 3; connection++) {
            RawClient client = connect();
            for (int i = 0; i < tries / 3; i++) {
                Response response = client.get("/a.html").response();
                served += response.status() == 200 ? 1 : 0;
                if (response.status() != 200) {
                    assertRefused(response, 429);
                    assertThat(response.field("Connection")).isNull();
                }
            }
        }
        long seconds = Duration.ofNanos(System.nanoTime() - startNs).toSeconds() + 1;
        assertThat((long) served).isBetween(5L, 5 + seconds);
        assertThat(connectFrom("127.0.0.2").get("/a.html").response().status()).isEqualTo(200);
        clockAheadNs.addAndGet(Duration.ofSeconds(10).toNanos());
        assertThat(connect().get("/a.html").response().status()).isEqualTo(200);
        long limited = tries - served;
        await(() -> server.requestStats().limited() == limited);
        assertThat(server.requestStats().responses4xx()).isEqualTo(limited);
    }

    // What is malformed or too long counts, too.
    @Test
    void clientRate_refusedRequests_count() throws IOException {
        start(builder -> builder.set(SwsSettings.CLIENT_RATE, 1).set(SwsSettings.CLIENT_BURST, 3));
        List<Integer> statuses = new ArrayList<>();
        for (String request : List.of("nonsense", "GET /" + "x".repeat(9_000) + " HTTP/1.1", "GET / HTTP/9.9")) {
            statuses.add(connect().send(request + "\r\n\r\n").response().status());
        }
        assertThat(statuses).containsExactly(400, 414, 505);
        int limited = 0;
        for (int i = 0; i < 20; i++) {
            limited += connect().send("nonsense\r\n\r\n").response().status() == 429 ? 1 : 0;
        }
        assertThat(limited).isPositive();
    }

    // Pipelined requests count like others, each with its answer in its place.
    @Test
    void clientRate_pipelined_areAnsweredInOrder() throws IOException {
        start(builder -> builder.set(SwsSettings.CLIENT_RATE, 1).set(SwsSettings.CLIENT_BURST, 2));
        RawClient client = connect();
        client.send(("GET /a.html HTTP/1.1\r\n" + HOST + "\r\n").repeat(50));
        int served = 0;
        for (int i = 0; i < 50; i++) {
            int status = client.response().status();
            assertThat(status).isIn(200, 429);
            assertThat(i < 2).as("the first two are let through: %s", i).isIn(status == 200, false);
            served += status == 200 ? 1 : 0;
        }
        assertThat(served).isBetween(2, 49);
    }

    /**
     * A client that takes some bytes now and then: it gets its file if that is all that is asked, and loses its connection if it is slower than
     * it has to be. That one asks for more than it takes and the kernel's buffers hold: once all is written, nobody is slow.
     */
    @ParameterizedTest
    @CsvSource({"0, 1, true", "1, 36000, true", "1000000, 1, false"})
    void slowReader_tooSlow_isDisconnected(int rateMin, int takenMin, boolean isServed) throws IOException {
        start(builder -> builder.set(SwsSettings.WRITE_TIMEOUT, Duration.ofHours(10))
                .set(SwsSettings.WRITE_RATE_MIN, rateMin)
                .set(SwsSettings.IDLE_TIMEOUT, Duration.ofDays(1)));
        try (RandomAccessFile larger =
                new RandomAccessFile(root.resolve("larger.bin").toFile(), "rw")) {
            larger.setLength(8L * LARGE);
        }
        RawClient client = connect(1 << 14).get(isServed ? "/large.bin" : "/larger.bin");
        await(() -> server.requestStats().bytesWritten() > 0); // or the jump would meet a request not read yet
        client.in().mark(LARGE + 1_000);
        int taken = 0;
        for (int i = 0; i < 4 && server.requestStats().timeouts() == 0; i++) {
            jump(Duration.ofHours(4));
            long writtenBefore = server.requestStats().bytesWritten();
            boolean isLeft = server.requestStats().timeouts() == 0;
            while (isLeft && server.requestStats().bytesWritten() < writtenBefore + takenMin && taken < LARGE) {
                int read = client.in().readNBytes(4_096).length;
                isLeft = read != 0; // it may be disconnected just after the look
                taken += read;
            }
        }
        await(() -> server.requestStats().timeouts() == (isServed ? 0 : 1));
        if (isServed) {
            client.in().reset();
            assertThat(client.response().body()).isEqualTo(LARGE_CONTENT);
        }
    }

    // With a target that nobody can meet the server is overloaded as soon as it has looked for an interval, and whoever
    // asks has been away for longer than
    // it waits: it is refused, told when to come back, and may stay. Newcomers are let in, as there are no others.
    @Test
    void overload_isRefused_andPasses() throws Exception {
        start(builder -> builder.set(SwsSettings.OVERLOAD_TARGET, Duration.ofNanos(1))
                .set(SwsSettings.OVERLOAD_INTERVAL, Duration.ofMillis(1)));
        RawClient kept = connect();
        assertThat(kept.get("/a.html").response().status()).isEqualTo(200);
        int requests = 1;
        Response response = kept.get("/a.html").response();
        while (response.status() == 200 && requests < 10_000) {
            requests++;
            response = kept.get("/a.html").response();
        }
        assertRefused(response, 503);
        assertThat(response.field("Connection")).isNull();
        assertThat(server.requestStats().shed()).isEqualTo(1);
        assertThat(kept.get("/a.html").response().status()).isIn(200, 503);
        await(() -> {
            try (RawClient next = new RawClient(server.localAddress())) {
                return next.get("/a.html").response().status() == 200;
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        });
    }

    /**
     * Newcomers of an overloaded server: whoever has asked is answered at the door, with as much as the method allows; whoever has asked for half is let in to
     * be answered. Nobody's answer is lost. Crowds come until enough of them have been refused.
     */
    @ParameterizedTest
    @CsvSource({
        "GET /a.html HTTP/1.1~Host: test~~, ''",
        "HEAD /a.html HTTP/1.1~Host: test~~, ''",
        "GET /a.html HTTP/1.1~Host: te, st~~",
        "POST / HTTP/1.1~Host: test~Content-Length: 9~~123, 456789",
        "POST / HTTP/1.1~Host: test~Content-Length: 9~~, 123456789"
    })
    void overload_newcomers_areAnswered(String begin, String rest) throws Exception {
        start(builder -> builder.set(SwsSettings.CORES, 1)
                .set(SwsSettings.OVERLOAD_TARGET, Duration.ofNanos(1))
                .set(SwsSettings.OVERLOAD_INTERVAL, Duration.ofMillis(1)));
        boolean isHead = begin.startsWith("HEAD");
        int refused = 0;
        int withoutMore = 0;
        for (int crowds = 0; refused < 50; crowds++) {
            assertThat(crowds).as("crowds").isLessThan(1_000);
            List<RawClient> crowd = new ArrayList<>();
            for (int i = 0; i < NEWCOMERS; i++) {
                RawClient client = new RawClient(server.localAddress());
                clients.add(client);
                crowd.add(client.send(begin.replace("~", "\r\n")));
            }
            for (RawClient each : crowd) {
                Response response =
                        each.send(rest.replace("~", "\r\n")).response(isHead); // the rest may come after the answer
                if (response.status() == 503) {
                    assertRefused(response, 503);
                    if (response.field("Connection") == null) {
                        each.close(); // let in, and refused when the rest came
                        continue;
                    }
                    assertThat(response.field("Connection")).isEqualTo("close");
                    int more = each.in().readAllBytes().length;
                    // Of one that is refused before anything has come the method is not known.
                    assertThat(more == 0 || isHead).isTrue();
                    refused++;
                    withoutMore += more == 0 ? 1 : 0;
                }
                each.close();
            }
            clients.clear();
        }
        assertThat(withoutMore).isPositive();
        int all = refused;
        await(() -> server.requestStats().refused() + server.requestStats().shed() >= all);
    }

    // Some slow clients have all the memory for buffers: who asks next is told so, whole request or not, and when they
    // have left all are served.
    @Test
    void memory_takenBySlowClients_othersAre503_thenServed() throws IOException {
        start(builder -> builder.set(SwsSettings.CORES, 1), MemoryBudget.limitBytesMin(1));
        RawClient idle = connect();
        assertThat(idle.fetch("/c.txt").text()).isEqualTo("c".repeat(20_000));
        await(() -> server.requestStats().exchanges() == 0); // its memory is given back
        List<RawClient> slow = new ArrayList<>();
        for (int i = 1; i <= MemoryBudget.REQUESTS_MIN; i++) {
            slow.add(connect().send("GET /a.html HTTP/1.1\r\n"));
            long exchanges = i;
            await(() -> server.requestStats().exchanges() == exchanges);
        }
        RawClient half = connect().send("GET /a.html");
        for (RawClient refused : List.of(idle.get("/a.html"), connect().get("/a.html"), half)) {
            Response response = refused.response();
            assertRefused(response, 503);
            assertThat(response.field("Connection")).isEqualTo("close");
            assertThat(refused.isEnded()).isTrue();
        }
        assertThat(connect()
                        .send("HEAD /a.html HTTP/1.1\r\n" + HOST + "\r\n")
                        .response(true)
                        .status())
                .isEqualTo(503);
        for (RawClient each : slow) {
            assertThat(each.send(HOST + "\r\n").response().text()).isEqualTo("hello");
        }
        assertThat(connect().fetch("/a.html").text()).isEqualTo("hello");
    }

    // A part of the answer does not fit into the ordinary buffer, and a larger one is not to be had.
    @Test
    void memory_noneForALargeOutput_is503_andTheConnectionStays() throws IOException {
        long budget = MemoryBudget.RESERVE_BYTES + MemoryBudget.CORE_RESERVE_BYTES + (1 << 20);
        start(builder -> builder.set(SwsSettings.CORES, 1), budget);
        List<RawClient> slow = new ArrayList<>();
        RawClient client = connect();
        String ranges = "GET /c.txt HTTP/1.1\r\n" + HOST + "Range: bytes=0-9000,9200-18500\r\n\r\n";
        assertThat(client.send(ranges).response().status()).isEqualTo(206);
        int status = 206;
        while (status == 206) {
            await(() -> server.requestStats().exchanges() == slow.size()); // the client's is given back
            slow.add(connect().send("GET /a.html HTTP/1.1\r\n"));
            await(() -> server.requestStats().exchanges() == slow.size());
            status = client.send(ranges).response().status();
        }
        assertThat(status).isEqualTo(503);
        assertThat(client.fetch("/a.html").text()).isEqualTo("hello");
    }

    // Switched off, nothing is refused however long it takes.
    @Test
    void overload_off_nobodyIsRefused() throws IOException {
        start(builder -> builder.set(SwsSettings.OVERLOAD_TARGET, Duration.ZERO)
                .set(SwsSettings.OVERLOAD_INTERVAL, Duration.ofMillis(1)));
        List<RawClient> crowd = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            crowd.add(connect());
        }
        for (int round = 0; round < 20; round++) {
            for (RawClient each : crowd) {
                each.get("/a.html");
            }
            for (RawClient each : crowd) {
                assertThat(each.response().status()).isEqualTo(200);
            }
        }
        assertThat(server.requestStats().shed()).isZero();
    }
}
