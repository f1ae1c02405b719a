// SPDX-License-Identifier: Apache-2.0
package io.mely.sws;

import io.mely.net.ColoredSocket;
import io.mely.net.OpenFile;
import io.mely.sws.files.NativeMemory;
import io.netty.buffer.ByteBuf;
import io.netty.handler.ssl.ReferenceCountedOpenSslEngine;
import io.netty.util.ReferenceCountUtil;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.ByteBuffer;
import java.util.Objects;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLEngineResult.Status;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * TLS over a socket, in the connection's color: the handshake and each record are sealed and opened by whoever runs the color, so a thief takes them like any other event.
 *
 * <pre>
 *   socket ──read──► in (the thread's) ──unwrap──► the caller's buffer
 *                     └─ half a record, or more than the caller has room for: rest, kept until the next read
 *
 *   the caller's bytes ──wrap──► out (the thread's) ──write──► socket
 *   a file ──► plain ──wrap──┘    └─ what the kernel does not take: sealed, kept until it is writable
 * </pre>
 *
 * <h2>Bytes that are sealed and not taken yet</h2>
 *
 * A sealed record can't be taken back. If the kernel takes a part of the records only, the caller is told that none of these bytes was taken, and comes again with the
 * same ones, as after any short write. When the kernel has taken the rest, they are passed over as many as were sealed. So nobody above has to know of records,
 * and "taken" means what it means without TLS: the kernel has it.
 *
 * <h2>The end of the stream</h2>
 *
 * A client may end its side and still wait for the answer (RFC 8446 6.1), but the engines end both when they see that. So a record that may be the
 * notice of the end is not opened behind others in one read: {@link #isBuffering} says that something is left, and the next read, when the answer is written, opens it. An end of the
 * connection without notice is an end like any other: HTTP/1.1 knows how long a request is.
 *
 * <p><b>Costs.</b> Idle: the engine, and nothing else. Nothing is kept from the thread's buffers unless a record came in parts or the client is slow. <b>Bounds.</b> The rest is less than a
 * record; the sealed bytes are as many records as go out at once.
 */
final class TlsLink implements Link {
    /** Reads in one event that bring no data. A record is shorter than what one read takes, so an honest client needs two. */
    private static final int READS_MAX = 32;

    /** Steps of a handshake in one event: more than there are bytes in a first message, should each come in a record of its own. */
    private static final int STEPS_MAX = 1 << 16;

    /** How far a handshake is. */
    enum Handshake {
        /** The socket will report. */
        PENDING,
        /** The connection is as any other now. */
        DONE,
        /** The client speaks HTTP without TLS. */
        PLAIN_HTTP,
        /** The client left before it said anything. */
        ENDED
    }

    /** What the server does for it. */
    interface Host {
        /** Fetches a part of a file into the kernel's memory, and then reports {@code WRITE}. */
        void fetch(ColoredSocket socket, OpenFile file, long position, long count);

        /** The connection is going to be closed for want of memory. */
        void tellShortOfMemory(ColoredSocket socket);
    }

    private static final System.Logger LOG = System.getLogger(TlsLink.class.getName());

    /** What ALPN calls HTTP/2. */
    static final String HTTP2 = "h2";

    private static final ByteBuffer NOTHING = ByteBuffer.allocateDirect(0);
    private static final int HEADER_BYTES = 5;
    private static final int ALERT = 21; // type of a record that is not encrypted, or of TLS 1.2
    private static final int APPLICATION_DATA = 23;

    /** Of an encrypted alert of TLS 1.3: two bytes, their type, the tag of all ciphers, and the zeros that clients on the JDK hide its length with. */
    private static final int ALERT_BYTES_MAX = 2 + 1 + 16 + 16;

    private final ColoredSocket socket;
    private final ServerContext server;
    private final Host host;

    /** From the first bytes of the client to the close. */
    private @Nullable SSLEngine engine;

    private boolean isSecured;
    private boolean isOutputEnded;
    private boolean isEndSeen; // the last read brought data and the end

    /** First opened bytes that no caller had room for yet, then bytes of records; null if there are none. */
    private @Nullable ByteBuf rest;

    private int restPlainBytes;

    /** Records for which the kernel had no room; null if there are none. */
    private @Nullable ByteBuf sealed;

    /** Bytes of the caller in these records. */
    private int sealedPlainBytes;

    private final FileFetch fetch = new FileFetch();

    TlsLink(ColoredSocket socket, ServerContext server, Host host) {
        this.socket = socket;
        this.server = server;
        this.host = host;
    }

    @Override
    public ColoredSocket socket() {
        return socket;
    }

    @Override
    public boolean isSecure() {
        return true;
    }

    /** Whether both have agreed on HTTP/2; after the handshake. */
    boolean isHttp2() {
        return HTTP2.equals(engine().getApplicationProtocol());
    }

    private SSLEngine engine() {
        SSLEngine engine = this.engine;
        if (engine == null) {
            throw new IllegalStateException("no handshake, or closed: " + this);
        }
        return engine;
    }

    // The handshake.

    /** Whether the client has sent something. */
    boolean isBegun() {
        return engine != null;
    }

    /**
     * Goes on with the handshake as far as it gets.
     *
     * @throws SSLException if the client breaks the protocol, or has nothing in common with this server; an alert was sent
     */
    Handshake handshake() throws IOException {
        if (!flush()) {
            socket.awaitWritable();
            return Handshake.PENDING;
        }
        TlsBuffers own = server.own().tls();
        ByteBuffer in = own.in();
        takeRest(in);
        SSLEngine engine = this.engine;
        if (engine == null) {
            int n = socket.read(in);
            if (n <= 0) {
                return n < 0 ? Handshake.ENDED : Handshake.PENDING;
            }
            if (isLetter(in.get(0))) {
                return Handshake.PLAIN_HTTP;
            }
            engine = Objects.requireNonNull(server.tls).newEngine();
            this.engine = engine;
            engine.beginHandshake();
        }
        in.flip();
        ByteBuffer out = own.out();
        boolean isDone;
        try {
            isDone = handshake(engine, own, in, out);
        } catch (SSLException e) {
            sendAlert(engine, out);
            throw e;
        }
        keepRest(in, NOTHING);
        if (!send(out, 0) || sealed != null) {
            socket.awaitWritable();
            return Handshake.PENDING;
        }
        isSecured = isDone;
        if (isDone) {
            socket.acknowledge(); // BoringSSL's tickets go with the first response, so the last message of the client
            // has no answer
        }
        return isDone ? Handshake.DONE : Handshake.PENDING;
    }

    /** True when it is done; false when more must come. What is to be sent stands in out. */
    private boolean handshake(SSLEngine engine, TlsBuffers own, ByteBuffer in, ByteBuffer out) throws IOException {
        for (int steps = 0; ; steps++) {
            if (steps == STEPS_MAX) {
                throw new SSLException("too many records for a handshake");
            }
            switch (engine.getHandshakeStatus()) {
                case NOT_HANDSHAKING, FINISHED -> {
                    return true;
                }
                case NEED_TASK -> runTasks(engine);
                case NEED_WRAP -> {
                    SSLEngineResult result = engine.wrap(NOTHING, out);
                    if (result.getStatus() == Status.BUFFER_OVERFLOW) {
                        throw new SSLException("a flight of the handshake is too long");
                    }
                }
                case NEED_UNWRAP, NEED_UNWRAP_AGAIN -> {
                    // BoringSSL looks whether it has all it needs when it is called again, and would take a request
                    // that follows for a part of the handshake.
                    SSLEngineResult unused = engine.unwrap(NOTHING, own.plain());
                    if (engine.getHandshakeStatus() != HandshakeStatus.NEED_UNWRAP) {
                        continue;
                    }
                    if (hasRecord(in)) {
                        unwrap(engine, in, own.plain());
                    } else if (!readMore(in, out)) {
                        return false;
                    }
                }
            }
        }
    }

    /** False if nothing came. What is to be sent goes first: the client may wait for it. */
    private boolean readMore(ByteBuffer in, ByteBuffer out) throws IOException {
        if (!sendOrKeep(out)) {
            return false;
        }
        in.compact();
        int n;
        try {
            n = socket.read(in);
        } finally {
            in.flip();
        }
        if (n < 0) {
            throw new PeerGone("the client left in the handshake");
        }
        return n > 0;
    }

    /** False if the kernel has no room: out is kept. */
    private boolean sendOrKeep(ByteBuffer out) throws IOException {
        boolean isSent = send(out, 0);
        out.clear();
        return isSent;
    }

    private static boolean isLetter(byte b) {
        return (b >= 'A' && b <= 'Z') || (b >= 'a' && b <= 'z');
    }

    private static void runTasks(SSLEngine engine) {
        for (Runnable task = engine.getDelegatedTask(); task != null; task = engine.getDelegatedTask()) {
            task.run();
        }
    }

    /** What the engine has to say of a failure, if the kernel takes it. */
    private void sendAlert(SSLEngine engine, ByteBuffer out) {
        try {
            for (int i = 0; i < 2 && engine.getHandshakeStatus() == HandshakeStatus.NEED_WRAP; i++) {
                SSLEngineResult unused = engine.wrap(NOTHING, out);
            }
            out.flip();
            if (out.hasRemaining()) {
                int unused = socket.write(out);
            }
        } catch (IOException e) {
            LOG.log(Level.DEBUG, "no alert sent: {0}: {1}", socket, e.toString());
        }
    }

    // Reading.

    @Override
    public int read(ByteBuffer dst) throws IOException {
        if (isOutputEnded) {
            return socket.read(dst);
        }
        SSLEngine engine = engine();
        TlsBuffers own = server.own().tls();
        ByteBuffer in = own.in();
        int from = dst.position();
        if (takeRestPlain(dst)) {
            return dst.position() - from;
        }
        takeRest(in);
        ByteBuffer plain = NOTHING;
        boolean isEnd = false;
        boolean isEmpty = false; // the kernel has no more, or perhaps the end; a short read of no data looks again
        boolean isShort = false;
        for (int reads = 0; ; reads++) {
            in.flip();
            plain = readRecords(engine, own, in, dst, from);
            boolean hasData = dst.position() > from;
            if (!hasData && reads == READS_MAX) {
                throw new PeerGone("nothing but records without data");
            }
            if (isEnd
                    || isEmpty
                    || (isShort && hasData)
                    || plain.hasRemaining()
                    || !dst.hasRemaining()
                    || hasRecord(in)
                    || engine.isInboundDone()) {
                break;
            }
            in.compact();
            int room = in.remaining();
            int n = socket.read(in);
            isEnd = n < 0;
            isEmpty = n == 0;
            isShort = n < room;
        }
        keepRest(in, plain);
        int n = dst.position() - from;
        isEndSeen = isEnd && n > 0;
        return n == 0 && (isEnd || engine.isInboundDone()) ? -1 : n;
    }

    /** Opens whole records while there is room, but for one that may be an alert behind others. What was opened and has no room in dst is the answer. */
    private ByteBuffer readRecords(SSLEngine engine, TlsBuffers own, ByteBuffer in, ByteBuffer dst, int from)
            throws IOException {
        try {
            while (dst.hasRemaining() && hasRecord(in) && !engine.isInboundDone()) {
                if (dst.position() > from && mayBeAlert(in)) {
                    return NOTHING;
                }
                if (dst.remaining() >= recordBytes(in)) {
                    unwrap(engine, in, dst);
                    continue;
                }
                ByteBuffer plain = own.plain();
                unwrap(engine, in, plain);
                plain.flip();
                move(plain, dst);
                if (plain.hasRemaining()) {
                    return plain;
                }
            }
            return NOTHING;
        } catch (SSLException e) {
            sendAlert(engine, own.out());
            throw new PeerGone(e.toString());
        }
    }

    private static boolean mayBeAlert(ByteBuffer in) {
        int type = in.get(in.position());
        return type == ALERT || (type == APPLICATION_DATA && recordBytes(in) <= HEADER_BYTES + ALERT_BYTES_MAX);
    }

    /** Of the record that begins here; its header is there. */
    private static int recordBytes(ByteBuffer in) {
        return HEADER_BYTES + (in.getShort(in.position() + 3) & 0xffff);
    }

    /** A whole one, or one that no engine takes. */
    private static boolean hasRecord(ByteBuffer in) {
        if (in.remaining() < HEADER_BYTES) {
            return false;
        }
        int bytes = recordBytes(in);
        return bytes <= in.remaining() || bytes > TlsBuffers.RECORD_BYTES_MAX || !isRecord(in);
    }

    /** By its type and version: else its length says nothing. */
    private static boolean isRecord(ByteBuffer in) {
        int type = in.get(in.position());
        return type >= 20 && type <= 24 && in.get(in.position() + 1) == 3;
    }

    /** Opens one record, and does what the engine asks for then. */
    private void unwrap(SSLEngine engine, ByteBuffer in, ByteBuffer dst) throws IOException {
        int limit = in.limit();
        int before = in.position();
        int bytes = recordBytes(in);
        boolean isWhole = isRecord(in) && bytes <= in.remaining();
        if (isWhole) {
            in.limit(before + bytes);
        }
        SSLEngineResult result;
        try {
            result = engine.unwrap(in, dst);
        } finally {
            in.limit(limit);
        }
        if (!isWhole || result.getStatus() == Status.BUFFER_OVERFLOW || result.getStatus() == Status.BUFFER_UNDERFLOW) {
            throw new SSLException("not a record of TLS: " + result.getStatus());
        }
        if (isSecured) {
            afterRecord(engine, result);
        }
    }

    /** Nothing after most records; after one of the protocol itself there may be something to do, or to say. */
    private void afterRecord(SSLEngine engine, SSLEngineResult result) throws IOException {
        HandshakeStatus status = result.getHandshakeStatus();
        while (status == HandshakeStatus.NEED_TASK) {
            runTasks(engine);
            status = engine.getHandshakeStatus();
        }
        if (status == HandshakeStatus.NEED_WRAP && flush()) {
            ByteBuffer out = server.own().tls().out();
            if (engine.wrap(NOTHING, out).bytesProduced() > 0) {
                boolean unused = send(out, 0); // or with what is written next
            }
        }
        if (status == HandshakeStatus.NEED_WRAP
                && result.getStatus() == Status.OK
                && engine instanceof ReferenceCountedOpenSslEngine) {
            throw new SSLException("a broken record"); // BoringSSL has made the alert, and would say so at the next one
        }
    }

    // What is kept of what came.

    @Override
    public boolean isBuffering() {
        ByteBuf rest = this.rest;
        if (isEndSeen && !isOutputEnded) {
            return true; // nobody reports it again
        }
        return rest != null
                && !isOutputEnded
                && (restPlainBytes > 0 || hasRecord(rest.internalNioBuffer(rest.readerIndex(), rest.readableBytes())));
    }

    /** True if that is all there is room for. */
    private boolean takeRestPlain(ByteBuffer dst) {
        ByteBuf rest = this.rest;
        if (rest == null || restPlainBytes == 0) {
            return false;
        }
        int bytes = Math.min(restPlainBytes, dst.remaining());
        int limit = dst.limit();
        dst.limit(dst.position() + bytes);
        rest.readBytes(dst);
        dst.limit(limit);
        restPlainBytes -= bytes;
        return restPlainBytes > 0 || !dst.hasRemaining();
    }

    private void takeRest(ByteBuffer in) {
        ByteBuf rest = this.rest;
        if (rest != null) {
            assert restPlainBytes == 0 : restPlainBytes;
            in.put(rest.internalNioBuffer(rest.readerIndex(), rest.readableBytes()));
            rest.release();
            this.rest = null;
        }
    }

    private void keepRest(ByteBuffer in, ByteBuffer plain) throws IOException {
        int bytes = plain.remaining() + in.remaining();
        if (bytes > 0) {
            restPlainBytes = plain.remaining();
            rest = take(bytes).writeBytes(plain).writeBytes(in);
        }
    }

    private ByteBuf take(int bytes) throws IOException {
        NativeMemory memory = server.linkMemory();
        ByteBuf taken = memory.take(bytes);
        if (taken == null) {
            host.tellShortOfMemory(socket);
            throw new PeerGone("no memory is left for " + bytes + " bytes of a record: " + memory);
        }
        return taken;
    }

    private static void move(ByteBuffer from, ByteBuffer to) {
        int bytes = Math.min(from.remaining(), to.remaining());
        to.put(to.position(), from, from.position(), bytes);
        to.position(to.position() + bytes);
        from.position(from.position() + bytes);
    }

    // Writing.

    /** True when the kernel has all that was sealed. */
    private boolean flush() throws IOException {
        ByteBuf sealed = this.sealed;
        if (sealed == null) {
            return true;
        }
        int n = socket.write(sealed.internalNioBuffer(sealed.readerIndex(), sealed.readableBytes()));
        sealed.skipBytes(n);
        if (sealed.isReadable()) {
            return false;
        }
        sealed.release();
        this.sealed = null;
        return true;
    }

    /** Writes records; true when the kernel has them all, else they are kept. */
    private boolean send(ByteBuffer out, int plainBytes) throws IOException {
        out.flip();
        if (!out.hasRemaining()) {
            return true;
        }
        int unused = socket.write(out);
        if (!out.hasRemaining()) {
            return true;
        }
        sealed = take(out.remaining()).writeBytes(out);
        sealedPlainBytes = plainBytes;
        return false;
    }

    /** Bytes of the caller that were sealed before and are with the kernel since this call. */
    private int takeSealedPlain() {
        int bytes = sealedPlainBytes;
        sealedPlainBytes = 0;
        return bytes;
    }

    /** Seals what there is room for in out, of a buffer whose position advances. */
    private void seal(SSLEngine engine, ByteBuffer src, ByteBuffer out) throws IOException {
        while (src.hasRemaining() && out.remaining() >= TlsBuffers.RECORD_BYTES_MAX) {
            SSLEngineResult result = engine.wrap(src, out);
            if (result.getStatus() != Status.OK) {
                throw new PeerGone("the client has ended TLS: " + result.getStatus());
            }
            if (result.getHandshakeStatus() == HandshakeStatus.NEED_TASK) {
                runTasks(engine);
            } else if (result.bytesConsumed() == 0 && result.bytesProduced() == 0) {
                throw new SSLException("the engine is stuck: " + result);
            }
        }
    }

    @Override
    public int write(ByteBuffer src) throws IOException {
        return (int) write(src, NOTHING);
    }

    @Override
    public int writeBeforeMore(ByteBuffer src) throws IOException {
        return write(src); // a record of its own in any case
    }

    @Override
    public long write(ByteBuffer first, ByteBuffer second) throws IOException {
        SSLEngine engine = engine();
        if (!flush()) {
            return 0;
        }
        long taken = takeSealedPlain();
        int inFirst = (int) Math.min(taken, first.remaining());
        first.position(first.position() + inFirst);
        second.position(second.position() + (int) (taken - inFirst));
        ByteBuffer out = server.own().tls().out();
        while (first.hasRemaining() || second.hasRemaining()) {
            int firstAt = first.position();
            int secondAt = second.position();
            out.clear();
            seal(engine, first, out);
            seal(engine, second, out);
            int bytes = first.position() - firstAt + second.position() - secondAt;
            if (!send(out, bytes)) {
                first.position(firstAt);
                second.position(secondAt);
                return taken;
            }
            taken += bytes;
        }
        return taken;
    }

    @Override
    public long sendFile(OpenFile file, long position, long count) throws IOException {
        SSLEngine engine = engine();
        if (!flush()) {
            return 0;
        }
        TlsBuffers own = server.own().tls();
        long taken = takeSealedPlain();
        while (taken < count) {
            ByteBuffer plain = own.plain();
            plain.limit((int) Math.min(plain.capacity(), count - taken));
            int n = fetch.read(file, plain, position + taken, count - taken);
            if (n <= 0) {
                return n < 0 && taken == 0 ? -1 : taken;
            }
            ByteBuffer out = own.out();
            seal(engine, plain.flip(), out);
            int bytes = plain.position(); // an engine may make shorter records; the rest is read again
            if (!send(out, bytes)) {
                return taken;
            }
            taken += bytes;
        }
        return taken;
    }

    @Override
    public void awaitWritable() throws IOException {
        if (!fetch.begin((file, position, count) -> host.fetch(socket, file, position, count))) {
            socket.awaitWritable();
        }
    }

    // The end.

    @Override
    public void shutdownOutput() throws IOException {
        if (!isOutputEnded) {
            isOutputEnded = true;
            notifyEnd();
        }
        socket.shutdownOutput();
    }

    /** Says that this side sends no more, if the kernel takes it: a client is to know the end from a cut. */
    private void notifyEnd() {
        SSLEngine engine = this.engine;
        if (engine == null || !isSecured || sealed != null || !socket.isOpen()) {
            return;
        }
        try {
            engine.closeOutbound();
            ByteBuffer out = server.own().tls().out();
            SSLEngineResult unused = engine.wrap(NOTHING, out);
            out.flip();
            if (out.hasRemaining()) {
                int unusedToo = socket.write(out);
            }
        } catch (IOException e) {
            LOG.log(Level.DEBUG, "the end was not announced: {0}: {1}", socket, e.toString());
        }
    }

    @Override
    public void close() {
        if (!isOutputEnded) {
            isOutputEnded = true;
            notifyEnd();
        }
        release();
        socket.close();
    }

    /** What it holds; the socket stays open. */
    void release() {
        isOutputEnded = true;
        SSLEngine engine = this.engine;
        if (engine != null) {
            this.engine = null;
            engine.closeOutbound();
            ReferenceCountUtil.release(engine);
        }
        ByteBuf rest = this.rest;
        if (rest != null) {
            this.rest = null;
            rest.release();
        }
        ByteBuf sealed = this.sealed;
        if (sealed != null) {
            this.sealed = null;
            sealed.release();
        }
        fetch.forget();
    }

    @Override
    public String toString() {
        return "TlsLink[" + socket + ", isSecured=" + isSecured + "]";
    }

    /** The client's doing, or its end: no reason for a message, and no need of a stack trace. */
    private static final class PeerGone extends IOException {
        private static final long serialVersionUID = 1L;

        PeerGone(String message) {
            super(message);
        }

        @Override
        public synchronized Throwable fillInStackTrace() {
            return this;
        }
    }
}
