// SPDX-License-Identifier: Apache-2.0
package io.mely.policy;

import io.mely.spi.StageGroup;
import io.mely.spi.Workers;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Thread per core, without stealing: each core goes from stage to stage. An order says where it goes next, a service how long it stays, a discipline what comes first there.
 *
 * <pre>
 *   Policy.of("cohort", VisitPolicy.cohort().withService(Service.gated()))
 * </pre>
 *
 * <p>Suited to handlers that take long and never wait. A core leaves its visit for the network after each time slice, and comes back to it. While nothing waits cores sleep, and whoever sends wakes one.
 *
 * <p><b>Threads.</b> Immutable. <b>Source.</b> spec: stages §4 to §7.
 */
public final class VisitPolicy implements StageGroup.Factory {
    private final VisitOrder.Factory orders;
    private final Service service;
    private final Discipline discipline;
    private final @Nullable Switch switches;
    private final boolean hasStacks;
    private final int parts;
    private final @Nullable Partition partition; // null: each part has all stages

    private VisitPolicy(
            VisitOrder.Factory orders,
            Service service,
            Discipline discipline,
            @Nullable Switch switches,
            boolean hasStacks,
            int parts,
            @Nullable Partition partition) {
        this.orders = orders;
        this.service = service;
        this.discipline = discipline;
        this.switches = switches;
        this.hasStacks = hasStacks;
        this.parts = parts;
        this.partition = partition;
    }

    /**
     * An order of one's own.
     *
     * @param orders makes that of each core
     * @return exhaustive, first in first out
     */
    public static VisitPolicy of(VisitOrder.Factory orders) {
        return new VisitPolicy(
                Objects.requireNonNull(orders, "orders"),
                Service.exhaustive(),
                Discipline.FIRST_IN_FIRST_OUT,
                null,
                false,
                1,
                null);
    }

    /**
     * Cohort scheduling: forward through the stages and back again. With {@link #withSwitch} and {@link #withStacks} as in its description.
     *
     * @return the policy
     */
    public static VisitPolicy cohort() {
        return of((core, cores) -> new Wavefront());
    }

    /**
     * One stage after the other, round and round.
     *
     * @return the policy
     */
    public static VisitPolicy roundRobin() {
        return of((core, cores) -> (stages, last) -> (last.stage() + 1) % stages.count());
    }

    /**
     * Any stage, by chance.
     *
     * @param seed of the chance
     * @return the policy
     */
    public static VisitPolicy random(long seed) {
        return of((core, cores) -> new RandomOrder(seed + core));
    }

    /**
     * The stage with the longest queue.
     *
     * @return the policy
     */
    public static VisitPolicy longestQueueFirst() {
        return of((core, cores) -> new LongestFirst());
    }

    /**
     * Each stage as often as it needs, by the square root rule of polling systems, at even distances.
     *
     * @return the policy
     */
    public static VisitPolicy mg1() {
        return of(Mg1::new);
    }

    /**
     * The end of the pipeline first: what is nearly done is done first. Stages that were made first are its end, where nothing else is said.
     *
     * @param endFirst names of stages, from the end of the pipeline to its start; others come after them
     * @return the policy
     */
    public static VisitPolicy srpt(String... endFirst) {
        List<String> names = List.of(endFirst);
        return of((core, cores) -> new EndFirst(names));
    }

    /**
     * Drum, buffer, rope: the slowest stage first, as all depends on it. Others may wait for ever.
     *
     * @return the policy
     */
    public static VisitPolicy dbr() {
        return of((core, cores) -> new SlowestFirst());
    }

    /**
     * Each stage its share of the time: the one that has had the least runs next, until it has had a time slice more than the next of those that wait. Needs no thresholds.
     *
     * @return the policy
     */
    public static VisitPolicy fairShare() {
        return of((core, cores) -> new FairShare());
    }

    /**
     * Sets how much of a stage one visit runs. Default: all.
     *
     * @param newService any
     * @return a changed copy
     */
    public VisitPolicy withService(Service newService) {
        return new VisitPolicy(
                orders,
                Objects.requireNonNull(newService, "service"),
                discipline,
                switches,
                hasStacks,
                parts,
                partition);
    }

    /**
     * Sets which of the lanes at a stage is run first. Default: the oldest.
     *
     * @param newDiscipline any
     * @return a changed copy
     */
    public VisitPolicy withDiscipline(Discipline newDiscipline) {
        return new VisitPolicy(
                orders,
                service,
                Objects.requireNonNull(newDiscipline, "discipline"),
                switches,
                hasStacks,
                parts,
                partition);
    }

    /**
     * Interrupts a visit for a stage at which more than some lanes wait, or at which something waits and which no core has left for some time. Default: never.
     *
     * @param waitingMax lanes, &gt;= 0
     * @param unvisitedMax &gt;= 0
     * @return a changed copy
     */
    public VisitPolicy withSwitch(int waitingMax, Duration unvisitedMax) {
        Objects.requireNonNull(unvisitedMax, "unvisitedMax");
        if (waitingMax < 0) {
            throw new IllegalArgumentException("waitingMax must be >= 0: waitingMax=" + waitingMax);
        }
        if (unvisitedMax.isNegative()) {
            throw new IllegalArgumentException("unvisitedMax must be >= 0: unvisitedMax=" + unvisitedMax);
        }
        return new VisitPolicy(
                orders, service, discipline, new Switch(waitingMax, unvisitedMax), hasStacks, parts, partition);
    }

    /**
     * Gives each core a stack at each stage that any number of threads may run: what its handlers send there is its own, and the youngest runs first. Default: no stacks.
     *
     * @return a changed copy
     */
    public VisitPolicy withStacks() {
        return new VisitPolicy(orders, service, discipline, switches, true, parts, partition);
    }

    /**
     * Divides the cores into parts, each of which has a copy of every stage's queue. An event in a color goes to the part of that. Of events without one, those that a handler without a color sends stay in its part; others
     * go to the parts in turn.
     *
     * @param copies &gt;= 1; divides the number of cores
     * @return a changed copy
     */
    public VisitPolicy withReplicas(int copies) {
        if (copies < 1) {
            throw new IllegalArgumentException("copies must be >= 1: copies=" + copies);
        }
        return new VisitPolicy(orders, service, discipline, switches, hasStacks, copies, null);
    }

    /**
     * Divides the cores into parts, each of which has some of the stages. A stage that the partition does not name is in the first part.
     *
     * @param stages which; the number of its parts divides that of the cores
     * @return a changed copy
     */
    public VisitPolicy withPartition(Partition stages) {
        return new VisitPolicy(
                orders,
                service,
                discipline,
                switches,
                hasStacks,
                stages.parts(),
                Objects.requireNonNull(stages, "partition"));
    }

    int parts() {
        return parts;
    }

    @Nullable
    Partition partition() {
        return partition;
    }

    VisitOrder.Factory orders() {
        return orders;
    }

    Service service() {
        return service;
    }

    Discipline discipline() {
        return discipline;
    }

    @Nullable
    Switch switches() {
        return switches;
    }

    boolean hasStacks() {
        return hasStacks;
    }

    @Override
    public StageGroup create(Workers workers) {
        return new Visits(workers, this);
    }
}
