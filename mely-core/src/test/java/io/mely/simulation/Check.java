// SPDX-License-Identifier: Apache-2.0
package io.mely.simulation;

/** What a simulation checks. The names are those of the invariants in docs/synchronization.md. */
public enum Check {
    /** At most one event of a color is running. */
    EXCLUSION,
    /** Events of one color from one sender run in the order sent. */
    ORDER,
    /** No event runs twice, none that was refused runs, none that was accepted is missing. */
    ONCE,
    /** sent = run + refused + discarded; a close that was not cut short discards nothing and waits for every handler. */
    BOOKS,
    /** What an event of a color wrote, the next event of that color sees. */
    MEMORY,
    /** A ready color is in one place, the queues are sound, and no lock is held between steps. */
    ONE_PLACE,
    /** No core sleeps on work, past a timer, through a close, or longer than it may. */
    SLEEP,
    /** Once faults have stopped, everything sent runs within a bound of steps. */
    LIVENESS,
    /** Sleepers and searchers are counted right. */
    COUNTS,
    /** The runtime's own assertions hold. */
    ASSERTION,
    /** The runtime throws nothing of its own. */
    CRASH
}
