// SPDX-License-Identifier: Apache-2.0
package io.mely.queue;

import io.mely.StageOptions;
import io.mely.Stealing;
import io.mely.profile.HandlerProfile;
import java.util.ArrayList;
import java.util.List;

/**
 * A color without a runtime. Sends and runs events the way a core does it, one step at a time, on one thread.
 */
public final class Lane extends ColorQueue {
    private static final RecordPool POOL = new RecordPool(new RecordDepot(1 << 24));

    /** Makes an idle color. */
    public Lane(int slot, int home) {
        this(slot, home, POOL.index());
    }

    /** Makes one whose records come from elsewhere. */
    public Lane(int slot, int home, RecordIndex records) {
        super(slot, home, records);
    }

    /** A handler whose events weigh what its annotation says. */
    public static HandlerProfile handler(long timeNs, int penalty, int priority) {
        StageOptions options = new StageOptions(timeNs, penalty, priority, false);
        return new HandlerProfile("h" + timeNs + "/" + penalty, options, Stealing.mely());
    }

    /** The same at penalty 1 and priority 3. */
    public static HandlerProfile handler(long timeNs) {
        return handler(timeNs, 1, 3);
    }

    // ------------------------------------------------------------------ single steps

    /** Appends one event and does the time-left and the urgency; does not make the color ready. */
    public boolean append(HandlerProfile handler, Object event) {
        EventRecord record = POOL.take();
        record.set(handler, event, handler.weight());
        if (append(record)) {
            opened(handler.weight(), handler.priority());
            return true;
        }
        addLeft(handler.weight(), true);
        raiseUrgency(handler.priority());
        return false;
    }

    /** Runs the head. Returns its event; {@link #isIdle} tells whether it was the last. */
    public Object runOne() {
        EventRecord record = head();
        Object event = record.event();
        subtractLeft(record.weight());
        advance(record);
        POOL.give(record);
        return event;
    }

    /** Runs so many events. */
    public List<Object> run(int events) {
        List<Object> ran = new ArrayList<>();
        for (int i = 0; i < events; i++) {
            ran.add(runOne());
        }
        return ran;
    }

    /** Makes every pending event point back to the first: whoever walks along them never comes to an end. */
    void tieEventsTogether() {
        RecordIndex records = POOL.index();
        int first = head().id;
        for (int id = first, next; id != EventRecord.NONE; id = next) {
            next = records.at(id).nextPlain();
            records.at(id).nextPlain(first);
        }
    }

    // ------------------------------------------------------------------ with a core

    /** Sends events on the thread of the home core. */
    public Lane send(CoreQueue home, HandlerProfile handler, int count) {
        for (int i = 0; i < count; i++) {
            home.lock();
            if (append(handler, i)) {
                home.link(this);
            } else {
                home.touch(this);
            }
            home.unlock();
        }
        return this;
    }

    /** Sends events from a thread that is no core: through the inbox, which is not drained. */
    public Lane sendOutside(CoreQueue home, HandlerProfile handler, int count) {
        for (int i = 0; i < count; i++) {
            if (append(handler, i)) {
                markOpened();
            }
            home.handIn(this);
        }
        return this;
    }
}
