// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import io.mely.spi.StageGroup;

/**
 * The colors of a core whose next event is another group's, in order: they are given to the sinks of those events when the lock is released.
 *
 * <p><b>Threads.</b> The holder of the core's lock, but for {@link #tell}.
 */
final class HandOver extends HeadPad {
    private final ColorIndex index;
    private final RecordIndex records;

    // linked by ColorQueue.nextReady
    private int first = ColorIndex.NONE;
    private int last;

    HandOver(ColorIndex index, RecordIndex records) {
        this.index = index;
        this.records = records;
    }

    boolean isEmpty() {
        return first == ColorIndex.NONE;
    }

    /** Adds a color that is in no list. It counts as running from now on, so that no thief takes it. */
    void add(ColorQueue color) {
        color.place = ColorQueue.RUNNING;
        color.nextReady = ColorIndex.NONE;
        if (first == ColorIndex.NONE) {
            first = color.number();
        } else {
            index.at(last).nextReady = color.number();
        }
        last = color.number();
    }

    /** Takes all, for {@link #tell}: the number of the first. */
    int take() {
        int all = first;
        first = ColorIndex.NONE;
        return all;
    }

    /** Gives each to its sink. Without the lock. */
    void tell(int all) {
        ColorQueue color = index.at(all);
        while (color != null) {
            ColorQueue next = index.at(color.nextReady);
            color.nextReady = ColorIndex.NONE;
            StageGroup.Sink sink = color.firstStage(records).sink;
            assert sink != null : "handed over for an event of a group";
            sink.add(color);
            color = next;
        }
    }
}
