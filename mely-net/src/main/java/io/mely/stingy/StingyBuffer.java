// SPDX-License-Identifier: Apache-2.0
package io.mely.stingy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledDirectByteBuf;
import io.netty.util.internal.CleanableDirectBuffer;
import java.nio.ByteBuffer;

/**
 * A buffer in a region. It grows and shrinks in its place while it is smaller than its site's declared size. When it outgrows that, it goes on in memory of the fallback allocator, and its place is free.
 *
 * <p><b>Threads.</b> As any {@link ByteBuf}; released by any.
 */
final class StingyBuffer extends UnpooledDirectByteBuf {
    /** Where it lies. */
    record Slot(Stingy stingy, StingyRegion region, int site, int offset, ByteBufAllocator fallback) {
        boolean fits(int bytes) {
            return bytes < stingy.plan().sites().get(site).sizeBytes();
        }
    }

    private final Slot slot;
    private boolean isInSlot = true;

    StingyBuffer(Slot slot, ByteBufAllocator owner, int bytes, int bytesMax) {
        super(owner, slot.region.slice(slot.offset, bytes), bytesMax);
        this.slot = slot;
        setIndex(0, 0); // else it counts as written
    }

    @Override
    public ByteBuf capacity(int newBytes) {
        boolean wasInSlot = isInSlot;
        ByteBuf self = super.capacity(newBytes); // asks for memory, copies, and lets go of the old
        if (wasInSlot && !isInSlot) {
            slot.region.give(slot.offset);
            slot.stingy.countOutgrown(slot.site);
        }
        return self;
    }

    /** {@inheritDoc} The memory that it is to have from now on. */
    @Override
    protected CleanableDirectBuffer allocateDirectBuffer(int bytes) {
        if (isInSlot && slot.fits(bytes)) {
            return new InSlot(slot.region.slice(slot.offset, bytes));
        }
        ByteBuf elsewhere = slot.fallback.directBuffer(bytes, bytes);
        isInSlot = false;
        return new Elsewhere(elsewhere, elsewhere.nioBuffer(0, bytes));
    }

    @Override
    protected void deallocate() {
        super.deallocate();
        if (isInSlot) {
            isInSlot = false;
            slot.region.give(slot.offset);
        }
    }

    /** Nothing is to be done when it has another size. */
    private record InSlot(ByteBuffer buffer) implements CleanableDirectBuffer {
        @Override
        public void clean() {}
    }

    private record Elsewhere(ByteBuf memory, ByteBuffer buffer) implements CleanableDirectBuffer {
        @Override
        public void clean() {
            boolean unused = memory.release();
        }
    }
}
