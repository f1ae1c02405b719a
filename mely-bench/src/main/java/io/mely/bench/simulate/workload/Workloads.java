// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.simulate.workload;

import io.mely.bench.simulate.machine.Experiment;

/** The workloads by name. */
final class Workloads {
    private Workloads() {}

    static Workload byName(Experiment experiment) {
        return switch (experiment.workload()) {
            case "unbalanced", "spread", "spread-short" -> new Unbalanced(experiment);
            case "penalty" -> new Penalty(experiment);
            case "cache-efficient" -> new CacheEfficient(experiment);
            case "ping-pong" -> new PingPong(experiment);
            case "chains" -> new Chains(experiment);
            case "sws" -> new Sws(experiment);
            case "sfs" -> new Sfs(experiment);
            case "skewed-server" -> new Skewed(experiment);
            case "search" -> new Search(experiment);
            case "profile" -> new FromProfile(experiment);
            case "buffers" -> new Buffers(experiment);
            default -> throw new IllegalArgumentException("no such workload: workload=" + experiment.workload());
        };
    }
}
