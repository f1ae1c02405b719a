// SPDX-License-Identifier: Apache-2.0
package io.mely.sfs.ssh;

import io.mely.Color;
import io.mely.net.ColoredSocket;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import org.apache.sshd.common.future.CloseFuture;
import org.apache.sshd.common.future.DefaultCloseFuture;
import org.apache.sshd.common.io.AbstractIoWriteFuture;
import org.apache.sshd.common.io.IoService;
import org.apache.sshd.common.io.IoSession;
import org.apache.sshd.common.io.IoWriteFuture;
import org.apache.sshd.common.util.Readable;
import org.apache.sshd.common.util.buffer.Buffer;
import org.apache.sshd.common.util.closeable.AbstractCloseable;
import org.apache.sshd.common.util.threads.ThreadUtils;
import org.jspecify.annotations.Nullable;

/**
 * A connection as MINA sees it, on a colored socket: read, decrypted, encrypted and written in its color.
 *
 * <p>Packets of one event are gathered in the thread's buffer and written at its end, with one call. What the kernel does not take is kept by the connection, which is
 * <em>full</em> until it has gone. A full connection is not read: whoever sends and does not read is held up, and not answered into memory.
 *
 * <p><b>The order of packets.</b> MINA encrypts a packet and hands it over under a lock, so packets come here in the order of their numbers, from whatever thread. One from
 * another thread goes into a queue; the color empties that queue before it adds a packet of its own, so the order stays.
 *
 * <p><b>Threads.</b> Its color, but for {@link #writeBuffer}, {@link #close} and attributes: any. <b>Bounds.</b> What is kept: the replies to what one
 * event has read.
 */
final class ColoredIoSession extends AbstractCloseable implements IoSession {
    private static final System.Logger LOG = System.getLogger(ColoredIoSession.class.getName());

    private final ColoredIoService service;
    private final ColoredSocket socket;
    private final Color color;
    private final long id;
    private final Map<Object, Object> attributes = new ConcurrentHashMap<>();
    private final Queue<byte[]> fromOthers = new ConcurrentLinkedQueue<>();
    private final Queue<ByteBuf> held = new ArrayDeque<>();
    private final List<Runnable> roomListeners = new ArrayList<>();
    private final CloseFuture drained = new DefaultCloseFuture(null, futureLock);

    /** Of work that runs elsewhere for its conversations. */
    int pieces;

    /** What is to come out of MINA: another array means that it has copied. */
    private byte @Nullable [] expected;

    private boolean isInside;
    private boolean isAdmitted;
    private boolean isSuspended;
    private boolean isReadPending;
    private boolean isClosingGracefully;
    private boolean isOver;
    private volatile boolean isHungUp;
    private volatile long activeNs;

    ColoredIoSession(ColoredIoService service, ColoredSocket socket, Color color, long id) {
        this.service = service;
        this.socket = socket;
        this.color = color;
        this.id = id;
    }

    Color color() {
        return color;
    }

    ColoredSocket socket() {
        return socket;
    }

    InetSocketAddress peer() {
        return socket.remoteAddress();
    }

    /** When bytes came last. */
    long activeNs() {
        return activeNs;
    }

    /** Whether its last event has been; nothing is sent or read any more. */
    boolean isOver() {
        return isOver;
    }

    /** Reports of the loop. */
    void hungUp() {
        isHungUp = true;
    }

    // Events of its color.

    /** Does something in the color, and writes at the end what that has sent. What it throws ends the connection. */
    void run(Step step) {
        if (isOver) {
            return;
        }
        boolean isOutermost = !isInside;
        isInside = true;
        try {
            ThreadUtils.runAsInternal(() -> {
                step.run();
                return null;
            });
        } catch (Exception | StackOverflowError e) {
            failed(e);
        } finally {
            if (isOutermost) {
                isInside = false;
                flush();
            }
        }
    }

    /** What {@link #run} runs. */
    @FunctionalInterface
    interface Step {
        void run() throws Exception;
    }

    /** The same in an event of its own; false if the runtime refuses it. */
    boolean runLater(Step step) {
        try {
            color.execute(() -> run(step));
            return true;
        } catch (RejectedExecutionException closing) {
            return false;
        }
    }

    private void failed(Throwable failure) {
        LOG.log(Level.DEBUG, "connection {0} failed: {1}", id, failure.toString());
        try {
            service.handler().exceptionCaught(this, failure);
        } catch (Exception e) {
            LOG.log(Level.DEBUG, "connection {0} ends: {1}", id, e.toString());
            close(true);
        }
    }

    /** The first event. */
    void begin() {
        activeNs = service.nowNs();
        run(() -> service.handler().sessionCreated(this));
    }

    /** From now on what the client sends is looked at. */
    void admit() {
        isAdmitted = true;
        readable();
    }

    /** Bytes have come, or may have. */
    void readable() {
        if (isOver || !isAdmitted || isSuspended || isFull()) {
            isReadPending = true;
            return;
        }
        isReadPending = false;
        run(this::read);
    }

    private void read() throws Exception {
        ByteBuffer in = Scratch.own().in.clear();
        int n;
        try {
            n = socket.read(in);
        } catch (ClosedChannelException closed) {
            close(true);
            return;
        } catch (IOException lost) {
            LOG.log(Level.DEBUG, "connection {0} lost: {1}", id, lost.toString());
            close(true);
            return;
        }
        if (n < 0) {
            close(true);
            return;
        }
        if (n == 0) {
            return;
        }
        activeNs = service.nowNs();
        boolean isMore = !in.hasRemaining() || isHungUp;
        in.flip();
        service.handler().messageReceived(this, Readable.readable(in));
        if (isMore) {
            service.readLater(this);
        }
    }

    /** The kernel has room again. */
    void writable() {
        if (isOver) {
            return;
        }
        flush();
        if (!isFull()) {
            List.copyOf(roomListeners).forEach(Runnable::run);
            if (isReadPending) {
                readable();
            }
        }
    }

    // Writing.

    /** Whether what was written waits for the kernel. */
    boolean isFull() {
        return !held.isEmpty();
    }

    /** Called, in the color, each time the connection is full no more. */
    void addRoomListener(Runnable listener) {
        roomListeners.add(listener);
    }

    void removeRoomListener(Runnable listener) {
        roomListeners.remove(listener);
    }

    /** The next packet is this one. */
    void expect(Buffer packet) {
        expected = packet.array();
    }

    @Override
    public IoWriteFuture writeBuffer(Buffer buffer) {
        int bytes = buffer.available();
        if (!color.isCurrent()) {
            byte[] copy = new byte[bytes];
            System.arraycopy(buffer.array(), buffer.rpos(), copy, 0, bytes);
            fromOthers.add(copy);
            boolean isSent = runLater(() -> {}); // what comes is written at the end of each event
            return AbstractIoWriteFuture.fulfilled(this, isSent ? true : new ClosedChannelException());
        }
        if (isOver) {
            return AbstractIoWriteFuture.fulfilled(this, new ClosedChannelException());
        }
        addFromOthers();
        byte[] awaited = expected;
        expected = null;
        if (awaited != null && awaited != buffer.array()) {
            service.copied(bytes); // by MINA
        }
        add(buffer.array(), buffer.rpos(), bytes);
        if (!isInside) {
            flush();
        }
        return AbstractIoWriteFuture.fulfilled(this, true);
    }

    private void addFromOthers() {
        for (byte[] each = fromOthers.poll(); each != null; each = fromOthers.poll()) {
            add(each, 0, each.length);
        }
    }

    private void add(byte[] bytes, int offset, int count) {
        service.copied(count);
        ByteBuffer out = Scratch.own().out;
        int at = offset;
        int left = count;
        while (left > 0) {
            int n = Math.min(left, out.remaining());
            out.put(bytes, at, n);
            at += n;
            left -= n;
            if (!out.hasRemaining()) {
                writeOut();
            }
        }
    }

    private void flush() {
        if (isOver) {
            return;
        }
        addFromOthers();
        writeOut();
        if (isClosingGracefully && held.isEmpty()) {
            drained.setClosed();
        }
    }

    /** Writes what is kept, then the thread's buffer, and keeps what is left of that. */
    private void writeOut() {
        ByteBuffer out = Scratch.own().out.flip();
        try {
            while (!held.isEmpty()) {
                ByteBuf first = Objects.requireNonNull(held.peek());
                ByteBuffer bytes = first.nioBuffer();
                int n = socket.write(bytes);
                first.skipBytes(n);
                if (first.isReadable()) {
                    break;
                }
                held.remove().release();
            }
            if (held.isEmpty() && out.hasRemaining()) {
                int unused = socket.write(out);
            }
            if (out.hasRemaining()) {
                held.add(PooledByteBufAllocator.DEFAULT
                        .directBuffer(out.remaining())
                        .writeBytes(out));
            }
            if (isFull()) {
                socket.awaitWritable();
            }
        } catch (IOException lost) {
            LOG.log(Level.DEBUG, "connection {0} lost: {1}", id, lost.toString());
            releaseHeld();
            close(true);
        } finally {
            out.clear();
        }
    }

    private void releaseHeld() {
        for (ByteBuf each = held.poll(); each != null; each = held.poll()) {
            each.release();
        }
    }

    // The end.

    @Override
    protected CloseFuture doCloseGracefully() {
        if (!runLater(() -> isClosingGracefully = true)) {
            drained.setClosed();
        }
        return drained;
    }

    @Override
    protected void doCloseImmediately() {
        try {
            color.execute(this::end);
        } catch (RejectedExecutionException closing) {
            socket.close();
            super.doCloseImmediately();
        }
    }

    /** The last event: what was sent, such as why the server hangs up, is written if the kernel takes it at once. */
    private void end() {
        if (isOver) {
            return;
        }
        flush();
        isOver = true;
        releaseHeld();
        socket.close();
        super.doCloseImmediately();
        try {
            service.handler().sessionClosed(this);
        } catch (Exception e) {
            LOG.log(Level.DEBUG, "connection {0} ended: {1}", id, e.toString());
        }
        service.ended(this);
    }

    // What MINA asks.

    @Override
    public long getId() {
        return id;
    }

    @Override
    public SocketAddress getRemoteAddress() {
        return socket.remoteAddress();
    }

    @Override
    public SocketAddress getLocalAddress() {
        return service.localAddress();
    }

    @Override
    public @Nullable SocketAddress getAcceptanceAddress() {
        return service.localAddress();
    }

    @Override
    public @Nullable Object getAttribute(Object key) {
        return attributes.get(key);
    }

    @Override
    public @Nullable Object setAttribute(Object key, Object value) {
        return attributes.put(key, value);
    }

    @Override
    public @Nullable Object setAttributeIfAbsent(Object key, Object value) {
        return attributes.putIfAbsent(key, value);
    }

    @Override
    public @Nullable Object removeAttribute(Object key) {
        return attributes.remove(key);
    }

    @Override
    public IoService getService() {
        return service;
    }

    @Override
    public void shutdownOutputStream() throws IOException {
        boolean unused = runLater(socket::shutdownOutput);
    }

    @Override
    public void suspendRead() {
        boolean unused = runLater(() -> isSuspended = true);
    }

    @Override
    public void resumeRead() {
        boolean unused = runLater(() -> {
            isSuspended = false;
            if (isReadPending) {
                service.readLater(this);
            }
        });
    }

    @Override
    public String toString() {
        return "ColoredIoSession[" + id + ", " + socket.remoteAddress() + "]";
    }
}
