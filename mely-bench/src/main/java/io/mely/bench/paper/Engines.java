// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.paper;

import io.mely.Policy;
import io.mely.Stealing;
import io.mely.bench.libasync.Libasync;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jboss.threads.EnhancedQueueExecutor;

/** The contenders by name. */
final class Engines {
    private Engines() {}

    /** Keys of a contender whose name ends so. */
    private static final int FEW_KEYS = 4_096;

    private static final String FEW = "-" + FEW_KEYS;

    /** How a contender spreads work. */
    enum Family {
        /** The colored policy, in its settings. */
        MELY,
        /** Other policies behind Mely's interface. */
        BASELINE,
        /** One thread: what needs no second one to be reached. */
        FLOOR,
        /** A key stays with its worker, whatever others have to do. */
        BY_HASH,
        /** Whoever is free takes what is pending: by stealing, or from a queue that all share. */
        BALANCING
    }

    /** Of a contender in {@link #all}, {@link #byName} or {@link #offAgain}. */
    static Family family(String name) {
        if (name.startsWith("mely")) {
            return Family.MELY;
        }
        if (name.startsWith("libasync") || name.startsWith("central-queue")) {
            return Family.BASELINE;
        }
        String ofAllKeys = name.endsWith(FEW) ? name.substring(0, name.length() - FEW.length()) : name;
        return ofAllKeys.equals("one-thread")
                ? Family.FLOOR
                : ofAllKeys.endsWith("-hash") ? Family.BY_HASH : Family.BALANCING;
    }

    /** Mely without stealing, all else as in its own settings, under a second name. */
    static Function<Setup, KeyedExecutor> offAgain() {
        return ours(Stealing.off());
    }

    /** All that this JVM can run, Mely first. */
    static Map<String, Function<Setup, KeyedExecutor>> all() {
        Map<String, Function<Setup, KeyedExecutor>> all = new LinkedHashMap<>();
        all.put("mely-off", mely(Stealing.off()));
        all.put("mely-base", mely(Stealing.base().withColorsMax(1)));
        all.put("mely-timeleft", mely(new Stealing(true, false, true, false)));
        all.put("mely-penalty", mely(new Stealing(true, false, false, true)));
        all.put("mely-locality", mely(new Stealing(true, true, false, false)));
        all.put("mely-nosteal", ours(Stealing.off()));
        all.put("mely", ours(Stealing.mely()));
        all.put("libasync-smp", smp(false));
        all.put("libasync-smp-ws", smp(true));
        all.put("central-queue", setup -> new MelyColors(setup, Policy.centralQueue(), true));
        all.put("libasync-mp", setup -> new MelyColors(setup, Libasync.mp(), false));
        all.put("one-thread", setup -> new OneThread());
        all.put("jctools-hash", setup -> new JctoolsHash(setup));
        all.put("netty-hash", NettyHash::new);
        all.put("disruptor-hash", DisruptorHash::new);
        all.put(
                "forkjoin-mailbox",
                setup -> new Mailboxes(
                        setup,
                        new ForkJoinPool(
                                setup.workers(), ForkJoinPool.defaultForkJoinWorkerThreadFactory, null, true)));
        all.put(
                "pool-mailbox",
                setup -> new Mailboxes(
                        setup,
                        new ThreadPoolExecutor(
                                setup.workers(), setup.workers(), 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>())));
        all.put(
                "jboss-mailbox",
                setup -> new Mailboxes(
                        setup,
                        new EnhancedQueueExecutor.Builder()
                                .setCorePoolSize(setup.workers())
                                .setMaximumPoolSize(setup.workers())
                                .build()));
        all.put("guava", setup -> new SequentialExecutors(setup, Executors.newFixedThreadPool(setup.workers())));
        all.put("vertx", setup -> new VertxQueues(setup, Executors.newFixedThreadPool(setup.workers())));
        if (AgronaHash.isThere()) {
            all.put("agrona-hash", AgronaHash::new);
        }
        all.put("pekko", PekkoActors::new);
        if (VirtualThreads.areThere()) {
            all.put("virtual-threads", VirtualThreads::new);
        }
        return all;
    }

    /**
     * Those, and what runs only where it is asked for by name: each of them with {@code -4096} behind its name, told of no more keys than that; Mely whose cores keep their threads; and {@link MelyUntold Mely with nothing
     * annotated}, by a stage and as an executor.
     */
    static Map<String, Function<Setup, KeyedExecutor>> byName() {
        Map<String, Function<Setup, KeyedExecutor>> byName = all();
        all().forEach((name, contender) -> byName.put(name + FEW, FoldedKeys.onto(FEW_KEYS, contender)));
        byName.put(
                "mely-norelief", setup -> new MelyColors(setup, Policy.colored().withThreadsPerCore(1), true));
        byName.put("mely-untold", MelyUntold::stage);
        byName.put("mely-executor", MelyUntold::executor);
        return byName;
    }

    private static Function<Setup, KeyedExecutor> mely(Stealing stealing) {
        return setup -> new MelyColors(setup, Policy.colored(stealing), false);
    }

    private static Function<Setup, KeyedExecutor> smp(boolean steals) {
        return setup -> new MelyColors(setup, Libasync.smp(steals, MelyColors.placement(setup), places -> {}), false);
    }

    /** Mely's own settings, where the others have the report's. */
    private static Function<Setup, KeyedExecutor> ours(Stealing stealing) {
        return setup -> new MelyColors(setup, Policy.colored(stealing), true);
    }
}
