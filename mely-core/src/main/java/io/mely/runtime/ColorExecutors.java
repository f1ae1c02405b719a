// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.WeakHashMap;

/**
 * The executors of a runtime, which are told of its end. Weakly held: one whose user has dropped it and its futures has nobody to tell.
 *
 * <p><b>Threads.</b> Any; a monitor, for a moment, and never while executors are told.
 */
final class ColorExecutors {
    private final Set<ColorExecutor> open = Collections.newSetFromMap(new WeakHashMap<>()); // guarded by this

    /** A new executor. One that comes after {@link #discardAll} has nothing to discard, as its color refuses all. */
    ColorExecutor make(ColorImpl color) {
        ColorExecutor executor = new ColorExecutor(color);
        synchronized (this) {
            open.add(executor);
        }
        return executor;
    }

    /** Tells them that what has not run never will. When every core has stopped; without locks, as futures call their dependents. */
    void discardAll() {
        List<ColorExecutor> told;
        synchronized (this) {
            told = new ArrayList<>(open);
            open.clear();
        }
        for (ColorExecutor executor : told) {
            executor.discard();
        }
    }

    synchronized int size() {
        return open.size();
    }
}
