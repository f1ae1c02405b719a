// SPDX-License-Identifier: Apache-2.0
package io.mely.sws;

import io.mely.Color;
import io.mely.Timer;
import io.mely.net.ColoredSocket;
import io.mely.sws.files.FileEntry;
import io.mely.sws.files.FolderListing;
import io.mely.sws.http.MultipartRanges;
import io.mely.sws.http.PreparedResponse;
import io.mely.sws.http.RequestHead;
import io.mely.sws.limits.ClientTable.Client;
import io.mely.sws.proxy.ProxyHeader;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * One client: a plain object, touched in its color only (but for the fields that say otherwise). It is the event of all the
 * stages of its connection, so a request allocates none.
 *
 * <pre>
 *   HANDSHAKING ─┐ (by TLS)
 *                ▼
 *            bytes come                 request complete                      response ready
 *   READING ───────────► PROCESSING ──────────────────────► (other stages) ─────────────────► WRITING
 *      ▲                   │    ▲                                                               │
 *      │      incomplete   │    │ body complete                                                 │
 *      ├───────────────────┤    └──────────── SKIPPING (a body, which an application may take)  │
 *      │                   └────────────────► SKIPPING                                          │
 *      └──────────────────────────────────────────────────────────────────────────── all written┤
 *                                                                    must close, input pending  ▼
 *                                                          LINGERING ◄──────────────────────────┤
 *                                                              └───────────► CLOSED ◄───────────┘
 *
 *   HANDSHAKING                    Handshake acts
 *   READING, SKIPPING, LINGERING   no event of the chain is on its way; ReadRequest acts
 *   PROCESSING                     exactly one event of the chain is on its way; ReadRequest only notes that there is more
 *   WRITING                        WriteResponse acts: one is on its way, or the loop was asked to send one
 *   MULTIPLEXING                   it speaks HTTP/2: {@link Http2Connection} acts; its streams are connections to the stages, with states of their own
 *   CLOSED                         nobody acts
 * </pre>
 *
 * <p><b>Costs.</b> About 150 bytes, and an {@link Exchange} while a request is under way.
 */
final class Connection {
    /** See the class comment. */
    enum State {
        HANDSHAKING,
        READING,
        PROCESSING,
        SKIPPING,
        WRITING,
        MULTIPLEXING,
        LINGERING,
        CLOSED
    }

    /** What follows when all output is written. */
    enum Next {
        /** Another request. */
        REQUEST,
        /** The body of this request, after a 100 or the answers to those before it: once for a request, before any of the time for it has gone. */
        BODY,
        /** The same response again: there was no room for it. */
        RESPONSE,
        /** The end. */
        CLOSE
    }

    final ColoredSocket socket;
    final Color color;

    /** What it reads and writes by; another one if a client that is to speak TLS does not. */
    Link link;

    /** What it is if it speaks HTTP/2; else null. */
    @Nullable
    Http2Connection http2;

    /** The loop reports to Handshake. Cleared by the color; a report that does not see it yet is passed on. */
    volatile boolean isHandshaking;

    /** Who accepted it. */
    final Acceptor acceptor;

    /** Counted as a client; false for one that is being refused. Never changes. */
    final boolean isClient;

    /** Whose it is; null if clients are not told apart, or it is being refused. Never changes. */
    final @Nullable Client client;

    /** Neighbours in the acceptor's list of open connections. Touched in its color only. */
    @Nullable
    Connection older;

    @Nullable
    Connection newer;

    /**
     * The peer sends no more: read until the end. Written by the loop before it sends an event into the color, so the handler of that
     * event sees it; an earlier one may or may not.
     */
    boolean isHungUp;

    /**
     * When the loop first reported that there is something to read; 0 if that has been looked at. Written by the loop like isHungUp. One that is lost
     * is a sample less.
     */
    long readyNs;

    /** When it was last busy: something was read from it, or the last of an answer was written; 0 if it never was. */
    long busyNs;

    /** The next request has waited too long, and is refused. */
    boolean isShed;

    State state;
    Next next = Next.REQUEST;

    /** Held from the first byte of a request until all its output is written and no input is left. */
    @Nullable
    Exchange exchange;

    /** Its address as text, when it has been asked for. */
    byte @Nullable [] address;

    /** The header of the PROXY protocol that it begins with; null if none is due. */
    @Nullable
    ProxyHeader proxyHeader;

    /** Who has connected, as far as is known. Changed by that header. */
    InetAddress peer;

    /** Whose the request is, if a proxy passes it on; else null. */
    @Nullable
    InetAddress forwarded;

    /** A trusted proxy has connected. */
    boolean isProxied;

    /** More may wait in the kernel: read again before waiting for a report. */
    boolean isReadable;

    /** Part of a request has come; the header timeout runs. */
    boolean isBegun;

    /** The head of the request is complete, its body is not. */
    boolean isInBody;

    /** It was asked to make room, and ends unless a request has come. Written in its color before the end. */
    boolean isLeaving;

    /** The connection ends after the response under way, which says so. */
    boolean isLast;

    /** The client may be sending still: linger after the response, or a reset could destroy it. */
    boolean isLingerDue;

    /** Bytes of the response that the client has taken since the write time-out began, or of a body that it has sent since its time-out did. */
    long takenBytes;

    /** What BadRequest is to answer. */
    int refusal;

    /** What an application has answered, or is going to once a body that it does not want is skipped; written before the event that brings it. */
    @Nullable
    PreparedResponse answer;

    /** What the check of a password has come to, if it was not right: 401 or 503, else 0. Written before the event that goes on. */
    int loginRefusal;

    /** Keeps to a rate; null if there is none. */
    @Nullable
    Pace pace;

    int requests;

    /** Bytes read and thrown away since LINGERING. */
    long lingerBytes;

    /** Close has run. */
    boolean isReleased;

    /** Body in memory, with its pin, or file, with its pin, that follow the bytes in the exchange. */
    @Nullable
    FileEntry pinned;

    @Nullable
    ByteBuffer bodyRest;

    /** A list of files that is being made. */
    @Nullable
    FolderListing listing;

    /** The parts of a 206 with several, and the one to be sent next; null if there are none. */
    @Nullable
    MultipartRanges parts;

    int nextPart;

    long filePosition;
    long fileEnd;

    /** When the time-out of the state falls due, and when the timer will look; the timer is not later. */
    long deadlineNs;

    long timerNs;

    @Nullable
    Timer timer;

    Connection(Link link, Color color, Acceptor acceptor, boolean isClient, @Nullable Client client) {
        this.link = link;
        socket = link.socket();
        peer = socket.remoteAddress().getAddress();
        isHandshaking = link instanceof TlsLink;
        state = isHandshaking ? State.HANDSHAKING : State.READING;
        this.color = color;
        this.acceptor = acceptor;
        this.isClient = isClient;
        this.client = client;
    }

    /** The exchange of a request that is under way. */
    Exchange held() {
        Exchange held = exchange;
        assert held != null : this;
        return held;
    }

    /** Whether its ReadRequest is going to take a place for an answer: see {@link StingyBuffers}. */
    boolean isPlaceWanted() {
        return (state == State.READING || state == State.SKIPPING) && (exchange == null || exchange.mayEnterRegion());
    }

    RequestHead head() {
        return held().parser.head();
    }

    boolean isClosed() {
        return state == State.CLOSED;
    }

    boolean hasFile() {
        return filePosition < fileEnd;
    }

    @Override
    public String toString() {
        return "Connection[" + socket.id() + ", " + state + ", requests=" + requests + "]";
    }
}
