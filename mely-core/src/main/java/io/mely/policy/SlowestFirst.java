// SPDX-License-Identifier: Apache-2.0
package io.mely.policy;

import java.util.Comparator;
import java.util.stream.IntStream;

/**
 * Drum, buffer, rope: stages by ascending service rate, from the slowest again after each visit that ran something. They are sorted anew when it has gone through them.
 *
 * <p>The listing of the paper leaves the last stage out when it sorts. That is mended here. It also gives the slowest stage a second time after a success, which is kept: more may have come.
 *
 * <p><b>Source.</b> spec: stages §6.
 */
final class SlowestFirst implements VisitOrder {
    private int[] sorted = {};
    private int at;

    @Override
    public int next(Stages stages, Visit last) {
        int count = stages.count();
        if (sorted.length != count) {
            at = sorted.length;
        } else if (last.served() > 0) {
            at = 0;
            return sorted[0];
        }
        if (at < sorted.length) {
            return sorted[at++];
        }
        sorted = IntStream.range(0, count)
                .boxed()
                .sorted(Comparator.comparingLong(
                                (Integer stage) -> stages.stage(stage).processingTimeNs())
                        .reversed()) // stable
                .mapToInt(Integer::intValue)
                .toArray();
        at = 0;
        return sorted[0];
    }
}
