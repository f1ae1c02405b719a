// SPDX-License-Identifier: Apache-2.0
package io.mely.sfs.users;

import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Lets a few through at a time; the others wait in the order they came, and nobody's thread waits with them.
 *
 * <p><b>Threads.</b> Any. <b>Bounds.</b> Who waits: the caller's matter.
 */
public final class Turnstile {
    private final int max;
    private final Deque<Runnable> waiting = new ArrayDeque<>();
    private int inside;

    /**
     * Makes one that nobody is in.
     *
     * @param max most at a time, &gt;= 1
     */
    public Turnstile(int max) {
        if (max < 1) {
            throw new IllegalArgumentException("max must be >= 1: max=" + max);
        }
        this.max = max;
    }

    /**
     * Comes, and is let in now or later.
     *
     * @param begin run when there is room, on this thread or on that of whoever leaves; must lead to one {@link #leave}
     */
    public void enter(Runnable begin) {
        synchronized (this) {
            if (inside == max) {
                waiting.add(begin);
                return;
            }
            inside++;
        }
        begin.run();
    }

    /** Goes; the next is let in. */
    public void leave() {
        Runnable next;
        synchronized (this) {
            next = waiting.poll();
            if (next == null) {
                inside--;
                assert inside >= 0 : inside;
                return;
            }
        }
        next.run();
    }
}
