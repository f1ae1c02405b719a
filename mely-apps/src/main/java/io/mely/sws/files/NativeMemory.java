// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.files;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import org.jspecify.annotations.Nullable;

/**
 * A part of the native memory that the JVM allows. Who asks for more than is left is refused at once: at its own limit the JVM would run its collector several
 * times, for half a second, on the thread that asks, and then throw.
 *
 * <p><b>Threads.</b> Any. <b>Costs.</b> A lock, malloc, and the writing of zeros; none is taken on the way of a cached response.
 */
public final class NativeMemory {
    private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true, true);
    private final long bytesMax;

    /**
     * Makes one of which nothing is used.
     *
     * @param bytesMax its size
     */
    public NativeMemory(long bytesMax) {
        this.bytesMax = bytesMax;
    }

    /**
     * Takes some.
     *
     * @param bytes how much
     * @return to be released; null if that is more than is left
     */
    public synchronized @Nullable ByteBuf take(int bytes) {
        // Under the lock the use can only fall, and what falls has been freed before it is counted.
        return usedBytes() + bytes > bytesMax ? null : allocator.directBuffer(bytes, bytes);
    }

    /**
     * What is not released yet.
     *
     * @return bytes
     */
    public long usedBytes() {
        return allocator.metric().usedDirectMemory();
    }

    @Override
    public String toString() {
        return "NativeMemory[" + usedBytes() + " of " + bytesMax + " bytes]";
    }
}
