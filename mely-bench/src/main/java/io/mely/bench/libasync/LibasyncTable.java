// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.libasync;

import io.mely.StageOptions;
import io.mely.spi.Lane;

/**
 * Two of libasync-smp's mixed lists without threads or locks. The color that is stolen has two events, behind all others in the victim's
 * list: all links have to be followed.
 */
public final class LibasyncTable {
    private static final int STOLEN = 1;
    private static final int OTHER = 2;

    private final Lane[] lanes;
    private final MixedColor stolen;
    private final MixedList victim;
    private final MixedList thief;
    private final EventChain chain = new EventChain();

    /**
     * Fills the victim.
     *
     * @param pending events, at least 5: of fewer, two are not less than half
     */
    public LibasyncTable(int pending) {
        lanes = new Lane[pending + 1]; // 0 is no lane
        MixedColors colors = new MixedColors(slot -> 0);
        victim = list(colors);
        thief = list(colors);
        for (int id = 1; id <= pending; id++) {
            lanes[id] = new PlainLane(id, id > pending - 2 ? STOLEN : OTHER);
            victim.append(lanes[id], colors.of(lanes[id]));
        }
        stolen = colors.of(lanes[pending]);
    }

    private MixedList list(MixedColors colors) {
        return new MixedList(MixedList.LOOK_AHEAD, id -> lanes[id], lane -> StageOptions.PRIORITY_DEFAULT, colors);
    }

    /** A steal, and back, which is a few links whatever is pending. */
    public void stealAndReturn() {
        if (victim.steal(chain) != stolen) {
            throw new IllegalStateException("took another color: " + victim);
        }
        thief.adopt(stolen, chain);
        Lane first = pick(); // both, before one goes back: a color is in one list
        Lane second = pick();
        victim.append(first, stolen);
        victim.append(second, stolen);
    }

    private Lane pick() {
        Lane lane = thief.pick(null);
        if (lane == null) {
            throw new IllegalStateException("nothing was stolen: " + thief);
        }
        thief.ended(stolen);
        return lane;
    }

    /** Links of the victim's list followed so far. */
    public long scanned() {
        return victim.scanned();
    }

    /** Whether the victim has so many events. */
    public boolean has(int pending) {
        return victim.size() == pending && thief.size() == 0;
    }
}
