// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import org.jspecify.annotations.Nullable;

/**
 * Stands for an event whose time is taken, and says when it was sent.
 *
 * <p><b>Threads.</b> Written by a sender before the send, read by who runs the event, and then the sender's again.
 */
final class Stamp {
    private @Nullable Object event;
    private long sentNs;
    private volatile boolean isFree = true;

    /** The sender may use it; pairs with {@link #take}. */
    boolean isFree() {
        return isFree;
    }

    void put(@Nullable Object event, long sentNs) {
        this.event = event;
        this.sentNs = sentNs;
        isFree = false;
    }

    long sentNs() {
        return sentNs;
    }

    /** The event. Whoever has the lane that it waits in. */
    @Nullable
    Object event() {
        return event;
    }

    /** Gives it back to its sender; returns the event. */
    @Nullable
    Object take() {
        Object taken = event;
        event = null;
        isFree = true;
        return taken;
    }
}
