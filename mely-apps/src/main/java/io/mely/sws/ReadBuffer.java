// SPDX-License-Identifier: Apache-2.0
package io.mely.sws;

import io.mely.stingy.StingyMemory;
import io.mely.sws.files.NativeMemory;
import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What one thread reads sockets into. Of a server whose buffers lie in the caches of its cores it is in the region of the core on which the thread reads first.
 *
 * <p><b>Threads.</b> The owner.
 */
final class ReadBuffer {
    private final NativeMemory memory;
    private final @Nullable StingyBuffers stingy;
    private long place = StingyMemory.NONE;
    private @Nullable ByteBuf ordinary;
    private @Nullable ByteBuffer buffer;

    /** @param memory the budget has {@link ThreadState#READ_BYTES} for each thread */
    ReadBuffer(NativeMemory memory, @Nullable StingyBuffers stingy) {
        this.memory = memory;
        this.stingy = stingy;
        if (stingy == null) {
            buffer = makeOrdinary();
        }
    }

    private ByteBuffer makeOrdinary() {
        ByteBuf made = Objects.requireNonNull(memory.take(ThreadState.READ_BYTES));
        ordinary = made;
        return made.nioBuffer(0, ThreadState.READ_BYTES);
    }

    /** Empty. */
    ByteBuffer get() {
        ByteBuffer made = buffer;
        if (made == null) { // in its first handler that reads: by now it is known of which core the thread is
            made = makeFirst();
            buffer = made;
        }
        return made.clear();
    }

    private ByteBuffer makeFirst() {
        if (stingy != null) {
            place = stingy.takeRead();
            if (place != StingyMemory.NONE) {
                return stingy.readAt(place);
            }
        }
        return makeOrdinary();
    }

    /** Once, when its thread has stopped. */
    void close() {
        if (stingy != null && place != StingyMemory.NONE) {
            stingy.giveRead(place);
        }
        if (ordinary != null) {
            ordinary.release();
        }
    }
}
