// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import io.mely.Mely;
import io.mely.Timer;
import java.lang.ref.WeakReference;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What a simulator needs of a runtime and its package does not show: the parts of the loop, of a close and of a sending thread's identity,
 * one call each. The runtime is accepting and has no threads.
 *
 * <p><b>Threads.</b> One, a {@link CoreThread}.
 */
public final class Reins {
    private final MelyRuntime runtime;
    private final Mely mely;
    private final Core[] cores;
    private final boolean hasGroups;

    /** Builds and starts a runtime that nobody steps yet. */
    public Reins(RuntimeConfig config) {
        runtime = new MelyRuntime(config, Machines.of(config));
        mely = ApiAccess.get().mely(runtime);
        cores = new Core[runtime.cores()];
        for (int i = 0; i < cores.length; i++) {
            cores[i] = runtime.core(i);
        }
        hasGroups = config.groups().values().stream().anyMatch(Objects::nonNull);
        runtime.life().startAccepting();
    }

    /** The runtime. */
    public Mely mely() {
        return mely;
    }

    // ------------------------------------------------------------------ who the calling thread is

    /** What {@link #become} needs to make the calling thread somebody else. */
    public record Identity(
            @Nullable Object worker, @Nullable WeakReference<?> sender) {}

    /** A new outside thread. */
    public Identity newOutsider() {
        runtime.outside().ofThread.remove();
        return new Identity(null, runtime.outside().ofThread.get());
    }

    /** A worker of a core. */
    public Identity worker(int core, int number) {
        return new Identity(cores[core].crew().all()[number], null);
    }

    /** How many workers a core has. */
    public int workers(int core) {
        return cores[core].crew().all().length;
    }

    /** Makes the calling thread a worker, an outside thread, or nobody. */
    @SuppressWarnings("unchecked") // of an outside thread, whose class is not public
    public void become(@Nullable Identity identity) {
        ((CoreThread) Thread.currentThread()).worker = identity == null ? null : (CoreWorker) identity.worker;
        if (identity != null && identity.sender != null) {
            runtime.outside().ofThread.set((WeakReference<OutsideSender>) identity.sender);
        }
    }

    /** Makes the calling thread nobody for good. */
    public void forgetSelf() {
        become(null);
        runtime.outside().ofThread.remove();
    }

    // ------------------------------------------------------------------ the loop of a core

    /** Whether a worker has its core. */
    public boolean hasCore(Identity worker) {
        return ((CoreWorker) worker.worker).hasCore == 1; // not by its method, which is woven
    }

    /** A worker that has lost its core has come to the end of its turn. */
    public void isSpare(Identity worker) {
        CoreWorker self = (CoreWorker) worker.worker;
        self.core.crew().give(self);
    }

    /** A spare worker that everything stops for. False if it is about to be given its core. */
    public boolean leaves(Identity worker) {
        CoreWorker self = (CoreWorker) worker.worker;
        return self.core.crew().leave(self);
    }

    /** A worker that was given its core. */
    public void takeOver(int core) {
        cores[core].takeOver();
    }

    /** The worker ends its core's life, as everything stops. False if it has lost the core. */
    public boolean losesCore(Identity worker) {
        return ((CoreWorker) worker.worker).loseCore();
    }

    /** A look of the watch. */
    public void look() {
        runtime.watch().look(0);
    }

    /** Whether a core has announced a sleep, and nobody has woken it. */
    public boolean isAsleep(int core) {
        return cores[core].sleepFlag.get() == Wakeups.SLEEPING; // not by its method, which is woven
    }

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
        cores[core].end();
    }

    // ------------------------------------------------------------------ a close

    /** From here on events from outside are refused. */
    public void closeBegin() {
        runtime.life().closeBegin();
    }

    /** Whether the books are closed, or the runtime has stopped for another reason. */
    public boolean closeIsDrained() {
        return runtime.life().closeIsDrained();
    }

    /** From here on no event runs. */
    public void closeStop() {
        runtime.life().closeStop();
    }

    /** Whether the books stand still. */
    public boolean closeIsDecided() {
        return runtime.life().closeIsDecided();
    }

    /** After every core has ended its loop and all is decided. */
    public Mely.CloseReport closeReport() {
        return runtime.life().closeReport(true, 0);
    }

    // ------------------------------------------------------------------ looks

    /** Whether no event may run any more. */
    public boolean isStopped() {
        return runtime.life().isStopped();
    }

    /** Whether a close has begun. */
    public boolean isDraining() {
        return runtime.life().isDraining();
    }

    /** Slot of the color whose handler a worker runs; -1 if none. */
    public int runningSlot(Identity worker) {
        CoreWorker self = (CoreWorker) worker.worker;
        ColorImpl color = runtime.runningColor(self);
        return color == null ? -1 : color.slot();
    }

    /** Whether there are groups beside the cores' own colors, or supplies: then a color may run on another core than its home. */
    public boolean hasGroups() {
        return hasGroups || runtime.hasSupplies();
    }

    /** Whether somebody holds the lock of a core. */
    public boolean isLocked(int core) {
        return cores[core].queue().isLocked();
    }

    /** Takes the lock of a core, as a thief does. */
    public boolean tryLock(int core) {
        return cores[core].queue().lock.tryLock();
    }

    /** Gives it back. */
    public void unlock(int core) {
        cores[core].queue().unlock();
    }

    /** Checks the queues of a core. */
    public void validate(int core) {
        cores[core].queue().ready.validate();
        cores[core].parking().validate();
    }

    /** Whether a core has something to run or to move. */
    public boolean hasWork(int core) {
        return cores[core].queue().hasWork() || !cores[core].parking().isEmpty();
    }

    /** Its ready colors. */
    public int readyCount(int core) {
        return cores[core].queue().ready.count();
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
        return runtime.wakeups().sleepers.get();
    }

    /** Thieves that look for loot, or were called for it. */
    public int searchers() {
        return runtime.wakeups().searchers.get();
    }
}
