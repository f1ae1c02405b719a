// SPDX-License-Identifier: Apache-2.0
package io.mely.sws;

import java.util.concurrent.atomic.AtomicLong;

/**
 * The part of the heap for what requests under way have brought. Clients decide how much of it is held, and for how long; at the heap's limit a core would end, and the
 * server with it.
 *
 * <p><b>Threads.</b> Any. <b>Costs.</b> An atomic addition, for buffers that are made anew only.
 */
final class InputMemory {
    /** One part of so many of the heap, which is what the buffers of as many requests take as there is native memory for: a guess. */
    private static final int HEAP_PART = 3;

    private final long bytesMax;
    private final AtomicLong usedBytes = new AtomicLong();

    InputMemory(long bytesMax) {
        this.bytesMax = bytesMax;
    }

    /** Of a heap, but enough for the least requests of each thread whatever that is. */
    static InputMemory of(long heapBytes, int threads) {
        long least = (long) threads * MemoryBudget.REQUESTS_MIN * Exchange.IN_BYTES;
        return new InputMemory(Math.max(least, heapBytes / HEAP_PART));
    }

    /** False if that is more than is left. What was taken must be given back. */
    boolean take(int bytes) {
        if (usedBytes.addAndGet(bytes) <= bytesMax) {
            return true;
        }
        giveBack(bytes);
        return false;
    }

    void giveBack(int bytes) {
        long left = usedBytes.addAndGet(-bytes);
        assert left >= 0 : left;
    }

    long bytesMax() {
        return bytesMax;
    }

    long usedBytes() {
        return usedBytes.get();
    }
}
