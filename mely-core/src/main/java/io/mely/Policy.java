// SPDX-License-Identifier: Apache-2.0
package io.mely;

import io.mely.policy.CentralQueue;
import io.mely.spi.StageGroup;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * How a runtime decides what its cores run next. Under every policy events of one color run one at a time, in order, and nothing is lost.
 *
 * <p><b>Threads.</b> Immutable.
 */
public final class Policy {
    private static final Policy COLORED = new Policy("colored", Stealing.mely(), null);

    private final String name;
    private final Stealing stealing;
    private final StageGroup.@Nullable Factory groups;

    private Policy(String name, Stealing stealing, StageGroup.@Nullable Factory groups) {
        this.name = name;
        this.stealing = stealing;
        this.groups = groups;
    }

    /**
     * The default: a color lives on one core, and an idle core steals a whole color if the work left in it pays for the trip.
     *
     * @return the policy
     */
    public static Policy colored() {
        return COLORED;
    }

    /**
     * The same with some parts of stealing off. Experimental: for measurements.
     *
     * @param stealing which parts are on
     * @return the policy
     */
    public static Policy colored(Stealing stealing) {
        return new Policy("colored", Objects.requireNonNull(stealing, "stealing"), null);
    }

    /**
     * One queue, first in first out, from which every core takes. Fair, and never idle beside work; all cores meet at its lock. An event that is sent without a color
     * has none: it runs beside others.
     *
     * @return the policy
     */
    public static Policy centralQueue() {
        return of("central-queue", CentralQueue::new);
    }

    /**
     * A policy of one's own.
     *
     * @param name for messages
     * @param groups makes the group of a runtime
     * @return the policy
     */
    public static Policy of(String name, StageGroup.Factory groups) {
        return new Policy(
                Objects.requireNonNull(name, "name"), Stealing.mely(), Objects.requireNonNull(groups, "groups"));
    }

    /**
     * The name.
     *
     * @return for messages
     */
    public String name() {
        return name;
    }

    /** Of the colors that the cores run themselves. */
    Stealing stealing() {
        return stealing;
    }

    /**
     * What makes the group of a runtime.
     *
     * @return null: the cores' own, which is colored
     */
    public StageGroup.@Nullable Factory groups() {
        return groups;
    }

    @Override
    public String toString() {
        return "Policy{" + name + "}";
    }
}
