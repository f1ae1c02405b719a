// SPDX-License-Identifier: Apache-2.0
package io.mely.net;

import io.mely.Color;
import io.mely.Mely;
import io.mely.Stage;
import io.netty.channel.Channel;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.Future;
import java.util.ArrayDeque;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;

/**
 * The end of a Netty pipeline that feeds a stage: while the stage is full the channel is not read, so TCP stops its peer.
 *
 * <pre>{@code
 * Stage<Request> parse = mely.stage("parse", StageOptions.defaults().withCapacity(1_000), this::parse);
 * ...
 * protected void initChannel(Channel channel) {
 *     Color color = mely.color(nextKey++);
 *     channel.pipeline()
 *             .addLast(new HttpServerCodec())
 *             .addLast(new StageGate<>(mely, parse, color, Request::new)); // of channel and message
 * }
 * }</pre>
 *
 * <p>Each message becomes an event. An event that is refused waits in the gate, and so does what the channel decodes meanwhile. The gate switches the channel's auto-read off, holds {@code read()} back, and waits for {@linkplain Stage#whenRoom
 * room}. When all events are sent the channel is read again. Events of a channel are sent in the order of their messages.
 *
 * <p>No message is lost. What was read before the peer closed is sent still, when there is room. Only when the runtime no longer accepts events is what waits released (if it is counted by reference), and the channel closed.
 *
 * <p><b>Threads.</b> Those of the pipeline: the channel's loop, of Mely or not, or a color of a {@link ColorEventExecutorGroup}. The function runs there. One gate for each channel. <b>Bounds.</b> What one read brings: Netty's limit of bytes for each read, times what a decoder
 * makes of it; when the peer closes, also what the kernel had for the channel. While it waits, auto-read is the gate's: a handler that switches it off then finds it on afterwards. <b>Costs.</b> A send for each message; when the stage is full, three objects for each time that the gate waits. <b>Errors.</b> An event that is refused though the stage has room, as the runtime is full or the
 * stage's admission refuses, is tried again after a millisecond.
 *
 * <p>A stage with a {@link io.mely.DropHandler} is no stage for a gate: what is refused is dropped there, and sent by the gate again.
 *
 * @param <E> the type of event
 */
public final class StageGate<E> extends ChannelDuplexHandler {
    private final Mely mely;
    private final Stage<? super E> stage;
    private final Color color;
    private final BiFunction<? super Channel, Object, ? extends E> toEvent;

    private final Queue<E> waiting = new ArrayDeque<>(); // guarded by this
    private boolean isOver; // guarded by this

    // on the pipeline's executor
    private boolean wasAutoRead; // and is to be again
    private boolean isReadOwed; // somebody asked for a read meanwhile

    /**
     * Makes the gate of one channel.
     *
     * @param mely runs the stage
     * @param stage gets the events; without a {@linkplain io.mely.StageOptions#withCapacity capacity} it is full when the runtime is
     * @param color of the events
     * @param toEvent makes an event of the channel and a message, and takes the message over
     */
    public StageGate(
            Mely mely, Stage<? super E> stage, Color color, BiFunction<? super Channel, Object, ? extends E> toEvent) {
        this.mely = Objects.requireNonNull(mely, "mely");
        this.stage = Objects.requireNonNull(stage, "stage");
        this.color = Objects.requireNonNull(color, "color");
        this.toEvent = Objects.requireNonNull(toEvent, "toEvent");
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        E event = toEvent.apply(ctx.channel(), message);
        if (!waitsBehind(event) && !stage.offer(color, event)) {
            keep(event);
            stopReading(ctx.channel());
            waitForRoom(ctx);
        }
    }

    @Override
    public void read(ChannelHandlerContext ctx) {
        if (isWaiting()) {
            isReadOwed = true;
        } else {
            ctx.read();
        }
    }

    /** {@inheritDoc} A channel that ends with its loop sends no more. */
    @Override
    public void handlerRemoved(ChannelHandlerContext ctx) {
        if (ctx.channel().eventLoop().isShuttingDown()) {
            giveUp();
        }
    }

    private void stopReading(Channel channel) {
        wasAutoRead = channel.config().isAutoRead();
        if (wasAutoRead) {
            channel.config().setAutoRead(false);
        }
    }

    private void readAgain(ChannelHandlerContext ctx) {
        boolean isOwed = isReadOwed;
        boolean isToBeAuto = wasAutoRead && !ctx.channel().config().isAutoRead();
        isReadOwed = false;
        wasAutoRead = false;
        if (isToBeAuto) {
            ctx.channel().config().setAutoRead(true); // which reads
        } else if (isOwed) {
            ctx.read(); // also if another handler has switched auto-read on meanwhile: its read was held back
        }
    }

    private void waitForRoom(ChannelHandlerContext ctx) {
        if (!mely.isAccepting()) {
            end(ctx);
        } else if (!stage.whenRoom(() -> sendSoon(ctx))) { // refused for another reason
            sendLater(ctx);
        }
    }

    /** Any thread. */
    private void sendSoon(ChannelHandlerContext ctx) {
        try {
            ctx.executor().execute(() -> send(ctx));
        } catch (RejectedExecutionException e) { // a color's, as the runtime is full or closed
            if (mely.isAccepting()) {
                sendLater(ctx);
            } else {
                end(ctx);
            }
        }
    }

    /** From a thread that is sure to come. */
    private void sendLater(ChannelHandlerContext ctx) {
        try {
            Future<?> unused =
                    ctx.channel().eventLoop().schedule(() -> sendSoon(ctx), OwedReports.RETRY_NS, TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException e) {
            giveUp(); // the loop was shut down, and its channels closed
        }
    }

    /** Sends what waits, as far as there is room. */
    private void send(ChannelHandlerContext ctx) {
        if (sendWaiting()) {
            readAgain(ctx);
        } else {
            waitForRoom(ctx);
        }
    }

    // ------------------------------------------------------------------ what waits

    private synchronized boolean isWaiting() {
        return !waiting.isEmpty();
    }

    /** Keeps an event if others wait. */
    private synchronized boolean waitsBehind(E event) {
        if (waiting.isEmpty() && !isOver) {
            return false;
        }
        keep(event);
        return true;
    }

    private synchronized void keep(E event) {
        if (isOver) {
            ReferenceCountUtil.release(event);
        } else {
            waiting.add(event);
        }
    }

    /** True if nothing waits any more. Under the lock, so that nothing that is sent is released. */
    private synchronized boolean sendWaiting() {
        for (E event = waiting.peek(); event != null; event = waiting.peek()) {
            if (!stage.offer(color, event)) {
                return false;
            }
            waiting.remove();
        }
        return true;
    }

    private synchronized void giveUp() {
        isOver = true;
        for (E event = waiting.poll(); event != null; event = waiting.poll()) {
            ReferenceCountUtil.release(event);
        }
    }

    /** The runtime takes no more events, nor can its colors run what would close the channel. Any thread. */
    private void end(ChannelHandlerContext ctx) {
        giveUp();
        Channel channel = ctx.channel();
        try {
            channel.eventLoop().execute(() -> channel.unsafe().close(channel.voidPromise()));
        } catch (RejectedExecutionException e) {
            // closed with its loop
        }
    }
}
