// SPDX-License-Identifier: Apache-2.0
package io.mely.queue;

import io.mely.memory.HeadPad;
import java.lang.invoke.VarHandle;
import java.util.Arrays;

/**
 * The event records of a runtime by number, for lists whose links are numbers (ADR 0006).
 *
 * <p>Whoever reads a number was handed it with release and acquire after the record was made, so the table needs no ordering of its own.
 *
 * <p><b>Threads.</b> Any. <b>Costs.</b> A load; making one takes a monitor.
 */
public final class RecordIndex extends HeadPad {
    private static final int LENGTH_MIN = 8;

    private final boolean areMixed;
    private EventRecord[] records = new EventRecord[LENGTH_MIN]; // written under this
    private int made; // guarded by this

    /** Makes an empty index. */
    public RecordIndex() {
        this(false);
    }

    /**
     * Makes an empty index.
     *
     * @param areMixed true for {@link MixedRecord records} of a list that mixes colors
     */
    public RecordIndex(boolean areMixed) {
        this.areMixed = areMixed;
    }

    EventRecord at(int id) {
        return records[id];
    }

    /** Makes a record. Its number is 1 or more: see {@link EventRecord#NONE}. */
    synchronized EventRecord make() {
        int id = made + 1;
        EventRecord[] table = records;
        if (id == table.length) {
            table = Arrays.copyOf(table, 2 * id);
        }
        VarHandle.releaseFence(); // others may see the larger table without having been handed a number of this call
        EventRecord record = areMixed ? new MixedRecord(id) : new EventRecord(id);
        table[id] = record;
        records = table;
        made = id;
        return record;
    }
}
