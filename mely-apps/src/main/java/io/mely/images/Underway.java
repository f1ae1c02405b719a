// SPDX-License-Identifier: Apache-2.0
package io.mely.images;

import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Counts uploads and pictures in work, so that a close can wait for them.
 *
 * <p><b>Threads.</b> Any; guarded by itself.
 */
final class Underway {
    private int count;
    private @Nullable CompletableFuture<Boolean> drained;

    synchronized void begin() {
        count++;
    }

    void end() {
        CompletableFuture<Boolean> last = null;
        synchronized (this) {
            count--;
            assert count >= 0 : count;
            if (count == 0) {
                last = drained;
            }
        }
        if (last != null) {
            last.complete(true);
        }
    }

    /** Completed once nothing is under way. */
    synchronized CompletableFuture<Boolean> drain() {
        CompletableFuture<Boolean> all = new CompletableFuture<>();
        drained = all;
        if (count == 0) {
            all.complete(true);
        }
        return all;
    }

    synchronized int count() {
        return count;
    }
}
