// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.stages;

import io.mely.bench.paper.CheckFailedException;
import java.lang.management.ManagementFactory;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.LongAdder;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;

/**
 * Clients of whom each asks, waits for the answer, and asks for what is next in a queue that all share.
 *
 * <p>They are no threads: who answers one asks the next. A client that is refused waits a little. <b>Source.</b> spec: stages §9.3, §10.2.
 */
final class ClosedLoop {
    private static final int SAMPLES_PER_S = 2;
    private static final long PATIENCE_S = 120;
    private static final long REFUSED_MS = 1;
    private static final Executor LATER = CompletableFuture.delayedExecutor(REFUSED_MS, TimeUnit.MILLISECONDS);

    private final Contender contender;
    private final Service service;
    private final int clients;
    private final AtomicInteger next = new AtomicInteger();
    private final CountDownLatch ended;
    private final ConcurrentHistogram responsesNs = new ConcurrentHistogram(3);
    private final LongAdder refused = new LongAdder();
    private final AtomicLongArray samples;
    private volatile long fromNs = Long.MAX_VALUE;
    private volatile long toNs = Long.MAX_VALUE;
    private final double seconds;
    private final int requestsMax;

    /**
     * What was seen.
     *
     * @param perS answers a second
     * @param perSMax the same in the best half second
     * @param responsesNs response times
     * @param refused requests that were refused or given up
     * @param donePerS of {@link Service#done}
     * @param cpuShare CPU time of the process, of the time of all CPUs
     */
    record Outcome(
            double perS, double perSMax, Histogram responsesNs, long refused, double donePerS, double cpuShare) {}

    /** For some time. */
    ClosedLoop(Contender contender, Service service, int clients, double seconds) {
        this(contender, service, clients, seconds, Integer.MAX_VALUE);
    }

    /** For so many requests. The best half second is not looked for. */
    ClosedLoop(Contender contender, Service service, int clients, int requests) {
        this(contender, service, clients, 0, requests);
    }

    private ClosedLoop(Contender contender, Service service, int clients, double seconds, int requestsMax) {
        this.requestsMax = requestsMax;
        this.contender = contender;
        this.service = service;
        this.clients = clients;
        this.seconds = seconds;
        ended = new CountDownLatch(clients);
        samples = new AtomicLongArray((int) Math.ceil(seconds * SAMPLES_PER_S) + 1);
    }

    /** Runs warm seconds, then those that count, and waits for the last answers. */
    Outcome run(double warmSeconds) throws InterruptedException {
        for (int i = 0; i < clients; i++) {
            ask(i);
        }
        Thread.sleep((long) (warmSeconds * 1e3));
        long cpuBeforeNs = cpuNs();
        double doneBefore = service.done();
        long beganNs = System.nanoTime();
        fromNs = beganNs;
        Thread.sleep((long) (seconds * 1e3));
        double done = service.done() - doneBefore;
        long endedNs = System.nanoTime();
        toNs = endedNs;
        double elapsedNs = endedNs - beganNs;
        double cpuShare =
                (cpuNs() - cpuBeforeNs) / elapsedNs / Runtime.getRuntime().availableProcessors();
        if (!ended.await(PATIENCE_S, TimeUnit.SECONDS)) {
            throw new CheckFailedException("clients that got no answer: " + ended.getCount());
        }
        long most = 0;
        for (int i = 0; i < (int) (elapsedNs / 1e9 * SAMPLES_PER_S); i++) {
            most = Math.max(most, samples.get(i));
        }
        return new Outcome(
                responsesNs.getTotalCount() * 1e9 / elapsedNs,
                most == 0 ? Double.NaN : most * (double) SAMPLES_PER_S,
                responsesNs,
                refused.sum(),
                done * 1e9 / elapsedNs,
                cpuShare);
    }

    /** Runs all requests, and waits until what goes on behind the answers is done: each figure is over the time until then, but for answers, which count until the last one. */
    Outcome runAll() throws InterruptedException {
        long cpuBeforeNs = cpuNs();
        double doneBefore = service.done();
        long beganNs = System.nanoTime();
        fromNs = beganNs;
        for (int i = 0; i < clients; i++) {
            ask(i);
        }
        if (!ended.await(PATIENCE_S, TimeUnit.SECONDS)) {
            throw new CheckFailedException("clients that got no answer: " + ended.getCount());
        }
        double answeredNs = System.nanoTime() - beganNs;
        service.awaitDone();
        double elapsedNs = System.nanoTime() - beganNs;
        double cpuShare =
                (cpuNs() - cpuBeforeNs) / elapsedNs / Runtime.getRuntime().availableProcessors();
        return new Outcome(
                responsesNs.getTotalCount() * 1e9 / answeredNs,
                Double.NaN,
                responsesNs,
                refused.sum(),
                (service.done() - doneBefore) * 1e9 / elapsedNs,
                cpuShare);
    }

    private void ask(long client) {
        boolean isOver = requestsMax < Integer.MAX_VALUE
                ? next.get() >= requestsMax
                : System.nanoTime() - toNs >= 0 && toNs != Long.MAX_VALUE;
        if (isOver) {
            ended.countDown();
            return;
        }
        contender.begin(() -> {
            long askedNs = System.nanoTime();
            int number = next.getAndIncrement() & Integer.MAX_VALUE;
            if (number >= requestsMax) {
                ended.countDown();
                return;
            }
            if (!service.ask(number, contender.color(client), isAnswered -> answered(client, askedNs, isAnswered))) {
                answered(client, askedNs, false);
            }
        });
    }

    private void answered(long client, long askedNs, boolean isAnswered) {
        if (!isAnswered) {
            refused.increment();
            LATER.execute(() -> ask(client));
            return;
        }
        long nowNs = System.nanoTime();
        long inNs = nowNs - fromNs;
        if (fromNs != Long.MAX_VALUE && inNs >= 0 && (toNs == Long.MAX_VALUE || nowNs < toNs)) {
            responsesNs.recordValue(nowNs - askedNs);
            int sample = (int) (inNs / 1e9 * SAMPLES_PER_S);
            if (sample < samples.length()) {
                samples.incrementAndGet(sample);
            }
        }
        ask(client);
    }

    private static long cpuNs() {
        return ((com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
                .getProcessCpuTime();
    }
}
