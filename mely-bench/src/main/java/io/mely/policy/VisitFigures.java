// SPDX-License-Identifier: Apache-2.0
package io.mely.policy;

import io.mely.spi.StageGroup;

/** How often cores went to stages, and what it would be if going there in vain cost something, for benchmarks. */
public final class VisitFigures {
    private VisitFigures() {}

    /**
     * Visits of a core.
     *
     * @param visitor of any group
     * @return 0 if it does not go from stage to stage
     */
    public static long visits(StageGroup.Visitor visitor) {
        return visitor instanceof StageVisitor ours ? ours.visits() : 0;
    }

    /**
     * Visits of a core that found something.
     *
     * @param visitor of any group
     * @return 0 if it does not go from stage to stage
     */
    public static long successes(StageGroup.Visitor visitor) {
        return visitor instanceof StageVisitor ours ? ours.successes() : 0;
    }

    /**
     * The same order of visits, service exhaustive, with something done after each visit that has found nothing.
     *
     * @param policy whose order, and whose parts
     * @param vain what is done
     * @return a policy
     */
    public static VisitPolicy afterVain(VisitPolicy policy, Runnable vain) {
        VisitPolicy same = VisitPolicy.of((core, cores) -> {
            VisitOrder order = policy.orders().create(core, cores);
            return new VisitOrder() {
                @Override
                public int next(Stages stages, Visit last) {
                    if (last.stage() >= 0 && last.served() == 0) {
                        vain.run();
                    }
                    return order.next(stages, last);
                }

                @Override
                public boolean stays(Stages stages, Visit current) {
                    return order.stays(stages, current);
                }
            };
        });
        Partition partition = policy.partition();
        return partition == null ? same.withReplicas(policy.parts()) : same.withPartition(partition);
    }
}
