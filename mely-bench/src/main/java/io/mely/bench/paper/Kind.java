// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.paper;

/**
 * What a programmer would annotate a handler with.
 *
 * @param name for messages
 * @param processingTimeNs expected time of one event; 0 means: not annotated
 * @param penalty divides its worth as loot, &gt;= 1
 * @param priority 0 (last) to 7 (first); most contenders have none
 */
record Kind(String name, long processingTimeNs, int penalty, int priority) {
    private static final int USUAL_PRIORITY = 3;

    /** Of the usual priority. */
    Kind(String name, long processingTimeNs, int penalty) {
        this(name, processingTimeNs, penalty, USUAL_PRIORITY);
    }
}
