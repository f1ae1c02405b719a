// SPDX-License-Identifier: Apache-2.0
package io.mely.sws;

import io.mely.sws.http.PreparedResponse;
import io.mely.sws.http.PreparedResponse.Option;
import io.mely.sws.http.Status;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.ByteBuffer;

/**
 * Answers newcomers 503 without letting them in: while a crowd waits, each refusal is at the cost of those who are served, and a read, a write and
 * a close are less than half of what it takes to make a connection of the server first. And whoever is in, but gets no buffers for its request.
 *
 * <p><b>Threads.</b> The acceptor's color or the connection's, on the core whose state it is given. <b>Costs.</b> Three system calls. Nothing allocated but for the access log.
 */
final class Door {
    private static final System.Logger LOG = System.getLogger(Door.class.getName());

    /** First words of requests that have no body, as a rule. */
    private static final int GET = 'G' << 24 | 'E' << 16 | 'T' << 8 | ' ';

    private static final int HEAD = 'H' << 24 | 'E' << 16 | 'A' << 8 | 'D';

    /** Ends such a request. */
    private static final int END_OF_HEAD = '\r' << 24 | '\n' << 16 | '\r' << 8 | '\n';

    private final ServerContext server;

    Door(ServerContext server) {
        this.server = server;
    }

    /**
     * Refuses, and closes. False, and the socket is open still, if its request is not there as a whole or may have a body: what comes after a close would be
     * answered by a reset, which may overtake the answer.
     */
    boolean refuse(Link link, ThreadState own) {
        ByteBuffer buffer = own.readBuffer(Integer.MAX_VALUE);
        try {
            int length = link.read(buffer);
            if (length >= 0 && !isWhole(buffer, length)) {
                return false;
            }
            if (length > 0) {
                answer(link, own, buffer, length);
            }
        } catch (IOException e) {
            lost(link, own, e);
        }
        link.close();
        return true;
    }

    /** Refuses one that has not asked as it should, and is not let in for want of room: a reset may overtake the answer. */
    void dismiss(Link link, ThreadState own) {
        try {
            answer(link, own, own.readBuffer(Integer.MAX_VALUE), 0);
        } catch (IOException e) {
            lost(link, own, e);
        }
        link.close();
    }

    /**
     * Answers a connection that gets no buffers, if it has sent something. The caller lingers: more may come.
     *
     * @return what the read brought, as of the socket
     */
    int refuseInside(Link link, ThreadState own) throws IOException {
        ByteBuffer buffer = own.readBuffer(Integer.MAX_VALUE);
        int length = link.read(buffer);
        if (length > 0) {
            answer(link, own, buffer, length);
        }
        return length;
    }

    private static void lost(Link link, ThreadState own, IOException cause) {
        LOG.log(Level.DEBUG, "lost at the door: {0}: {1}", link.socket(), cause.toString());
        own.counters.lost();
    }

    private static boolean isWhole(ByteBuffer buffer, int length) {
        if (length < Integer.BYTES || !buffer.hasRemaining()) {
            return false;
        }
        int word = buffer.getInt(0);
        return (word == GET || word == HEAD) && buffer.getInt(length - Integer.BYTES) == END_OF_HEAD;
    }

    private void answer(Link link, ThreadState own, ByteBuffer buffer, int length) throws IOException {
        boolean isHead = length >= Integer.BYTES && buffer.getInt(0) == HEAD;
        byte[] request = {};
        if (own.log != null) {
            request = new byte[length];
            buffer.get(0, request);
        }
        long nowNs = server.clock.nanoTime();
        PreparedResponse response = server.sites().main.doorErrors(link).of(Status.SERVICE_UNAVAILABLE);
        byte[] date = own.date.at(nowNs);
        buffer.clear();
        if (isHead) {
            response.appendHead(buffer, date, Option.CLOSE);
        } else {
            response.appendAll(buffer, date, Option.CLOSE);
        }
        own.counters.response(response.status());
        if (own.log != null) {
            RequestLog.addRefused(
                    own.log,
                    link.socket().remoteAddress(),
                    own.date.secondAt(nowNs),
                    request,
                    response.status(),
                    isHead ? 0 : response.bodyBytes());
        }
        own.counters.written(link.write(buffer.flip()));
        if (buffer.hasRemaining()) {
            throw new IOException("no room for the answer in the socket");
        }
    }
}
