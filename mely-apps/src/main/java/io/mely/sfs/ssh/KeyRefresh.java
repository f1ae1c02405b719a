// SPDX-License-Identifier: Apache-2.0
package io.mely.sfs.ssh;

import io.mely.Color;
import io.mely.Mely;
import io.mely.sfs.users.Users;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Looks whether key files have changed, before each client may log in, on a blocking thread. Clients that come while it looks are served together by the next look.
 *
 * <p><b>Threads.</b> The color that accepts.
 */
final class KeyRefresh {
    private static final System.Logger LOG = System.getLogger(KeyRefresh.class.getName());

    private final Mely mely;
    private final Color color;
    private final Users users;
    private List<Runnable> waiting = new ArrayList<>();
    private boolean isLooking;

    KeyRefresh(Mely mely, Color color, Users users) {
        this.mely = mely;
        this.color = color;
        this.users = users;
    }

    /** Runs something once all keys are as they were at this moment, or later. */
    void whenFresh(Runnable then) {
        waiting.add(then);
        if (!isLooking) {
            look();
        }
    }

    private void look() {
        List<Runnable> served = waiting;
        waiting = new ArrayList<>();
        isLooking = true;
        CompletableFuture<Boolean> looked = mely.blocking(color, () -> {
            users.refresh();
            return true;
        });
        CompletableFuture<Boolean> unused = looked.whenComplete((done, failure) -> {
            isLooking = false;
            if (failure != null) {
                LOG.log(
                        Level.WARNING,
                        "key files could not be looked at, keys stay as they were: {0}",
                        failure.toString());
            }
            served.forEach(Runnable::run);
            if (!waiting.isEmpty() && !isLooking) {
                look();
            }
        });
    }
}
