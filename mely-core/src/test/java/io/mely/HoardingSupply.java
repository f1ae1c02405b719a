// SPDX-License-Identifier: Apache-2.0
package io.mely;

import io.mely.spi.Supply;
import java.util.ArrayDeque;
import java.util.Deque;

/** Two objects on each core. What a handler took is given back by the third handler after it, whichever thread that is on: so others wait for it meanwhile. */
final class HoardingSupply implements Supply {
    private static final int EACH = 2;
    private static final int LATER = 3;
    private static final int NOTHING = -1;

    private final int[] free;
    private final ThreadLocal<Deque<Integer>> taken = ThreadLocal.withInitial(ArrayDeque::new);
    private final Deque<Integer> hoard = new ArrayDeque<>();
    private int inHandlers;
    private long refused;
    private long passed;
    private boolean isBroken;

    HoardingSupply(int cores) {
        free = new int[cores];
        java.util.Arrays.fill(free, EACH);
    }

    @Override
    public int cores() {
        return free.length;
    }

    @Override
    public synchronized boolean tryTake(int core, int events) {
        if (free[core] < events) {
            refused++;
            return false;
        }
        free[core] -= events;
        inHandlers += events;
        taken.get().push(core);
        return true;
    }

    @Override
    public synchronized boolean isAvailable(int core) {
        return free[core] > 0;
    }

    @Override
    public synchronized void pass(int core) {
        passed++;
        taken.get().push(NOTHING);
    }

    @Override
    public synchronized void giveBack(int core) {
        Integer mine = taken.get().poll();
        if (mine == null || (mine != NOTHING && mine != core)) {
            isBroken = true;
            return;
        }
        if (mine != NOTHING) {
            inHandlers--;
            hoard.add(mine);
        }
        if (hoard.size() >= LATER) {
            free[hoard.remove()]++;
        }
    }

    synchronized long refused() {
        return refused;
    }

    synchronized long passed() {
        return passed;
    }

    /** When no handler runs: each object is free or hoarded. */
    synchronized boolean isWhole() {
        int sum = inHandlers == 0 ? hoard.size() : -1;
        for (int each : free) {
            sum += each;
        }
        return !isBroken && sum == EACH * free.length;
    }
}
