// SPDX-License-Identifier: Apache-2.0
package io.mely.sws;

import static org.assertj.core.api.Assertions.assertThat;

import io.mely.deploy.DeploymentFile;
import io.mely.deploy.stingy.DeclarationCheck;
import io.mely.deploy.stingy.MemoryPlan;
import io.mely.spi.Supply;
import io.mely.stingy.StingyStats.SiteStats;
import io.mely.sws.SwsConfig.Transport;
import io.mely.sws.tls.TlsEngine;
import io.mely.sws.tls.TlsSettings;
import io.netty.handler.codec.http2.Http2Error;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

// Buffers in the cores' caches: who holds one, who waits for one, and that each comes back, whatever clients and
// handlers do.
class StingyServerTest extends SwsServerHarness {
    private static final MemoryPlan PLAN = SwsStingy.plan(1 << 20); // some 50 requests a core
    private static final int MORE_THAN_PLANNED = 120;
    private static final String READ_REQUEST = SwsStage.READ_REQUEST.label();

    private final DeclarationCheck check = new DeclarationCheck(PLAN);
    private final BlockingQueue<Request> held = new LinkedBlockingQueue<>();

    @Override
    Transport transport() {
        return Transport.AUTO;
    }

    @Override
    DeclarationCheck declarations() {
        return check;
    }

    @Override
    void start(UnaryOperator<SwsConfig.Builder> change) throws IOException {
        super.start(builder -> change.apply(builder.stingy(PLAN)));
    }

    @AfterEach
    void declarationHolds() {
        assertThat(check.mismatches()).isEmpty();
    }

    private SiteStats head() {
        return server.bufferStats().site(SwsStingy.HEAD);
    }

    private void awaitNoneLive() {
        await(() -> head().live() == 0);
    }

    @Test
    void requests_areServedFromTheRegion() throws IOException {
        start();
        RawClient client = connect();
        for (int i = 0; i < 50; i++) {
            assertThat(client.fetch("/b.txt").text()).isEqualTo("b".repeat(3000));
        }
        awaitNoneLive();
        assertThat(head().served()).isBetween(50L, 55L);
        assertThat(head().fallbacks() + head().refused() + head().guards() + head().undeclared())
                .isZero();
        assertThat(server.bufferStats().site(SwsStingy.READ).served()).isBetween(1L, 2L);
    }

    // Slow clients could hold all places, and no other request would find one.
    @Test
    void requestsThatAreIncomplete_holdNoPlace() throws IOException {
        start();
        List<RawClient> slow = new ArrayList<>();
        for (int i = 0; i < MORE_THAN_PLANNED; i++) {
            slow.add(connect()
                    .send(
                            i % 2 == 0
                                    ? "GET /a.html HTTP/1.1\r\nHo"
                                    : "POST /a.html HTTP/1.1\r\n" + HOST + "Content-Length: 10\r\n\r\nabc"));
        }
        await(() -> server.requestStats().exchanges() == MORE_THAN_PLANNED);
        awaitNoneLive();
        assertThat(connect().fetch("/a.html").text()).isEqualTo("hello");
        for (int i = 0; i < MORE_THAN_PLANNED; i++) {
            String rest = i % 2 == 0 ? "st: x\r\n\r\n" : "defghij";
            assertThat(slow.get(i).send(rest).response().status()).isEqualTo(i % 2 == 0 ? 200 : 405);
        }
        assertThat(head().fallbacks() + head().undeclared()).isZero();
    }

    // What the client does not take goes on in ordinary memory, byte by byte the same.
    @Test
    void answersThatAreNotTaken_holdNoPlace() throws IOException {
        start();
        int requests = 3_000;
        RawClient client = connect(1 << 12);
        client.send(("GET /b.txt HTTP/1.1\r\n" + HOST + "\r\n").repeat(requests));
        await(() -> head().served() > 0
                && head().live() == 0
                && server.requestStats().exchanges() == 1);
        RawClient large = connect(1 << 12).get("/large.bin");
        await(() -> server.requestStats().exchanges() == 2 && head().live() == 0);
        for (int i = 0; i < requests; i++) {
            assertThat(client.response().text()).isEqualTo("b".repeat(3000));
        }
        assertThat(large.response().body()).isEqualTo(LARGE_CONTENT);
        awaitNoneLive();
    }

    // Whoever finds none waits, and is served from ordinary memory before its core would sleep.
    @Test
    void regionWithoutRoom_failsNothing() throws IOException {
        start(builder -> builder.set(SwsSettings.CORES, 1));
        Supply others = server.stingy().supply(READ_REQUEST);
        int taken = 0;
        while (others.tryTake(0, 1)) {
            taken++;
        }
        long triedInVain = head().refused();
        RawClient client = connect();
        for (int i = 0; i < 10; i++) {
            assertThat(client.fetch("/a.html").text()).isEqualTo("hello");
        }
        assertThat(head().refused() - triedInVain).as("each has waited").isGreaterThanOrEqualTo(10);
        assertThat(server.bufferStats().passed().get(READ_REQUEST)).isGreaterThanOrEqualTo(10);
        assertThat(head().fallbacks()).isGreaterThanOrEqualTo(10);
        assertThat(head().peak()).isEqualTo(taken);
        for (; taken > 0; taken--) {
            others.giveBack(0);
        }
        long before = head().served();
        long elsewhere = head().fallbacks();
        assertThat(client.fetch("/a.html").text()).isEqualTo("hello");
        assertThat(head().served()).isGreaterThan(before);
        assertThat(head().fallbacks()).isEqualTo(elsewhere);
    }

    // Stage by stage many requests are under way at once, of which some end early.
    @Test
    void loadWithResets_stageByStage_closesTheBooks() throws Exception {
        var cohort = DeploymentFile.read(Path.of("../config/stages/cohort.conf"), SwsServer.stageNames());
        start(builder -> builder.stages(cohort).stingy(SwsStingy.plan(20_000)));
        ConcurrentLinkedQueue<Throwable> failures = new ConcurrentLinkedQueue<>();
        List<Thread> load = new ArrayList<>();
        for (int i = 0; i < 16; i++) {
            int number = i;
            load.add(new Thread(() -> {
                try {
                    for (int round = 0; round < 20; round++) {
                        loadOnce(number + round);
                    }
                } catch (Throwable e) {
                    failures.add(e);
                }
            }));
        }
        load.forEach(Thread::start);
        for (Thread each : load) {
            each.join();
        }
        assertThat(failures).isEmpty();
        await(() -> server.requestStats().open() == 0);
        awaitNoneLive();
        assertThat(head().peak()).isLessThanOrEqualTo(2);
        assertThat(server.requestStats().exchanges()).isZero();
    }

    private void loadOnce(int number) throws IOException {
        try (RawClient client = dial()) {
            for (int i = 0; i < 5; i++) {
                assertThat(client.fetch("/b.txt").text()).isEqualTo("b".repeat(3000));
            }
            switch (number % 4) {
                case 0 -> client.get("/large.bin").reset();
                case 1 -> client.send("GET /a.html HT").reset();
                case 2 -> client.get("/a.html").get("/c.txt").get("/none").reset();
                default -> assertThat(client.fetch("/none").status()).isEqualTo(404);
            }
        }
    }

    // A stream takes what is free, does not wait, and holds nothing while its window is shut.
    @Test
    void streamsOfHttp2_giveTheirsBack_alsoIfTheyAreReset() throws IOException {
        start();
        Http2Client client = Http2Client.connect(server.localAddress(), false);
        clients.add(client);
        List<Integer> streams = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            streams.add(client.get("/large.bin"));
        }
        assertThat(client.response(client.get("/none")).status()).isEqualTo(404);
        awaitNoneLive();
        assertThat(head().served()).isGreaterThan(20);
        assertThat(head().undeclared()).isZero();
        assertThat(server.bufferStats().site(SwsStingy.WRITE).served()).isPositive();
        for (int i = 0; i < 10; i++) {
            client.reset(streams.get(i), Http2Error.CANCEL);
        }
        client.flush();
        client.kill();
        await(() -> server.requestStats().open() == 0);
        awaitNoneLive();
    }

    @Test
    void requestsByTls_areServedFromTheRegion() throws IOException {
        start(builder ->
                builder.set(TlsSettings.CERTIFICATES, TlsFiles.certificates()).set(TlsSettings.ENGINE, TlsEngine.AUTO));
        RawClient client = new RawClient(server.localAddress(), 0, TlsFiles.clients());
        clients.add(client);
        for (int i = 0; i < 10; i++) {
            assertThat(client.fetch("/b.txt").text()).isEqualTo("b".repeat(3000));
        }
        awaitNoneLive();
        assertThat(head().served()).isGreaterThanOrEqualTo(10);
        assertThat(head().fallbacks()).isZero();
    }

    // An application may take its time; one that fails is answered for. Neither keeps a place.
    @Test
    void applications_holdNoPlace() throws Exception {
        application = mely -> request -> {
            if (request.path().equals("/fails")) {
                throw new IllegalStateException("planned");
            }
            return request.path().equals("/later") && held.add(request);
        };
        start();
        RawClient client = dial().get("/later");
        Request later = held.poll(RawClient.TIMEOUT_MS, TimeUnit.MILLISECONDS);
        assertThat(later).isNotNull();
        awaitNoneLive();
        later.answer(Answer.text(200, "late"));
        assertThat(client.response().text()).isEqualTo("late\n");
        assertThat(client.fetch("/fails").status()).isEqualTo(500);
        client.close();
        await(() -> server.requestStats().open() == 0);
        awaitNoneLive();
        server.close(PATIENCE);
        assertNoBufferIsLive();
        assertThat(server.memoryBytes()).isZero();
        server = null; // the harness expects no failures
    }
}
