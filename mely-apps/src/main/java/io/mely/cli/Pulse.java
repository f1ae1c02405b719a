// SPDX-License-Identifier: Apache-2.0
package io.mely.cli;

import io.mely.Color;
import io.mely.Mely;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Whether all cores of a runtime run events: each is sent one, and all must be back when it is asked again.
 *
 * <p><b>Threads.</b> One. <b>Costs.</b> An event for each core.
 */
final class Pulse {
    private final List<Color> colors = new ArrayList<>();
    private final AtomicInteger due = new AtomicInteger();

    /** Of a program; null: it has no runtime, and always beats. */
    Pulse(Program.@Nullable Monitored program) {
        if (program == null) {
            return;
        }
        Mely mely = program.mely();
        for (int core = 0; core < mely.cores(); core++) {
            int slot = mely.colors() - 1; // seldom anybody else's
            while (slot > 0 && mely.colorAt(slot).homeCore() != core) {
                slot--;
            }
            colors.add(mely.colorAt(slot));
        }
    }

    /** Whether what was sent the last time has run; then it is sent anew. */
    boolean beats() {
        if (due.get() > 0) {
            return false;
        }
        for (Color each : colors) {
            due.incrementAndGet();
            try {
                each.execute(due::decrementAndGet);
            } catch (RejectedExecutionException full) {
                due.decrementAndGet();
                return false;
            }
        }
        return true;
    }
}
