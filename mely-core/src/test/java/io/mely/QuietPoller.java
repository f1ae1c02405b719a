// SPDX-License-Identifier: Apache-2.0
package io.mely;

import io.mely.spi.Poller;

/** A poller that never has anything, never sleeps, and may change its thread. */
public class QuietPoller implements Poller {
    @Override
    public int poll() {
        return 0;
    }

    @Override
    public int block(long timeoutNs) {
        return 0;
    }

    @Override
    public void wakeup() {}

    @Override
    public boolean mayChangeThread() {
        return true;
    }
}
