// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.load;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollChannelOption;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.util.concurrent.FastThreadLocal;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * What SWS is compared with: the fastest server that an engineer would write by hand on Netty 4.2. Epoll transport, responses kept ready with
 * their heads, a parser that looks for the path and the empty line, one flush for what was read at once, Date once a second.
 *
 * <p>{@code NettyPeer PORT DIR THREADS}. No code is shared with SWS.
 */
@SuppressWarnings("FutureReturnValueIgnored") // whatever fails, the connection is closed
public final class NettyPeer {
    private static final int BACKLOG = 4_096;
    private static final int HEAD_MAX = 32 << 10;
    private static final byte[] NOT_FOUND = ascii("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n");
    private static final String DATE = "Date: ";
    /** Always as long as it is now. */
    private static final DateTimeFormatter HTTP_DATE =
            DateTimeFormatter.ofPattern("EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.ENGLISH);

    private NettyPeer() {}

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }

    /** A file, ready to be sent. Each loop has its own, whose Date it writes. */
    private static final class Response {
        final byte[] path;
        final ByteBuf bytes;
        final int dateAt;

        Response(String name, byte[] body) {
            path = ascii("/" + name);
            String head = "HTTP/1.1 200 OK\r\nServer: netty\r\nContent-Type: text/html\r\nContent-Length: "
                    + body.length + "\r\n" + DATE + now() + "\r\n\r\n";
            dateAt = head.indexOf(DATE) + DATE.length();
            ByteBuf all = Unpooled.directBuffer(head.length() + body.length);
            all.writeBytes(ascii(head)).writeBytes(body);
            bytes = Unpooled.unreleasableBuffer(all);
        }

        static String now() {
            return HTTP_DATE.format(ZonedDateTime.now(ZoneOffset.UTC));
        }
    }

    private static List<Response> read(Path dir) {
        try (Stream<Path> files = Files.list(dir)) {
            List<Response> responses = new ArrayList<>();
            for (Path file : files.filter(Files::isRegularFile).sorted().toList()) {
                responses.add(new Response(file.getFileName().toString(), Files.readAllBytes(file)));
            }
            return responses;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static final class Handler extends ChannelInboundHandlerAdapter {
        private final Response[] responses;
        private final ByteBuf notFound =
                Unpooled.unreleasableBuffer(Unpooled.directBuffer().writeBytes(NOT_FOUND));
        /** The begin of a head that has not arrived as a whole. */
        private ByteBuf rest = Unpooled.EMPTY_BUFFER;

        Handler(Response[] responses) {
            this.responses = responses;
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            ByteBuf in = (ByteBuf) message;
            if (rest.isReadable()) {
                in = Unpooled.wrappedBuffer(rest, in);
                rest = Unpooled.EMPTY_BUFFER;
            }
            while (in.isReadable()) {
                int end = endOfHead(in);
                if (end < 0) {
                    if (in.readableBytes() > HEAD_MAX) {
                        context.close();
                    } else {
                        rest = in.retainedSlice();
                    }
                    break;
                }
                context.write(answer(in), context.voidPromise());
                in.readerIndex(end);
            }
            in.release();
        }

        private static int endOfHead(ByteBuf in) {
            int from = in.readerIndex();
            while (true) {
                int at = in.indexOf(from, in.writerIndex(), (byte) '\n');
                if (at < 0) {
                    return -1;
                }
                if (at - in.readerIndex() >= 3 && in.getByte(at - 1) == '\r' && in.getByte(at - 2) == '\n') {
                    return at + 1;
                }
                from = at + 1;
            }
        }

        private ByteBuf answer(ByteBuf in) {
            int path = in.readerIndex() + 4;
            for (Response response : responses) {
                if (isAt(in, path, response.path)) {
                    return response.bytes.duplicate();
                }
            }
            return notFound.duplicate();
        }

        private static boolean isAt(ByteBuf in, int from, byte[] path) {
            if (in.writerIndex() - from <= path.length || in.getByte(from + path.length) != ' ') {
                return false;
            }
            for (int i = path.length - 1; i >= 0; i--) {
                if (in.getByte(from + i) != path[i]) {
                    return false;
                }
            }
            return true;
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext context) {
            context.flush();
        }

        @Override
        public void channelInactive(ChannelHandlerContext context) {
            rest.release();
            rest = Unpooled.EMPTY_BUFFER;
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            context.close();
        }
    }

    /**
     * Serves until it is killed.
     *
     * @param args port, folder, threads
     */
    public static void main(String[] args) throws InterruptedException {
        int port = Integer.parseInt(args[0]);
        Path dir = Path.of(args[1]);
        int threads = Integer.parseInt(args[2]);
        FastThreadLocal<Response[]> responses = new FastThreadLocal<>() {
            @Override
            protected Response[] initialValue() {
                return read(dir).toArray(Response[]::new);
            }
        };
        MultiThreadIoEventLoopGroup group = new MultiThreadIoEventLoopGroup(threads, EpollIoHandler.newFactory());
        group.forEach(loop -> loop.scheduleAtFixedRate(
                () -> {
                    byte[] date = ascii(Response.now());
                    for (Response response : responses.get()) {
                        response.bytes.setBytes(response.dateAt, date);
                    }
                },
                1,
                1,
                TimeUnit.SECONDS));
        ServerBootstrap server = new ServerBootstrap()
                .group(group)
                .channel(EpollServerSocketChannel.class)
                .option(ChannelOption.SO_BACKLOG, BACKLOG)
                .option(EpollChannelOption.SO_REUSEPORT, true)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childHandler(new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        channel.pipeline().addLast(new Handler(responses.get()));
                    }
                });
        Channel last = null;
        // A listener for each loop, as SWS and nginx have.
        for (int i = 0; i < threads; i++) {
            last = server.bind("127.0.0.1", port).sync().channel();
        }
        if (last != null) {
            last.closeFuture().sync();
        }
    }
}
