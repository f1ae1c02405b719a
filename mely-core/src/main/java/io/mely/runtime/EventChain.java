// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

/**
 * The events of one color on their way from a victim's list to a thief's. Reused.
 *
 * <p><b>Threads.</b> The thief only.
 */
public final class EventChain {
    private int head;
    private int tail;
    private int count;
    private long weight;

    /** Makes an empty chain. */
    public EventChain() {}

    void add(EventRecord record, RecordIndex records) {
        int last = tail;
        if (last == EventRecord.NONE) {
            head = record.id;
        } else {
            records.at(last).nextPlain(record.id);
        }
        tail = record.id;
        count++;
        weight += record.weight();
    }

    void clear() {
        head = EventRecord.NONE;
        tail = EventRecord.NONE;
        count = 0;
        weight = 0;
    }

    int head() {
        return head;
    }

    int tail() {
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
