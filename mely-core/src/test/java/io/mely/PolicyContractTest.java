// SPDX-License-Identifier: Apache-2.0
package io.mely;

import io.mely.policy.DemandPolicy;
import io.mely.policy.Discipline;
import io.mely.policy.PoolPolicy;
import io.mely.policy.PoolSize;
import io.mely.policy.Service;
import io.mely.policy.VisitPolicy;
import java.time.Duration;
import java.util.stream.Stream;

// The colored policy with every way of stealing, and every policy of io.mely.policy but a loop on one core, whose
// colors cannot meet.
class PolicyContractTest extends PolicyContract {
    @Override
    protected Stream<Setting> settings() {
        return Stream.of(
                colored("mely-off", Stealing.off()),
                colored("mely-base", Stealing.base()),
                colored("mely-timeleft", new Stealing(true, false, true, false)),
                colored("mely-penalty", new Stealing(true, false, false, true)),
                colored("mely-locality", new Stealing(true, true, false, false)),
                colored("mely", Stealing.mely()),
                new Setting("central-queue", Policy.centralQueue(), false, false),
                visits("cohort", VisitPolicy.cohort()),
                visits(
                        "cohort-stacks-switch",
                        VisitPolicy.cohort().withStacks().withSwitch(5, Duration.ofNanos(10_000))),
                visits("gated", VisitPolicy.roundRobin().withService(Service.gated(3))),
                visits("cutoff", VisitPolicy.random(3).withService(Service.cutoff(500))),
                visits("mg1", VisitPolicy.mg1()),
                visits("srpt", VisitPolicy.srpt().withDiscipline(Discipline.SMALLEST_FIRST)),
                visits("dbr", VisitPolicy.dbr()),
                visits("longest-queue", VisitPolicy.longestQueueFirst().withDiscipline(Discipline.LAST_IN_FIRST_OUT)),
                visits("fair-share", VisitPolicy.fairShare()),
                new Setting("by-demand", Policy.of("by-demand", DemandPolicy.of(Duration.ofNanos(1))), false, false),
                new Setting("pool-per-stage", Policy.of("pool-per-stage", PoolPolicy.perStage(2)), false, false),
                new Setting(
                        "pool-that-changes",
                        Policy.of(
                                "pool-that-changes",
                                PoolPolicy.perStage(new PoolSize(3, 2, 4, Duration.ofNanos(1_000_000)))),
                        false,
                        false),
                new Setting("pool-shared", Policy.of("pool-shared", PoolPolicy.shared(3)), false, false),
                new Setting("threads", Policy.of("threads", ThreadsGroup::new), false, false));
    }

    private static Setting visits(String name, VisitPolicy policy) {
        return new Setting(name, Policy.of(name, policy), false, false);
    }

    private static Setting colored(String name, Stealing stealing) {
        return new Setting(name, Policy.colored(stealing), true, true);
    }
}
