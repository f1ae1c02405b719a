// SPDX-License-Identifier: Apache-2.0
package io.mely.sws;

import io.mely.sws.files.NativeMemory;
import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.util.Objects;

/**
 * Memory of one thread for records on their way in and out. Nothing stays here from one event to the next: a connection that has half a record, or a
 * sealed one for which the kernel has no room, keeps that in memory of its own, of its length.
 *
 * <p><b>Threads.</b> The owner.
 */
final class TlsBuffers {
    /** Longest record with its header: RFC 5246 6.2.3; those of TLS 1.3 are shorter. */
    static final int RECORD_BYTES_MAX = 5 + (1 << 14) + 2048;

    /** Most of the caller's bytes in one record (RFC 8446 5.1). */
    private static final int PLAIN_BYTES_MAX = 1 << 14;

    /** Full records that go out by one write: what one read takes, too ({@link ThreadState#READ_BYTES}). */
    private static final int RECORDS_AT_ONCE = ThreadState.READ_BYTES / PLAIN_BYTES_MAX;

    private static final int PLAIN_BYTES = RECORDS_AT_ONCE * PLAIN_BYTES_MAX;
    private static final int OUT_BYTES = RECORDS_AT_ONCE * RECORD_BYTES_MAX;

    /** All of it. */
    static final int BYTES = RECORD_BYTES_MAX + PLAIN_BYTES + OUT_BYTES;

    private final ByteBuf memory;
    private final ByteBuffer in;
    private final ByteBuffer plain;
    private final ByteBuffer out;

    /** @param memory the budget has {@link #BYTES} for each thread */
    TlsBuffers(NativeMemory memory) {
        this.memory = Objects.requireNonNull(memory.take(BYTES));
        in = this.memory.nioBuffer(0, RECORD_BYTES_MAX);
        plain = this.memory.nioBuffer(RECORD_BYTES_MAX, PLAIN_BYTES).slice();
        out = this.memory.nioBuffer(RECORD_BYTES_MAX + PLAIN_BYTES, OUT_BYTES).slice();
    }

    /** Empty, for what the socket brings: room for one record at least. */
    ByteBuffer in() {
        return in.clear();
    }

    /** Empty, for what is not encrypted: a part of a file, or a record that its reader has no room for. */
    ByteBuffer plain() {
        return plain.clear();
    }

    /** Empty, for sealed records. */
    ByteBuffer out() {
        return out.clear();
    }

    /** Once, when its thread has stopped. */
    void close() {
        memory.release();
    }
}
