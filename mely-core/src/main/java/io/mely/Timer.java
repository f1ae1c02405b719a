// SPDX-License-Identifier: Apache-2.0
package io.mely;

/**
 * One event that is to be sent later; it runs in its color like any other.
 *
 * <p><b>Threads.</b> Any. <b>Costs.</b> Start and cancel: O(log n) in the timers of one core. Lateness: a busy core looks at
 * its timers once per time slice.
 */
public interface Timer {
    /**
     * Cancels the timer.
     *
     * <p>Called from a handler of the timer's own color, a {@code true} answer is final: the event will not run. From
     * elsewhere it means that the event had not been sent yet, and now never will be.
     *
     * @return true if this call stopped it; false if it was sent, cancelled, or dropped by the runtime's close before
     */
    boolean cancel();

    /**
     * Tells whether the timer still waits.
     *
     * @return true until it is sent, cancelled or dropped
     */
    boolean isPending();
}
