// SPDX-License-Identifier: Apache-2.0
package io.mely;

/**
 * The figures of a stage. Counts are of all its events; times are of a sample, for which each sender picks one event in 61, and every event of a stage whose events take 10 us or more.
 *
 * @param stage its name
 * @param spanNs how long the figures were gathered, in nanoseconds
 * @param sent events it was sent and accepted
 * @param refused events it was sent and refused
 * @param run events whose handler was called
 * @param failed of these, the ones whose handler threw
 * @param pending events accepted whose handler was not called yet, at the end of the span: the length of its queue
 * @param service how long the handler took
 * @param sojourn how long it took from the send to the handler's end
 */
public record StageStats(
        String stage,
        long spanNs,
        long sent,
        long refused,
        long run,
        long failed,
        long pending,
        Durations service,
        Durations sojourn) {
    /**
     * How many events it ran a second.
     *
     * @return events per second
     */
    public double runPerS() {
        return spanNs == 0 ? 0 : run * 1e9 / spanNs;
    }

    /**
     * The figures of the time between two readings.
     *
     * @param earlier of the same stage
     * @return what has happened since
     */
    public StageStats since(StageStats earlier) {
        return new StageStats(
                stage,
                spanNs - earlier.spanNs,
                sent - earlier.sent,
                refused - earlier.refused,
                run - earlier.run,
                failed - earlier.failed,
                pending,
                service.since(earlier.service),
                sojourn.since(earlier.sojourn));
    }
}
