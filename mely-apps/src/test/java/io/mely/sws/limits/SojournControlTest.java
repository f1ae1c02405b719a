// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.limits;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.PriorityQueue;
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
    private static final long SERVICE_NS = MS;
    private static final long TARGET_NS = 50 * MS;
    private static final long KEPT_NS = 3 * TARGET_NS;
    private static final long INTERVAL_NS = 100 * MS;

    /** What happened between two moments. */
    private static final class Tally {
        long served;
        long refused;
        long longestNs;

        /** Of what the core can do. */
        double goodput(long timeNs) {
            return (double) served * SERVICE_NS / timeNs;
        }
    }

    /** A connection with three requests, one after the other. */
    private static final class Visitor {
        long askedNs;
        int requests = 2;

        Visitor(long askedNs) {
            this.askedNs = askedNs;
        }
    }

    private static boolean judge(SojournControl control, long sojournNs, long nowNs) {
        control.observe(sojournNs, nowNs);
        return control.refuses(sojournNs);
    }

    /** Poisson arrivals at a load; refusing costs a part of a service. Counts from one moment to another. */
    private static Tally openLoop(double load, double refusalCost, long fromNs, long untilNs, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        SojournControl control = new SojournControl(TARGET_NS, INTERVAL_NS);
        Tally tally = new Tally();
        long arrivalNs = 0;
        long nowNs = 0;
        while (nowNs < untilNs) {
            arrivalNs += (long) (-Math.log(1 - random.nextDouble()) * SERVICE_NS / load);
            nowNs = Math.max(nowNs, arrivalNs);
            long sojournNs = nowNs - arrivalNs;
            boolean isRefused = judge(control, sojournNs, nowNs);
            nowNs += isRefused ? (long) (SERVICE_NS * refusalCost) : SERVICE_NS;
            if (nowNs >= fromNs) {
                tally.served += isRefused ? 0 : 1;
                tally.refused += isRefused ? 1 : 0;
                tally.longestNs = Math.max(tally.longestNs, sojournNs);
            }
        }
        return tally;
    }

    // A core that can do its work refuses none of it, however near to its capacity.
    @ParameterizedTest
    @ValueSource(doubles = {0.1, 0.5, 0.9, 0.97})
    void refuses_underCapacity_nobody(double load) {
        Tally tally = openLoop(load, 0.03, 0, 100 * SECOND, 1);
        assertThat(tally.refused).isZero();
        assertThat(tally.served).isGreaterThan(0);
    }

    // At two times the capacity and more it does 0.95 of what it can, and nobody who is served waits much longer than
    // the excess
    // calls for.
    @ParameterizedTest
    @CsvSource({"1.2, 0.03", "2, 0.03", "2, 0.04", "5, 0.01"})
    void refuses_overCapacity_goodputStays(double load, double refusalCost) {
        for (long seed = 1; seed <= 5; seed++) {
            long timeNs = 60 * SECOND;
            Tally tally = openLoop(load, refusalCost, 10 * SECOND, 10 * SECOND + timeNs, seed);
            assertThat(tally.goodput(timeNs)).as("seed %s", seed).isBetween(0.95, 1.001);
            assertThat(tally.longestNs).as("seed %s", seed).isLessThan((long) (2 * load * KEPT_NS));
            double part = (double) tally.refused / (tally.refused + tally.served);
            assertThat(part).as("seed %s", seed).isBetween(0.9 * (1 - 1 / load), 1.2 * (1 - 1 / load));
        }
    }

    // The planted opposite: without refusals the wait has no bound, so the test above measures the control.
    @Test
    void refuses_never_letsTheWaitGrow() {
        Tally tally = openLoop(2, 1, 10 * SECOND, 70 * SECOND, 1);
        assertThat(tally.longestNs).isGreaterThan(10 * SECOND);
    }

    // Bursts that are over within the interval are nobody's fault.
    @Test
    void refuses_bursts_nobody() {
        SojournControl control = new SojournControl(TARGET_NS, INTERVAL_NS);
        for (int burst = 0; burst < 100; burst++) {
            long startNs = burst * SECOND;
            for (int i = 0; i < 90; i++) {
                assertThat(judge(control, i * SERVICE_NS, startNs + i * SERVICE_NS))
                        .isFalse();
            }
        }
        assertThat(control.waitNs(100 * SECOND)).isZero();
    }

    // Clients that ask again when they are answered: as many stay as are served within the target, and those who were
    // sent away
    // are not missed.
    @Test
    void refuses_closedLoop_settlesAtTheTarget() {
        int clients = 1_000;
        long awayNs = 3 * SECOND;
        SojournControl control = new SojournControl(TARGET_NS, INTERVAL_NS);
        PriorityQueue<Long> away = new PriorityQueue<>();
        ArrayDeque<Long> queue = new ArrayDeque<>();
        for (int i = 0; i < clients; i++) {
            queue.add(0L);
        }
        long nowNs = 0;
        Tally tally = new Tally();
        long fromNs = 20 * SECOND;
        long untilNs = 80 * SECOND;
        while (nowNs < untilNs) {
            while (!away.isEmpty() && away.peek() <= nowNs) {
                queue.add(away.remove());
            }
            if (queue.isEmpty()) {
                nowNs = away.element();
                continue;
            }
            long arrivalNs = queue.remove();
            boolean isRefused = judge(control, nowNs - arrivalNs, nowNs);
            nowNs += isRefused ? SERVICE_NS / 30 : SERVICE_NS;
            (isRefused ? away : queue).add(isRefused ? nowNs + awayNs : nowNs);
            if (nowNs > fromNs) {
                tally.served += isRefused ? 0 : 1;
                tally.refused += isRefused ? 1 : 0;
                tally.longestNs = Math.max(tally.longestNs, nowNs - arrivalNs);
            }
        }
        assertThat(tally.goodput(untilNs - fromNs)).isBetween(0.95, 1.001);
        assertThat(tally.refused).isPositive();
        assertThat(tally.longestNs).isLessThan(clients * SERVICE_NS); // what it would be with all of them
    }

    // When the crowd has gone the core refuses nobody any more, and newcomers are not told of a wait that is over.
    @Test
    void refuses_afterOverload_nobody() {
        SojournControl control = new SojournControl(TARGET_NS, INTERVAL_NS);
        long nowNs = 0;
        for (int i = 0; i < 1_000; i++) {
            nowNs += SERVICE_NS;
            judge(control, 10 * TARGET_NS, nowNs);
        }
        assertThat(control.waitNs(nowNs)).isEqualTo(10 * TARGET_NS);
        assertThat(control.waitNs(nowNs + 4 * TARGET_NS)).isEqualTo(6 * TARGET_NS);
        assertThat(control.waitNs(nowNs + 11 * TARGET_NS)).isZero();
        for (int i = 0; i < 300; i++) {
            nowNs += SERVICE_NS;
            assertThat(judge(control, TARGET_NS / 2, nowNs)).isFalse();
        }
        assertThat(judge(control, 10 * TARGET_NS, nowNs))
                .as("one late request is no crowd")
                .isFalse();
        assertThat(control.waitNs(nowNs)).isZero();
    }

    /**
     * Newcomers with three requests each, twice as many as can be served, where to accept or refuse one costs 0.7 of a request: refusing
     * all that are too many would take a quarter of the time. Within a budget of 3 % the others wait in a queue of the kernel's, which
     * costs nothing. The acceptor has its turn among the connections, as in the server.
     */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void newcomers_dearRefusals_withinABudget(boolean isBudgeted) {
        long refusalNs = SERVICE_NS * 7 / 10;
        long sessionNs = 3 * SERVICE_NS + refusalNs;
        Visitor acceptor = new Visitor(0);
        SojournControl control = new SojournControl(TARGET_NS, INTERVAL_NS);
        SojournControl.Excess newcomers = new SojournControl.Excess(TARGET_NS);
        RateLimit budget = new RateLimit((int) (0.03 * SECOND / refusalNs), 10, 0);
        ArrayDeque<Visitor> core = new ArrayDeque<>();
        core.add(acceptor);
        long backlog = 0;
        long comingNs = 0;
        long pausedUntilNs = 0;
        long nowNs = 0;
        long served = 0;
        long refused = 0;
        long fromNs = 10 * SECOND;
        long untilNs = 70 * SECOND;
        while (nowNs < untilNs) {
            for (; comingNs <= nowNs; comingNs += sessionNs / 2) {
                backlog = Math.min(backlog + 1, 4_096); // the kernel drops what is more
            }
            Visitor visitor = core.remove();
            if (visitor != acceptor) {
                long sojournNs = nowNs - visitor.askedNs;
                control.observe(sojournNs, nowNs);
                if (visitor.requests < 2 && control.refuses(sojournNs)) {
                    nowNs += refusalNs;
                    refused += nowNs > fromNs ? 1 : 0;
                    continue;
                }
                nowNs += SERVICE_NS;
                served += nowNs > fromNs ? 1 : 0;
                if (--visitor.requests >= 0) {
                    visitor.askedNs = nowNs;
                    core.add(visitor);
                }
                continue;
            }
            for (int i = 0; i < 64 && backlog > 0 && nowNs >= pausedUntilNs; i++) {
                long waitNs = control.waitNs(nowNs);
                boolean isShed = waitNs > 0 && newcomers.refuses(waitNs);
                if (isShed && isBudgeted && !budget.take(nowNs)) {
                    pausedUntilNs = nowNs + 5 * MS;
                } else {
                    backlog--;
                    if (isShed) {
                        newcomers.refused();
                        refused += nowNs > fromNs ? 1 : 0;
                    } else {
                        core.add(new Visitor(nowNs));
                    }
                    nowNs += refusalNs;
                }
            }
            nowNs += core.isEmpty() ? MS / 10 : 0;
            core.add(acceptor);
        }
        double goodput = served / 3.0 * sessionNs / (untilNs - fromNs);
        assertThat(refused).isPositive();
        if (isBudgeted) {
            assertThat(goodput).isBetween(0.95, 1.001);
        } else {
            assertThat(goodput).isLessThan(0.9);
        }
    }

    /**
     * Newcomers with one request each wait in the kernel's queue only, for as long as it takes to serve or refuse all of it. Those who are too many for the
     * budget of refusals are served late; to leave them where they are would starve everybody, for a wait that nobody shortens asks for more
     * refusals still.
     */
    @ParameterizedTest
    @CsvSource({"1.5, true", "2, true", "5, true", "2, false"})
    void newcomers_waitingInTheKernel_areRefusedOrServed(double load, boolean isServedBeyondBudget) {
        long refusalNs = SERVICE_NS / 7;
        SojournControl control = new SojournControl(TARGET_NS, INTERVAL_NS);
        SojournControl.Excess newcomers = new SojournControl.Excess(TARGET_NS);
        RateLimit budget = new RateLimit((int) (0.03 * SECOND / refusalNs), 10, 0);
        ArrayDeque<Long> backlog = new ArrayDeque<>();
        long comingNs = 0;
        long nowNs = 0;
        long served = 0;
        long refused = 0;
        long fromNs = 20 * SECOND;
        long untilNs = 80 * SECOND;
        while (nowNs < untilNs) {
            for (; comingNs <= nowNs; comingNs += (long) (SERVICE_NS / load)) {
                if (backlog.size() < 4_096) {
                    backlog.add(comingNs); // the kernel drops what is more
                }
            }
            long waitNs = control.waitNs(nowNs);
            boolean isShed = waitNs > 0 && newcomers.refuses(waitNs);
            boolean isRefused = isShed && budget.take(nowNs);
            Long sinceNs = isShed && !isRefused && !isServedBeyondBudget ? null : backlog.poll();
            if (sinceNs == null) {
                nowNs += MS / 10;
                continue;
            }
            control.observe(nowNs - sinceNs, nowNs);
            if (isRefused) {
                newcomers.refused();
            }
            nowNs += isRefused ? refusalNs : SERVICE_NS;
            served += !isRefused && nowNs > fromNs ? 1 : 0;
            refused += isRefused && nowNs > fromNs ? 1 : 0;
        }
        double goodput = (double) served * SERVICE_NS / (untilNs - fromNs);
        assertThat(refused).isPositive();
        if (isServedBeyondBudget) {
            assertThat(goodput).isBetween(0.95, 1.001);
        } else {
            assertThat(goodput).isLessThan(0.5);
        }
    }
}
