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

    /** All of them. */
    static Map<String, Policy> byName() {
        Map<String, Policy> all = new LinkedHashMap<>();
        all.put("central-queue", Policy.centralQueue());
        all.put("event-loop", Policy.eventLoop());
        visits().forEach((name, policy) -> all.put(name, Policy.of(name, policy)));
        all.put("seda", Policy.of("seda", PoolPolicy.perStage(1)));
        return all;
    }

    /** Those whose cores go from stage to stage. */
    static Map<String, VisitPolicy> visits() {
        Map<String, VisitPolicy> all = new LinkedHashMap<>();
        all.put("cohort", VisitPolicy.cohort());
        all.put("cohort-stacks", VisitPolicy.cohort().withStacks());
        all.put("cohort-gated", VisitPolicy.cohort().withService(Service.gated()));
        all.put("cohort-timed", VisitPolicy.cohort().withService(Service.timed(Duration.ofMillis(1))));
        all.put("cohort-batched", VisitPolicy.cohort().withService(Service.batched(2, 1_000)));
        for (int copies = 2; copies <= 8; copies *= 2) {
            all.put("cohort-" + copies + "-replicas", VisitPolicy.cohort().withReplicas(copies));
        }
        all.put("round-robin", VisitPolicy.roundRobin());
        all.put("random", VisitPolicy.random(1));
        all.put("longest-queue-first", VisitPolicy.longestQueueFirst());
        all.put("mg1", VisitPolicy.mg1());
        all.put("srpt", VisitPolicy.srpt());
        all.put("srpt-smallest-first", VisitPolicy.srpt().withDiscipline(Discipline.SMALLEST_FIRST));
        all.put("dbr", VisitPolicy.dbr());
        all.put("fair-share", VisitPolicy.fairShare());
        return all;
    }
}
