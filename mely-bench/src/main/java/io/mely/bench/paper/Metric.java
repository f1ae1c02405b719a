// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.paper;

import io.mely.bench.paper.Workload.Measured;
import java.util.function.ToDoubleFunction;

/**
 * The figure by which a workload compares contenders.
 *
 * @param unit for tables
 * @param isHigherBetter false for times
 * @param value of one run
 */
record Metric(String unit, boolean isHigherBetter, ToDoubleFunction<Measured> value) {
    static final Metric K_EVENTS_PER_S = new Metric("KEvents/s", true, Measured::kEventsPerS);

    static final Metric K_TIMERS_PER_S = new Metric("KTimers/s", true, Measured::kEventsPerS);

    static final Metric NS_PER_EVENT = new Metric("ns/event", false, Measured::nsPerEvent);

    static final Metric P99_US = new Metric("p99 us", false, m -> m.extra("p99 us"));

    /** How many times as good as another value of the same metric. */
    double ratio(double mine, double theirs) {
        return isHigherBetter ? mine / theirs : theirs / mine;
    }
}
