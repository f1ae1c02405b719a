// SPDX-License-Identifier: Apache-2.0
package io.mely.sfs.files;

import com.sun.jna.Native;
import com.sun.jna.Pointer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Native memory that the kernel reads files into, and writes them from.
 *
 * <p><b>Threads.</b> One at a time.
 */
public final class NativeBuffer {
    /** Room for one {@code struct iovec} behind the bytes. */
    private static final int VECTOR_BYTES = 16;

    private final ByteBuffer memory;
    private final ByteBuffer bytes;
    private final long address;

    private NativeBuffer(int capacity) {
        int aligned = capacity + 7 & -8;
        memory = ByteBuffer.allocateDirect(aligned + VECTOR_BYTES).order(ByteOrder.nativeOrder());
        address = Pointer.nativeValue(Native.getDirectBufferPointer(memory));
        bytes = memory.slice(0, capacity);
    }

    /**
     * Takes memory.
     *
     * @param capacity bytes
     * @return the buffer
     */
    public static NativeBuffer allocate(int capacity) {
        return new NativeBuffer(capacity);
    }

    /**
     * Its bytes.
     *
     * @return always the same buffer; where its position is does not matter to the kernel
     */
    public ByteBuffer bytes() {
        return bytes;
    }

    /** Bytes it has room for. */
    public int capacity() {
        return bytes.capacity();
    }

    long address() {
        return address;
    }

    /** The address of an iovec that describes the first bytes. */
    long vector(int count) {
        int at = memory.capacity() - VECTOR_BYTES;
        memory.putLong(at, address);
        memory.putLong(at + 8, count);
        return address + at;
    }
}
