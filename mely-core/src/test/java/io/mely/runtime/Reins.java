// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import io.mely.Mely;
import io.mely.Timer;
import org.jspecify.annotations.Nullable;

/**
 * What a simulator needs of a runtime and its package does not show: the parts of the loop, of a close and of a sending thread's identity,
 * one call each. The runtime is accepting and has no threads.
 *
 * <p><b>Threads.</b> One, a {@link CoreThread}.
 */
public final class Reins {
    private final MelyRuntime runtime;
    private final Core[] cores;

    /** Builds and starts a runtime that nobody steps yet. */
    public Reins(RuntimeConfig config) {
        runtime = new MelyRuntime(config, Machines.of(config));
        cores = new Core[runtime.cores()];
        for (int i = 0; i < cores.length; i++) {
            cores[i] = runtime.core(i);
        }
        runtime.startAccepting();
    }

    /** The runtime. */
    public Mely mely() {
        return runtime;
    }

    // ------------------------------------------------------------------ who the calling thread is

    /** What {@link #become} needs to make the calling thread somebody else. */
    public record Identity(int core, @Nullable Object sender) {}

    /** A new outside thread. */
    public Identity newOutsider() {
        return new Identity(-1, runtime.outside().becomeNew());
    }

    /** Makes the calling thread a core, an outside thread, or nobody. */
    public void become(@Nullable Identity identity) {
        ((CoreThread) Thread.currentThread()).core =
                identity == null || identity.core < 0 ? null : cores[identity.core];
        if (identity != null && identity.sender != null) {
            runtime.outside().become((OutsideSenders.Place) identity.sender);
        }
    }

    /** Makes the calling thread nobody for good: as long as it holds a sender, the thread holds the whole runtime. */
    public void forgetSelf() {
        become(null);
        runtime.outside().become(null);
    }

    // ------------------------------------------------------------------ the loop of a core

    /** One turn. */
    public int step(int core) {
        return cores[core].step();
    }

    /** See Core.rest: true if it only spun. */
    public boolean restSpins(int core) {
        return cores[core].restSpins();
    }

    /** See Core.rest: true if the core would now block. */
    public boolean restBegin(int core) {
        return cores[core].restBegin();
    }

    /** For how long it would block. */
    public long restTimeoutNs(int core) {
        return cores[core].restTimeoutNs();
    }

    /** What a poller asks after its own announcement. */
    public boolean mayBlock(int core) {
        return cores[core].mayBlock();
    }

    /** After the sleep. */
    public void restEnd(int core) {
        cores[core].restEnd();
    }

    /** The last thing a core does. */
    public void loopEnd(int core) {
        cores[core].loopEnd();
    }

    // ------------------------------------------------------------------ a close

    /** From here on events from outside are refused. */
    public void closeBegin() {
        runtime.closeBegin();
    }

    /** Whether the books are closed, or the runtime has stopped for another reason. */
    public boolean closeIsDrained() {
        return runtime.closeIsDrained();
    }

    /** From here on no event runs. */
    public void closeStop() {
        runtime.closeStop();
    }

    /** Whether the books stand still. */
    public boolean closeIsDecided() {
        return runtime.closeIsDecided();
    }

    /** After every core has ended its loop and all is decided. */
    public Mely.CloseReport closeReport() {
        return runtime.closeReport(true, 0);
    }

    // ------------------------------------------------------------------ looks

    /** Whether no event may run any more. */
    public boolean isStopped() {
        return runtime.isStopped();
    }

    /** Whether a close has begun. */
    public boolean isDraining() {
        return runtime.isDraining();
    }

    /** Slot of the color whose handler is under way; -1 if none. */
    public int runningSlot(int core) {
        ColorImpl color = cores[core].runningColor();
        return color == null ? -1 : color.slot();
    }

    /** Whether somebody holds the lock of a core. */
    public boolean isLocked(int core) {
        return cores[core].queue().isLocked();
    }

    /** Takes the lock of a core, as a thief does. */
    public boolean tryLock(int core) {
        return cores[core].queue().tryLock();
    }

    /** Gives it back. */
    public void unlock(int core) {
        cores[core].queue().unlock();
    }

    /** Checks the queues of a core. */
    public void validate(int core) {
        cores[core].queue().validate();
    }

    /** Whether a core has something to run or to move. */
    public boolean hasWork(int core) {
        return cores[core].queue().hasWork();
    }

    /** Its ready colors. */
    public int readyCount(int core) {
        return cores[core].queue().readyCount();
    }

    /** What its queues hold, for a trace. */
    public String queueText(int core) {
        return cores[core].queue().toString();
    }

    /** Core that a timer belongs to. */
    public int timerOwner(Timer timer) {
        return ((TimerEntry) timer).owner.core();
    }

    /** When it is due. */
    public long timerDeadlineNs(Timer timer) {
        return ((TimerEntry) timer).deadlineNs;
    }

    /** Announced sleeps. */
    public int sleepers() {
        return runtime.wakeups().sleepers();
    }

    /** Thieves that look for loot, or were called for it. */
    public int searchers() {
        return runtime.wakeups().searchers();
    }
}
