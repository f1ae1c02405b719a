// SPDX-License-Identifier: Apache-2.0
package io.mely.sws;

import io.mely.net.ColoredSocket;
import io.mely.net.OpenFile;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * What a connection reads from and writes to: its socket, TLS over it, or a stream of HTTP/2 over either. The stages do not know which.
 *
 * <p><b>Threads.</b> The connection's color. <b>Errors.</b> As of {@link ColoredSocket}; and an {@link IOException} if the client breaks TLS, or no memory is left
 * for what has to be kept. Whatever was thrown, {@link #close} comes next.
 */
interface Link {
    /** Who is at the other end. */
    ColoredSocket socket();

    /** Whether it goes by TLS. */
    boolean isSecure();

    /**
     * As {@link ColoredSocket#read}. A short read may leave bytes here, of which no report tells: see {@link #isBuffering}.
     *
     * @return bytes read, &gt; 0; 0 if nothing is there now; -1 at the end of the stream
     */
    int read(ByteBuffer dst) throws IOException;

    /** Whether a read would bring something, or the end, that the socket will not report. */
    boolean isBuffering();

    /**
     * As {@link ColoredSocket#write(ByteBuffer)}. What was not taken must come again, the same bytes, before any other.
     *
     * @return bytes taken; fewer than remaining: call {@link #awaitWritable}
     */
    int write(ByteBuffer src) throws IOException;

    /** The same for two buffers, the second behind the first. */
    long write(ByteBuffer first, ByteBuffer second) throws IOException;

    /** As {@link ColoredSocket#writeBeforeMore}. */
    int writeBeforeMore(ByteBuffer src) throws IOException;

    /**
     * As {@link ColoredSocket#sendFile}.
     *
     * @return bytes taken; fewer than count: call {@link #awaitWritable}; -1 if the file ends before
     */
    long sendFile(OpenFile file, long position, long count) throws IOException;

    /** As {@link ColoredSocket#awaitWritable}; the report may also tell that a part of a file is in memory now. */
    void awaitWritable() throws IOException;

    /** As {@link ColoredSocket#shutdownOutput}. What is read afterwards is of no meaning. */
    void shutdownOutput() throws IOException;

    /** As {@link ColoredSocket#close}. */
    void close();
}
