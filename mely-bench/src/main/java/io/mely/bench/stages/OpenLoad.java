// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.stages;

import io.mely.bench.Instants;
import io.mely.bench.paper.CheckFailedException;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.LongConsumer;
import java.util.function.Predicate;

/**
 * Requests that arrive at planned instants, by Poisson's law, at a rate that changes from phase to phase; sent by the calling thread, whether or not earlier ones are answered.
 *
 * <p>A response time counts from the planned instant. The plan is made before the run.
 */
final class OpenLoad {
    private static final long PATIENCE_NS = 120_000_000_000L;

    /** A part of the time at one rate. */
    record Phase(double ratePerS, double seconds) {
        long ns() {
            return (long) (seconds * 1e9);
        }
    }

    /** A request. */
    static final class Request {
        final int number;
        final int phase;
        final long plannedNs; // from the start
        private long dueNs;
        private volatile long responseNs = -1; // written by who answers it
        private volatile boolean isRefused;

        Request(int number, int phase, long plannedNs) {
            this.number = number;
            this.phase = phase;
            this.plannedNs = plannedNs;
        }

        void answer() {
            responseNs = System.nanoTime() - dueNs;
        }

        /** Nobody will answer it. */
        void giveUp() {
            isRefused = true;
        }

        /** When it arrives, by the clock. */
        long dueNs() {
            return dueNs;
        }

        boolean isAnswered() {
            return responseNs >= 0;
        }

        boolean isRefused() {
            return isRefused;
        }

        /** From the planned instant. */
        long responseNs() {
            return responseNs;
        }

        /** When it was answered, from the start. */
        long answeredNs() {
            return plannedNs + responseNs;
        }
    }

    private final List<Phase> phases;
    private final List<Request> requests = new ArrayList<>();
    private long cpuNs;

    OpenLoad(long seed, List<Phase> phases) {
        this.phases = phases;
        SplittableRandom random = new SplittableRandom(seed);
        long beginNs = 0;
        for (int i = 0; i < phases.size(); i++) {
            Phase phase = phases.get(i);
            double atNs = beginNs;
            long endNs = beginNs + phase.ns();
            while (true) {
                atNs -= Math.log(1 - random.nextDouble()) / phase.ratePerS() * 1e9;
                if (atNs >= endNs) {
                    break;
                }
                requests.add(new Request(requests.size(), i, (long) atNs));
            }
            beginNs = endNs;
        }
    }

    /**
     * Sends all.
     *
     * @param entrance false refuses a request
     * @param phaseEnded is told the number of a phase when its time is over
     */
    void send(Predicate<Request> entrance, LongConsumer phaseEnded) {
        long cpuBeforeNs = threadCpuNs();
        long startNs = System.nanoTime();
        int next = 0;
        long endNs = 0;
        for (int i = 0; i < phases.size(); i++) {
            while (next < requests.size() && requests.get(next).phase == i) {
                Request request = requests.get(next++);
                request.dueNs = startNs + request.plannedNs;
                Instants.await(request.dueNs);
                if (!entrance.test(request)) {
                    request.giveUp();
                }
            }
            endNs += phases.get(i).ns();
            Instants.await(startNs + endNs);
            phaseEnded.accept(i);
        }
        cpuNs = threadCpuNs() - cpuBeforeNs;
    }

    /** Waits until each request is answered or given up. Fails if that takes long. */
    void awaitAll() throws InterruptedException {
        long untilNs = System.nanoTime() + PATIENCE_NS;
        for (Request request : requests) {
            while (!request.isAnswered() && !request.isRefused()) {
                if (System.nanoTime() - untilNs > 0) {
                    throw new CheckFailedException("not answered: request " + request.number);
                }
                Thread.sleep(1);
            }
        }
    }

    List<Request> requests() {
        return requests;
    }

    /** CPU time of the thread that sent. */
    long cpuNs() {
        return cpuNs;
    }

    private static long threadCpuNs() {
        return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    }
}
