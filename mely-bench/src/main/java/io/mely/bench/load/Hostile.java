// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.load;

import java.io.IOException;
import java.net.Socket;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Clients that a server had better survive: each kind in turn, round by round.
 *
 * <p><b>Threads.</b> One of its own, from {@link #start} to {@link #stop}, more than once if need be; the books when there is none.
 *
 * @param <A> what a client does
 */
abstract class Hostile<A extends Enum<A>> {
    private final A[] acts;
    private final long roundNs;
    final ActBooks<A> books;
    private @Nullable Thread thread;
    private volatile boolean isStopped;

    /** Clients of these kinds, with so much time between two rounds. */
    Hostile(Class<A> acts, long roundNs) {
        this.acts = Objects.requireNonNull(acts.getEnumConstants());
        this.roundNs = roundNs;
        books = new ActBooks<>(acts);
    }

    /** One client, which has ended when this returns, or stays. */
    abstract void begin(A act);

    /** After each round: looks after those who stay. */
    void look() {}

    /** At the end: those who stay go away. */
    abstract void leaveAll();

    final void start() {
        isStopped = false;
        Thread fresh = new Thread(this::run, "hostile");
        fresh.setDaemon(true);
        fresh.start();
        thread = fresh;
    }

    /** Waits for the round under way; those that are slow go away. */
    final void stop() throws InterruptedException {
        isStopped = true;
        Thread running = thread;
        if (running != null) {
            running.join();
            thread = null;
        }
    }

    /** To be read while they are stopped. */
    final ActBooks<A> books() {
        return books;
    }

    private void run() {
        while (!isStopped) {
            for (A act : acts) {
                begin(act);
            }
            look();
            try {
                TimeUnit.NANOSECONDS.sleep(roundNs);
            } catch (InterruptedException e) {
                return; // nobody does
            }
        }
        leaveAll();
    }

    static void reset(Socket socket) {
        try {
            socket.setSoLinger(true, 0);
            socket.close();
        } catch (IOException e) {
            // It is gone all the same.
        }
    }

    /** A fault of the server. */
    static final class WrongAnswerException extends Exception {
        private static final long serialVersionUID = 1L;

        WrongAnswerException(String what) {
            super(what, null, false, false);
        }
    }
}
