// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * The senders of threads that are not cores. A platform thread keeps one of its own; virtual threads share some, each under its monitor, as a
 * pool for each of millions would cost more than it saves.
 *
 * <p>The sender of a thread that has died is folded in: a shared one inherits its records and its counters.
 */
final class OutsideSenders {
    /** Senders of virtual threads, a power of two: as many of them run at once as there are CPUs, and most machines have fewer. */
    private static final int SHARED = 16;

    private final MelyRuntime runtime;

    /**
     * The sender of each thread. A simulator, in which one thread is many senders, sets it. Weak, as a sender leads to the runtime and so to the key of this thread-local: a thread would keep
     * both for as long as it lives.
     */
    final ThreadLocal<WeakReference<OutsideSender>> ofThread = ThreadLocal.withInitial(this::register);

    private final List<OutsideSender> owned = new ArrayList<>(); // guarded by this
    private final AtomicReferenceArray<@Nullable OutsideSender> shared = new AtomicReferenceArray<>(SHARED);

    OutsideSenders(MelyRuntime runtime) {
        this.runtime = runtime;
    }

    /** The calling thread's own sender; null to virtual threads. */
    @Nullable
    OutsideSender own() {
        return Threads.isVirtual(Thread.currentThread()) ? null : ofThread.get().get();
    }

    /** The sender of the calling thread if it has none of its own; hold its monitor. */
    OutsideSender shared() {
        long id = Thread.currentThread().getId();
        int index = (int) (id ^ id >>> 4) & SHARED - 1;
        OutsideSender known = shared.getAcquire(index);
        return known != null ? known : sharedMade(index);
    }

    private synchronized OutsideSender sharedMade(int index) {
        OutsideSender known = shared.getAcquire(index);
        if (known == null) {
            known = new OutsideSender(runtime, null);
            shared.setRelease(index, known);
        }
        return known;
    }

    private synchronized WeakReference<OutsideSender> register() {
        owned.removeIf(this::foldDead);
        OutsideSender sender = new OutsideSender(runtime, Thread.currentThread());
        owned.add(sender);
        return new WeakReference<>(sender);
    }

    private boolean foldDead(OutsideSender sender) {
        if (!sender.isOfNobody()) {
            return false;
        }
        OutsideSender heir = shared();
        synchronized (heir) {
            heir.inherit(sender);
        }
        return true;
    }

    synchronized long accepted() {
        return sum(Sender::acceptedAcquire);
    }

    synchronized long decided() {
        return sum(OutsideSender::decidedAcquire);
    }

    synchronized long refused() {
        return sum(Sender::refusedAcquire);
    }

    /** Adds what was counted for a stage. */
    synchronized void addTo(StageCounts.Count sum, int stage) {
        long unused = sum(sender -> {
            sender.stages.addTo(sum, stage);
            return 0;
        });
    }

    /** Some thread has counted an event and does not know yet whether a close refuses it. */
    synchronized boolean areUndecided() {
        return sum(sender -> sender.isUndecided() ? 1 : 0) != 0;
    }

    private long sum(ToLongFunction<OutsideSender> figure) {
        long sum = 0;
        for (int i = 0; i < SHARED; i++) {
            OutsideSender sender = shared.getAcquire(i);
            sum += sender == null ? 0 : figure.applyAsLong(sender);
        }
        for (OutsideSender sender : owned) {
            sum += figure.applyAsLong(sender);
        }
        return sum;
    }
}
