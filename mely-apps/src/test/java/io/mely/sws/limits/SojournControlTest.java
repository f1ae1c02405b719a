// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.limits;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The control before a model of a core in virtual time: one server, one queue in order. */
class SojournControlTest {
    private static final long MS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long SECOND = 1_000 * MS;
    private static final long SERVICE_NS = 300_000;
    private static final long TARGET_NS = 50 * MS;
    private static final long KEPT_NS = 3 * TARGET_NS;
    private static final long INTERVAL_NS = SECOND;
    private static final long DEADLINE_NS = 250 * MS;
    private static final double REFUSAL_COST = 0.05;

    private static final class Client {
        long dueNs;
        long readyNs;
        long readNs;
        int requests;
    }

    private static boolean judge(SojournControl control, Client client, long nowNs) {
        long sojournNs = nowNs - client.readyNs;
        control.observe(sojournNs, client.requests == 0 ? SojournControl.NEVER : client.readyNs - client.readNs, nowNs);
        boolean isRefused = client.requests > 0 && control.refuses(sojournNs);
        client.readNs = nowNs;
        client.requests++;
        return isRefused;
    }

    /** Which of the idle connections the next request takes. */
    private enum Choice {
        LAST_USED,
        LEAST_USED
    }

    /** Requests that fall due whatever becomes of the others, over connections that stay. */
    private static final class OpenLoop {
        private final SplittableRandom random = new SplittableRandom(1);
        private final SojournControl control = new SojournControl(TARGET_NS, INTERVAL_NS);
        private final Deque<Client> idle = new ArrayDeque<>();
        private final Queue<Client> waiting = new ArrayDeque<>();
        private final Queue<Long> due = new ArrayDeque<>();
        private final Choice choice;
        private final long quotaNs;
        private double nextNs;
        private double nowNs;
        private long inTime;
        private long refused;
        private long refusedLate;
        private long longestNs;

        /** The core works for so long of each 10 ms. */
        OpenLoop(int connections, Choice choice, long quotaNs) {
            this.choice = choice;
            this.quotaNs = quotaNs;
            for (int i = 0; i < connections; i++) {
                Client client = new Client();
                client.requests = 1;
                client.readNs = -60 * SECOND;
                idle.add(client);
            }
        }

        /** At a multiple of what it can do; counts what was due in the time after a while. */
        void run(double load, long whileNs, long timeNs) {
            double fromNs = nowNs + whileNs;
            double endNs = fromNs + timeNs;
            inTime = 0;
            refused = 0;
            refusedLate = 0;
            longestNs = 0;
            while (nowNs < endNs) {
                for (; nextNs <= nowNs; nextNs += -Math.log(1 - random.nextDouble()) * SERVICE_NS / load) {
                    due.add((long) nextNs);
                    begin((long) nextNs);
                }
                Client client = waiting.poll();
                if (client == null) {
                    nowNs = nextNs;
                    continue;
                }
                long sojournNs = (long) nowNs - client.readyNs;
                boolean isRefused = judge(control, client, (long) nowNs);
                work(isRefused ? SERVICE_NS * REFUSAL_COST : SERVICE_NS);
                if (client.dueNs >= fromNs) {
                    boolean isInTime = nowNs - client.dueNs <= DEADLINE_NS;
                    inTime += isInTime && !isRefused ? 1 : 0;
                    refused += isRefused ? 1 : 0;
                    refusedLate += isRefused && !isInTime ? 1 : 0;
                    longestNs = Math.max(longestNs, sojournNs);
                }
                idle.addLast(client);
                begin((long) nowNs);
            }
        }

        private void begin(long readyNs) {
            while (!due.isEmpty() && !idle.isEmpty()) {
                Client client = choice == Choice.LAST_USED ? idle.removeLast() : idle.removeFirst();
                client.dueNs = due.remove();
                client.readyNs = readyNs;
                waiting.add(client);
            }
        }

        private void work(double costNs) {
            double periodNs = 10 * MS;
            double restNs = costNs * quotaNs / periodNs;
            while (true) {
                double beganNs = Math.floor(nowNs / periodNs) * periodNs;
                double leftNs = beganNs + quotaNs - nowNs;
                if (restNs <= leftNs) {
                    nowNs += restNs;
                    return;
                }
                restNs -= Math.max(0, leftNs);
                nowNs = beganNs + periodNs;
            }
        }

        /** Of what the core can do. */
        double goodput(long timeNs) {
            return (double) inTime * SERVICE_NS / timeNs;
        }
    }

    // A core that can do its work refuses none of it, however near to its capacity, alone on a CPU or with a part of
    // one.
    @ParameterizedTest
    @CsvSource({"0.1, 10", "0.5, 10", "0.9, 10", "0.97, 10", "0.5, 2.5", "0.9, 2.5"})
    void refuses_underCapacity_nobody(double load, double quotaMs) {
        for (Choice choice : Choice.values()) {
            OpenLoop loop = new OpenLoop(8_000, choice, (long) (quotaMs * MS));
            loop.run(load, 0, 60 * SECOND);
            assertThat(loop.refused).isZero();
            assertThat(loop.goodput(60 * SECOND)).isBetween(0.95 * load, 1.05 * load);
        }
    }

    // Whatever is asked of it, it does in time what it can beside refusing the rest, and tells the rest in time.
    @ParameterizedTest
    @CsvSource({"1.03, 10", "1.1, 10", "1.5, 10", "2, 10", "4, 10", "1.03, 2.5", "2, 2.5", "4, 2.5"})
    void refuses_overCapacity_goodputStays(double load, double quotaMs) {
        double best = (1 - load * REFUSAL_COST) / (1 - REFUSAL_COST);
        for (Choice choice : Choice.values()) {
            OpenLoop loop = new OpenLoop(8_000, choice, (long) (quotaMs * MS));
            loop.run(load, 5 * SECOND, 60 * SECOND);
            assertThat(loop.goodput(60 * SECOND)).as("%s", choice).isBetween(best - 0.05, best + 0.02);
            assertThat(loop.refused).as("%s", choice).isPositive();
            assertThat(loop.refusedLate).as("%s", choice).isLessThan(loop.refused / 20);
        }
    }

    // The planted opposite: more than it can do, and nobody is refused, has no bound.
    @Test
    void refuses_never_letsTheWaitGrow() {
        long nowNs = 0;
        for (long arrivalNs = 0; nowNs < 60 * SECOND; arrivalNs += SERVICE_NS / 2) {
            nowNs = Math.max(nowNs, arrivalNs) + SERVICE_NS;
            if (nowNs >= 60 * SECOND) {
                assertThat(nowNs - arrivalNs).isGreaterThan(10 * SECOND);
            }
        }
    }

    // When less is asked of it again nobody waits, a second later.
    @ParameterizedTest
    @ValueSource(doubles = {1.5, 2, 4})
    void refuses_afterOverload_nobody(double load) {
        for (Choice choice : Choice.values()) {
            OpenLoop loop = new OpenLoop(8_000, choice, 10 * MS);
            loop.run(load, 0, 20 * SECOND);
            loop.run(0.5, SECOND, 10 * SECOND);
            assertThat(loop.refused).isZero();
            assertThat(loop.longestNs).isLessThan(TARGET_NS);
        }
    }

    /**
     * Clients that ask again as soon as they are answered, and connect anew after some requests, before a core that gets now all of its CPU and now a
     * part.
     *
     * @return longest wait; nobody was refused
     */
    private static long closedLoop(int clients, int perConnection, double slowest) {
        SplittableRandom random = new SplittableRandom(1);
        SojournControl control = new SojournControl(TARGET_NS, INTERVAL_NS);
        PriorityQueue<Client> coming = new PriorityQueue<>(Comparator.comparingLong(client -> client.readyNs));
        for (int i = 0; i < clients; i++) {
            Client client = new Client();
            client.readyNs = random.nextLong(300 * MS);
            coming.add(client);
        }
        Queue<Client> waiting = new ArrayDeque<>();
        long nowNs = 0;
        double slowness = 1;
        long changeNs = 0;
        long longestNs = 0;
        while (nowNs < 60 * SECOND) {
            if (nowNs >= changeNs) {
                slowness = 1 + (slowest - 1) * random.nextDouble();
                changeNs = nowNs + random.nextLong(500 * MS);
            }
            while (!coming.isEmpty() && coming.element().readyNs <= nowNs) {
                waiting.add(coming.remove());
            }
            Client client = waiting.poll();
            if (client == null) {
                nowNs = coming.element().readyNs;
                continue;
            }
            longestNs = Math.max(longestNs, nowNs - client.readyNs);
            assertThat(judge(control, client, nowNs)).isFalse();
            nowNs += (long) (SERVICE_NS / 4.0 * slowness);
            client.requests %= perConnection;
            client.readyNs = nowNs + (long) (-Math.log(1 - random.nextDouble()) * MS * slowness);
            coming.add(client);
        }
        return longestNs;
    }

    // They wait for as long as it takes to answer them all, and to refuse some would not change that.
    @ParameterizedTest
    @CsvSource({"5000, 150, 1", "2000, 150, 4", "2000, 150, 18", "2000, 20, 4", "5000, 1000000, 1"})
    void refuses_closedLoop_nobody(int clients, int perConnection, double slowest) {
        assertThat(closedLoop(clients, perConnection, slowest)).isGreaterThan(KEPT_NS);
    }

    // Bursts that are over within the interval are nobody's fault.
    @Test
    void refuses_bursts_nobody() {
        SojournControl control = new SojournControl(TARGET_NS, INTERVAL_NS);
        for (int burst = 0; burst < 100; burst++) {
            List<Client> clients = new ArrayList<>();
            for (int i = 0; i < 900; i++) {
                Client client = new Client();
                client.requests = 1;
                client.readNs = -60 * SECOND;
                client.readyNs = burst * SECOND;
                clients.add(client);
            }
            for (int i = 0; i < clients.size(); i++) {
                assertThat(judge(control, clients.get(i), burst * SECOND + i * MS))
                        .isFalse();
            }
        }
        assertThat(control.waitNs(100 * SECOND)).isZero();
    }

    // A second in which nobody came is no queue that stands: neither before it nor after it somebody is refused.
    @Test
    void refuses_burstsWithPauses_nobody() {
        SojournControl control = new SojournControl(TARGET_NS, INTERVAL_NS);
        long nowNs = 0;
        while (nowNs < 5 * SECOND) { // overloaded
            nowNs += SERVICE_NS;
            control.observe(10 * TARGET_NS, 60 * SECOND, nowNs);
        }
        assertThat(control.refuses(10 * TARGET_NS)).isTrue();
        for (int minute = 1; minute < 10; minute++) {
            long fromNs = minute * 60 * SECOND;
            for (long waitedNs = 0; waitedNs < 1_500 * MS; waitedNs += MS) {
                control.observe(waitedNs, 60 * SECOND, fromNs + waitedNs);
                assertThat(control.refuses(waitedNs)).isFalse();
            }
        }
    }

    // Newcomers are told how long they would wait, and not of a wait that is over.
    @Test
    void waitNs_endsWithTheQueue() {
        SojournControl control = new SojournControl(TARGET_NS, INTERVAL_NS);
        long nowNs = 0;
        while (nowNs < 5 * SECOND) {
            nowNs += SERVICE_NS;
            control.observe(10 * TARGET_NS, SojournControl.NEVER, nowNs);
        }
        assertThat(control.standingNs(nowNs)).isBetween(3 * SECOND, 5 * SECOND);
        assertThat(control.waitNs(nowNs)).isEqualTo(10 * TARGET_NS);
        assertThat(control.waitNs(nowNs + 4 * TARGET_NS)).isEqualTo(6 * TARGET_NS);
        assertThat(control.waitNs(nowNs + 11 * TARGET_NS)).isZero();
        for (long endNs = nowNs + 3 * SECOND; nowNs < endNs; nowNs += SERVICE_NS) {
            control.observe(TARGET_NS / 2, SojournControl.NEVER, nowNs);
        }
        control.observe(10 * TARGET_NS, SojournControl.NEVER, nowNs);
        assertThat(control.waitNs(nowNs)).as("one late request is no crowd").isZero();
        assertThat(control.standingNs(nowNs)).isZero();
    }
}
