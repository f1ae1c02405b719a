// SPDX-License-Identifier: Apache-2.0
package io.mely.deploy;

import io.mely.Policy;
import io.mely.Stealing;
import io.mely.policy.DemandPolicy;
import io.mely.policy.Discipline;
import io.mely.policy.Partition;
import io.mely.policy.PoolPolicy;
import io.mely.policy.PoolSize;
import io.mely.policy.PoolTuning;
import io.mely.policy.Service;
import io.mely.policy.VisitPolicy;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Reads the policy of a group. */
final class PolicyReader {
    private static final Map<String, Function<Block, @Nullable Policy>> POLICIES = new LinkedHashMap<>();

    static {
        POLICIES.put("colored", PolicyReader::colored);
        POLICIES.put("central-queue", block -> Policy.centralQueue());
        POLICIES.put(
                "by-demand",
                block -> Policy.of("by-demand", DemandPolicy.of(block.duration("goal", Duration.ofMillis(100)))));
        POLICIES.put("event-loop", block -> Policy.eventLoop());
        POLICIES.put("pass-through", block -> Policy.passThrough());
        POLICIES.put("cohort", block -> visits("cohort", VisitPolicy.cohort(), block));
        POLICIES.put("round-robin", block -> visits("round-robin", VisitPolicy.roundRobin(), block));
        POLICIES.put("random", block -> visits("random", VisitPolicy.random(block.number("seed", 1)), block));
        POLICIES.put(
                "longest-queue-first", block -> visits("longest-queue-first", VisitPolicy.longestQueueFirst(), block));
        POLICIES.put("mg1", block -> visits("mg1", VisitPolicy.mg1(), block));
        POLICIES.put(
                "srpt",
                block ->
                        visits("srpt", VisitPolicy.srpt(block.texts("end-first").toArray(String[]::new)), block));
        POLICIES.put("dbr", block -> visits("dbr", VisitPolicy.dbr(), block));
        POLICIES.put("fair-share", block -> visits("fair-share", VisitPolicy.fairShare(), block));
        POLICIES.put("pool-per-stage", PolicyReader::poolPerStage);
        POLICIES.put("pool-shared", block -> Policy.of("pool-shared", PoolPolicy.shared(block.number("threads", 1))));
    }

    /** Parts are of cores. */
    private static final int PARTS_MAX = 1_023;

    private PolicyReader() {}

    /** Null if something is wrong, which is said. */
    static @Nullable Policy read(Block block, Collection<String> stages) {
        for (String key : List.of("sizes", "partition")) {
            Block named = block.has(key) ? block.block(key) : null;
            if (named != null) {
                checkNames(named, stages);
            }
        }
        return block.<Policy>word("policy", "colored", POLICIES.keySet(), word -> {
            Function<Block, @Nullable Policy> reader = POLICIES.get(word);
            return reader == null ? null : reader.apply(block);
        });
    }

    private static void checkNames(Block block, Collection<String> stages) {
        for (String name : block.names()) {
            if (!stages.contains(name)) {
                block.wrong(name, "unknown stage; the nearest is " + Nearest.to(name, stages));
            }
        }
    }

    /** Names of the policies. */
    static Set<String> names() {
        return POLICIES.keySet();
    }

    private static @Nullable Policy colored(Block block) {
        Map<String, Stealing> stealings =
                Map.of("mely", Stealing.mely(), "base", Stealing.base(), "off", Stealing.off());
        Stealing stealing = block.word("stealing", "mely", stealings.keySet(), stealings::get);
        return stealing == null ? null : Policy.colored(stealing);
    }

    private static @Nullable Policy visits(String name, VisitPolicy policy, Block block) {
        Service service = block.word(
                "service",
                "exhaustive",
                List.of("exhaustive", "gated", "timed", "cutoff", "batched"),
                word -> service(word, block));
        Map<String, Discipline> disciplines = Map.of(
                "first-in-first-out", Discipline.FIRST_IN_FIRST_OUT,
                "last-in-first-out", Discipline.LAST_IN_FIRST_OUT,
                "smallest-first", Discipline.SMALLEST_FIRST);
        Discipline discipline = block.word("discipline", "first-in-first-out", disciplines.keySet(), disciplines::get);
        if (service == null || discipline == null) {
            return null;
        }
        VisitPolicy made = policy.withService(service).withDiscipline(discipline);
        if (block.flag("stacks", false)) {
            made = made.withStacks();
        }
        if (block.has("replicas")) {
            made = made.withReplicas(block.number("replicas", 1));
        }
        Block partition = block.block("partition");
        if (partition != null) {
            made = made.withPartition(partition(partition));
        }
        Block switches = block.block("switch");
        if (switches != null) {
            made = made.withSwitch(
                    switches.number("waiting", Integer.MAX_VALUE), switches.duration("unvisited", Duration.ofDays(1)));
            switches.end();
        }
        return Policy.of(name, made);
    }

    /** The part of each stage, from 0. */
    private static Partition partition(Block block) {
        Map<String, Integer> parts = new LinkedHashMap<>();
        int count = 1;
        for (String stage : block.names()) {
            int part = block.number(stage, 0);
            if (part < 0 || part > PARTS_MAX) {
                block.wrong(stage, "must be 0 to " + PARTS_MAX);
            } else {
                parts.put(stage, part);
                count = Math.max(count, part + 1);
            }
        }
        return new Partition(count, parts, 1, 0, 0); // its figures come from a trial run, and are for people
    }

    private static Service service(String word, Block block) {
        return switch (word) {
            case "gated" -> block.has("most") ? Service.gated(block.number("most", 1)) : Service.gated();
            case "timed" -> Service.timed(block.duration("time", Duration.ofMillis(1)));
            case "cutoff" -> Service.cutoff(block.number("size", 0));
            case "batched" -> Service.batched(block.number("min", 2), block.number("max", 1_000));
            default -> Service.exhaustive();
        };
    }

    private static Policy poolPerStage(Block block) {
        int threads = block.number("threads", 1);
        int min = block.number("min", threads);
        int max = block.number("max", threads);
        PoolPolicy pools =
                PoolPolicy.perStage(new PoolSize(threads, min, max, block.duration("idle", Duration.ofSeconds(1))));
        Block sizes = block.block("sizes");
        if (sizes != null) {
            for (String stage : sizes.names()) {
                pools = pools.withSize(stage, PoolSize.fixed(sizes.number(stage, 1)));
            }
        }
        Block tuning = block.block("tuning");
        if (tuning != null) {
            pools = pools.withTuning(new PoolTuning(
                    tuning.duration("period", Duration.ofSeconds(2)),
                    tuning.number("waiting", 1_000),
                    tuning.flag("finds-best", false)));
            tuning.end();
        }
        return Policy.of("pool-per-stage", pools);
    }
}
