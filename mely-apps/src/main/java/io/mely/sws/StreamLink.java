// SPDX-License-Identifier: Apache-2.0
package io.mely.sws;

import io.mely.net.ColoredSocket;
import io.mely.net.OpenFile;
import io.mely.sws.Connection.State;
import io.mely.sws.http2.Session;
import io.mely.sws.http2.Stream;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A stream of a connection by HTTP/2, as the stages see it: a connection of its own, with one request.
 *
 * <pre>
 *   frames ──► {@link Session} ──► the body, read here          the head is in the exchange when the stream begins
 *   frames ◄── {@link Session} ◄── a head of HTTP/1.1 and a body, written here
 * </pre>
 *
 * <p>"Taken" means here that it is in the connection's output, which has room for some frames only.
 */
final class StreamLink implements Link, Stream.Owner {
    private final Http2Connection parent;
    private final Session session;
    private final Stream stream;
    private final FileFetch fetch = new FileFetch();
    private @Nullable Connection connection;
    private long takenBefore; // by the client, of all streams, when its time began
    private boolean isReadDue; // somebody is going to read, or knows that there is something

    StreamLink(Http2Connection parent, Session session, Stream stream) {
        this.parent = parent;
        this.session = session;
        this.stream = stream;
    }

    /** Whose link it is: once, after both are made. */
    void attach(Connection made) {
        connection = made;
    }

    private Connection connection() {
        Connection attached = connection;
        if (attached == null) {
            throw new IllegalStateException("a stream without its connection: " + stream);
        }
        return attached;
    }

    /** The connection's timer looks after its streams. */
    void deadline(long nowNs, long deadlineNs) {
        takenBefore = parent.takenBytes();
        parent.lower(nowNs, deadlineNs);
    }

    @Override
    public ColoredSocket socket() {
        return parent.connection().socket;
    }

    @Override
    public boolean isSecure() {
        return parent.connection().link.isSecure();
    }

    @Override
    public int read(ByteBuffer dst) {
        isReadDue = false;
        int n = session.read(stream, dst);
        parent.flushLater(); // a window may have been filled up
        return n;
    }

    @Override
    public boolean isBuffering() {
        return session.isBuffering(stream);
    }

    @Override
    public int write(ByteBuffer src) {
        int n = session.write(stream, src);
        parent.flushLater();
        return n;
    }

    @Override
    public long write(ByteBuffer first, ByteBuffer second) {
        long n = write(first);
        return first.hasRemaining() ? n : n + write(second);
    }

    @Override
    public int writeBeforeMore(ByteBuffer src) {
        return write(src);
    }

    @Override
    public long sendFile(OpenFile file, long position, long count) throws IOException {
        long sent = 0;
        int n = 1;
        try {
            while (sent < count && n > 0) {
                long from = position + sent;
                long left = count - sent;
                n = session.write(stream, left, to -> fetch.read(file, to, from, left));
                sent += Math.max(n, 0);
            }
        } finally {
            parent.flushLater();
        }
        return n < 0 && sent == 0 ? -1 : sent;
    }

    @Override
    public void awaitWritable() {
        Connection c = connection();
        if (fetch.begin((file, position, count) -> parent.fetch(c, file, position, count))) {
            session.pass(stream);
        } else {
            session.await(stream);
        }
        parent.flushLater();
    }

    @Override
    public void shutdownOutput() {
        session.shut(stream);
        parent.flushLater();
    }

    @Override
    public void close() {
        fetch.forget();
        session.close(stream);
        parent.streamClosed();
    }

    // What the session tells.

    @Override
    public void readable() {
        if (!isReadDue) {
            isReadDue = true;
            parent.readable(connection());
        }
    }

    @Override
    public void writable() {
        Connection c = connection();
        parent.beginAnew(c, takenBefore);
        parent.writable(c);
    }

    @Override
    public void gone() {
        parent.gone(connection());
    }

    /** The time of the state that its connection is in may be over. */
    void timeout(long nowNs) {
        Connection c = connection();
        boolean isHeldUp = c.state == State.WRITING && session.isHeldUp(stream);
        if (isHeldUp && parent.beginAnew(c, takenBefore)) {
            return; // others were sent something
        }
        if (c.deadlineNs - nowNs <= 0) {
            stream.setTimedOut();
        }
        parent.timeout(c);
    }

    /** When that is. */
    long deadlineNs() {
        return connection().deadlineNs;
    }

    @Override
    public String toString() {
        return "StreamLink[" + stream + "]";
    }
}
