// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.mely.sws.RawClient;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
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

    /** Answers of 200 in a round. */
    private static final int ANSWERS = 20_000;

    private static final int ROUNDS = 3;

    private static final int NEWCOMERS = 5_000;

    private static final Duration PATIENCE = Duration.ofMinutes(1);

    /** Of what the same server does for the same crowd without refusing anybody; a model has 0.95, this machine is shared. */
    private static final double GOODPUT_MIN = 0.6;

    @TempDir
    static Path root;

    private static SiteFiles.Page small;

    @BeforeAll
    static void write() throws Exception {
        small = SiteFiles.write(root, "small.html", 1_024, 1);
    }

    /** How long a round took, how many requests were answered, and how many clients sent away in it. */
    private record Round(long timeNs, int served, int refused) {}

    // Some of the crowd are told to come back later, and do; those who stay are served as fast as all were. Whoever
    // comes when it is over
    // is served.
    @Test
    void crowd_someAreRefused_theRestIsServed() throws Exception {
        try (SwsProcess open = launch("0 s");
                SwsProcess guarded = launch("1 ms")) {
            crowd(open);
            crowd(guarded);
            double openRate = 0;
            double guardedRate = 0;
            int refused = 0;
            for (int i = 0; i < ROUNDS; i++) {
                Round all = crowd(open);
                Round some = crowd(guarded);
                assertThat(all.refused).isZero();
                openRate += (double) all.served / all.timeNs;
                guardedRate += (double) some.served / some.timeNs;
                refused += some.refused;
            }
            double goodput = guardedRate / openRate;
            System.out.printf("sws overload: %d of %d refused, goodput %.2f%n", refused, ROUNDS * CLIENTS, goodput);
            assertThat(refused).isPositive();
            assertThat(goodput).isGreaterThan(GOODPUT_MIN);
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

    /** A round: until there are enough answers. Who is refused goes away. */
    private static Round crowd(SwsProcess sws) throws Exception {
        AtomicInteger served = new AtomicInteger();
        AtomicInteger refused = new AtomicInteger();
        String requests = ("GET " + small.path() + " HTTP/1.1\r\nHost: test\r\n\r\n").repeat(PIPELINED);
        long startNs = System.nanoTime();
        runAll(() -> {
            try (RawClient client = new RawClient(sws.address())) {
                while (served.get() < ANSWERS) {
                    client.send(requests);
                    if (!readAnswers(client, served)) {
                        refused.incrementAndGet();
                        return;
                    }
                }
            }
        });
        long timeNs = System.nanoTime() - startNs;
        return new Round(timeNs, served.get(), refused.get());
    }

    /** False if it was told to go. */
    private static boolean readAnswers(RawClient client, AtomicInteger served) throws Exception {
        for (int i = 0; i < PIPELINED; i++) {
            RawClient.Response response = client.response();
            if (response.status() != 200) {
                assertThat(response.status()).isEqualTo(503);
                assertThat(response.fields()).containsEntry("retry-after", "1").containsEntry("connection", "close");
                assertThat(client.isEnded()).isTrue();
                return false;
            }
            assertThat(response.body()).isEqualTo(small.content());
            served.incrementAndGet();
        }
        return true;
    }
}
