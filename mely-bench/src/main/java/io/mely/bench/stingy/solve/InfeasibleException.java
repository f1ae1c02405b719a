// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.stingy.solve;

/** One request does not fit into the region; the message says where and how many bytes are missing. */
public final class InfeasibleException extends Exception {
    InfeasibleException(String message) {
        super(message);
    }
}
