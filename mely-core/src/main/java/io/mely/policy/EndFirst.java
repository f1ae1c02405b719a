// SPDX-License-Identifier: Apache-2.0
package io.mely.policy;

import java.util.List;
import java.util.stream.IntStream;

/**
 * Shortest remaining processing time: the end of the pipeline first. After each visit that ran something it begins at the end again.
 *
 * <p><b>Source.</b> spec: stages §6.
 */
final class EndFirst implements VisitOrder {
    private final List<String> names;
    private int[] order = {}; // stages, the end first
    private int at;

    EndFirst(List<String> names) {
        this.names = names;
    }

    @Override
    public int next(Stages stages, Visit last) {
        int count = stages.count();
        if (order.length != count) {
            order = sorted(stages, count);
            at = count - 1;
        }
        at = last.served() > 0 ? 0 : (at + 1) % count;
        return order[at];
    }

    private int[] sorted(Stages stages, int count) {
        return IntStream.range(0, count)
                .boxed()
                .sorted((one, other) -> Integer.compare(place(stages, one), place(stages, other))) // stable
                .mapToInt(Integer::intValue)
                .toArray();
    }

    private int place(Stages stages, int stage) {
        int place = names.indexOf(stages.stage(stage).name());
        return place < 0 ? names.size() : place;
    }
}
