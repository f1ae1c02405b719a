// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import io.mely.steal.Loans;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;

/**
 * Who has gathered whose colors, in one runtime: see {@link Gathering}.
 *
 * <pre>
 *          begin (heir)            giveBack (heir)             hasBack (the core)
 *  OWN ──────────────► GATHERED ──────────────────► RETURNING ────────────────► OWN
 * </pre>
 *
 * <p>One trial at a time, until it is judged to be a gain, or else what was taken is back: none judges by what another moves. A core is either a heir or gathered, never both.
 *
 * <p><b>Threads.</b> Any reads; who writes is in brackets.
 */
final class Gatherings {
    /** Of {@link #returnsFrom}: nothing is to be taken back. */
    static final int NONE = -1;

    private final AtomicInteger tried = new AtomicInteger(NONE); // the heir and the core, as one number
    private final AtomicIntegerArray states; // by core: 0 own; 1 + heir, negative while it takes back
    private final AtomicIntegerArray owedBefore; // by core, by its heir; written before the state
    private final Loans loans;

    /** No trial before. One at a time, all pairs of a large machine would be tried one after another all the same. */
    private volatile long untilNs;

    /** Attempts of whoever takes colors in a trial or after it; a hint for who waits for it, which mostly one core writes. */
    private final AtomicInteger visits = new AtomicInteger();

    /**
     * Nothing is gathered.
     *
     * @param cores their number
     * @param loans of the same runtime
     * @param nowNs as of its clock
     */
    Gatherings(int cores, Loans loans, long nowNs) {
        untilNs = nowNs;
        states = new AtomicIntegerArray(cores);
        owedBefore = new AtomicIntegerArray(cores);
        this.loans = loans;
    }

    int cores() {
        return states.length();
    }

    /**
     * Begins a trial. The heir.
     *
     * @return false if there is another, or one has just failed, or one of the two takes part in something already; nothing has changed then
     */
    boolean begin(int heir, int core, long nowNs) {
        if (nowNs - untilNs < 0 || !tried.compareAndSet(NONE, pair(heir, core))) {
            return false;
        }
        if (states.get(core) != 0 || states.get(heir) != 0 || isHeir(core)) {
            tried.set(NONE);
            return false;
        }
        owedBefore.set(core, loans.owed(core, heir));
        states.set(core, 1 + heir);
        loans.keep(core, heir);
        return true;
    }

    /** So that who has taken back frees nobody else's trial. */
    private int pair(int heir, int core) {
        return heir * states.length() + core;
    }

    private boolean isHeir(int core) {
        for (int i = 0; i < states.length(); i++) {
            if (Math.abs(states.get(i)) == 1 + core) {
                return true;
            }
        }
        return false;
    }

    /** No trial begins for so long. Whoever has begun one that failed. */
    void waitUntil(long untilNs) {
        this.untilNs = untilNs;
    }

    /** It is a gain, and another trial may begin. The heir. */
    void judged() {
        tried.set(NONE);
    }

    /** The core may take back what was taken, and begins to. The heir, which then wakes it. */
    void giveBack(int core) {
        loans.release(core);
        states.set(core, -states.get(core));
    }

    /** It has, or not all of it can be got. The core. */
    void hasBack(int core) {
        tried.compareAndSet(pair(returnsFrom(core), core), NONE); // first, or it would end the next trial of the same
        states.set(core, 0);
    }

    /** From whom a core is to take back; {@link #NONE} mostly. A look at a line that is hardly ever written. */
    int returnsFrom(int core) {
        int state = states.getOpaque(core);
        return state < 0 ? -state - 1 : NONE;
    }

    /** Whether a core's colors are being taken, and it is not judged yet. */
    boolean isTried(int core) {
        int heir = states.getOpaque(core) - 1;
        return heir >= 0 && tried.getOpaque() == pair(heir, core);
    }

    /** Whether a core takes back. */
    boolean isReturning(int core) {
        return states.getOpaque(core) < 0;
    }

    /** Whoever takes has tried to. */
    void visited() {
        visits.setOpaque(visits.getPlain() + 1);
    }

    int visits() {
        return visits.getOpaque();
    }

    /** How many colors the heir has of a core beyond what it owed before. */
    int taken(int core, int heir) {
        return loans.owed(core, heir) - owedBefore.get(core);
    }

    /** What the heir owes a core. */
    int owed(int core, int heir) {
        return loans.owed(core, heir);
    }
}
