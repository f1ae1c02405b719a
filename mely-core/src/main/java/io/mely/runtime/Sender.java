// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import io.mely.spi.NanoClock;
import java.util.concurrent.atomic.AtomicLongFieldUpdater;
import org.jspecify.annotations.Nullable;

abstract class SenderHotFields extends HeadPad {
    volatile long accepted; // twice the number of events, and one more while the last is undecided
    volatile long refused;
    int untilStamp = 1;
}

/**
 * What one sending thread owns: its pool of event records and credits, and its half of the books.
 *
 * <p>Each counter has one writer. {@code accepted} grows before the event is published, so at every moment the sum of accepted is at least
 * the sum of run. A reader that sums first all run counters and then all accepted ones, with acquire, and finds them equal, knows that
 * nothing was pending in between.
 *
 * <p><b>Threads.</b> Its owner; the counters may be read by any.
 */
class Sender extends SenderHotFields {
    private static final AtomicLongFieldUpdater<SenderHotFields> ACCEPTED =
            AtomicLongFieldUpdater.newUpdater(SenderHotFields.class, "accepted");
    private static final AtomicLongFieldUpdater<SenderHotFields> REFUSED =
            AtomicLongFieldUpdater.newUpdater(SenderHotFields.class, "refused");

    @SuppressWarnings("unused")
    private long q00, q01, q02, q03, q04, q05, q06, q07, q08, q09, q10, q11, q12, q13, q14, q15;

    /** Of so many events the time is taken of one. Two readings of the clock cost 66 ns: 1 ns an event. A prime, so as not to beat with a pattern. */
    static final int SAMPLE_INTERVAL = 61;

    /** A sender with fewer than 61 times as many events under way makes no more. Our benchmarks have 4,096, and so need 68. */
    private static final int STAMPS = 128;

    final RecordPool pool;
    final StageCounts stages = new StageCounts();
    final @Nullable HandlerObserver observer;
    private final NanoClock clock;
    private final @Nullable Stamp[] stamps = new @Nullable Stamp[STAMPS]; // each is made when it is needed
    private int nextStamp;

    /** Of a worker of a core, for its observer; {@link HandlerObserver#OUTSIDE} for none. */
    Sender(MelyRuntime runtime, int core) {
        pool = new RecordPool(runtime.depot());
        clock = runtime.config().hooks().clock();
        observer = runtime.newObserver(core);
    }

    /** What is to be sent for an event: itself, or a stamp if its time is to be taken. */
    final @Nullable Object stamped(StageImpl<?> stage, @Nullable Object event) {
        untilStamp -= stage.stampSteps();
        return untilStamp > 0 ? event : stamp(event);
    }

    /** A stamp that is still under way is let go, so that who waits long is counted no less. Without memory for another the event is sent as it is. */
    private @Nullable Object stamp(@Nullable Object event) {
        untilStamp = SAMPLE_INTERVAL;
        nextStamp = (nextStamp + 1) % STAMPS;
        Stamp stamp = stamps[nextStamp];
        if (stamp == null || !stamp.isFree()) {
            try {
                stamp = new Stamp();
            } catch (OutOfMemoryError e) {
                return event;
            }
            stamps[nextStamp] = stamp;
        }
        stamp.put(event, clock.nanoTime());
        return stamp;
    }

    /** Before the event is published; the release pairs with {@link #acceptedAcquire}. */
    final void countAccepted() {
        addAccepted(2);
    }

    /** It was not published after all. */
    final void uncountAccepted() {
        addAccepted(-2);
    }

    final void addAccepted(long twice) {
        ACCEPTED.lazySet(this, accepted + twice);
    }

    final void countRefused(long events) {
        REFUSED.lazySet(this, refused + events);
    }

    /** An event was accepted: for its stage, and the observer, if there is one. */
    final void countSent(int number, StageImpl<?> stage) {
        stages.countSent(stage.index());
        HandlerObserver observer = this.observer;
        if (observer != null) {
            observer.sent(stage, number - 1);
        }
    }

    /** With an undecided one: see {@link OutsideSender}. */
    final long acceptedAcquire() {
        return acceptedTwice() >> 1;
    }

    final long acceptedTwice() {
        return accepted;
    }

    final long refusedAcquire() {
        return refused;
    }
}
