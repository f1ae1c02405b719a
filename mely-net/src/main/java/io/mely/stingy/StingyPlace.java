// SPDX-License-Identifier: Apache-2.0
package io.mely.stingy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.util.internal.CleanableDirectBuffer;
import io.netty.util.internal.PlatformDependent;
import java.nio.ByteBuffer;

/**
 * A buffer's place in a region. The buffer grows and shrinks there while it is smaller than its site's declared size. When it outgrows that, it goes on in memory of the fallback allocator, and its place is free.
 *
 * <p><b>Threads.</b> The buffer's; released by any.
 */
final class StingyPlace {
    private final Stingy stingy;
    private final StingyRegion region;
    private final int site;
    private final int offset;
    private final ByteBufAllocator fallback;
    private boolean isHeld = true;

    StingyPlace(Stingy stingy, StingyRegion region, int site, int offset, ByteBufAllocator fallback) {
        this.stingy = stingy;
        this.region = region;
        this.site = site;
        this.offset = offset;
        this.fallback = fallback;
    }

    /** A buffer there, of the kind that is fastest here. */
    ByteBuf buffer(ByteBufAllocator owner, int bytes, int bytesMax) {
        return PlatformDependent.hasUnsafe()
                ? new StingyUnsafeBuffer(this, owner, bytes, bytesMax)
                : new StingyBuffer(this, owner, bytes, bytesMax);
    }

    ByteBuffer slice(int bytes) {
        return region.slice(offset, bytes);
    }

    /** The memory that the buffer is to have from now on. */
    CleanableDirectBuffer memory(int bytes) {
        if (isHeld && bytes < stingy.plan().sites().get(site).sizeBytes()) {
            return new Inside(slice(bytes));
        }
        ByteBuf elsewhere = fallback.directBuffer(bytes, bytes);
        isHeld = false;
        return new Elsewhere(elsewhere, elsewhere.nioBuffer(0, bytes));
    }

    boolean isHeld() {
        return isHeld;
    }

    /** The buffer has got memory elsewhere, and its bytes are there by now. */
    void outgrown() {
        region.give(offset);
        stingy.countOutgrown(site);
    }

    /** The buffer is no more. */
    void released() {
        if (isHeld) {
            isHeld = false;
            region.give(offset);
        }
    }

    /** Nothing is to be done when it has another size. */
    private record Inside(ByteBuffer buffer) implements CleanableDirectBuffer {
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
