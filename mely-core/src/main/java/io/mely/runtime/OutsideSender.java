// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import java.lang.ref.WeakReference;
import org.jspecify.annotations.Nullable;

/**
 * The sender of a thread that is no core: a close may refuse it at any time.
 *
 * <p>It counts an event before it knows whether a close refuses it, and takes the count back if so. Until it has decided
 * its counter is odd. A drain waits for it; the books do not count it. The close sees each counter even once before it makes its report:
 * what is odd after that read the phase after the stop, and will be taken back.
 *
 * <pre>
 *   countUndecided    release of the counter
 *   a full fence      Mely's: the claim in the inbox, so that a send has no other
 *   admit             reads the phase; counts the event before it is published
 * </pre>
 *
 * <p><b>Threads.</b> As {@link Sender}; the one of all virtual threads, whoever holds its monitor.
 */
final class OutsideSender extends Sender implements Inbox.Admission {
    private final MelyRuntime runtime;
    private final WeakReference<@Nullable Thread> owner;
    private int refusedFromPhase;
    private @Nullable Runnable beforeDecided; // of the result that is being sent; a thread's own sender has none

    /** Of a thread; of none: of all virtual ones. */
    OutsideSender(MelyRuntime runtime, @Nullable Thread owner) {
        super(runtime, HandlerObserver.OUTSIDE);
        this.runtime = runtime;
        this.owner = new WeakReference<>(owner);
    }

    /** Its thread has died. */
    boolean isOfNobody() {
        Thread thread = owner.get();
        return thread == null || !thread.isAlive();
    }

    /** Takes over the records and the counts of a sender whose thread has died. May find no memory; then all but counts of stages stand. */
    void inherit(OutsideSender dead) {
        stages.addAll(dead.stages);
        addAccepted(2 * dead.decidedAcquire());
        countRefused(dead.refusedAcquire());
        dead.pool.drainTo(pool);
    }

    /** Before the full fence, after which {@link #admit} is called. */
    void countUndecided(int fromPhase) {
        refusedFromPhase = fromPhase;
        addAccepted(3);
    }

    @Override
    public boolean admit() {
        if (runtime.life().isAtLeast(refusedFromPhase)) {
            return false;
        }
        Runnable before = beforeDecided;
        if (before != null) {
            before.run();
        }
        addAccepted(-1);
        return true;
    }

    /**
     * For what must be in the books before the close makes its report, which waits for who is undecided.
     *
     * @param before called when a send is admitted, before that is decided; null: nothing
     */
    void beforeDecided(@Nullable Runnable before) {
        beforeDecided = before;
    }

    /** The close came first. */
    void decideRefused() {
        addAccepted(-3);
        countRefused(1);
    }

    boolean isUndecided() {
        return (acceptedTwice() & 1) != 0;
    }

    /** Accepted without an undecided one. */
    long decidedAcquire() {
        long twice = acceptedTwice();
        return (twice & 1) != 0 ? (twice - 3) >> 1 : twice >> 1;
    }
}
