// SPDX-License-Identifier: Apache-2.0
package io.mely.stingy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledUnsafeDirectByteBuf;
import io.netty.util.internal.CleanableDirectBuffer;

/** A buffer at a {@link StingyPlace} whose bytes are reached by their address. <b>Threads.</b> As any {@link ByteBuf}; released by any. */
final class StingyUnsafeBuffer extends UnpooledUnsafeDirectByteBuf {
    private final StingyPlace place;

    StingyUnsafeBuffer(StingyPlace place, ByteBufAllocator owner, int bytes, int bytesMax) {
        super(owner, false, place.slice(bytes), bytesMax);
        this.place = place;
        setIndex(0, 0); // else it counts as written
    }

    @Override
    public ByteBuf capacity(int newBytes) {
        boolean wasHeld = place.isHeld();
        ByteBuf self = super.capacity(newBytes); // asks for memory, copies, and lets go of the old
        if (wasHeld && !place.isHeld()) {
            place.outgrown();
        }
        return self;
    }

    @Override
    protected CleanableDirectBuffer allocateDirectBuffer(int bytes) {
        return place.memory(bytes);
    }

    @Override
    protected void deallocate() {
        super.deallocate();
        place.released();
    }
}
