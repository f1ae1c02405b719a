// SPDX-License-Identifier: Apache-2.0
package io.mely.simulation;

import io.mely.spi.Supply;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A supply for tests: as many objects on each core, of which an event needs some. It checks how it is used: an AssertionError names what a runtime does wrong.
 *
 * <p><b>Threads.</b> Any. In a simulation one thread plays all, and handlers nest.
 */
public final class Stock implements Supply {
    private final int each;
    private final int perEvent;
    private final int slicesMax;
    private Predicate<Object> needs = event -> true;
    private final int[] free;
    private final int[] reserved;
    private final int[] live;
    private final ThreadLocal<Deque<Frame>> frames = ThreadLocal.withInitial(ArrayDeque::new);
    private long tries;
    private long refused;
    private long passed;
    private long fallbacks;

    /** What the handler of a thread has. */
    private static final class Frame {
        final int core;
        int left;

        Frame(int core, int left) {
            this.core = core;
            this.left = left;
        }
    }

    /** One object. Of no core if it came from elsewhere, as there was none. */
    public static final class Item {
        private final int core;
        private boolean isFree;

        private Item(int core) {
            this.core = core;
        }
    }

    /** So many objects on each core, of which an event needs some. */
    public Stock(int cores, int each, int perEvent) {
        this(cores, each, perEvent, SLICES_MAX);
    }

    /** The same, with a bound on how long the first of those that wait does so. */
    public Stock(int cores, int each, int perEvent, int slicesMax) {
        this.each = each;
        this.perEvent = perEvent;
        this.slicesMax = slicesMax;
        free = new int[cores];
        reserved = new int[cores];
        live = new int[cores];
        java.util.Arrays.fill(free, each);
    }

    @Override
    public int cores() {
        return free.length;
    }

    @Override
    public int slicesMax() {
        return slicesMax;
    }

    /** Events for which this does not hold need nothing. Before the first event. */
    public void onlyFor(Predicate<Object> given) {
        needs = given;
    }

    @Override
    public boolean isNeededBy(@Nullable Object event) {
        return event == null || needs.test(event);
    }

    @Override
    public synchronized boolean tryTake(int core, int events) {
        tries++;
        int need = perEvent * events;
        if (free[core] < need) {
            refused++;
            return false;
        }
        free[core] -= need;
        reserved[core] += need;
        frames.get().push(new Frame(core, need));
        return true;
    }

    @Override
    public synchronized boolean isAvailable(int core) {
        return free[core] >= perEvent;
    }

    @Override
    public synchronized void pass(int core) {
        passed++;
        frames.get().push(new Frame(core, 0));
    }

    @Override
    public synchronized void giveBack(int core) {
        Frame frame = frames.get().poll();
        if (frame == null || frame.core != core) {
            throw new AssertionError("given back, and not taken: core=" + core);
        }
        reserved[core] -= frame.left;
        free[core] += frame.left;
    }

    // ------------------------------------------------------------------ a handler's view

    /** Takes an object of those that the handler has; one from elsewhere if it has none. */
    public synchronized Item alloc() {
        Frame frame = frames.get().peek();
        if (frame == null) {
            throw new AssertionError("a handler runs, and has neither taken nor passed");
        }
        if (frame.left == 0) {
            fallbacks++;
            return new Item(-1);
        }
        frame.left--;
        reserved[frame.core]--;
        live[frame.core]++;
        return new Item(frame.core);
    }

    /** Any thread. */
    public synchronized void free(@Nullable Item item) {
        if (item == null || item.core < 0) {
            return;
        }
        if (item.isFree) {
            throw new AssertionError("freed twice: core=" + item.core);
        }
        item.isFree = true;
        live[item.core]--;
        free[item.core]++;
    }

    // ------------------------------------------------------------------ figures

    /** Objects of a core that are in use. */
    public synchronized int live(int core) {
        return live[core];
    }

    /** How often somebody tried to take. */
    public synchronized long tries() {
        return tries;
    }

    /** Of these, in vain. */
    public synchronized long refused() {
        return refused;
    }

    /** Events that ran without. */
    public synchronized long passed() {
        return passed;
    }

    /** Objects that came from elsewhere. */
    public synchronized long fallbacks() {
        return fallbacks;
    }

    /** Between steps: every object is free, reserved or live, and no core has more than it was given. */
    public synchronized void check() {
        for (int core = 0; core < free.length; core++) {
            if (free[core] < 0
                    || reserved[core] < 0
                    || live[core] < 0
                    || live[core] > each
                    || free[core] + reserved[core] + live[core] != each) {
                throw new AssertionError("objects of core " + core + ": free=" + free[core] + ", reserved="
                        + reserved[core] + ", live=" + live[core] + ", of " + each);
            }
        }
    }

    /** When no handler runs: nothing is reserved. */
    public synchronized void checkAtEnd() {
        check();
        for (int core = 0; core < free.length; core++) {
            if (reserved[core] != 0) {
                throw new AssertionError("reserved by no handler: core=" + core + ", objects=" + reserved[core]);
            }
        }
    }
}
