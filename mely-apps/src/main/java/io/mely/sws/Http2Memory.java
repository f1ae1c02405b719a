// SPDX-License-Identifier: Apache-2.0
package io.mely.sws;

import io.mely.sws.files.NativeMemory;
import io.mely.sws.http2.Output;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * Memory for what connections by HTTP/2 have to write. Each thread has some set apart, and keeps one buffer between two uses; what more is needed comes from the buffers of
 * requests.
 *
 * <p><b>Threads.</b> Any: a connection may take a buffer on one thread and give it back on another.
 */
final class Http2Memory implements Output.Memory {
    private final ServerContext server;
    private final NativeMemory setApart;

    Http2Memory(ServerContext server, int threads) {
        this.server = server;
        setApart = new NativeMemory(bytes(server.isHttp2) * (long) threads);
    }

    /** Set apart for each thread. */
    static int bytes(boolean isOn) {
        return isOn ? Output.BYTES : 0;
    }

    long usedBytes() {
        return setApart.usedBytes();
    }

    @Override
    public @Nullable ByteBuf take(int bytes) {
        StingyBuffers stingy = server.stingy;
        ByteBuf inCache = stingy == null || bytes > Output.BYTES ? null : stingy.takeOutput(bytes);
        if (inCache != null) {
            return inCache;
        }
        ByteBuf kept = bytes > Output.BYTES ? null : server.own().http2.takeOutput();
        if (kept != null) {
            return kept;
        }
        ByteBuf apart = setApart.take(bytes);
        return apart != null ? apart : server.linkMemory().take(bytes);
    }

    @Override
    public void giveBack(ByteBuf memory) {
        if (StingyBuffers.isOutput(memory)
                || memory.capacity() != Output.BYTES
                || !server.own().http2.keepOutput(memory)) {
            memory.release();
        }
    }

    /**
     * What one thread has: room for what a read brings, behind what was left of the last one.
     *
     * <p><b>Threads.</b> The owner. <b>Costs.</b> Nothing before the first connection by HTTP/2.
     */
    static final class OfThread {
        private @Nullable ByteBuf in;
        private @Nullable ByteBuf output;

        /** Empty, on the heap, with room for {@code bytes}, always the same number. */
        ByteBuf in(int bytes) {
            ByteBuf made = in;
            if (made == null) {
                made = io.netty.buffer.Unpooled.buffer(bytes, bytes);
                in = made;
            }
            return made.clear();
        }

        @Nullable
        ByteBuf takeOutput() {
            ByteBuf kept = output;
            output = null;
            return kept == null ? null : kept.clear();
        }

        boolean keepOutput(ByteBuf memory) {
            if (output != null) {
                return false;
            }
            output = memory;
            return true;
        }

        /** Once, when its thread has stopped. */
        void close() {
            if (output != null) {
                output.release();
                output = null;
            }
        }
    }
}
