// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import org.jspecify.annotations.Nullable;

/**
 * A command that waits for its time, among others of its executor in the order of their times. Its timer sends it as an event, and that event runs the first of
 * them that is due, which need not be the same: timers of one color may be on several cores.
 *
 * <p>So each event runs one command, and none is left without: a command that is pending has an event to come, or its event found another that was due, whose
 * event is still to come.
 */
final class DelayedCommand extends Command implements Comparable<DelayedCommand> {
    final ScheduledCommand<?> future;
    final long timeNs;
    final long sequence;

    /** Null until it is started. */
    volatile @Nullable TimerEntry timer;

    DelayedCommand(ColorExecutor executor, ScheduledCommand<?> future) {
        super(executor, future, UNDECIDED);
        this.future = future;
        timeNs = future.timeNs();
        sequence = future.sequence;
    }

    @Override
    public void run() {
        executor.runFirstDue();
    }

    @Override
    void leave() {
        executor.delayed.remove(this);
    }

    /** By time, as differences of a clock that may wrap; first come first served among equals. */
    @Override
    public int compareTo(DelayedCommand other) {
        long difference = timeNs - other.timeNs;
        return difference != 0 ? (difference < 0 ? -1 : 1) : Long.compare(sequence, other.sequence);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return this == other;
    }

    @Override
    public int hashCode() {
        return Long.hashCode(sequence);
    }
}
