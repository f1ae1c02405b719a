// SPDX-License-Identifier: Apache-2.0
package io.mely.stingy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import org.jspecify.annotations.Nullable;

/**
 * What allocation calls of a rewritten program become: {@code alloc.buffer(n)} at a site is {@code StingyAlloc.buffer(alloc, site, n)}.
 *
 * <p><b>Threads.</b> Any. <b>Source.</b> spec: Stingy §5.6.
 */
public final class StingyAlloc {
    private static volatile @Nullable Stingy current;

    private StingyAlloc() {}

    /**
     * Sets where sites allocate in this process.
     *
     * @param stingy whose plan numbers the sites; null: all comes from the fallbacks, as before the rewrite
     */
    public static void use(@Nullable Stingy stingy) {
        current = stingy;
    }

    /**
     * Allocates at a site.
     *
     * @param fallback the allocator that the program named
     * @param site number in the plan; one that is not there is served by the fallback
     * @param size bytes, &gt;= 0
     * @return as {@code fallback.buffer(size)}, but perhaps in a region
     */
    public static ByteBuf buffer(ByteBufAllocator fallback, int site, int size) {
        Stingy stingy = current;
        ByteBuf buffer = stingy == null || size < 0
                ? null
                : stingy.tryAllocate(site, size, Integer.MAX_VALUE, fallback, fallback);
        return buffer == null ? fallback.buffer(size) : buffer;
    }
}
