// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.simulate.workload;

import io.mely.Policy;
import io.mely.policy.Discipline;
import io.mely.policy.Service;
import io.mely.policy.VisitPolicy;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/** The policies of the staged-server papers that have a thread per core, by the names of their contenders. */
final class StagePolicies {
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
        return all;
    }

    private static void add(Map<String, Policy> all, String name, VisitPolicy policy) {
        all.put(name, Policy.of(name, policy));
    }
}
