// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.mely.sws.RawClient;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** More clients than one core can serve within its target. */
class OverloadSystemTest {
    /** Clients, each with so many requests under way: some ten targets of work. */
    private static final int CLIENTS = 100;

    private static final int PIPELINED = 30;

    /** Of each client. */
    private static final int CONNECTIONS = 8;

    /** Of 200, at least. */
    private static final int ANSWERS = 20_000;

    private static final int NEWCOMERS = 5_000;

    private static final Duration PATIENCE = Duration.ofMinutes(5);

    @TempDir
    static Path root;

    private static SiteFiles.Page small;

    @BeforeAll
    static void write() throws Exception {
        small = SiteFiles.write(root, "small.html", 1_024, 1);
    }

    // Each client goes round its connections, so each connection was away for longer than one waits. Some are told to
    // come back later, and stay; all others
    // are served, and whoever comes when it is over.
    @Test
    void crowd_someAreRefused_theRestIsServed() throws Exception {
        try (SwsProcess guarded = launch("1 ms")) {
            AtomicInteger served = new AtomicInteger();
            AtomicInteger refused = new AtomicInteger();
            long endNs = System.nanoTime() + PATIENCE.toNanos();
            String requests = ("GET " + small.path() + " HTTP/1.1\r\nHost: test\r\n\r\n").repeat(PIPELINED);
            Queue<List<RawClient>> all = new ConcurrentLinkedQueue<>();
            for (int i = 0; i < CLIENTS; i++) {
                List<RawClient> connections = new ArrayList<>();
                for (int k = 0; k < CONNECTIONS; k++) {
                    connections.add(served(guarded));
                }
                all.add(connections);
            }
            runAll(() -> {
                List<RawClient> connections = all.remove();
                try {
                    for (int i = 0;
                            (served.get() < ANSWERS || refused.get() == 0) && System.nanoTime() - endNs < 0;
                            i++) {
                        RawClient client = connections.get(i % CONNECTIONS);
                        client.send(requests);
                        readAnswers(client, served, refused);
                    }
                } finally {
                    for (RawClient each : connections) {
                        each.close();
                    }
                }
            });
            System.out.printf("sws overload: %d served, %d refused%n", served.get(), refused.get());
            assertThat(refused.get()).isPositive();
            assertThat(served.get()).isGreaterThanOrEqualTo(ANSWERS);
            Await.until(() -> "served again", () -> {
                try (RawClient late = new RawClient(guarded.address())) {
                    return late.fetch(small.path()).status() == 200;
                }
            });
        }
    }

    // A connection for each request, and no more of them at a time than the kernel's queue holds: there they wait, so
    // there it is seen. Nobody is left without an answer.
    @Test
    void newcomers_someAreTurnedAway_theRestIsServed() throws Exception {
        try (SwsProcess guarded = launch("1 ms")) {
            AtomicInteger served = new AtomicInteger();
            AtomicInteger refused = new AtomicInteger();
            long endNs = System.nanoTime() + PATIENCE.toNanos();
            runAll(() -> {
                while ((served.get() < NEWCOMERS || refused.get() == 0) && System.nanoTime() - endNs < 0) {
                    try (RawClient client = new RawClient(guarded.address())) {
                        RawClient.Response response = client.fetch(small.path());
                        boolean isServed = response.status() == 200;
                        (isServed ? served : refused).incrementAndGet();
                        assertThat(response.status()).isIn(200, 503);
                        if (!isServed) {
                            assertThat(response.fields()).containsEntry("retry-after", "1");
                        }
                    }
                }
            });
            System.out.printf("sws overload: %d newcomers served, %d refused%n", served.get(), refused.get());
            assertThat(refused.get()).isPositive();
        }
    }

    /** Where others take the CPU, the server may take that for a crowd before there is one. */
    private static RawClient served(SwsProcess guarded) throws IOException {
        while (true) {
            RawClient client = new RawClient(guarded.address());
            if (client.fetch(small.path()).status() == 200) {
                return client;
            }
            client.close();
        }
    }

    private static SwsProcess launch(String target) throws Exception {
        return SwsProcess.serving(root, "--cores", "1")
                .variable("SWS_OVERLOAD_TARGET", target)
                .variable("SWS_OVERLOAD_INTERVAL", "20 ms")
                .startReady();
    }

    private interface Visit {
        void run() throws Exception;
    }

    /** Each client on a thread of its own. */
    private static void runAll(Visit visit) throws InterruptedException {
        ConcurrentLinkedQueue<Throwable> failures = new ConcurrentLinkedQueue<>();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < CLIENTS; i++) {
            threads.add(new Thread(() -> {
                try {
                    visit.run();
                } catch (Throwable failure) {
                    failures.add(failure);
                }
            }));
        }
        threads.forEach(Thread::start);
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(failures).isEmpty();
    }

    private static void readAnswers(RawClient client, AtomicInteger served, AtomicInteger refused) throws Exception {
        for (int i = 0; i < PIPELINED; i++) {
            RawClient.Response response = client.response();
            if (response.status() == 503) {
                assertThat(response.fields()).containsEntry("retry-after", "1").doesNotContainKey("connection");
                refused.incrementAndGet();
            } else {
                assertThat(response.status()).isEqualTo(200);
                assertThat(response.body()).isEqualTo(small.content());
                served.incrementAndGet();
            }
        }
    }
}
