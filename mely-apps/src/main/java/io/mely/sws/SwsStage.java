// SPDX-License-Identifier: Apache-2.0
package io.mely.sws;

import io.mely.StageOptions;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;

/**
 * The stage graph of SWS on one page: the ten handlers of the paper, the color each runs in, what is known of its cost, and where
 * it sends.
 *
 * <pre>
 *             Epoll (each core's loop)
 *               │                  │ readable                writable
 *     acceptable│                  ▼                             │
 *               │     ┌──► ReadRequest ◄────────────────┐        │
 *               ▼     │          ▼                      │        │
 *   color 1:  Accept ─┤     ParseRequest ◄──────────┐   │        │     color of
 *               ▲     │      │        │ malformed   │   │        │     the connection
 *               │     │      ▼        ▼             │   │        │
 *               │     │ CheckInCache  BadRequest ◄──┼───┼─ Accept: too many clients
 *               │     │   │      │ 404  │           │   │        │
 *               │     │   │   NotFound  │  pipelined│   │keep-   │
 *               │     │   ▼      ▼      ▼           │   │alive   │
 *               │     │    WriteResponse ───────────┴───┘ ◄──────┘
 *               │     │          ▼
 *   DecClientAccepted └──────  Close          (any stage sends here when the connection is lost)
 *        ▲                       │
 *        └───────────────────────┘
 * </pre>
 *
 * <p>With a listener on each core there is an Accept on each, in a color of its own, and a connection goes back to the one it came from.
 *
 * <p>Differences from the paper. Epoll is not an event in color 0 but the readiness report of each core's own loop, on that core's
 * thread (spec: Mely §9, §11 gap 9), so the network is never behind other events. BadRequest answers all that is refused, not only
 * 400. {@link #TIMEOUT} is added: the paper's server has no time-outs. So is {@link #WRITE_FILE}, to which WriteResponse and it
 * itself send: the paper's files are all in memory, and a slice of a large one takes fifty times as long as a response. So is
 * {@link #LOAD_FILE}, to which CheckInCache sends what is not in memory yet, and it itself while it makes a list of files. So is {@link #HANDSHAKE}, to which the loop reports as long as a connection by TLS has
 * not agreed on its keys: it takes a hundred times as long as a request, so others take it over where they have the time.
 *
 * <p>A connection by HTTP/2 has a chain of its own for each of its streams, in one color ({@link Http2Connection}): the ReadRequest of the connection begins them, and its WriteResponse
 * sends what theirs have written.
 *
 * <p><b>Source.</b> spec: Mely §7.1.
 */
enum SwsStage {
    /** Tells the color that its socket is ready. */
    EPOLL("Epoll", Lane.LOOP, 300),
    /** Accepts what waits, up to a number; enforces the limit of clients. */
    ACCEPT("Accept", Lane.ACCEPTOR, 40_000),
    /** Reads bytes of requests. */
    READ_REQUEST("ReadRequest", Lane.CONNECTION, 1_300),
    /** Finds the end of a request and what it asks for; skips its body, or collects it for an application. */
    PARSE_REQUEST("ParseRequest", Lane.CONNECTION, 1_000),
    /** Finds the prepared response of a path. */
    CHECK_IN_CACHE("CheckInCache", Lane.CONNECTION, 1_600),
    /** Sends what there is to send. */
    WRITE_RESPONSE("WriteResponse", Lane.CONNECTION, 4_000),
    /** Closes a connection and gives back what it held. */
    CLOSE("Close", Lane.CONNECTION, 5_500),
    /** Counts a client less, and goes on accepting if that was held back. */
    DEC_CLIENT_ACCEPTED("DecClientAccepted", Lane.ACCEPTOR, 160),
    /** Answers what is refused. */
    BAD_REQUEST("BadRequest", Lane.CONNECTION, 300),
    /** Answers what is not there. */
    NOT_FOUND("NotFound", Lane.CONNECTION, 300),
    /** Looks at a connection when something should have happened by now. */
    TIMEOUT("Timeout", Lane.CONNECTION, 300),
    /** Sends a slice of a file that is not in memory. Measured as it runs: by how long it is the core knows when to look at its sockets. */
    WRITE_FILE("WriteFile", Lane.CONNECTION, 0),
    /** Agrees with a client on keys. Some hundred microseconds, or a tenth of that if a session is resumed; measured as it runs. */
    HANDSHAKE("Handshake", Lane.CONNECTION, 0),
    /** Makes the response of a path that is not in the cache. Waits for the disk, and so is measured as it runs. */
    LOAD_FILE("LoadFile", Lane.CONNECTION, 0),
    /** Asks the application whether it answers a request; there only if there is one. */
    APPLY("Apply", Lane.CONNECTION, 0),
    /** Takes its answer. */
    ANSWER("Answer", Lane.CONNECTION, 0);

    /** In which color a stage's events run. */
    enum Lane {
        /** None: on the thread of each core, between events. */
        LOOP,
        /** Color 1; of several acceptors, each its own: the list of open connections needs no lock. */
        ACCEPTOR,
        /** One of each connection. */
        CONNECTION
    }

    /**
     * Of what waits at the begin of a request. A stolen connection's socket stays with its loop, so that each later report crosses cores: on 2
     * CPUs shared with the client a request took 10.3 us of CPU time, 7.1 without stealing, 9.7 with this penalty (docs/benchmarks-sws.md). With 4 a request is
     * worth less than the cheapest steal; a core that is stuck is relieved all the same.
     */
    private static final int AWAY_PENALTY = 4;

    private final String label;
    private final Lane lane;
    private final long processingTimeNs;

    /**
     * @param processingTimeNs the annotation: what the runtime measured of stages without annotation, serving 1,000 files of 1 KB to 128
     *     keep-alive connections and then to one connection a request (wrk; JDK 17, 2 shared CPUs, 2026-11-21), rounded; 300 where that
     *     load does not come; 0 to have it measured. Priority is neutral
     */
    SwsStage(String label, Lane lane, long processingTimeNs) {
        this.label = label;
        this.lane = lane;
        this.processingTimeNs = processingTimeNs;
    }

    String label() {
        return label;
    }

    Lane lane() {
        return lane;
    }

    StageOptions options() {
        StageOptions options = StageOptions.defaults().withPenalty(penalty());
        return processingTimeNs == 0 ? options : options.withProcessingTime(Duration.ofNanos(processingTimeNs));
    }

    private int penalty() {
        return switch (this) {
            case READ_REQUEST, PARSE_REQUEST, CHECK_IN_CACHE, BAD_REQUEST, NOT_FOUND -> AWAY_PENALTY;
            case EPOLL,
                    ACCEPT,
                    HANDSHAKE,
                    LOAD_FILE,
                    WRITE_RESPONSE,
                    WRITE_FILE,
                    APPLY,
                    ANSWER,
                    CLOSE,
                    DEC_CLIENT_ACCEPTED,
                    TIMEOUT -> 1;
        };
    }

    /** To whom it sends; every {@code send} in {@link SwsStages} is one of these. */
    Set<SwsStage> successors() {
        return switch (this) {
            case EPOLL -> EnumSet.of(ACCEPT, HANDSHAKE, READ_REQUEST, WRITE_RESPONSE);
            case HANDSHAKE -> EnumSet.of(READ_REQUEST, BAD_REQUEST, CLOSE);
            case ACCEPT -> EnumSet.of(ACCEPT, HANDSHAKE, READ_REQUEST, BAD_REQUEST);
            case READ_REQUEST -> EnumSet.of(READ_REQUEST, PARSE_REQUEST, BAD_REQUEST, WRITE_RESPONSE, CLOSE);
            case PARSE_REQUEST ->
                EnumSet.of(READ_REQUEST, CHECK_IN_CACHE, APPLY, ANSWER, BAD_REQUEST, WRITE_RESPONSE, CLOSE);
            case CHECK_IN_CACHE -> EnumSet.of(PARSE_REQUEST, LOAD_FILE, NOT_FOUND, BAD_REQUEST, WRITE_RESPONSE);
            case LOAD_FILE -> EnumSet.of(PARSE_REQUEST, NOT_FOUND, BAD_REQUEST, WRITE_RESPONSE);
            case WRITE_RESPONSE, WRITE_FILE ->
                EnumSet.of(
                        READ_REQUEST, PARSE_REQUEST, CHECK_IN_CACHE, APPLY, ANSWER, WRITE_RESPONSE, WRITE_FILE, CLOSE);
            case APPLY -> EnumSet.of(CHECK_IN_CACHE, ANSWER, BAD_REQUEST, WRITE_RESPONSE);
            case ANSWER -> EnumSet.of(PARSE_REQUEST, BAD_REQUEST, WRITE_RESPONSE);
            case CLOSE -> EnumSet.of(DEC_CLIENT_ACCEPTED, READ_REQUEST, WRITE_RESPONSE, WRITE_FILE);
            case DEC_CLIENT_ACCEPTED -> EnumSet.of(ACCEPT);
            case BAD_REQUEST, NOT_FOUND -> EnumSet.of(PARSE_REQUEST, WRITE_RESPONSE);
            case TIMEOUT -> EnumSet.of(TIMEOUT, READ_REQUEST, BAD_REQUEST, WRITE_RESPONSE, CLOSE);
        };
    }

    /** The paper's ten. */
    static Set<SwsStage> ofThePaper() {
        return EnumSet.complementOf(EnumSet.of(TIMEOUT, WRITE_FILE, HANDSHAKE, LOAD_FILE, APPLY, ANSWER));
    }
}
