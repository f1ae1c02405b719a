// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.libasync;

import io.mely.spi.Lane;
import io.mely.spi.Worker;
import java.util.function.Consumer;

/** A thread that has a core, until its handler loses it. */
final class FakeWorker implements Worker {
    final int core;
    private final FakeWorkers workers;
    private final int slice;
    private int ran;
    private boolean hasCore = true;

    /** One whose time slice is so many events. */
    FakeWorker(FakeWorkers workers, int core, int slice) {
        this.workers = workers;
        this.core = core;
        this.slice = slice;
    }

    @Override
    public boolean run(Lane lane) {
        checkHasCore();
        ran++;
        FakeLane fake = (FakeLane) lane;
        Consumer<FakeWorker> event = fake.empty();
        workers.give(fake);
        event.accept(this);
        return hasCore;
    }

    @Override
    public boolean isSliceOver() {
        checkHasCore();
        return ran >= slice;
    }

    private void checkHasCore() {
        if (!hasCore) {
            throw new AssertionError("the core is another's: core=" + core);
        }
    }

    /** A new slice. */
    void begin() {
        ran = 0;
    }

    void loseCore() {
        hasCore = false;
    }

    boolean hasCore() {
        return hasCore;
    }
}
