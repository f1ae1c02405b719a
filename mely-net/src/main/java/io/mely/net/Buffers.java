// SPDX-License-Identifier: Apache-2.0
package io.mely.net;

import java.nio.ByteBuffer;
import java.nio.ReadOnlyBufferException;

/** Checks of buffers, and the one that this package owns. */
final class Buffers {
    private static final int COPY_BYTES = 64 << 10;

    /** For files that can't be sent without copying. One per thread that ever had to. */
    private static final ThreadLocal<ByteBuffer> COPY =
            ThreadLocal.withInitial(() -> ByteBuffer.allocateDirect(COPY_BYTES));

    private Buffers() {}

    static void checkDst(ByteBuffer dst) {
        checkDirect(dst, "dst");
        if (!dst.hasRemaining()) { // a read of nothing looks like the end of the stream
            throw new IllegalArgumentException("dst must have room: dst=" + dst);
        }
        if (dst.isReadOnly()) {
            throw new ReadOnlyBufferException();
        }
    }

    static void checkDirect(ByteBuffer buffer, String name) {
        if (!buffer.isDirect()) {
            throw new IllegalArgumentException(name + " must be direct: " + name + "=" + buffer);
        }
    }

    static void checkFilePart(long position, long count) {
        if (position < 0) {
            throw new IllegalArgumentException("position must be >= 0: position=" + position);
        }
        if (count <= 0) {
            throw new IllegalArgumentException("count must be > 0: count=" + count);
        }
    }

    /** An empty direct buffer of this thread's, with room for no more than so many bytes. */
    static ByteBuffer copyBuffer(long bytes) {
        return COPY.get().clear().limit((int) Math.min(bytes, COPY_BYTES));
    }
}
