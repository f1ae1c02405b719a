// SPDX-License-Identifier: Apache-2.0
package io.mely.net;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** A connection on a selector. */
final class NioSocket extends NioHandle implements ColoredSocket {
    private static final int BUFFERS_MAX = 1024; // as on epoll

    private final SocketChannel channel;
    private final InetSocketAddress remoteAddress;
    private final int id = Ids.OF_NIO_SOCKETS.take();
    private final AtomicBoolean isIdTaken = new AtomicBoolean(true);
    private volatile @Nullable ReadinessHandler handler;
    private volatile boolean isWriteAwaited; // set by the color, cleared by the loop
    private @Nullable Object attachment;

    NioSocket(CoreEventLoopGroup group, SocketChannel channel) throws IOException {
        super(group, channel);
        this.channel = channel;
        remoteAddress = (InetSocketAddress) channel.getRemoteAddress(); // known to the JDK: no call
    }

    // ------------------------------------------------------------------ the loop's side

    @Override
    public void register(int core, ReadinessHandler handler) throws IOException {
        this.handler = Objects.requireNonNull(handler, "handler");
        registerWith(core);
    }

    @Override
    int firstOps() {
        return isWriteAwaited ? SelectionKey.OP_READ | SelectionKey.OP_WRITE : SelectionKey.OP_READ;
    }

    @Override
    void onReadyOps(int ops) {
        int ready = 0;
        if ((ops & SelectionKey.OP_READ) != 0) {
            ready |= READ;
        }
        if ((ops & SelectionKey.OP_WRITE) != 0 && isWriteAwaited) {
            isWriteAwaited = false;
            ready |= WRITE;
        }
        if (ready != 0) {
            report(ready);
        }
    }

    @Override
    boolean onReport(int ready) {
        ReadinessHandler handler = this.handler;
        assert handler != null : "set before it is registered";
        return handler.onReady(this, ready);
    }

    @Override
    void closeDescriptor() throws IOException {
        try {
            super.closeDescriptor();
        } finally {
            if (isIdTaken.compareAndSet(true, false)) {
                Ids.OF_NIO_SOCKETS.give(id);
            }
        }
    }

    // ------------------------------------------------------------------ the color's side

    @Override
    public int id() {
        return id;
    }

    @Override
    public int core() {
        return coreOrNone();
    }

    @Override
    public long silentNs() {
        return -1;
    }

    @Override
    public int read(ByteBuffer dst) throws IOException {
        Buffers.checkDst(dst);
        enter();
        try {
            int n = channel.read(dst);
            if (n >= 0 && dst.hasRemaining()) {
                interest(SelectionKey.OP_READ);
            }
            return n;
        } catch (IOException e) {
            throw translate(e);
        } finally {
            exit();
        }
    }

    @Override
    public int write(ByteBuffer src) throws IOException {
        Buffers.checkDirect(src, "src");
        enter();
        try {
            return channel.write(src);
        } catch (IOException e) {
            throw translate(e);
        } finally {
            exit();
        }
    }

    @Override
    public int writeBeforeMore(ByteBuffer src) throws IOException {
        return write(src);
    }

    @Override
    public long write(ByteBuffer[] srcs, int offset, int count) throws IOException {
        Objects.checkFromIndexSize(offset, count, srcs.length);
        int used = Math.min(count, BUFFERS_MAX);
        for (int i = offset; i < offset + used; i++) {
            Buffers.checkDirect(srcs[i], "srcs[" + i + "]");
        }
        enter();
        try {
            return channel.write(srcs, offset, used);
        } catch (IOException e) {
            throw translate(e);
        } finally {
            exit();
        }
    }

    @Override
    public long sendFile(OpenFile file, long position, long count) throws IOException {
        Buffers.checkFilePart(position, count);
        if (!file.tryRetain()) {
            throw new IllegalStateException("the file is closed: " + file);
        }
        try {
            FileChannel from = file.channel();
            return ChannelFile.uninterrupted(() -> {
                long n = sendFileByChannel(from, position, count);
                return n == 0 && position >= from.size() ? -1 : n;
            });
        } finally {
            file.close();
        }
    }

    private long sendFileByChannel(FileChannel from, long position, long count) throws IOException {
        enter();
        try {
            return from.transferTo(position, count, channel);
        } catch (IOException e) {
            throw translate(e); // the disk's errors look the same; rare, and the connection ends either way
        } finally {
            exit();
        }
    }

    @Override
    public void awaitWritable() throws IOException {
        if (!isNotClosed()) {
            throw new ClosedChannelException();
        }
        isWriteAwaited = true; // volatile: before the registration is read; firstOps is asked in the opposite order
        interest(SelectionKey.OP_WRITE);
    }

    @Override
    public void shutdownOutput() throws IOException {
        enter();
        try {
            channel.shutdownOutput();
        } catch (ClosedChannelException e) {
            throw e;
        } catch (IOException e) {
            // the connection is lost, and so is the end of the stream
        } finally {
            exit();
        }
    }

    @Override
    public boolean isOpen() {
        return isNotClosed();
    }

    @Override
    public InetSocketAddress remoteAddress() {
        return remoteAddress;
    }

    @Override
    public void attach(@Nullable Object attachment) {
        this.attachment = attachment;
    }

    @Override
    public @Nullable Object attachment() {
        return attachment;
    }

    @Override
    public String toString() {
        return "ColoredSocket[" + remoteAddress + ", id=" + id + ", core=" + core() + "]";
    }
}
