// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.simulate.workload;

import io.mely.Policy;
import io.mely.policy.Discipline;
import io.mely.policy.PoolPolicy;
import io.mely.policy.Service;
import io.mely.policy.VisitPolicy;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/** The policies of the staged-server papers, by the names of their contenders. */
final class StagePolicies {
    /** Those that need the figures of a trial run, by the number of their partitions. */
    static final Map<String, Integer> PARTITIONED = Map.of("cohort-2-partitions", 2, "cohort-4-partitions", 4);

    private StagePolicies() {}

    /**
     * All of them.
     */
    static Map<String, Policy> byName() {
        Map<String, Policy> all = new LinkedHashMap<>();
        all.put("central-queue", Policy.centralQueue());
        all.put("event-loop", Policy.eventLoop());
        add(all, "cohort", VisitPolicy.cohort());
        add(all, "cohort-stacks", VisitPolicy.cohort().withStacks());
        add(all, "cohort-gated", VisitPolicy.cohort().withService(Service.gated()));
        add(all, "cohort-timed", VisitPolicy.cohort().withService(Service.timed(Duration.ofMillis(1))));
        add(all, "cohort-batched", VisitPolicy.cohort().withService(Service.batched(2, 1_000)));
        for (int copies = 2; copies <= 8; copies *= 2) {
            add(all, "cohort-" + copies + "-replicas", VisitPolicy.cohort().withReplicas(copies));
        }
        add(all, "round-robin", VisitPolicy.roundRobin());
        add(all, "random", VisitPolicy.random(1));
        add(all, "longest-queue-first", VisitPolicy.longestQueueFirst());
        add(all, "mg1", VisitPolicy.mg1());
        add(all, "srpt", VisitPolicy.srpt());
        add(all, "srpt-smallest-first", VisitPolicy.srpt().withDiscipline(Discipline.SMALLEST_FIRST));
        add(all, "dbr", VisitPolicy.dbr());
        add(all, "fair-share", VisitPolicy.fairShare());
        all.put("seda", Policy.of("seda", PoolPolicy.perStage(1)));
        return all;
    }

    private static void add(Map<String, Policy> all, String name, VisitPolicy policy) {
        all.put(name, Policy.of(name, policy));
    }
}
