// SPDX-License-Identifier: Apache-2.0
package io.mely.sfs.ssh;

import io.mely.sfs.files.NativeBuffer;
import java.nio.ByteBuffer;

/**
 * Buffers of a thread, for the event that it runs: what was read from a socket, what is to be written to one, and bytes of a file. Empty between events.
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

    private static final ThreadLocal<Scratch> OWN = ThreadLocal.withInitial(Scratch::new);

    final ByteBuffer in = ByteBuffer.allocateDirect(IN_BYTES);
    final ByteBuffer out = ByteBuffer.allocateDirect(OUT_BYTES);
    final NativeBuffer file = NativeBuffer.allocate(FILE_BYTES);

    private Scratch() {}

    static Scratch own() {
        return OWN.get();
    }
}
