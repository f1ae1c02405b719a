// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.paper;

/**
 * What a programmer would annotate a handler with.
 *
 * @param name for messages
 * @param processingTimeNs expected time of one event; 0 means: not annotated
 * @param penalty divides its worth as loot, &gt;= 1
 */
record Kind(String name, long processingTimeNs, int penalty) {}
