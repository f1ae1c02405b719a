// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.load;

/**
 * Who asks in a {@link ClientLoop}, on a connection of its own.
 *
 * <p><b>Threads.</b> Its loop's.
 */
abstract class VirtualClient {
    /** After a refused connection. A guess: often enough to see a server come back, too seldom to load the machine. */
    static final long REFUSED_REST_NS = 10_000_000;

    /** When its timer is due. The loop's, as is the next. */
    long wakeNs;

    boolean isTimed;

    /** Goes on: its timer is due. */
    abstract void wake(long nowNs);

    /**
     * Asks for what comes next. The client has said that it is free.
     *
     * @param due when it should have
     */
    abstract void begin(long due, long nowNs);

    /** Requests that it waits for. */
    abstract int unanswered();

    /** Gives up what has waited for the server for longer than this. */
    abstract void giveUp(long timeoutNs, long nowNs);

    /** The run is over: tells the loop what it still waits for. */
    abstract void leave(long nowNs);

    /** Closes its connection. What was under way is forgotten. */
    abstract void close();
}
