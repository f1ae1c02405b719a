// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.paper;

import java.util.List;
import java.util.function.IntUnaryOperator;

/**
 * What a contender is built from.
 *
 * @param workers threads that run events
 * @param isPinned whether Mely pins its cores; no other contender can
 * @param keys number of keys
 * @param homes worker where a key's events are registered; contenders with one shared queue ignore it
 * @param kinds of events
 */
record Setup(int workers, boolean isPinned, int keys, IntUnaryOperator homes, List<Kind> kinds) {
    Setup withKeys(int newKeys) {
        return new Setup(workers, isPinned, newKeys, homes, kinds);
    }
}
