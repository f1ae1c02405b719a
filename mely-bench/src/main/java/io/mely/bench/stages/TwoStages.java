// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.stages;

import io.mely.Mely;
import io.mely.MelyStats;
import io.mely.Policy;
import io.mely.Stage;
import io.mely.StageOptions;
import io.mely.admission.Admission;
import io.mely.bench.paper.CheckFailedException;
import io.mely.bench.paper.Cycles;
import io.mely.bench.stages.OpenLoad.Request;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.util.Collection;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** A graph of two stages that compute: each request takes CPU time at the first, then at the second, in a color of its own. */
final class TwoStages {
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    private final Mely mely;
    private final Stage<Request> first;
    private final Collection<Thread> threads = new ConcurrentLinkedQueue<>();
    private final AtomicInteger answered = new AtomicInteger();
    private final double meanCycles;

    /** Keeps the compiler from dropping the work. */
    private volatile long sink;

    /**
     * Starts it.
     *
     * @param cores of the runtime
     * @param policy of both stages
     * @param entrance admission at the first stage; null lets everything in
     * @param exit admission at the second stage, or null
     * @param meanNs of each stage; a time is uniform between a half and one and a half of it
     * @param nsPerCycle as measured
     */
    TwoStages(
            int cores,
            Policy policy,
            Admission.@Nullable Factory entrance,
            Admission.@Nullable Factory exit,
            double meanNs,
            double nsPerCycle) {
        meanCycles = meanNs / nsPerCycle;
        mely = Mely.builder()
                .name("stages")
                .cores(cores)
                .policy(policy)
                .threadSetup(threads::add)
                .build();
        Stage<Request> second = mely.stage("second", options(exit), request -> {
            work(request, 2);
            request.answer();
            answered.incrementAndGet();
        });
        first = mely.stage("first", options(entrance), request -> {
            work(request, 1);
            second.send(request.number, request);
        });
        mely.start();
    }

    private static StageOptions options(Admission.@Nullable Factory admission) {
        return admission == null
                ? StageOptions.defaults()
                : StageOptions.defaults().withAdmission(admission);
    }

    private void work(Request request, int stage) {
        double share = 0.5 + new SplittableRandom(request.number * 2L + stage).nextDouble();
        if (Cycles.burn(request.number, (int) (share * meanCycles)) == 0) {
            sink = 1;
        }
    }

    boolean offer(Request request) {
        return first.offer(request.number, request);
    }

    int answered() {
        return answered.get();
    }

    /** CPU time of the runtime's threads until now. */
    long cpuNs() {
        ThreadMXBean all = ManagementFactory.getThreadMXBean();
        return threads.stream()
                .mapToLong(thread -> Math.max(0, all.getThreadCpuTime(thread.getId())))
                .sum();
    }

    /**
     * Waits for the answers, stops, and checks the books.
     *
     * @param load all that was sent
     */
    void close(OpenLoad load) {
        boolean isDrained = mely.close(PATIENCE).isDrained();
        MelyStats stats = mely.stats();
        long requests = load.requests().size();
        long refused = load.requests().stream().filter(Request::isRefused).count();
        long answers = load.requests().stream().filter(Request::isAnswered).count();
        boolean areClosed = isDrained
                && answers == answered.get()
                && answers + refused == requests
                && stats.refused() == refused
                && stats.sent() == stats.run() + stats.refused();
        if (!areClosed) {
            throw new CheckFailedException("the books are not closed: requests=" + requests + ", answers=" + answers
                    + ", refused=" + refused + ", runtime=" + stats);
        }
    }
}
