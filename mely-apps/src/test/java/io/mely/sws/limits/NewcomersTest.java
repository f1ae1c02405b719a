// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.limits;

import static org.assertj.core.api.Assertions.assertThat;

import io.mely.sws.limits.Newcomers.Counts;
import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Newcomers before a model of a core, in virtual time. */
class NewcomersTest {
    private static final long MS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long SECOND = 1_000 * MS;
    private static final long SERVICE_NS = MS;
    private static final long TARGET_NS = 50 * MS;
    private static final long INTERVAL_NS = SECOND;

    private final Newcomers newcomers = new Newcomers(TARGET_NS, INTERVAL_NS);
    private Counts counts = new Counts(0, 0, 0);

    private boolean refuses(long insideNs, long standingNs, long kernelNs, long nowNs) {
        return newcomers.refuses(insideNs, standingNs, kernelNs, nowNs, () -> counts);
    }

    /** In the interval that ends now. */
    private void counted(long accepted, long closed, long responses) {
        counts = new Counts(counts.accepted() + accepted, counts.closed() + closed, counts.responses() + responses);
    }

    // A crowd that connects, makes all wait, and stays.
    @Test
    void refuses_crowdThatStays_nobody() {
        assertThat(refuses(0, 0, 0, 0)).isFalse();
        for (int second = 1; second < 10; second++) {
            counted(second == 1 ? 2_000 : 10, second == 1 ? 0 : 10, 2_000);
            for (int i = 0; i < 100; i++) {
                long nowNs = second * SECOND + i * MS;
                assertThat(refuses(10 * TARGET_NS, (second - 1) * SECOND, 20 * TARGET_NS, nowNs))
                        .isFalse();
            }
        }
    }

    // In the kernel's queue a crowd waits that connects; none of it has left.
    @Test
    void refuses_crowdInTheKernel_nobody() {
        assertThat(refuses(0, 0, 0, 0)).isFalse();
        counted(2_000, 10, 0);
        assertThat(refuses(0, 0, 20 * TARGET_NS, SECOND)).isFalse();
        counted(2_000, 1_000, 0);
        assertThat(refuses(0, 0, 20 * TARGET_NS, 2 * SECOND)).as("they leave").isFalse();
        assertThat(refuses(0, 0, 20 * TARGET_NS, 2 * SECOND)).as("19 of 20").isTrue();
    }

    // Those who go on coming are refused: of who would wait for five targets four fifths.
    @Test
    void refuses_whoGoOnComing() {
        assertThat(refuses(0, 0, 0, 0)).isFalse();
        counted(200, 0, 2_000);
        int refused = 0;
        for (int i = 0; i < 100; i++) {
            if (refuses(5 * TARGET_NS, SECOND + 1, 0, SECOND)) {
                newcomers.refused();
                refused++;
            }
        }
        assertThat(refused).isEqualTo(80);
        assertThat(refuses(5 * TARGET_NS, SECOND, 0, SECOND))
                .as("for an interval only")
                .isFalse();
    }

    /** A connection with three requests, one after the other. */
    private static final class Visitor {
        long readyNs;
        long readNs;
        int requests = 3;

        Visitor(long readyNs) {
            this.readyNs = readyNs;
        }
    }

    /**
     * Newcomers with three requests each, twice as many as can be served, where to accept or refuse one costs 0.7 of a request: refusing
     * all that are too many would take a quarter of the time. Within a budget of 3 % the others wait in a queue of the kernel's, which
     * costs nothing. The acceptor has its turn among the connections, as in the server.
     */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void refuses_dearRefusals_withinABudget(boolean isBudgeted) {
        long refusalNs = SERVICE_NS * 7 / 10;
        long sessionNs = 3 * SERVICE_NS + refusalNs;
        Visitor acceptor = new Visitor(0);
        SojournControl control = new SojournControl(TARGET_NS, INTERVAL_NS);
        RateLimit budget = new RateLimit((int) (0.03 * SECOND / refusalNs), 10, 0);
        ArrayDeque<Visitor> core = new ArrayDeque<>();
        core.add(acceptor);
        long backlog = 0;
        long comingNs = 0;
        long pausedUntilNs = 0;
        long nowNs = 0;
        long served = 0;
        long refused = 0;
        long fromNs = 20 * SECOND;
        long untilNs = 80 * SECOND;
        while (nowNs < untilNs) {
            for (; comingNs <= nowNs; comingNs += sessionNs / 2) {
                backlog = Math.min(backlog + 1, 4_096); // the kernel drops what is more
            }
            Visitor visitor = core.remove();
            if (visitor != acceptor) {
                long sojournNs = nowNs - visitor.readyNs;
                control.observe(
                        sojournNs,
                        visitor.requests == 3 ? SojournControl.NEVER : visitor.readyNs - visitor.readNs,
                        nowNs);
                visitor.readNs = nowNs;
                if (visitor.requests < 3 && control.refuses(sojournNs)) {
                    nowNs += refusalNs;
                    refused += nowNs > fromNs ? 1 : 0;
                    counted(0, 1, 1);
                    continue;
                }
                nowNs += SERVICE_NS;
                served += nowNs > fromNs ? 1 : 0;
                visitor.requests--;
                counted(0, visitor.requests == 0 ? 1 : 0, 1);
                if (visitor.requests > 0) {
                    visitor.readyNs = nowNs;
                    core.add(visitor);
                }
                continue;
            }
            for (int i = 0; i < 64 && backlog > 0 && nowNs >= pausedUntilNs; i++) {
                boolean isShed = refuses(control.waitNs(nowNs), control.standingNs(nowNs), 0, nowNs);
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
                    counted(1, isShed ? 1 : 0, 0);
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
    void refuses_waitingInTheKernel_areRefusedOrServed(double load, boolean isServedBeyondBudget) {
        long refusalNs = SERVICE_NS / 7;
        SojournControl control = new SojournControl(TARGET_NS, INTERVAL_NS);
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
            boolean isShed = refuses(0, 0, control.waitNs(nowNs), nowNs);
            boolean isRefused = isShed && budget.take(nowNs);
            Long sinceNs = isShed && !isRefused && !isServedBeyondBudget ? null : backlog.poll();
            if (sinceNs == null) {
                nowNs += MS / 10;
                continue;
            }
            control.observe(nowNs - sinceNs, SojournControl.NEVER, nowNs);
            if (isRefused) {
                newcomers.refused();
            }
            nowNs += isRefused ? refusalNs : SERVICE_NS;
            counted(1, 1, 1);
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
