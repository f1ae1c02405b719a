// SPDX-License-Identifier: Apache-2.0
package io.mely.sfs.ssh;

import io.mely.sfs.files.NativeBuffer;
import java.nio.ByteBuffer;
import org.apache.sshd.common.util.buffer.Buffer;
import org.jspecify.annotations.Nullable;

/**
 * Buffers of a thread, for the event that it runs: what was read from a socket, what is to be written to one, bytes of a file, and a packet. Empty between events.
 *
 * <p><b>Threads.</b> Its own.
 */
final class Scratch {
    /** Two packets of the longest that MINA takes, so that one read may end one and bring the next. */
    private static final int IN_BYTES = 64 << 10;

    /** What the kernel takes at once from a socket's writer, as a rule. */
    static final int OUT_BYTES = 256 << 10;

    /** The longest packet of SFTP. */
    private static final int FILE_BYTES = 256 << 10;

    /** Around what is in a packet: its head, padding, and a code of at most 64 bytes (RFC 4253, 6; RFC 6668). */
    private static final int PACKET_EXTRA_BYTES = 5 + 255 + 64;

    private static final ThreadLocal<Scratch> OWN = ThreadLocal.withInitial(Scratch::new);

    final ByteBuffer in = ByteBuffer.allocateDirect(IN_BYTES);
    final ByteBuffer out = ByteBuffer.allocateDirect(OUT_BYTES);
    final NativeBuffer file = NativeBuffer.allocate(FILE_BYTES);

    /** A packet that MINA made, to be used again: a new one would have to be cleared first. Null while it is being filled. */
    private @Nullable Buffer packet;

    private Scratch() {}

    static Scratch own() {
        return OWN.get();
    }

    /** A packet that is free and has so much room; null if there is none. */
    @Nullable
    Buffer takePacket(int bytes) {
        Buffer free = packet;
        if (free == null || free.capacity() < bytes + PACKET_EXTRA_BYTES) {
            return null;
        }
        packet = null;
        return free;
    }

    /** A packet that nobody uses any more; the largest one is kept. */
    void giveBackPacket(Buffer free) {
        Buffer kept = packet;
        if (kept == null || kept.capacity() < free.capacity()) {
            packet = free;
        }
    }
}
