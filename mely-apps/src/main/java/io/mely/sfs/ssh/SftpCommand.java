// SPDX-License-Identifier: Apache-2.0
package io.mely.sfs.ssh;

import io.mely.Mely;
import io.mely.sfs.sftp.SftpSession;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.apache.sshd.common.SshConstants;
import org.apache.sshd.common.io.IoInputStream;
import org.apache.sshd.common.io.IoOutputStream;
import org.apache.sshd.common.io.IoWriteFuture;
import org.apache.sshd.common.session.Session;
import org.apache.sshd.common.util.buffer.Buffer;
import org.apache.sshd.server.Environment;
import org.apache.sshd.server.ExitCallback;
import org.apache.sshd.server.channel.ChannelDataReceiver;
import org.apache.sshd.server.channel.ChannelSession;
import org.apache.sshd.server.channel.ChannelSessionAware;
import org.apache.sshd.server.command.AsyncCommand;
import org.jspecify.annotations.Nullable;

/**
 * SFTP on a channel. Replies are put straight into packets of the channel, as much as its window lets out; MINA's streams, which block or start threads, are not used.
 *
 * <p><b>Threads.</b> The color of the connection. <b>Bounds.</b> Bytes that wait for the window, or for new keys: a slice of replies, and one reply.
 */
final class SftpCommand implements AsyncCommand, ChannelDataReceiver, ChannelSessionAware, SftpSession.Line {
    /** A tick of the timers. */
    private static final Duration RETRY = Duration.ofMillis(5);

    private final Mely mely;
    private final Stages stages;
    private final Lanes lanes;
    private final Counters counters;
    private final ColoredIoSession io;
    private final int piecesMax;
    private final Function<SftpSession.Line, SftpSession> sessions;
    private final Runnable atIdle;
    private final ChannelOutput output = new ChannelOutput(new Out());
    private final Runnable onRoom = this::resume;
    private @Nullable SftpSession sftp;
    private @Nullable ChannelSession channel;
    private @Nullable ExitCallback callback;

    /** MINA keeps it until new keys are there and what it kept before is sent; null if it keeps nothing. */
    private @Nullable IoWriteFuture kept;

    private boolean isEnded;

    /**
     * Describes one.
     *
     * @param stages of all conversations
     * @param lanes of all conversations
     * @param counters of all connections
     * @param piecesMax most pieces of work that the connection has elsewhere, but for one of each conversation
     * @param sessions begins the conversation
     * @param atIdle called each time the client may have nothing open any more
     */
    SftpCommand(
            Mely mely,
            Stages stages,
            Lanes lanes,
            Counters counters,
            ColoredIoSession io,
            int piecesMax,
            Function<SftpSession.Line, SftpSession> sessions,
            Runnable atIdle) {
        this.mely = mely;
        this.stages = stages;
        this.lanes = lanes;
        this.counters = counters;
        this.io = io;
        this.piecesMax = piecesMax;
        this.sessions = sessions;
        this.atIdle = atIdle;
    }

    /** Whether the client has nothing asked and nothing open. */
    boolean isIdle() {
        SftpSession session = sftp;
        return session == null || (session.isIdle() && !output.isWaiting() && kept == null);
    }

    /** Whether the client waits for an answer that is under way. */
    boolean isAnswering() {
        SftpSession session = sftp;
        return session != null && session.isAnswering();
    }

    private ChannelSession channel() {
        return Objects.requireNonNull(channel, "MINA tells the channel first");
    }

    // What MINA calls.

    @Override
    public void setChannelSession(ChannelSession newChannel) {
        channel = newChannel;
        newChannel.setDataReceiver(this);
    }

    @Override
    public void setExitCallback(ExitCallback newCallback) {
        callback = newCallback;
    }

    @Override
    public void start(ChannelSession unused, Environment environment) {
        sftp = sessions.apply(this);
        io.addRoomListener(onRoom);
    }

    @Override
    public int data(ChannelSession from, byte[] bytes, int offset, int count) {
        SftpSession session = sftp;
        if (session == null) {
            return count; // before the client was told that there is SFTP
        }
        session.received(bytes, offset, count, Scratch.own().file);
        idle();
        return 0; // given back as it is used
    }

    /** The client sends no more. */
    @Override
    public void close() {
        SftpSession session = sftp;
        if (session != null && !isEnded) {
            session.inputOver(Scratch.own().file);
        }
    }

    /** MINA may call it from its timer, too. */
    @Override
    public void destroy(ChannelSession unused) {
        if (io.color().isCurrent()) {
            destroyed();
            return;
        }
        try {
            io.color().execute(this::destroyed);
        } catch (RejectedExecutionException closing) {
            destroyed(); // no event of the color comes any more
        }
    }

    private void destroyed() {
        isEnded = true;
        io.removeRoomListener(onRoom);
        output.clear();
        SftpSession session = sftp;
        if (session != null) {
            session.end();
        }
    }

    /** The client's window is larger. */
    void windowGrew() throws IOException {
        resume();
    }

    private void resume() {
        resume(output::sendWaiting);
    }

    private void resume(Runnable send) {
        if (!isEnded) {
            io.run(() -> {
                send.run();
                SftpSession session = sftp;
                if (session != null) {
                    session.resume(Scratch.own().file);
                }
                idle();
            });
        }
    }

    private void idle() {
        if (isIdle()) {
            atIdle.run();
        }
    }

    // What SFTP calls.

    @Override
    public void write(ByteBuffer bytes) {
        if (!isEnded) {
            output.write(bytes);
        }
    }

    /** The channel as MINA has it. */
    private final class Out implements ChannelOutput.Channel {
        @Override
        public long window() {
            return isEnded ? 0 : channel().getRemoteWindow().getSize();
        }

        @Override
        public long packetMax() {
            return channel().getRemoteWindow().getPacketSize();
        }

        @Override
        public Buffer begin(int bytes) {
            Session session = channel().getSession();
            int needed = ChannelOutput.HEAD_BYTES + bytes;
            Buffer used = Scratch.own().takePacket(needed);
            Buffer packet = used == null
                    ? session.createBuffer(SshConstants.SSH_MSG_CHANNEL_DATA, needed)
                    : session.prepareBuffer(SshConstants.SSH_MSG_CHANNEL_DATA, used);
            packet.putUInt(channel().getRecipient());
            packet.putUInt(0);
            return packet;
        }

        @Override
        public void send(Buffer packet, int bytes) {
            int end = packet.wpos();
            packet.wpos(end - bytes - Integer.BYTES);
            packet.putUInt(bytes);
            packet.wpos(end);
            try {
                channel().getRemoteWindow().consume(bytes);
                counters.copiedBytes.add(bytes); // into the packet
                io.expect(packet);
                IoWriteFuture written = channel().getSession().writePacket(packet);
                if (written.isDone()) {
                    Scratch.own().giveBackPacket(packet); // it is copied; else MINA keeps it
                } else {
                    keep(written);
                }
            } catch (IOException | IllegalStateException lost) {
                isEnded = true;
                io.close(true);
            }
        }

        @Override
        public boolean isHeld() {
            return isEnded || kept != null;
        }

        @Override
        public void wakeLater() {
            io.color().schedule(RETRY, () -> resume(output::sendAnyway));
        }
    }

    /** While keys are exchanged MINA queues what is written, without a bound. So there is no more until the last of it is out. */
    private void keep(IoWriteFuture written) {
        kept = written;
        written.addListener(done -> {
            if (!io.runLater(() -> sent(done))) {
                io.close(true);
            }
        });
    }

    private void sent(IoWriteFuture written) {
        if (kept == written) {
            kept = null;
            resume();
        }
    }

    @Override
    public void flush() {
        if (!isEnded) {
            output.flush();
        }
    }

    @Override
    public boolean isFull() {
        return isEnded || output.isWaiting() || kept != null || io.isFull();
    }

    @Override
    public void used(int bytes) {
        try {
            if (!isEnded) {
                channel().getLocalWindow().release(bytes);
            }
        } catch (IOException lost) {
            isEnded = true;
            io.close(true);
        }
    }

    @Override
    public void resumeLater() {
        if (!io.runLater(this::resume)) {
            io.close(true);
        }
    }

    @Override
    public void retryLater() {
        io.color().schedule(RETRY, this::resume);
    }

    @Override
    public <T> void block(Callable<T> work, BiConsumer<? super @Nullable T, ? super @Nullable Throwable> then) {
        io.pieces++;
        CompletableFuture<T> result = mely.blocking(io.color(), work);
        CompletableFuture<T> unused = result.whenComplete((value, failure) -> finished(value, failure, then));
    }

    @Override
    public <T> void share(Callable<T> work, BiConsumer<? super @Nullable T, ? super @Nullable Throwable> then) {
        io.pieces++;
        CompletableFuture<T> result = CompletableFuture.supplyAsync(
                () -> {
                    try {
                        return work.call();
                    } catch (Exception e) {
                        throw new CompletionException(e);
                    }
                },
                task -> stages.process().send(mely.defaultColor(), task));
        CompletableFuture<T> unused = result.whenCompleteAsync(
                (value, failure) -> finished(value, failure, then),
                task -> stages.answer().send(io.color(), task));
    }

    @Override
    public <T> void inTurn(
            long subject,
            Supplier<@Nullable T> now,
            Callable<T> waiting,
            BiConsumer<? super @Nullable T, ? super @Nullable Throwable> then) {
        io.pieces++;
        lanes.<T>run(subject, now, waiting, (value, failure) -> {
            try {
                io.color().execute(() -> finished(value, failure, then));
            } catch (RejectedExecutionException closing) {
                finished(value, failure, then); // no event of the color comes any more
            }
        });
    }

    private <T> void finished(
            @Nullable T value,
            @Nullable Throwable failure,
            BiConsumer<? super @Nullable T, ? super @Nullable Throwable> then) {
        Throwable cause =
                failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        io.pieces--;
        if (io.isOver()) {
            then.accept(value, cause); // to close what it has open
        } else {
            io.run(() -> {
                then.accept(value, cause);
                idle();
            });
        }
    }

    /** A client may have a piece in each of as many conversations, so it may have them in one. */
    @Override
    public boolean mayRunMore() {
        return io.pieces < piecesMax;
    }

    @Override
    public void end(int exitCode) {
        ExitCallback exit = callback;
        if (!isEnded && exit != null) {
            isEnded = true;
            exit.onExit(exitCode);
        }
    }

    // MINA's streams.

    @Override
    public void setIoInputStream(IoInputStream in) {}

    @Override
    public void setIoOutputStream(IoOutputStream out) {}

    @Override
    public void setIoErrorStream(IoOutputStream err) {}

    @Override
    public void setInputStream(InputStream in) {}

    @Override
    public void setOutputStream(OutputStream out) {}

    @Override
    public void setErrorStream(OutputStream err) {}
}
