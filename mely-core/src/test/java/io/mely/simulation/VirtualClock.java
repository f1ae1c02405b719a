// SPDX-License-Identifier: Apache-2.0
package io.mely.simulation;

import io.mely.spi.NanoClock;

/** Time that passes when the simulation says so. <b>Threads.</b> The simulation's. */
public final class VirtualClock implements NanoClock {
    private long nowNs = 1_000_003;

    VirtualClock() {}

    @Override
    public long nanoTime() {
        return nowNs;
    }

    void advance(long ns) {
        nowNs += ns;
    }
}
