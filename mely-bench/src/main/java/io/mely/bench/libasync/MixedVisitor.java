// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.libasync;

import io.mely.runtime.HeadPad;
import io.mely.spi.Lane;
import io.mely.spi.StageGroup;
import io.mely.spi.Worker;
import org.jspecify.annotations.Nullable;

/**
 * Runs events of a mixed list on one core: one hold of the list's lock ends one event and takes the next.
 *
 * <p>A worker that has lost its core still ends its color under the list's lock: nobody else would.
 *
 * <p><b>No sleep on work.</b> A visitor that returns and leaves something eligible in the list wakes a core for it. This happens in two cases. At the end of a time slice
 * the core comes back by itself, but others need not wait for it. After the loss of a core its new thread may be asleep already: what waits behind the running color was not
 * eligible when that thread looked.
 *
 * <p><b>Threads.</b> The core's, and one that has lost the core: that one reads only the final fields.
 */
final class MixedVisitor extends HeadPad implements StageGroup.Visitor {
    /** Most events of one color in a row while others wait. Source: that of Mely (spec: Mely §3.2), as libasync-smp's is lost. */
    private static final int BATCH_THRESHOLD_EVENTS = 10;

    private final MixedList list;
    private final Runnable wakeUp;

    private @Nullable MixedColor last;
    private int inARow;

    /**
     * Makes the visitor of one core.
     *
     * @param list that it takes from
     * @param wakeUp wakes a core that runs what is left in the list
     */
    MixedVisitor(MixedList list, Runnable wakeUp) {
        this.list = list;
        this.wakeUp = wakeUp;
    }

    @Override
    public int run(Worker worker) {
        if (list.eligible() == 0) {
            return 0; // an idle core need not take the lock
        }
        int ran = 0;
        boolean isOurs = true;
        MixedColor ended = null;
        while (true) {
            Lane lane = next(ended, isOurs && !worker.isSliceOver());
            if (lane == null) {
                return ran;
            }
            ended = list.colorOf(lane);
            inARow = ended == last ? inARow + 1 : 1;
            last = ended;
            isOurs = worker.run(lane);
            ran++;
        }
    }

    private @Nullable Lane next(@Nullable MixedColor ended, boolean takesNext) {
        Lane lane = null;
        boolean isLeft;
        list.lock.lock();
        try {
            if (ended != null) {
                list.ended(ended);
            }
            if (takesNext) {
                lane = list.pick(inARow < BATCH_THRESHOLD_EVENTS ? last : null);
            }
            isLeft = lane == null && list.eligible() != 0;
        } finally {
            list.lock.unlock();
        }
        if (isLeft) {
            wakeUp.run();
        }
        return lane;
    }

    @Override
    public boolean hasWork() {
        return list.eligible() != 0;
    }
}
