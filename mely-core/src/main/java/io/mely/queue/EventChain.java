// SPDX-License-Identifier: Apache-2.0
package io.mely.queue;

import org.jspecify.annotations.Nullable;

/**
 * The events of one color on their way from a victim's list to a thief's. Reused.
 *
 * <p><b>Threads.</b> The thief only.
 */
public final class EventChain {
    private @Nullable EventRecord head;
    private @Nullable EventRecord tail;
    private int count;
    private long weight;

    /** Makes an empty chain. */
    public EventChain() {}

    void add(EventRecord record) {
        EventRecord last = tail;
        if (last == null) {
            head = record;
        } else {
            last.nextPlain(record);
        }
        tail = record;
        count++;
        weight += record.weight();
    }

    void clear() {
        head = null;
        tail = null;
        count = 0;
        weight = 0;
    }

    @Nullable
    EventRecord head() {
        return head;
    }

    @Nullable
    EventRecord tail() {
        return tail;
    }

    /**
     * Events in it.
     *
     * @return a count
     */
    public int count() {
        return count;
    }

    /**
     * Sum of their weights.
     *
     * @return in units of weight
     */
    public long weight() {
        return weight;
    }
}
