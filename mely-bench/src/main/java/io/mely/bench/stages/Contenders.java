// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.stages;

import io.mely.Deployment;
import io.mely.Policy;
import io.mely.StageOptions;
import io.mely.policy.Partition;
import io.mely.policy.PoolPolicy;
import io.mely.policy.PoolSize;
import io.mely.policy.VisitPolicy;
import io.mely.runtime.Hooks;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Who runs an application's stages, by name: the policies of the thesis in its configurations (spec: stages §9.4, §10.4), others of the runtime, and peers.
 */
final class Contenders {
    /** Threads of a server that has one for each connection; the thesis's image server had 4, 8 and 16. */
    private static final int THREADS = 16;

    /** How names of servers end that are asked over HTTP. */
    static final String HTTP = "-http";

    private static final String CALLS = "calls";
    private static final long PATIENCE_S = 120;
    private static final int VIRTUAL_THREADS_SINCE = 21;

    private final int cores;
    private final String heavy;
    private final List<String> light;
    private final Map<String, Integer> poolSizes;
    private final Map<String, Policy> auxiliary;
    private final Map<String, Supplier<Contender>> all = new LinkedHashMap<>();

    /**
     * Those for an application.
     *
     * @param cores of each
     * @param heavy its bottleneck, which has a thread for each core where a stage has a pool
     * @param light stages that are called by their senders in the configuration {@code under}
     * @param poolSizes other stages with more than one thread, in SEDA's normal configuration
     * @param auxiliary groups of stages that run beside all policies, such as those that wait for a disk
     */
    Contenders(
            int cores,
            String heavy,
            List<String> light,
            Map<String, Integer> poolSizes,
            Map<String, Policy> auxiliary) {
        this.cores = cores;
        this.heavy = heavy;
        this.light = light;
        this.poolSizes = poolSizes;
        this.auxiliary = auxiliary;
        mely("colored", () -> Policy.colored());
        policy("central-queue", () -> Policy.centralQueue());
        policy("seda", () -> Policy.of("seda", pools()));
        mely("seda-over", () -> Policy.of("seda", PoolPolicy.perStage(cores)));
        policy("srpt", () -> Policy.of("srpt", VisitPolicy.srpt()));
        policy("mg1", () -> Policy.of("mg1", VisitPolicy.mg1()));
        policy("cohort", () -> Policy.of("cohort", VisitPolicy.cohort()));
        mely("cohort-stacks", () -> Policy.of("cohort", VisitPolicy.cohort().withStacks()));
        policy("dbr", () -> Policy.of("dbr", VisitPolicy.dbr()));
        mely("longest-queue-first", () -> Policy.of("longest", VisitPolicy.longestQueueFirst()));
        mely("fair-share", () -> Policy.of("fair", VisitPolicy.fairShare()));
        for (int copies = 2; copies <= cores && cores % copies == 0; copies *= 2) {
            int replicas = copies;
            mely(
                    replicas(copies),
                    () -> Policy.of("cohort", VisitPolicy.cohort().withReplicas(replicas)));
        }
        peers();
    }

    private void mely(String name, Supplier<Policy> policy) {
        all.put(name, () -> new MelyContender(cores, beside().withGroup(StageOptions.GROUP_DEFAULT, policy.get())));
    }

    private Deployment beside() {
        Deployment deployment = new Deployment();
        for (Map.Entry<String, Policy> group : auxiliary.entrySet()) {
            deployment = deployment.withGroup(group.getKey(), group.getValue());
        }
        return deployment;
    }

    /** The colored policy, watched. */
    Contender recorded(Hooks hooks) {
        return new MelyContender(cores, beside(), hooks);
    }

    /** A policy of the thesis in two configurations: all stages have queues, or the light ones are called. */
    private void policy(String name, Supplier<Policy> policy) {
        mely(name, policy);
        all.put(name + "-under", () -> {
            Deployment deployment =
                    beside().withGroup(StageOptions.GROUP_DEFAULT, policy.get()).withGroup(CALLS, Policy.passThrough());
            for (String stage : light) {
                deployment = deployment.withStage(stage, options -> options.withGroup(CALLS));
            }
            return new MelyContender(cores, deployment);
        });
    }

    private PoolPolicy pools() {
        PoolPolicy pools = PoolPolicy.perStage(1).withSize(heavy, PoolSize.fixed(cores));
        for (Map.Entry<String, Integer> size : poolSizes.entrySet()) {
            pools = pools.withSize(size.getKey(), PoolSize.fixed(size.getValue()));
        }
        return pools;
    }

    // ------------------------------------------------------------------ peers

    private void peers() {
        all.put("completable-future", () -> {
            ForkJoinPool pool = new ForkJoinPool(cores, ForkJoinPool.defaultForkJoinWorkerThreadFactory, null, true);
            return new Peer(pool, (color, event) -> run(event, pool), () -> stop(pool));
        });
        all.put("thread-per-request", () -> {
            ExecutorService pool = Executors.newFixedThreadPool(THREADS);
            return new Peer(pool, (color, event) -> event.run(), () -> stop(pool));
        });
        if (Runtime.version().feature() >= VIRTUAL_THREADS_SINCE) {
            all.put("virtual-thread-per-request", () -> {
                ExecutorService threads = virtualThreads();
                return new Peer(threads, (color, event) -> event.run(), () -> stop(threads));
            });
        }
        all.put("pekko-actors", () -> new PekkoPeer(cores).contender());
    }

    private static void run(Runnable event, ForkJoinPool pool) {
        CompletableFuture<Void> unused = CompletableFuture.runAsync(event, pool);
    }

    private static ExecutorService virtualThreads() {
        try {
            // Java 17 compiles this.
            return (ExecutorService)
                    Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    static void stop(ExecutorService pool) {
        pool.shutdown();
        try {
            if (!pool.awaitTermination(PATIENCE_S, TimeUnit.SECONDS)) {
                throw new IllegalStateException("does not end: " + pool);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    // ------------------------------------------------------------------ by name

    /** One more. */
    void add(String name, Supplier<Contender> contender) {
        all.put(name, contender);
    }

    Collection<String> names() {
        return all.keySet();
    }

    boolean has(String name) {
        return all.containsKey(name);
    }

    Contender make(String name) {
        return Objects.requireNonNull(all.get(name), name).get();
    }

    static String replicas(int copies) {
        return "cohort-" + copies + "-replicas";
    }

    /** Cohort on partitions of the cores, as a trial run's graph divides the stages. */
    Contender partitioned(Partition partition) {
        return new MelyContender(
                cores,
                beside().withGroup(
                                StageOptions.GROUP_DEFAULT,
                                Policy.of("cohort", VisitPolicy.cohort().withPartition(partition))));
    }
}
