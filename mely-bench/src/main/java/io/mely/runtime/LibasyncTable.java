// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import io.mely.StageOptions;
import io.mely.Stealing;

/**
 * Two of libasync-smp's mixed lists without threads or locks. The color that is stolen has two events, at the two ends of the victim's
 * list: all links have to be followed.
 */
public final class LibasyncTable {
    private static final class Lane extends MixedColor {}

    private final RecordIndex records = new RecordIndex(true);
    private final MixedList victim = new MixedList(MixedList.LOOK_AHEAD, records);
    private final MixedList thief = new MixedList(MixedList.LOOK_AHEAD, records);
    private final EventChain chain = new EventChain();
    private final Lane stolen = new Lane();

    /**
     * Fills the victim.
     *
     * @param pending events, at least 5: of fewer, two are not less than half
     */
    public LibasyncTable(int pending) {
        RecordPool pool = new RecordPool(new RecordDepot(pending + 1, records));
        HandlerProfile profile = new HandlerProfile("stolen", StageOptions.defaults(), Stealing.base());
        Lane other = new Lane();
        victim.append(record(pool, profile, stolen));
        for (int i = 0; i < pending - 2; i++) {
            victim.append(record(pool, profile, other));
        }
        victim.append(record(pool, profile, stolen));
    }

    private static EventRecord record(RecordPool pool, HandlerProfile profile, Lane lane) {
        EventRecord record = pool.take();
        if (record == null) {
            throw new IllegalStateException("no record");
        }
        record.set(profile, null, profile.weight());
        MixedRecord.color(record, lane);
        return record;
    }

    /** A steal, and back, which is a few links whatever is pending. */
    public void stealAndReturn() {
        if (victim.steal(chain) != stolen) {
            throw new IllegalStateException("took another color: " + victim);
        }
        thief.adopt(stolen, chain);
        EventRecord first = pick(); // both, before one goes back: a color is in one list
        EventRecord second = pick();
        victim.appendFirst(first);
        victim.append(second);
    }

    private EventRecord pick() {
        EventRecord record = thief.pick(null);
        if (record == null) {
            throw new IllegalStateException("nothing was stolen: " + thief);
        }
        thief.ended(stolen);
        return record;
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
