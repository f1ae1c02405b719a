// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.load;

import io.mely.Mely;
import io.mely.MelyBuilder;
import io.mely.Stage;
import io.mely.net.ColorEventExecutorGroup;
import io.mely.net.CoreEventLoopGroup;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.util.concurrent.DefaultEventExecutorGroup;
import io.netty.util.concurrent.EventExecutorGroup;
import io.netty.util.concurrent.NonStickyEventExecutorGroup;
import io.netty.util.concurrent.UnorderedThreadPoolEventExecutor;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** The contenders of the command {@code netty}, by name. */
final class NettyContenders {
    /** Of Mely's threads. */
    private static final String NAME = "netty";

    private NettyContenders() {}

    /** Netty as it is first. */
    @SuppressWarnings(
            "deprecation") // UnorderedThreadPoolEventExecutor: no other executor of Netty's is unordered, as the group
    // asks for
    static Map<String, NettyContender.Factory> all() {
        Map<String, NettyContender.Factory> all = new LinkedHashMap<>();
        all.put("netty", setup -> new OnExecutor(Loops.epoll(setup), null));
        all.put(
                "netty-group",
                setup -> new OnExecutor(Loops.epoll(setup), new DefaultEventExecutorGroup(setup.threads())));
        all.put(
                "netty-nonsticky",
                setup -> new OnExecutor(
                        Loops.epoll(setup),
                        new NonStickyEventExecutorGroup(new UnorderedThreadPoolEventExecutor(setup.threads()))));
        all.put("mely-loops", setup -> new OnExecutor(Loops.cores(setup), null));
        all.put("mely-stage", setup -> {
            Loops cores = Loops.cores(setup);
            return new OnStage(cores, cores.runtime());
        });
        all.put("mely-group", setup -> {
            Loops cores = Loops.cores(setup);
            return new OnExecutor(cores, new ColorEventExecutorGroup(cores.runtime()));
        });
        all.put(
                "netty-mely-stage",
                setup -> new OnStage(Loops.epoll(setup), builder(setup).build().start()));
        return all;
    }

    private static MelyBuilder builder(NettyContender.Setup setup) {
        return Mely.builder().name(NAME).cores(setup.threads()).pinned(setup.isPinned());
    }

    /**
     * Event loops.
     *
     * @param cores the runtime that they are the cores of; null for Netty's own
     */
    private record Loops(
            EventLoopGroup group,
            Class<? extends ServerChannel> serverChannelType,
            @Nullable Mely cores) {
        static Loops epoll(NettyContender.Setup setup) {
            return new Loops(
                    new MultiThreadIoEventLoopGroup(setup.threads(), EpollIoHandler.newFactory()),
                    EpollServerSocketChannel.class,
                    null);
        }

        static Loops cores(NettyContender.Setup setup) {
            CoreEventLoopGroup group = CoreEventLoopGroup.epoll();
            Mely mely = builder(setup).pollers(group).build().start();
            return new Loops(group, group.serverChannelType(), mely);
        }

        Mely runtime() {
            Mely known = cores;
            if (known == null) {
                throw new IllegalStateException("Netty's own loops are no cores");
            }
            return known;
        }
    }

    /** Answers where it is called. */
    private static final class AnswerHandler extends SimpleChannelInboundHandler<FullHttpRequest> {
        private final SlowService service;

        AnswerHandler(SlowService service) {
            this.service = service;
        }

        @Override
        @SuppressWarnings("FutureReturnValueIgnored") // whatever fails, the connection is closed
        protected void channelRead0(ChannelHandlerContext context, FullHttpRequest request) {
            context.writeAndFlush(service.answer(request.uri()));
        }
    }

    /**
     * The handler on the connection's loop, or in an executor group of Netty's kind.
     *
     * @param executors null for the loop
     */
    private record OnExecutor(Loops ofServer, @Nullable EventExecutorGroup executors) implements NettyContender {
        @Override
        public EventLoopGroup loops() {
            return ofServer.group();
        }

        @Override
        public Class<? extends ServerChannel> serverChannelType() {
            return ofServer.serverChannelType();
        }

        @Override
        @SuppressWarnings("deprecation") // addLast with a group: what users have, and the thing to compare
        public void addHandler(ChannelPipeline pipeline, SlowService service) {
            EventExecutorGroup group = executors;
            if (group == null) {
                pipeline.addLast(new AnswerHandler(service));
            } else {
                pipeline.addLast(group, new AnswerHandler(service));
            }
        }
    }

    /** Requests become events of a stage, in the color of their connection. */
    private static final class OnStage implements NettyContender {
        private final Loops loops;
        private final Stage<Call> stage;
        private final AtomicLong connections = new AtomicLong();

        /** A request: the context writes its answer back. */
        private record Call(ChannelHandlerContext context, SlowService service, String path) {
            @SuppressWarnings("FutureReturnValueIgnored") // whatever fails, the connection is closed
            void answer() {
                context.writeAndFlush(service.answer(path));
            }
        }

        OnStage(Loops loops, Mely mely) {
            this.loops = loops;
            stage = mely.stage("answer", Call::answer);
        }

        @Override
        public EventLoopGroup loops() {
            return loops.group();
        }

        @Override
        public Class<? extends ServerChannel> serverChannelType() {
            return loops.serverChannelType();
        }

        @Override
        public void addHandler(ChannelPipeline pipeline, SlowService service) {
            pipeline.addLast(new SendHandler(stage, connections.incrementAndGet(), service));
        }

        /** Sends requests to the stage. */
        private static final class SendHandler extends SimpleChannelInboundHandler<FullHttpRequest> {
            private final Stage<Call> stage;
            private final long key;
            private final SlowService service;

            SendHandler(Stage<Call> stage, long key, SlowService service) {
                this.stage = stage;
                this.key = key;
                this.service = service;
            }

            @Override
            @SuppressWarnings("FutureReturnValueIgnored") // whatever fails, the connection is closed
            protected void channelRead0(ChannelHandlerContext context, FullHttpRequest request) {
                if (!stage.offer(key, new Call(context, service, request.uri()))) {
                    context.writeAndFlush(SlowService.refusal());
                }
            }
        }
    }
}
