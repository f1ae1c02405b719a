// SPDX-License-Identifier: Apache-2.0
package io.mely.net;

import org.jspecify.annotations.Nullable;

/**
 * The handles of one core whose last report was refused, oldest first. The core offers their reports again at each of its polls, and while there
 * are any it sleeps for no longer than {@link #RETRY_NS}: readiness is edge-triggered, so a report that was dropped would never come again.
 *
 * <p><b>Threads.</b> The core's. <b>Bounds.</b> A handle is in the list once, so it is as long as there are handles on the loop; the links are in
 * the handles, so to add one needs no memory. <b>Costs.</b> A poll ends its offers at the {@value #REFUSALS_MAX}th refusal: when the runtime is full,
 * all the others would be refused, too. Who was refused goes to the end, so one handle that refuses for good delays the others and does not
 * stop them.
 */
final class OwedReports {
    /** Longest sleep with a report in hand: as long as a selector's shortest. A refused report waits for an event to run, which takes less. */
    static final long RETRY_NS = 1_000_000;

    /** Refused sends in one poll, some 50 ns each: a guess. */
    private static final int REFUSALS_MAX = 16;

    /** Reports in one poll, so that the core's events have their turn: a quarter of what one epoll_wait brings. */
    private static final int OFFERS_MAX = 1_024;

    private @Nullable LoopHandle first;
    private @Nullable LoopHandle last;

    boolean isEmpty() {
        return first == null;
    }

    /** The handle is not in the list. */
    void add(LoopHandle handle) {
        LoopHandle before = last;
        if (before == null) {
            first = handle;
        } else {
            before.nextOwing = handle;
        }
        last = handle;
    }

    private LoopHandle remove(LoopHandle head) {
        first = head.nextOwing;
        head.nextOwing = null;
        if (first == null) {
            last = null;
        }
        return head;
    }

    /**
     * Offers each report once, within the bounds.
     *
     * @return how many were taken
     */
    int offer() {
        LoopHandle end = last;
        int taken = 0;
        int refused = 0;
        for (LoopHandle head = first;
                head != null && refused < REFUSALS_MAX && taken < OFFERS_MAX;
                head = head == end ? null : first) {
            if (remove(head).reportOwed()) {
                taken++;
            } else {
                refused++;
                add(head);
            }
        }
        return taken;
    }
}
