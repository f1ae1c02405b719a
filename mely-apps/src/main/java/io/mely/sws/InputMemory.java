// SPDX-License-Identifier: Apache-2.0
package io.mely.sws;

import io.mely.sws.http2.HeapBudget;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The part of the heap for what requests under way have brought. Clients decide how much of it is held, and for how long; at the heap's limit a core would end, and the
 * server with it.
 *
 * <p><b>Threads.</b> Any. <b>Costs.</b> An atomic addition, for buffers that are made anew only.
 */
final class InputMemory implements HeapBudget {
    /** One part of so many of the heap, which is what the buffers of as many requests take as there is native memory for: a guess. */
    private static final int HEAP_PART = 3;

    /** One part of so many is for bodies that an application takes; the rest is left to the heads of all others. A guess. */
    private static final int BODY_PART = 2;

    private final long bytesMax;

    /** What this is a part of; null if of none. */
    private final @Nullable InputMemory whole;

    private final AtomicLong usedBytes = new AtomicLong();

    InputMemory(long bytesMax) {
        this(bytesMax, null);
    }

    private InputMemory(long bytesMax, @Nullable InputMemory whole) {
        this.bytesMax = bytesMax;
        this.whole = whole;
    }

    /** Of a heap, but enough for the least requests of each thread whatever that is. */
    static InputMemory of(long heapBytes, int threads) {
        long least = (long) threads * MemoryBudget.REQUESTS_MIN * Exchange.IN_BYTES;
        return new InputMemory(Math.max(least, heapBytes / HEAP_PART));
    }

    /** The part of it for bodies. */
    InputMemory forBodies() {
        return new InputMemory(bytesMax / BODY_PART, this);
    }

    /** False if that is more than is left. What was taken must be given back. */
    @Override
    public boolean take(int bytes) {
        if (usedBytes.addAndGet(bytes) <= bytesMax && (whole == null || whole.take(bytes))) {
            return true;
        }
        long left = usedBytes.addAndGet(-bytes);
        assert left >= 0 : left;
        return false;
    }

    @Override
    public void giveBack(long bytes) {
        long left = usedBytes.addAndGet(-bytes);
        assert left >= 0 : left;
        if (whole != null) {
            whole.giveBack(bytes);
        }
    }

    long bytesMax() {
        return bytesMax;
    }

    long usedBytes() {
        return usedBytes.get();
    }
}
