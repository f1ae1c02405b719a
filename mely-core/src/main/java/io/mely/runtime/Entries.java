// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * Slots for events that wait, in a ring: of each a key (the number of a color, and flags), a stage, and an argument.
 *
 * <p>Each of the three has an array of its own. Keys and arguments go back and forth between the core that sends and the core that runs, sixteen to a cache line; stages
 * are left where they are and written only if another one comes, so that in a stream of one stage their lines stay with both.
 *
 * <p><b>Threads.</b> As the ring's: none of the methods orders anything but {@link #keyAcquire} and {@link #keyRelease}.
 */
class Entries {
    final int mask;
    private final int[] keys;
    private final @Nullable HandlerProfile[] stages;
    private final @Nullable Object[] events;

    /** Makes empty slots; their number is a power of two. */
    Entries(int length) {
        mask = length - 1;
        keys = new int[length];
        stages = new HandlerProfile[length];
        events = new Object[length];
    }

    int key(int position) {
        return keys[position & mask];
    }

    void key(int position, int key) {
        keys[position & mask] = key;
    }

    /** Pairs with {@link #keyRelease}: who sees the key sees the rest. */
    int keyAcquire(int position) {
        int key = keys[position & mask];
        VarHandle.acquireFence();
        return key;
    }

    void keyRelease(int position, int key) {
        VarHandle.releaseFence();
        keys[position & mask] = key;
    }

    /** Of an entry; what an earlier one had there if this one has none. */
    @Nullable
    HandlerProfile stage(int position) {
        return stages[position & mask];
    }

    @Nullable
    Object event(int position) {
        return events[position & mask];
    }

    /** Writes what goes with a key, into a slot without an argument. */
    void put(int position, @Nullable HandlerProfile stage, @Nullable Object event) {
        int slot = position & mask;
        if (stages[slot] != stage) { // a compare costs less than the store's barrier, and leaves the line where it is
            stages[slot] = stage;
        }
        if (event != null) {
            events[slot] = event;
        }
    }

    /** Lets go of the argument. */
    void clear(int position) {
        int slot = position & mask;
        if (events[slot] != null) {
            events[slot] = null;
        }
    }
}
