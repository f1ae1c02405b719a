// SPDX-License-Identifier: Apache-2.0
package io.mely.sfs.ssh;

import io.mely.Mely;
import io.mely.sfs.sftp.SftpSession;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.apache.sshd.common.SshConstants;
import org.apache.sshd.common.channel.RemoteWindow;
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
    /** Before the bytes in a packet of channel data: its type, the channel, the length. */
    private static final int HEAD_BYTES = 9;

    /** Room in a packet that is begun for a short reply, so that those behind it find room, too. */
    private static final int BYTES_MIN = 512;

    /** A tick of the timers. */
    private static final Duration RETRY = Duration.ofMillis(5);

    private final Mely mely;
    private final ColoredIoSession io;
    private final Function<SftpSession.Line, SftpSession> sessions;
    private final Runnable atIdle;
    private final Deque<byte[]> waiting = new ArrayDeque<>();
    private final Runnable onRoom = this::resume;
    private @Nullable SftpSession sftp;
    private @Nullable ChannelSession channel;
    private @Nullable ExitCallback callback;
    private @Nullable Buffer packet;
    private int packetRoom;

    /** MINA keeps it until new keys are there and what it kept before is sent; null if it keeps nothing. */
    private @Nullable IoWriteFuture kept;

    private boolean isEnded;

    /**
     * Describes one.
     *
     * @param sessions begins the conversation
     * @param atIdle called each time the client may have nothing open any more
     */
    SftpCommand(Mely mely, ColoredIoSession io, Function<SftpSession.Line, SftpSession> sessions, Runnable atIdle) {
        this.mely = mely;
        this.io = io;
        this.sessions = sessions;
        this.atIdle = atIdle;
    }

    /** Whether the client has nothing asked and nothing open. */
    boolean isIdle() {
        SftpSession session = sftp;
        return session == null || (session.isIdle() && waiting.isEmpty() && kept == null);
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
        waiting.clear();
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
        if (!isEnded) {
            io.run(() -> {
                sendWaiting();
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
        if (waiting.isEmpty()) {
            put(bytes);
        }
        if (bytes.hasRemaining()) {
            byte[] rest = new byte[bytes.remaining()];
            bytes.get(rest);
            waiting.add(rest);
        }
    }

    /** As much as the window lets out. */
    private void put(ByteBuffer bytes) {
        while (bytes.hasRemaining() && !isEnded) {
            Buffer open = packet;
            if (open == null) {
                open = begin(bytes.remaining());
                if (open == null) {
                    return;
                }
            }
            int n = Math.min(packetRoom, bytes.remaining());
            int at = open.wpos();
            open.ensureCapacity(n);
            bytes.get(open.array(), at, n);
            open.wpos(at + n);
            packetRoom -= n;
            if (packetRoom == 0) {
                send();
            }
        }
    }

    private @Nullable Buffer begin(int wanted) {
        RemoteWindow window = channel().getRemoteWindow();
        int room = (int) Math.min(Math.min(window.getSize(), window.getPacketSize()), Math.max(wanted, BYTES_MIN));
        if (room == 0) {
            return null;
        }
        Buffer fresh = channel().getSession().createBuffer(SshConstants.SSH_MSG_CHANNEL_DATA, HEAD_BYTES + room);
        fresh.putUInt(channel().getRecipient());
        fresh.putUInt(0);
        packet = fresh;
        packetRoom = room;
        return fresh;
    }

    private void send() {
        Buffer full = packet;
        if (full == null) {
            return;
        }
        packet = null;
        int end = full.wpos();
        int start = full.rpos();
        int count = end - start - HEAD_BYTES;
        full.wpos(start + HEAD_BYTES - Integer.BYTES);
        full.putUInt(count);
        full.wpos(end);
        try {
            Session session = channel().getSession();
            channel().getRemoteWindow().consume(count);
            keep(session.writePacket(full));
        } catch (IOException | IllegalStateException lost) {
            isEnded = true;
            io.close(true);
        }
    }

    /** While keys are exchanged MINA queues what is written, without a bound. So there is no more until the last of it is out. */
    private void keep(IoWriteFuture written) {
        if (written.isDone()) {
            return;
        }
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

    private void sendWaiting() {
        while (!waiting.isEmpty() && kept == null) {
            ByteBuffer bytes = ByteBuffer.wrap(waiting.remove());
            put(bytes);
            if (bytes.hasRemaining()) {
                byte[] rest = new byte[bytes.remaining()];
                bytes.get(rest);
                waiting.addFirst(rest);
                break;
            }
        }
        send();
    }

    @Override
    public void flush() {
        if (!isEnded) {
            send();
        }
    }

    @Override
    public boolean isFull() {
        return isEnded || !waiting.isEmpty() || kept != null || io.isFull();
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
        CompletableFuture<T> result = mely.blocking(io.color(), work);
        CompletableFuture<T> unused = result.whenComplete((value, failure) -> finished(value, failure, then));
    }

    @Override
    public <T> void share(Callable<T> work, BiConsumer<? super @Nullable T, ? super @Nullable Throwable> then) {
        CompletableFuture<T> result = CompletableFuture.supplyAsync(
                () -> {
                    try {
                        return work.call();
                    } catch (Exception e) {
                        throw new CompletionException(e);
                    }
                },
                mely.defaultColor());
        CompletableFuture<T> unused =
                result.whenCompleteAsync((value, failure) -> finished(value, failure, then), io.color());
    }

    private <T> void finished(
            @Nullable T value,
            @Nullable Throwable failure,
            BiConsumer<? super @Nullable T, ? super @Nullable Throwable> then) {
        Throwable cause =
                failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        if (io.isOver()) {
            then.accept(value, cause); // to close what it has open
        } else {
            io.run(() -> {
                then.accept(value, cause);
                idle();
            });
        }
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
