// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

/** Lets a simulator see whether a core-queue's lock is held. */
public final class QueueLook {
    private QueueLook() {}

    /** Whether anyone holds it. */
    static boolean isLocked(CoreQueue queue) {
        return queue.isLocked();
    }
}
