// SPDX-License-Identifier: Apache-2.0
package io.mely.net;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A TCP connection that a color reads and writes itself, on whichever core the color runs; the loop of the core it is
 * registered with only reports readiness. Nothing here blocks, and no call hops to another thread.
 *
 * <pre>{@code
 * listener handler:   acceptor.offer(listener)
 * acceptor's color:   while ((socket = listener.accept()) != null) {
 *                         socket.attach(new Connection(mely.colorAt(socket.id() % mely.colors())));
 *                         socket.register(core, (s, ready) -> readable.offer(((Connection) s.attachment()).color, s));
 *                     }
 * connection's color: while ((n = socket.read(buffer)) > 0) { ... socket.write(answer) ... }
 *                     if (n < 0) { socket.close(); }
 * }</pre>
 *
 * <p><b>Readiness is edge-triggered.</b> After a report of {@link #READ} the color must read until {@link #read} returns 0 or
 * -1, or throws, or no further report comes. A report that the handler could not pass on, as the runtime was full, is made again. The color may also stop at a short read (fewer bytes than there was room for), unless
 * {@link #HANGUP} was reported with or before it: then the end of the stream is still to be read. {@link #WRITE} is reported only after
 * {@link #awaitWritable}. An urgent byte (TCP's "out of band") is left out of what is read; it may cut a read short, and what follows it is reported.
 *
 * <p><b>The number is safe.</b> The descriptor is closed on its loop while no call is under way, and a closed socket
 * refuses every call. So no byte can reach another connection that was given the same number.
 *
 * <p><b>Threads.</b> All methods but {@link #id}, {@link #core}, {@link #isOpen}, {@link #remoteAddress} and {@link #attachment} belong to the
 * socket's color, that is, one thread at a time, each seeing what the last one did. {@link #register} and everything before it belongs to
 * the color that accepted it. <b>Costs.</b> One system call for a read, a write or a {@link #sendFile}. The socket owns no
 * buffer. <b>Errors.</b> {@link PeerGoneException} if the connection is lost, which is no reason for a message;
 * {@link java.nio.channels.ClosedChannelException} if this side closed it, or its loop was shut down; another {@link IOException} if the
 * machine is in trouble. Whatever was thrown, the color calls {@link #close} next.
 */
public interface ColoredSocket {
    /** Bytes, the end of the stream or an error wait to be read. */
    int READ = 1;

    /** The kernel's buffer has room again, or an error waits. Reported once for each {@link #awaitWritable}. */
    int WRITE = 2;

    /** The peer sends no more, or the connection is lost. Always together with {@link #READ}; not reported by NIO. */
    int HANGUP = 4;

    /**
     * A small number that no other open socket of this transport has, for use as a color: the descriptor (epoll), or the lowest free
     * number (NIO).
     *
     * @return &gt;= 0
     */
    int id();

    /**
     * Starts the reports of readiness by a core's loop. What is ready already is reported at once.
     *
     * @param core index of a core of the group it was accepted in
     * @param handler told of readiness
     * @throws IllegalArgumentException if there is no such core
     * @throws IllegalStateException if it was registered before
     * @throws java.util.concurrent.RejectedExecutionException if the loop of the core was shut down; the socket is closed then
     * @throws java.nio.channels.ClosedChannelException if it was closed
     */
    void register(int core, ReadinessHandler handler) throws IOException;

    /**
     * The core it is registered with.
     *
     * @return index of the core; -1 before {@link #register}
     */
    int core();

    /**
     * How long the peer has been silent: since its last bytes came, or since it connected. Of a connection that was just accepted, how long it
     * has waited for that, or its request has.
     *
     * <p><b>Costs.</b> One system call.
     *
     * @return nanoseconds, exact to the kernel's tick of 1 to 10 ms; -1 if the transport cannot tell, as NIO, or the connection is closed
     */
    long silentNs();

    /**
     * Reads what there is.
     *
     * @param dst a direct buffer with room; filled from its position, which advances
     * @return bytes read, &gt; 0; 0 if nothing is there now, a report will follow; -1 at the end of the stream
     * @throws IllegalArgumentException if the buffer is not direct, or full
     * @throws PeerGoneException if the connection is lost
     * @throws IOException see the class
     */
    int read(ByteBuffer dst) throws IOException;

    /**
     * Writes what the kernel takes.
     *
     * @param src a direct buffer, which may be read-only; its position advances
     * @return bytes written; fewer than remaining if the kernel's buffer is full: then keep the rest and call {@link #awaitWritable}
     * @throws IllegalArgumentException if the buffer is not direct
     * @throws PeerGoneException if the connection is lost
     * @throws IOException see the class
     */
    int write(ByteBuffer src) throws IOException;

    /**
     * Writes what the kernel takes of bytes that more follow at once, such as a head before {@link #sendFile}: it may wait for those to fill
     * a packet, at most 200 ms. A transport that can't tell the kernel writes as ever.
     *
     * @param src as for {@link #write(ByteBuffer)}
     * @return as for {@link #write(ByteBuffer)}
     * @throws IllegalArgumentException if the buffer is not direct
     * @throws PeerGoneException if the connection is lost
     * @throws IOException see the class
     */
    int writeBeforeMore(ByteBuffer src) throws IOException;

    /**
     * Writes several buffers at once, in order (gathering).
     *
     * @param srcs direct buffers, which may be read-only; the positions of what was written advance
     * @param offset index of the first
     * @param count how many; of these no more than 1,024 are written by one call
     * @return bytes written; fewer than remaining if the kernel's buffer is full, or for more than 1,024 buffers
     * @throws IllegalArgumentException if one of the buffers is not direct
     * @throws PeerGoneException if the connection is lost
     * @throws IOException see the class
     */
    long write(ByteBuffer[] srcs, int offset, int count) throws IOException;

    /**
     * Writes a part of a file without copying it through this process, where the transport can: epoll by {@code sendfile}, NIO by
     * {@code transferTo}.
     *
     * <p><b>Costs.</b> Waits for the disk if the part is not in memory. A receiver that keeps up is sent all of {@code count} in one
     * call: give no more at once than the color may hold up its core for (1 MB takes about 0.2 ms).
     *
     * @param file stays open during the call; retained by the caller
     * @param position first byte in the file
     * @param count most bytes to write, &gt; 0
     * @return bytes written, &gt; 0; 0 if the kernel's buffer is full: call {@link #awaitWritable}; -1 if the file ends at or before
     *     {@code position}: it was truncated since its length was asked
     * @throws IllegalArgumentException if position is negative or count not positive
     * @throws PeerGoneException if the connection is lost
     * @throws IOException see the class
     */
    long sendFile(OpenFile file, long position, long count) throws IOException;

    /**
     * Has the kernel acknowledge at once what has come, which it otherwise puts off for up to 40 ms, to do it with an answer: for the rare message that has no answer. A peer
     * with Nagle's algorithm sends nothing more before. A hint; does nothing where the transport has no such call, as NIO.
     *
     * <p><b>Costs.</b> One system call.
     */
    default void acknowledge() {}

    /**
     * Asks for one report of {@link #WRITE}, as soon as the kernel's buffer has room; at once if it has room already. {@link #READ} may be
     * reported again with it.
     *
     * @throws IOException see the class
     */
    void awaitWritable() throws IOException;

    /**
     * Sends the end of the stream; reading goes on (half close). Does nothing if the connection is lost.
     *
     * @throws IOException see the class
     */
    void shutdownOutput() throws IOException;

    /**
     * Closes the connection: the color's last touch. What was written is still delivered. Idempotent. No report comes after it, save one that
     * is under way, or that tells of the shutdown of its loop.
     */
    void close();

    /**
     * Whether neither side of this process closed it. Says nothing about the peer.
     *
     * @return false after {@link #close} or the shutdown of its loop
     */
    boolean isOpen();

    /**
     * The peer's address; made when it is first asked, known after the connection is lost.
     *
     * @return address and port
     */
    InetSocketAddress remoteAddress();

    /**
     * Gives it an object of the caller's, so that a handler finds its connection without a map. Visible to the handler if called before
     * {@link #register}.
     *
     * @param attachment anything
     */
    void attach(@Nullable Object attachment);

    /**
     * The caller's object.
     *
     * @return what {@link #attach} was given last; null before
     */
    @Nullable
    Object attachment();
}
