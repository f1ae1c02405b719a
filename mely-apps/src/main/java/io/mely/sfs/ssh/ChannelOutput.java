// SPDX-License-Identifier: Apache-2.0
package io.mely.sfs.ssh;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import org.apache.sshd.common.util.buffer.Buffer;
import org.jspecify.annotations.Nullable;

/**
 * Puts replies into packets of a channel, as much as its window lets out. Short replies share a packet.
 *
 * <p>A packet costs about the same whatever is in it. So a client that opens its window by a few bytes at a time gets no packet of a few bytes for each: what waits goes once there is room for a
 * packet that is worth it, or after a moment (RFC 1122, 4.2.3.4, says so for TCP).
 *
 * <p><b>Threads.</b> The color of the connection. <b>Costs.</b> What waits is copied once. <b>Bounds.</b> What waits: the caller's matter.
 */
final class ChannelOutput {
    /** Before the bytes in a packet of channel data: its type, the channel, the length. */
    static final int HEAD_BYTES = 9;

    /** Room in a packet that is begun for a short reply, so that those behind it find room, too. */
    private static final int BYTES_MIN = 512;

    /** A window that is smaller is waited for. A thirty-second of the packets that clients take, so that what surrounds the bytes stays a small part. */
    static final int WINDOW_BYTES_MIN = 1024;

    /** The channel. */
    interface Channel {
        /** Bytes that the client takes now. */
        long window();

        /** Bytes that the client takes in one packet. */
        long packetMax();

        /** Begins a packet, with room for its head and so many bytes. */
        Buffer begin(int bytes);

        /** Sends a packet with so many bytes behind its head. */
        void send(Buffer packet, int bytes);

        /** Whether nothing can be sent for another reason. */
        boolean isHeld();

        /** Calls {@link ChannelOutput#sendAnyway} after a moment. */
        void wakeLater();
    }

    private final Channel channel;
    private final Deque<ByteBuffer> waiting = new ArrayDeque<>();
    private @Nullable Buffer packet;
    private int packetRoom;
    private boolean isWakingLater;
    private boolean isAnyWindowFine;

    ChannelOutput(Channel channel) {
        this.channel = channel;
    }

    /** Whether something waits for the window. */
    boolean isWaiting() {
        return !waiting.isEmpty();
    }

    /** Takes bytes; those that the window does not let out now are copied. */
    void write(ByteBuffer bytes) {
        if (waiting.isEmpty()) {
            put(bytes);
        }
        if (bytes.hasRemaining()) {
            byte[] rest = new byte[bytes.remaining()];
            bytes.get(rest);
            waiting.add(ByteBuffer.wrap(rest));
        }
    }

    private void put(ByteBuffer bytes) {
        while (bytes.hasRemaining()) {
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
                flush();
            }
        }
    }

    private @Nullable Buffer begin(int wanted) {
        int room = (int) Math.min(Math.min(channel.window(), channel.packetMax()), Math.max(wanted, BYTES_MIN));
        if (room <= 0) {
            return null;
        }
        if (room < Math.min(wanted, WINDOW_BYTES_MIN) && !isAnyWindowFine) {
            if (!isWakingLater) {
                isWakingLater = true;
                channel.wakeLater();
            }
            return null;
        }
        Buffer fresh = channel.begin(room);
        packet = fresh;
        packetRoom = room;
        return fresh;
    }

    /** Sends the packet that was begun. */
    void flush() {
        Buffer full = packet;
        if (full != null) {
            packet = null;
            channel.send(full, full.available() - HEAD_BYTES);
        }
    }

    /** The window may be larger. */
    void sendWaiting() {
        while (!waiting.isEmpty() && !channel.isHeld()) {
            ByteBuffer first = waiting.element();
            put(first);
            if (first.hasRemaining()) {
                break;
            }
            waiting.remove();
        }
        flush();
    }

    /** The window has not become larger for a moment. */
    void sendAnyway() {
        isWakingLater = false;
        isAnyWindowFine = true;
        sendWaiting();
        isAnyWindowFine = false;
    }

    /** Nothing goes any more. */
    void clear() {
        waiting.clear();
        packet = null;
    }
}
