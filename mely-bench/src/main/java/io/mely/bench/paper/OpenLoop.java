// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.paper;

import io.mely.bench.Instants;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.HdrHistogram.Histogram;

/**
 * Requests that arrive at instants planned beforehand, whether or not earlier ones are done, each from the caller's thread.
 *
 * <p>Latency counts from the <i>planned</i> instant: a request that could not even be sent since a CPU was missing has waited, too
 * (no coordinated omission). The plan and all events are made before the run. The sender parks until the next request is nearly due, then
 * spins; what it was late by, and its CPU time, are in the figures.
 */
abstract class OpenLoop extends Workload {
    /** Sent later than that, a request says more about the sender than about the contender. */
    private static final long LATE_NS = 1_000_000;

    /** Age of a cold JVM in which the first request is due, so that it is the same for all contenders: most are ready by then. */
    private static final long COLD_BEGIN_NS = 1_000_000_000;

    private int measured;

    /** A planned request. Its result fields are written by the event, once. */
    abstract class Request extends Event {
        final int key;
        final int kind;
        final long plannedNs;
        /** Written before it is sent. */
        private long dueNs;

        private boolean isMeasured;
        private long lateNs;
        private long latencyNs = -1;

        Request(int key, int kind, long plannedNs) {
            this.key = key;
            this.kind = kind;
            this.plannedNs = plannedNs;
        }

        /** Called where the latency ends. */
        final void stop() {
            latencyNs = System.nanoTime() - dueNs;
        }
    }

    /** All requests, in the order they arrive; those planned before the warm-up ends are not measured. */
    abstract List<? extends Request> plan(long warmNs, long endNs);

    /** Sends what runs beside the requests. */
    void startBackground() {}

    /** Waits until everything has run. */
    abstract void awaitAll() throws InterruptedException;

    @Override
    final void drive() throws InterruptedException {
        long beginAgeNs = Math.min(COLD_BEGIN_NS, warmNs());
        long warmNs = isCold() ? warmNs() - beginAgeNs : warmNs();
        List<? extends Request> plan = plan(warmNs, warmNs + measureNs());
        startBackground();
        if (isCold()) {
            Instants.await(System.nanoTime() + beginAgeNs - jvmAgeNs());
            noteLife(jvmAgeNs() + warmNs, jvmAgeNs() + warmNs + measureNs());
        }
        long startNs = System.nanoTime();
        long cpuBeforeNs = 0;
        long clockNs = 0;
        boolean isClockRunning = false;
        for (Request request : plan) {
            if (!isClockRunning && (request.plannedNs >= warmNs || request == plan.get(plan.size() - 1))) {
                isClockRunning = true;
                startClock();
                clockNs = System.nanoTime();
                cpuBeforeNs = threadCpuNs();
            }
            request.isMeasured = isClockRunning;
            request.dueNs = startNs + request.plannedNs;
            Instants.await(request.dueNs);
            request.lateNs = System.nanoTime() - request.dueNs;
            executor().execute(request.key, request.kind, request);
            if (hasFailed()) {
                return;
            }
        }
        long senderCpuNs = threadCpuNs() - cpuBeforeNs;
        long sendingNs = System.nanoTime() - clockNs;
        awaitAll();
        stopClock();
        if (hasFailed()) {
            return;
        }
        Histogram latency = new Histogram(3);
        Map<Integer, Histogram> byKind = new TreeMap<>();
        Histogram late = new Histogram(3);
        int lateRequests = 0;
        for (Request request : plan) {
            if (request.latencyNs < 0) {
                throw new CheckFailedException("key " + request.key + ": a request is lost");
            }
            if (request.isMeasured) {
                measured++;
                latency.recordValue(request.latencyNs);
                byKind.computeIfAbsent(request.kind, kind -> new Histogram(3)).recordValue(request.latencyNs);
                late.recordValue(request.lateNs);
                lateRequests += request.lateNs > LATE_NS ? 1 : 0;
            }
        }
        note("p50 us", latency.getValueAtPercentile(50) / 1e3);
        note("p99 us", latency.getValueAtPercentile(99) / 1e3);
        note("p99.9 us", latency.getValueAtPercentile(99.9) / 1e3);
        note("max us", latency.getMaxValue() / 1e3);
        note("mean us", latency.getMean() / 1e3);
        if (byKind.size() > 1) {
            byKind.forEach((kind, histogram) ->
                    note("p99 us, " + kinds().get(kind).name(), histogram.getValueAtPercentile(99) / 1e3));
        }
        note("late p50 us", late.getValueAtPercentile(50) / 1e3);
        note("late p99 us", late.getValueAtPercentile(99) / 1e3);
        note("late > 1 ms %", 100.0 * lateRequests / measured);
        note("sender CPU %", 100.0 * senderCpuNs / sendingNs);
    }

    private static long threadCpuNs() {
        return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    }

    @Override
    final boolean canBeCold() {
        return true;
    }

    /** From the third second of the JVM's life to the tenth, if nothing else is said. */
    @Override
    final int coldMeasureMs() {
        return 7_000;
    }

    @Override
    final long measuredEvents() {
        return measured;
    }

    @Override
    Metric metric() {
        return Metric.P99_US;
    }
}
