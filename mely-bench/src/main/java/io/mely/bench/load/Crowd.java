// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.load;

import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * Connections that never finish what they began: each sends a beginning, and then perhaps a byte now and then. One that the server ends is opened anew, so that there are always as many.
 *
 * <p><b>Threads.</b> One of its own, from the constructor to {@link #close}; the figures are for any.
 */
final class Crowd implements Closeable {
    /** Most new connections between two looks at the others, so that they fit into a queue of the kernel's. */
    private static final int OPENED_AT_ONCE = 100;

    private static final long LOOK_MS = 20;

    private final InetSocketAddress address;
    private final int connections;
    private final byte[] first;
    private final ByteBuffer more;
    private final long moreEveryNs;
    private final Selector selector = Selector.open();
    private final ByteBuffer answer = ByteBuffer.allocateDirect(1 << 12);
    private final Thread thread = new Thread(this::run, "crowd");
    private int open;
    private final AtomicInteger connected = new AtomicInteger();
    private final AtomicLong ended = new AtomicLong();
    private volatile boolean isOver;

    /**
     * Begins at once.
     *
     * @param first what each sends when it is connected
     * @param more what each sends again and again; nothing if empty
     */
    Crowd(InetSocketAddress address, int connections, byte[] first, byte[] more, long moreEveryNs) throws IOException {
        this.address = address;
        this.connections = connections;
        this.first = first;
        this.more = ByteBuffer.wrap(more);
        this.moreEveryNs = moreEveryNs;
        thread.setDaemon(true);
        thread.start();
    }

    /** How many are connected. */
    int connected() {
        return connected.get();
    }

    /** How many the server has ended, or not let in. */
    long ended() {
        return ended.get();
    }

    /** Waits until all are connected, or the server has ended one: it does not let in as many. */
    void awaitFull() {
        while (connected() < connections && ended() == 0) {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
        }
    }

    private void run() {
        try (selector) {
            while (!isOver) {
                for (int i = 0; i < OPENED_AT_ONCE && open < connections; i++) {
                    open();
                }
                selector.select(this::look, LOOK_MS);
                if (more.hasRemaining()) {
                    goOn(System.nanoTime());
                }
            }
            selector.keys().forEach(key -> close((SocketChannel) key.channel()));
        } catch (IOException e) {
            throw new IllegalStateException("a crowd has no sockets", e);
        }
    }

    private void open() throws IOException {
        SocketChannel channel = SocketChannel.open();
        open++;
        channel.configureBlocking(false);
        channel.setOption(StandardSocketOptions.SO_LINGER, 0); // a reset leaves no port in TIME_WAIT
        SelectionKey key = channel.register(selector, SelectionKey.OP_CONNECT);
        try {
            if (channel.connect(address)) {
                begin(key, channel);
            }
        } catch (IOException e) {
            end(key, channel);
        }
    }

    private void look(SelectionKey key) {
        SocketChannel channel = (SocketChannel) key.channel();
        try {
            if (key.isConnectable()) {
                if (channel.finishConnect()) {
                    begin(key, channel);
                }
            } else if (channel.read(answer.clear()) < 0) {
                end(key, channel);
            }
        } catch (IOException e) {
            end(key, channel);
        }
    }

    private void begin(SelectionKey key, SocketChannel channel) throws IOException {
        connected.incrementAndGet();
        key.attach(System.nanoTime());
        key.interestOps(SelectionKey.OP_READ);
        send(channel, ByteBuffer.wrap(first));
    }

    private void goOn(long nowNs) {
        for (SelectionKey key : selector.keys()) {
            if (key.isValid() && key.attachment() instanceof Long sentNs && nowNs - sentNs >= moreEveryNs) {
                SocketChannel channel = (SocketChannel) key.channel();
                key.attach(nowNs);
                try {
                    send(channel, more.duplicate());
                } catch (IOException e) {
                    end(key, channel);
                }
            }
        }
    }

    /** What the kernel does not take is not sent: who reads nothing gets nothing. */
    private static void send(SocketChannel channel, ByteBuffer bytes) throws IOException {
        while (bytes.hasRemaining() && channel.write(bytes) > 0) {
            // the rest
        }
    }

    private void end(SelectionKey key, SocketChannel channel) {
        if (key.attachment() != null) {
            connected.decrementAndGet();
        }
        open--;
        ended.incrementAndGet();
        key.cancel();
        close(channel);
    }

    private static void close(SocketChannel channel) {
        try {
            channel.close();
        } catch (IOException e) {
            // it is gone all the same
        }
    }

    /** Resets all. */
    @Override
    public void close() {
        isOver = true;
        selector.wakeup();
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
