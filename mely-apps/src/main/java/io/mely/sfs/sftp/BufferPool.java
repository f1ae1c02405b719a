// SPDX-License-Identifier: Apache-2.0
package io.mely.sfs.sftp;

import io.mely.sfs.files.NativeBuffer;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Buffers for threads that read and write files, each with room for a whole packet.
 *
 * <p><b>Threads.</b> Any. <b>Bounds.</b> Keeps no more than it is made for; what is beyond is left to the garbage collector.
 */
public final class BufferPool {
    private final int keptMax;
    private final ConcurrentLinkedDeque<NativeBuffer> free = new ConcurrentLinkedDeque<>();
    private final AtomicInteger kept = new AtomicInteger();

    /**
     * Makes an empty one.
     *
     * @param keptMax most buffers that are kept
     */
    public BufferPool(int keptMax) {
        this.keptMax = keptMax;
    }

    NativeBuffer take() {
        NativeBuffer buffer = free.pollFirst();
        if (buffer == null) {
            return NativeBuffer.allocate(Sftp.PACKET_BYTES_MAX);
        }
        kept.decrementAndGet();
        return buffer;
    }

    void giveBack(NativeBuffer buffer) {
        if (kept.incrementAndGet() <= keptMax) {
            free.addFirst(buffer);
        } else {
            kept.decrementAndGet();
        }
    }
}
