// SPDX-License-Identifier: Apache-2.0
package io.mely;

import io.mely.spi.NanoClock;
import java.util.concurrent.atomic.AtomicLong;

/** A clock that stands still until a test moves it, and counts how often it was read. */
public final class FakeClock implements NanoClock {
    private final AtomicLong nowNs;
    private final AtomicLong reads = new AtomicLong();
    private volatile long tickNs;

    /** Starts at some time that is neither zero nor round. */
    public FakeClock() {
        this(1_234_567_891L);
    }

    /** Starts at the given time. */
    public FakeClock(long startNs) {
        nowNs = new AtomicLong(startNs);
    }

    @Override
    public long nanoTime() {
        reads.incrementAndGet();
        return nowNs.getAndAdd(tickNs);
    }

    /** Moves the time. */
    public void advance(long ns) {
        nowNs.addAndGet(ns);
    }

    /** From now on each reading moves the time. */
    public void tick(long ns) {
        tickNs = ns;
    }

    /** How often it was read. */
    public long reads() {
        return reads.get();
    }
}
