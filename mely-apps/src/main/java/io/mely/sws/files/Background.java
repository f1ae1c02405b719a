// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.files;

import java.util.concurrent.CompletableFuture;

/** Runs what would hold up a core somewhere else. */
@FunctionalInterface
public interface Background {
    /**
     * Runs work.
     *
     * @param work may take long, and throws nothing
     * @return completed when it is through, or exceptionally if it is not run
     */
    CompletableFuture<?> run(Runnable work);
}
