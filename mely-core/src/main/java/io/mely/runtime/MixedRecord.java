// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import org.jspecify.annotations.Nullable;

/** An event that knows its color, for a list that mixes colors. */
public final class MixedRecord extends EventRecord {
    private @Nullable MixedColor color;

    MixedRecord(int id) {
        super(id);
    }

    /**
     * Says which color an event is of.
     *
     * @param record of an index that mixes colors
     * @param color of the event
     */
    public static void color(EventRecord record, MixedColor color) {
        MixedRecord mixed = (MixedRecord) record;
        if (mixed.color != color) {
            mixed.color = color;
        }
    }

    /**
     * The color of an event.
     *
     * @param record of an index that mixes colors
     * @return as set last
     */
    public static MixedColor colorOf(EventRecord record) {
        MixedColor current = ((MixedRecord) record).color;
        assert current != null : "a record in a mixed list has a color";
        return current;
    }
}
