// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.load;

import io.netty.channel.ChannelPipeline;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.ServerChannel;
import java.util.function.Function;

/** How a Netty server runs its connections and its handler: the thing that the command {@code netty} compares. */
interface NettyContender {
    /**
     * What a contender is built from.
     *
     * @param threads of the event loops, and as many of what runs the handler elsewhere
     * @param isPinned whether Mely pins its cores
     */
    record Setup(int threads, boolean isPinned) {}

    /** Accept, read and write. */
    EventLoopGroup loops();

    /** Of the server's channel; the same transport as the loops. */
    Class<? extends ServerChannel> serverChannelType();

    /**
     * Adds the handler behind the HTTP codec of a new connection. Its requests are {@link io.netty.handler.codec.http.FullHttpRequest}s.
     *
     * <p><b>Threads.</b> The connection's loop.
     */
    void addHandler(ChannelPipeline pipeline, SlowService service);

    /** Builds a contender in the JVM that serves. */
    interface Factory extends Function<Setup, NettyContender> {}
}
