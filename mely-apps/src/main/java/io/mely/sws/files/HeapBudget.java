// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.files;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Heap that may be used for something at once.
 *
 * <p><b>Threads.</b> Any. <b>Units.</b> Bytes, as whoever takes them reckons.
 */
public final class HeapBudget {
    /** One part of so many of the heap is for the names of folders that are being listed: a guess. */
    private static final int PART = 8;

    private final long bytesMax;
    private final AtomicLong used = new AtomicLong();

    /**
     * Makes one.
     *
     * @param bytesMax most at once
     */
    public HeapBudget(long bytesMax) {
        this.bytesMax = bytesMax;
    }

    /**
     * Of this JVM.
     *
     * @return an eighth of its heap
     */
    public static HeapBudget ofHeap() {
        return new HeapBudget(Runtime.getRuntime().maxMemory() / PART);
    }

    /** False if it is not to be had. */
    boolean take(long bytes) {
        if (used.addAndGet(bytes) <= bytesMax) {
            return true;
        }
        used.addAndGet(-bytes);
        return false;
    }

    void giveBack(long bytes) {
        long left = used.addAndGet(-bytes);
        assert left >= 0 : left;
    }
}
