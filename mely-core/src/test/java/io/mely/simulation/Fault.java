// SPDX-License-Identifier: Apache-2.0
package io.mely.simulation;

/** What may go wrong, or slowly, at a named point. The seed decides when; a campaign counts which were reached. */
public enum Fault {
    /** Another thread runs in the middle of an operation, before an atomic access (woven) or inside a handler. */
    PREEMPTION,
    /** An inbox looks empty because a sender is still inside its offer. Woven only. */
    SLOW_DRAIN,
    /** A try-lock is refused. */
    REFUSED_LOCK,
    /** A sleep ends for no reason. */
    SPURIOUS_WAKEUP,
    /** A thread that was woken does not run for a while. */
    DELAYED_WAKEUP,
    /** Time passes that nobody expected. */
    CLOCK_JUMP,
    /** A handler throws. For the workload to ask. */
    THROWING_HANDLER,
    /** A handler takes long, while others go on. For the workload to ask. */
    STALLED_HANDLER
}
