// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * libasync-mp: one list that all cores share. A core takes the heaviest of the first few events whose color does not run on another; see
 * {@link MixedList}.
 *
 * <p>The original polls by a callback of its own, so that no worker blocks in a poll while others could run. Here each core has a poller and
 * blocks in it only when nothing is eligible, which is the same promise.
 *
 * <p><b>Costs.</b> A pick follows the links over every event whose color runs. <b>Source.</b> spec: libasync-smp §2.
 */
public final class LibasyncMp extends LibasyncRuntime {
    private final SpinLock lock = new SpinLock();
    private final MixedList list = new MixedList(MixedList.LOOK_AHEAD, records());

    /**
     * Builds a runtime.
     *
     * @param config checked by the builder
     */
    public LibasyncMp(RuntimeConfig config) {
        this(config, Machine.of(config));
    }

    /** Builds one on a machine that was looked at before. */
    LibasyncMp(RuntimeConfig config, Machine machine) {
        super(config, machine);
        for (int i = 0; i < cores(); i++) {
            setCore(new MpCore(i, this, config));
        }
    }

    @Override
    void put(EventRecord record, LibasyncColor color, boolean isFirst) {
        lock.lock();
        int before = list.eligible();
        try {
            if (isFirst) {
                list.appendFirst(record);
            } else {
                list.append(record);
            }
        } finally {
            lock.unlock();
        }
        if (list.eligible() != before || before != 0) {
            wakeOne(color.homeCore());
        }
    }

    /** Wakes one sleeper, the given one rather than another. */
    private void wakeOne(int first) {
        VarHandle.fullFence(); // pairs with the one in LibasyncCore.rest
        for (int i = 0; i < cores() && sleepers.get() != 0; i++) {
            LibasyncCore core = engineCore((first + i) % cores());
            if (core.isAsleep() && core.wake(false)) {
                return;
            }
        }
    }

    private static final class MpCore extends LibasyncCore {
        private final LibasyncMp mp;

        MpCore(int index, LibasyncMp mp, RuntimeConfig config) {
            super(index, mp, config);
            this.mp = mp;
        }

        @Override
        boolean hasWork() {
            return mp.list.eligible() != 0;
        }

        @Override
        @Nullable
        EventRecord next(@Nullable LibasyncColor ended, @Nullable LibasyncColor favoured, boolean takesNext) {
            EventRecord record = null;
            boolean isMoreThere;
            mp.lock.lock();
            try {
                if (ended != null) {
                    mp.list.ended(ended);
                }
                if (takesNext) {
                    record = mp.list.pick(favoured);
                }
                isMoreThere = mp.list.eligible() != 0;
            } finally {
                mp.lock.unlock();
            }
            if (record != null) {
                ((LibasyncColor) MixedRecord.colorOf(record)).homeRelease(index);
                if (isMoreThere && mp.sleepers.get() != 0) {
                    mp.wakeOne(index + 1);
                }
            }
            return record;
        }
    }
}
