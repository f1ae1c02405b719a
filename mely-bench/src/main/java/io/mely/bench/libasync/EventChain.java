// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.libasync;

import io.mely.spi.Lane;

/**
 * The events of one color on their way from a victim's list to a thief's. Reused.
 *
 * <p><b>Threads.</b> The thief only.
 */
final class EventChain {
    private int head;
    private int tail;
    private int count;

    /** Adds an event at the tail, which is given because only a list finds lanes. */
    void add(Lane lane, MixedList list) {
        if (tail == Lane.NONE) {
            head = lane.laneId();
        } else {
            list.at(tail).link(lane.laneId());
        }
        tail = lane.laneId();
        count++;
    }

    void clear() {
        head = Lane.NONE;
        tail = Lane.NONE;
        count = 0;
    }

    int head() {
        return head;
    }

    int tail() {
        return tail;
    }

    int count() {
        return count;
    }
}
