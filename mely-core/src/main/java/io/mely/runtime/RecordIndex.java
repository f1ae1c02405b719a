// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import java.lang.invoke.VarHandle;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The event records of a runtime by number, for lists whose links are numbers (ADR 0006).
 *
 * <p>Whoever reads a number was handed it with release and acquire after the record was made, so the table needs no ordering of its own. The number of a record that was dropped is given to
 * a later one.
 *
 * <p><b>Threads.</b> Any, without a core's lock. <b>Costs.</b> A load; making and dropping a chain takes a monitor.
 */
final class RecordIndex extends HeadPad {
    private static final int LENGTH_MIN = 128;

    private EventRecord[] records = new EventRecord[LENGTH_MIN]; // written under this
    private int made; // guarded by this
    private int[] free = new int[LENGTH_MIN]; // guarded by this; numbers of records that were dropped
    private int freeCount; // guarded by this

    /** All there are; some places are empty. After the stop. */
    @Nullable
    EventRecord[] all() {
        return records;
    }

    EventRecord at(int id) {
        return records[id];
    }

    /** Makes records that are linked to each other, one or more, and returns the first. Their numbers are 1 or more: see {@link EventRecord#NONE}. May find no memory; then nothing was made. */
    synchronized EventRecord makeChain(int count) {
        EventRecord[] table = records;
        int last = made + Math.max(0, count - freeCount);
        if (last >= table.length) {
            table = Arrays.copyOf(table, Math.max(last + 1, 2 * table.length));
            free = Arrays.copyOf(free, table.length); // so that dropping never fails
        }
        VarHandle.releaseFence(); // others may see the larger table without having been handed a number of this call
        records = table;
        int takenMade = made;
        int takenFree = freeCount;
        EventRecord chain = null;
        for (int i = 0; i < count; i++) {
            int id = takenFree != 0 ? free[--takenFree] : ++takenMade;
            EventRecord record = new EventRecord(id);
            record.nextPlain(chain == null ? EventRecord.NONE : chain.id);
            table[id] = record;
            chain = record;
        }
        made = takenMade;
        freeCount = takenFree;
        assert chain != null : count;
        return chain;
    }

    /** Lets go of records that are linked to each other. Nobody has their numbers any more. */
    synchronized void dropChain(EventRecord first) {
        EventRecord record = first;
        while (record != null) {
            free[freeCount++] = record.id;
            records[record.id] = null;
            record = records[record.nextPlain()];
        }
    }
}
