// SPDX-License-Identifier: Apache-2.0
package io.mely.stingy;

import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A Netty allocator of one site: {@code buffer(n)} takes one of the site's buffers on this core, {@code release()} gives it back, by whatever thread.
 *
 * <pre>{@code
 * bootstrap.childOption(ChannelOption.ALLOCATOR, stingy.allocator(PooledByteBufAllocator.DEFAULT).at("read"));
 * }</pre>
 *
 * <p>From the fallback come: buffers as large as the site's declared size or larger, buffers that find none free, heap buffers, and those of an allocator without a site. A buffer whose writer outgrows the declared size goes on in memory of the fallback.
 *
 * <p><b>Threads.</b> Any. <b>Costs.</b> An object or two for each buffer, and a short lock, but for what the handler's stage has taken already. <b>Errors.</b> Those of the fallback. A use after the release is an {@code IllegalReferenceCountException}, as ever; Netty's leak detection sees the buffers.
 */
public final class StingyAllocator extends AbstractByteBufAllocator {
    static final int NO_SITE = -1;

    private final Stingy stingy;
    private final ByteBufAllocator fallback;
    private final int site;

    StingyAllocator(Stingy stingy, ByteBufAllocator fallback, int site) {
        this.stingy = stingy;
        this.fallback = Objects.requireNonNull(fallback, "fallback");
        this.site = site;
    }

    /**
     * The allocator of a site.
     *
     * @param name of the plan; else an IllegalArgumentException
     * @return with the same fallback
     */
    public StingyAllocator at(String name) {
        return new StingyAllocator(stingy, fallback, stingy.plan().siteId(name));
    }

    /**
     * The same by the site's number. A number that is not in the plan is no error: all comes from the fallback, and is counted.
     *
     * @param number of a site, see {@link StingyPlan#siteId}
     * @return with the same fallback
     */
    public StingyAllocator at(int number) {
        return new StingyAllocator(stingy, fallback, number);
    }

    /**
     * The site's buffer, or none: for a program that has its own way when the region has none.
     *
     * @param bytes its capacity, which does not grow
     * @return null if the region has none for it, which is counted
     */
    public @Nullable ByteBuf tryBuffer(int bytes) {
        return stingy.tryAllocate(site, bytes, bytes, this, fallback);
    }

    static ByteBuf leakAware(ByteBuf buffer) {
        return toLeakAwareBuffer(buffer);
    }

    @Override
    protected ByteBuf newDirectBuffer(int bytes, int bytesMax) {
        ByteBuf buffer = stingy.tryAllocate(site, bytes, bytesMax, this, fallback);
        return buffer == null ? fallback.directBuffer(bytes, bytesMax) : buffer;
    }

    @Override
    protected ByteBuf newHeapBuffer(int bytes, int bytesMax) {
        return fallback.heapBuffer(bytes, bytesMax);
    }

    @Override
    public boolean isDirectBufferPooled() {
        return true;
    }

    // Direct, also where Netty would have it on the heap, as it may not use Unsafe: the regions are direct memory.

    @Override
    public ByteBuf buffer() {
        return directBuffer();
    }

    @Override
    public ByteBuf buffer(int bytes) {
        return directBuffer(bytes);
    }

    @Override
    public ByteBuf buffer(int bytes, int bytesMax) {
        return directBuffer(bytes, bytesMax);
    }

    @Override
    public ByteBuf ioBuffer() {
        return directBuffer();
    }

    @Override
    public ByteBuf ioBuffer(int bytes) {
        return directBuffer(bytes);
    }

    @Override
    public ByteBuf ioBuffer(int bytes, int bytesMax) {
        return directBuffer(bytes, bytesMax);
    }

    @Override
    public String toString() {
        return "StingyAllocator{site="
                + (site < 0 || site >= stingy.plan().sites().size()
                        ? "none"
                        : stingy.plan().sites().get(site).name())
                + ", fallback=" + fallback + "}";
    }
}
