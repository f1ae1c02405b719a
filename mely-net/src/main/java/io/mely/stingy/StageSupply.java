// SPDX-License-Identifier: Apache-2.0
package io.mely.stingy;

import io.mely.spi.Supply;
import java.util.concurrent.atomic.LongAdder;

/** What the events of one stage take from the region of their core. <b>Threads.</b> Any. <b>Source.</b> spec: Stingy §4, §9 check 8. */
final class StageSupply implements Supply {
    private final Stingy stingy;
    private final StingyRegion.Needs needs;
    private final LongAdder passed = new LongAdder();

    StageSupply(Stingy stingy, StingyRegion.Needs needs) {
        this.stingy = stingy;
        this.needs = needs;
    }

    @Override
    public int cores() {
        return stingy.cores();
    }

    @Override
    public boolean tryTake(int core, int events) {
        Hand hand = stingy.hand();
        Hand.Frame frame = hand.push(core);
        boolean isTaken = stingy.region(core).take(needs, events, frame);
        if (!isTaken) {
            Hand.Frame unused = hand.pop();
        }
        return isTaken;
    }

    @Override
    public boolean isAvailable(int core) {
        return stingy.region(core).has(needs);
    }

    @Override
    public void pass(int core) {
        passed.increment();
        stingy.hand().push(core).isPassing = true;
    }

    @Override
    public void giveBack(int core) {
        Hand.Frame frame = stingy.hand().pop();
        assert frame.core == core : "given back on another core than it was taken: core=" + core;
        if (frame.count != 0) {
            stingy.region(core).give(frame);
        }
    }

    /** Events that ran without. */
    long passed() {
        return passed.sum();
    }
}
