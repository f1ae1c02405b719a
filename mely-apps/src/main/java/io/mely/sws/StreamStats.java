// SPDX-License-Identifier: Apache-2.0
package io.mely.sws;

/**
 * The streams of HTTP/2 at one moment, summed over the cores.
 *
 * @param began requests that began
 * @param ended of these, those that are answered or reset
 * @param reset of these, reset by the client before the end of the answer
 * @param refused reset as there were too many on one connection, or no memory
 */
public record StreamStats(long began, long ended, long reset, long refused) {
    /**
     * Requests under way.
     *
     * @return streams
     */
    public long open() {
        return began - ended;
    }
}
