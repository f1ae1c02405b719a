// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

/** Lets a simulator see whether a core-queue's lock is held. */
public final class QueueLook {
    private QueueLook() {}

    /** Whether anyone holds it. */
    static boolean isLocked(CoreQueue queue) {
        return queue.isLocked();
    }

    /** Whether a color is what the owner runs, or ran last. */
    static boolean isRunning(CoreQueue queue, int number) {
        return queue.owner.number == number;
    }

    /** The owner ends its turn, in which so much has run. With the lock. */
    static boolean end(CoreQueue queue, long weight) {
        queue.owner.ranWeight = weight;
        return queue.end(queue.owner);
    }
}
