// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.paper;

/** A workload found that its contender lost, doubled, reordered or overlapped events, or that a result is wrong. */
public final class CheckFailedException extends RuntimeException {
    /**
     * Says what is wrong.
     *
     * @param message for the user
     */
    public CheckFailedException(String message) {
        super(message);
    }
}
