// SPDX-License-Identifier: Apache-2.0
package io.mely;

/**
 * How often something took how long. A time is known to within an eighth.
 *
 * <p><b>Threads.</b> Immutable.
 */
public interface Durations {
    /**
     * How many there are.
     *
     * @return &gt;= 0
     */
    long count();

    /**
     * The time that a share of them did not exceed.
     *
     * @param percent 0 to 100
     * @return nanoseconds, at most an eighth too many; 0 if there are none
     * @throws IllegalArgumentException if there is no such share
     */
    long percentileNs(double percent);

    /**
     * Those that have come since an earlier reading.
     *
     * @param earlier of the same
     * @return the difference
     */
    Durations since(Durations earlier);
}
