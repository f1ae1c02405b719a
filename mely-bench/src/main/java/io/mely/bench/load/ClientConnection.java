// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.load;

import io.netty.channel.epoll.LinuxSocket;
import io.netty.channel.socket.SocketProtocolFamily;
import java.io.IOException;
import java.net.Inet4Address;
import org.jspecify.annotations.Nullable;

/**
 * The connection of a virtual client, again and again another one. What comes is read into the loop's buffer, behind what its owner could not read as a whole before.
 *
 * <p><b>Threads.</b> Its loop's.
 */
final class ClientConnection {
    /** Whose it is. Each of these may close it. */
    interface Owner {
        void connected(long nowNs);

        void connectFailed(long nowNs);

        /** Reads the loop's buffer from its begin, and says {@link #keep} of what is not whole. */
        void consume(int limit, long nowNs);

        /** There is room for more than could be sent last. */
        void writable(long nowNs);

        /** The server has closed it. */
        void ended(long nowNs);

        void broken(long nowNs);
    }

    private static final int SAVED_BYTES_MIN = 512;
    private static final byte[] NOTHING = {};

    private final ClientLoop loop;
    private final Owner owner;

    private @Nullable LinuxSocket socket;
    private boolean isConnecting;
    /** Tells a connection from the next one. */
    private int closes;

    private byte[] saved = NOTHING;
    private int savedBytes;

    ClientConnection(ClientLoop loop, Owner owner) {
        this.loop = loop;
        this.owner = owner;
    }

    /** Also while it connects. */
    boolean isOpen() {
        return socket != null;
    }

    void connect(long nowNs) {
        isConnecting = true;
        try {
            LinuxSocket fresh = LinuxSocket.newSocketStream(
                    loop.address.getAddress() instanceof Inet4Address
                            ? SocketProtocolFamily.INET
                            : SocketProtocolFamily.INET6);
            socket = fresh;
            fresh.setTcpNoDelay(true);
            if (loop.plan.isReset()) {
                fresh.setSoLinger(0);
            }
            loop.watch(fresh.intValue(), this);
            if (fresh.connect(loop.address)) {
                isConnecting = false;
                owner.connected(nowNs);
            }
        } catch (IOException e) {
            owner.connectFailed(nowNs);
        }
    }

    void close() {
        LinuxSocket old = socket;
        if (old != null) {
            loop.unwatch(old.intValue());
            try {
                old.close();
            } catch (IOException e) {
                // It is gone all the same.
            }
        }
        socket = null;
        isConnecting = false;
        closes++;
        savedBytes = 0;
    }

    /** Sends what the kernel takes of some memory; returns how much that is. */
    int send(long address, int from, int limit) throws IOException {
        LinuxSocket current = socket;
        return current == null ? 0 : Math.max(0, current.sendAddress(address, from, limit));
    }

    void onEvent(int flags, long nowNs) {
        if (isConnecting) {
            finishConnect(nowNs);
            return;
        }
        if ((flags & Epoll.OUT) != 0) {
            owner.writable(nowNs);
        }
        if ((flags & (Epoll.IN | Epoll.GONE)) != 0) {
            read((flags & Epoll.GONE) != 0, nowNs);
        }
    }

    private void finishConnect(long nowNs) {
        LinuxSocket current = socket;
        try {
            if (current != null && current.finishConnect()) {
                isConnecting = false;
                owner.connected(nowNs);
            }
        } catch (IOException e) {
            owner.connectFailed(nowNs);
        }
    }

    /** Reads what there is. A short read is the last one, unless the peer is gone: a new event tells of what comes later. */
    private void read(boolean isGone, long nowNs) {
        LinuxSocket current = socket;
        int mine = closes;
        while (current != null && mine == closes) {
            if (savedBytes > 0) {
                loop.buffer.put(0, saved, 0, savedBytes);
            }
            int room = ClientLoop.BUFFER_BYTES - savedBytes;
            int limit = savedBytes;
            try {
                int count = current.recvAddress(loop.bufferAddress, savedBytes, ClientLoop.BUFFER_BYTES);
                if (count == 0) {
                    return;
                }
                if (count < 0) {
                    owner.ended(nowNs);
                    return;
                }
                limit += count;
                loop.received(count, nowNs);
                savedBytes = 0;
                owner.consume(limit, nowNs);
                if (count < room && !isGone) {
                    return;
                }
            } catch (IOException e) {
                owner.broken(nowNs);
                return;
            }
        }
    }

    /** Keeps the end of what was read, until there is more. */
    void keep(int from, int to) {
        savedBytes = to - from;
        if (saved.length < savedBytes) {
            saved = new byte[Math.max(SAVED_BYTES_MIN, savedBytes * 2)];
        }
        loop.buffer.get(from, saved, 0, savedBytes);
    }
}
