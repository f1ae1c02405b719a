// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

/**
 * Keeps the fields of a class two cache lines away from the object before it, which is whatever the collector has put there.
 *
 * <p>For objects that one core writes all the time, and for those that all cores read all the time: the one beside the other costs a line
 * transfer an event. Two lines, as CPUs fetch lines in pairs.
 */
public abstract class HeadPad {
    @SuppressWarnings("unused")
    private long p00, p01, p02, p03, p04, p05, p06, p07, p08, p09, p10, p11, p12, p13, p14, p15;

    /** Costs 128 bytes. */
    protected HeadPad() {}
}
