// SPDX-License-Identifier: Apache-2.0
package io.mely.sws;

import static org.assertj.core.api.Assertions.assertThat;

import io.mely.sws.SwsConfig.Transport;
import io.netty.handler.codec.http2.Http2Error;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

// Clients that keep to the letter of the protocol, or do not, to keep the server busy: each is told to calm down, or
// ends; others are served.
class Http2AttackTest extends SwsServerHarness {
    /** More frames than a client may send that ask for nothing, however long the test takes: the bucket fills by 33 a second. */
    private static final int MANY = 5_000;

    @Override
    Transport transport() {
        return Transport.AUTO;
    }

    private Http2Client started() throws IOException {
        start(builder -> builder.set(SwsSettings.IDLE_TIMEOUT, Duration.ofHours(10)));
        return another();
    }

    private Http2Client another() throws IOException {
        return add(Http2Client.connect(server.localAddress(), false));
    }

    private Http2Client add(Http2Client client) {
        clients.add(client);
        return client;
    }

    @AfterEach
    void others_areServed() throws IOException {
        assertThat(another().fetch("/a.html").text()).isEqualTo("hello");
    }

    private interface Sending {
        void send(Http2Client client, int i) throws IOException;
    }

    /** Sends many frames; the server ends the connection before the last one. */
    private void flood(Sending sending) throws IOException {
        flood(started(), sending);
    }

    private void flood(Http2Client client, Sending sending) throws IOException {
        Thread sender = new Thread(() -> {
            try {
                for (int i = 0; i < MANY; i++) {
                    sending.send(client, i);
                }
                client.flush();
            } catch (IOException e) {
                // the server has had enough
            }
        });
        sender.start();
        assertThat(client.goAwayOnly()).isEqualTo(Http2Error.ENHANCE_YOUR_CALM);
        client.socket().close();
        join(sender);
    }

    private static void join(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void rapidReset_isStopped() throws IOException {
        flood((client, i) -> client.reset(client.get("/large.bin"), Http2Error.CANCEL));
        await(() -> server.requestStats().exchanges() == 0);
    }

    // "Made you reset": the client's faults make the server reset.
    @Test
    void resetsByTheServer_areStopped() throws IOException {
        flood((client, i) -> client.window(client.get("/a.html"), 0));
    }

    @Test
    void pings_areStopped() throws IOException {
        flood(Http2Client::ping);
    }

    @Test
    void settings_areStopped() throws IOException {
        flood((client, i) -> client.settings(Http2Client.INITIAL_WINDOW_SIZE, i));
    }

    @Test
    void emptyData_isStopped() throws IOException {
        Http2Client client = started();
        int stream = client.request("POST", "/a.html", false);
        flood(client, (each, i) -> each.data(stream, new byte[0], false));
    }

    @Test
    void paddingOnly_isStopped() throws IOException {
        Http2Client client = started();
        int stream = client.request("POST", "/a.html", false);
        flood(client, (each, i) -> each.frame(Http2Client.DATA, 8, stream, (byte) 0));
    }

    @Test
    void priorities_areStopped() throws IOException {
        flood((client, i) -> client.frame(Http2Client.PRIORITY, 0, 2 * i + 3, new byte[5]));
    }

    @Test
    void priorityUpdates_areStopped() throws IOException {
        Http2Client client = started();
        int stream = client.request("POST", "/a.html", false);
        flood(client, (each, i) -> each.priority(stream, "u=" + i % 8));
    }

    @Test
    void prioritiesOfStreamsToCome_areBounded() throws IOException {
        Http2Client client = started();
        for (int i = 0; i <= 100; i++) {
            client.priority(2 * i + 1, "u=1");
        }
        assertThat(client.goAway()).isEqualTo(Http2Error.PROTOCOL_ERROR);
    }

    @Test
    void windowUpdates_areStopped() throws IOException {
        flood((client, i) -> client.window(0, 1));
    }

    @Test
    void unknownFrames_areStopped() throws IOException {
        flood((client, i) -> client.frame(0x77, 0, 0));
    }

    @Test
    void continuations_withoutEnd_areStopped_byTheirLength() throws IOException {
        Http2Client client = started();
        client.frame(Http2Client.HEADERS, 0, client.stream(), client.block(":method", "GET"));
        flood(client, (each, i) -> each.frame(Http2Client.CONTINUATION, 0, 1, new byte[16_000]));
    }

    @Test
    void continuations_thatAreEmpty_areStopped() throws IOException {
        Http2Client client = started();
        client.frame(Http2Client.HEADERS, 0, client.stream(), client.block(":method", "GET"));
        flood(client, (each, i) -> each.frame(Http2Client.CONTINUATION, 0, 1));
    }

    // RFC 7541 7.3: a few bytes that stand for a long field, many times.
    @Test
    void bombOfHpack_isAnswered431_andTheTableStaysInStep() throws IOException {
        Http2Client client = started();
        String bomb = "b".repeat(4_000);
        assertThat(client.fetch("/a.html", "x", bomb).status()).isEqualTo(200);
        String[] fields = new String[8_000];
        IntStream.range(0, fields.length).forEach(i -> fields[i] = i % 2 == 0 ? "x" : bomb);
        Http2Client.Response refused = client.fetch("/a.html", fields);
        assertThat(refused.status()).isEqualTo(431);
        assertThat(client.fetch("/a.html", "x", bomb).text()).isEqualTo("hello");
    }

    @Test
    void tooManyFields_areAnswered431() throws IOException {
        Http2Client client = started();
        String[] fields = new String[2 * 200];
        IntStream.range(0, fields.length).forEach(i -> fields[i] = i % 2 == 0 ? "n" + i : "v");
        assertThat(client.fetch("/a.html", fields).status()).isEqualTo(431);
        assertThat(client.fetch("/a.html").status()).isEqualTo(200);
    }

    @Test
    void headerBlock_thatIsNoHpack_endsTheConnection() throws IOException {
        Http2Client client = started();
        client.frame(Http2Client.HEADERS, 5, 1, (byte) 0xff, (byte) 0xff, (byte) 0xff, (byte) 0xff, (byte) 0xff);
        assertThat(client.goAway()).isEqualTo(Http2Error.COMPRESSION_ERROR);
    }

    @Test
    void streams_beyondTheLimit_areRefused_andMayTryAgain() throws IOException {
        start(builder -> builder.set(SwsSettings.HTTP2_STREAMS_MAX, 2));
        Http2Client client =
                add(Http2Client.dial(server.localAddress(), false, 0)).begin(Http2Client.INITIAL_WINDOW_SIZE, 0);
        int first = client.get("/a.html");
        int second = client.get("/a.html");
        int third = client.get("/a.html");
        assertThat(client.resetOf(third)).isEqualTo(Http2Error.REFUSED_STREAM);
        client.window(first, 100).window(second, 100);
        assertThat(client.response(first).text()).isEqualTo("hello");
        assertThat(client.response(second).text()).isEqualTo("hello");
        int again = client.get("/a.html");
        client.window(again, 100);
        assertThat(client.response(again).text()).isEqualTo("hello");
    }

    // A window that opens by a byte at a time costs a frame each: no flood, but slow, and so the client pays.
    @Test
    void windowsOfOneByte_areServed() throws IOException {
        started();
        Http2Client client =
                add(Http2Client.dial(server.localAddress(), false, 0)).begin(Http2Client.INITIAL_WINDOW_SIZE, 1);
        assertThat(client.response(client.get("/b.txt")).text()).isEqualTo("b".repeat(3_000));
    }

    @Test
    void data_beyondTheWindow_isRefused() throws IOException {
        Http2Client client = started();
        int shut = client.request("POST", "/a.html", false, "content-length", "10000000");
        assertThat(client.response(shut).status()).isEqualTo(413);
        List<Integer> streams = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            streams.add(client.request("POST", "/a.html", false));
        }
        for (int stream : streams) {
            client.data(stream, new byte[16_000], true);
            assertThat(client.response(stream).status())
                    .as("the connection's is given back")
                    .isEqualTo(405);
        }
    }

    // Slow ones.

    @Test
    void headThatDoesNotEnd_timesOut() throws IOException {
        Http2Client client = started();
        client.frame(Http2Client.HEADERS, 0, client.stream(), client.block(":method", "GET"))
                .ping(0);
        client.flush();
        await(() -> server.requestStats().open() == 1);
        client.timeoutMs(RawClient.TIMEOUT_MS);
        assertThat(client.goAway()).as("interrupted").isEqualTo(Http2Error.PROTOCOL_ERROR);
        Http2Client slow = another();
        slow.fetch("/a.html");
        slow.frame(Http2Client.HEADERS, 0, slow.stream(), slow.block(":method", "GET"));
        slow.flush();
        client.close();
        jumpUntilEnded(slow, Http2Error.ENHANCE_YOUR_CALM);
    }

    @Test
    void frameThatDoesNotEnd_timesOut() throws IOException {
        Http2Client client = started();
        client.fetch("/a.html");
        client.raw(0, 0, 100, Http2Client.HEADERS, 5, 0, 0, 0, 3, 0x82);
        jumpUntilEnded(client, Http2Error.ENHANCE_YOUR_CALM);
    }

    @Test
    void settingsThatAreNotAcknowledged_timeOut() throws IOException {
        started().close();
        Http2Client client = add(Http2Client.dial(server.localAddress(), false, 0));
        client.preface().settings().flush();
        client.expect(Http2Client.SETTINGS);
        client.fetch("/a.html");
        jumpUntilEnded(client, Http2Error.SETTINGS_TIMEOUT);
    }

    @Test
    void bodyThatDoesNotCome_timesOut_itsStreamOnly() throws IOException {
        start(builder -> builder.set(SwsSettings.BODY_TIMEOUT, Duration.ofMinutes(1))
                .set(SwsSettings.IDLE_TIMEOUT, Duration.ofDays(1)));
        Http2Client client = another();
        int slow = client.request("POST", "/a.html", false, "content-length", "5");
        client.data(slow, "123", false).ping(0).expect(Http2Client.PING);
        advanceUntil(Duration.ofMinutes(1), () -> server.requestStats().timeouts() == 1);
        assertThat(client.response(slow).status()).isEqualTo(408);
        assertThat(client.fetch("/a.html").text()).isEqualTo("hello");
    }

    // Pings keep nobody's connection.
    @Test
    void pings_doNotKeepAnIdleConnection() throws IOException {
        Http2Client client = started();
        client.fetch("/a.html");
        client.ping(9).expect(Http2Client.PING); // its stream is closed, too: from now on it is idle
        for (int i = 0; i < 3; i++) {
            jump(Duration.ofHours(4));
            client.ping(i).flush();
        }
        assertThat(client.goAway()).isEqualTo(Http2Error.NO_ERROR);
    }

    private void jumpUntilEnded(Http2Client client, Http2Error expected) throws IOException {
        advanceUntil(HEADER_TIMEOUT, () -> server.requestStats().timeouts() == 1);
        assertThat(client.goAway()).isEqualTo(expected);
        assertThat(client.isEnded()).isTrue();
    }

    // Little memory.

    @Test
    void withoutMemory_requestsAreRefused_andServedLater() throws IOException {
        long least = MemoryBudget.limitBytesMin(2) + (1 << 20);
        start(builder -> builder.set(SwsSettings.CACHE_BUDGET, 1 << 16), least);
        Http2Client client =
                add(Http2Client.dial(server.localAddress(), false, 0)).begin(Http2Client.INITIAL_WINDOW_SIZE, 0);
        List<Integer> streams = new ArrayList<>();
        for (int i = 0; i < 90; i++) {
            streams.add(client.get("/a.html"));
        }
        client.ping(1).expect(Http2Client.PING);
        int refused = 0;
        int waiting = 0;
        for (int stream : streams) {
            Http2Client.Frame first = client.firstOf(stream);
            if (first.type() == Http2Client.RST_STREAM) {
                assertThat(first.error()).isEqualTo(Http2Error.REFUSED_STREAM);
                refused++;
            } else {
                waiting++;
            }
        }
        assertThat(refused).isPositive();
        assertThat(waiting).isPositive();
        for (int stream : streams) {
            client.reset(stream, Http2Error.CANCEL);
        }
        int again = client.get("/a.html");
        client.window(again, 100);
        assertThat(client.response(again).text()).isEqualTo("hello");
    }

    // Whatever comes, the server neither fails nor keeps anything (the books are checked after each test).
    @Test
    void garbage_endsConnectionsOnly() throws IOException {
        started();
        java.util.Random random = new java.util.Random(51);
        for (int i = 0; i < 100; i++) {
            Http2Client client = Http2Client.connect(server.localAddress(), false);
            for (int frame = 0; frame < 20; frame++) {
                byte[] payload = new byte[random.nextInt(40)];
                random.nextBytes(payload);
                client.frame(random.nextInt(18), random.nextInt(256), random.nextInt(8), payload);
            }
            try {
                client.flush();
            } catch (IOException e) {
                // it has ended already
            }
            client.close();
        }
        await(() -> server.requestStats().open() == 1);
        assertThat(server.requestStats().failures()).isZero();
    }
}
