// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import io.mely.spi.NanoClock;
import org.jspecify.annotations.Nullable;

/**
 * Events of stages that are called by their senders: the handler runs on the sender's thread, before the send returns.
 *
 * <p>That is done for an event without a color, and for one in the color whose event the thread is running: it is serial, and in order with that one. What has another color is
 * sent as to a stage of the group {@code main}. So is what goes to a stage whose handler the thread is in: a handler is never entered again before it has returned, and a cycle of called stages takes no more stack than one round.
 *
 * <p>Such an event never waits. So it is not in the books of what is pending, only in the figures of its stage; its time is also part of the event that sent it. A close does not wait for a call from outside, which is the caller's own doing.
 *
 * <p><b>Threads.</b> Any. <b>Source.</b> spec: stages §1.1.
 */
final class Calls {
    private final MelyRuntime runtime;
    private final Lifecycle life;
    private final OutsideSenders outside;
    private final NanoClock clock;

    /** Of threads that are no workers. */
    private final ThreadLocal<CallChain> chains = ThreadLocal.withInitial(CallChain::new);

    Calls(MelyRuntime runtime, Lifecycle life, OutsideSenders outside) {
        this.runtime = runtime;
        this.life = life;
        this.outside = outside;
        clock = runtime.config().hooks().clock();
    }

    /** Whether a worker, or a thread that is none, may call the handler of an event. */
    boolean mayCall(@Nullable EventWorker worker, int number, StageImpl<?> stage) {
        if (worker == null) {
            return number == ColorIndex.NONE && !chains.get().contains(stage.index());
        }
        boolean isColorOurs = number == ColorIndex.NONE || (worker.turn.isRunning && worker.turn.number == number);
        return isColorOurs && worker.sender.stages.running() != stage.index() && !worker.calls.contains(stage.index());
    }

    /** Calls the handler. False if refused: after the close has begun, or for handlers after the stop. */
    boolean call(@Nullable EventWorker worker, StageImpl<?> stage, @Nullable Object event) {
        boolean isRefused = worker == null ? life.isDraining() : !life.maySend(worker.turn.isRunning);
        if (isRefused || !stage.mayPass(event)) {
            countRefused(worker);
            return false;
        }
        Sender sender = worker == null ? null : worker.sender;
        int caller = sender == null ? -1 : sender.stages.running();
        CallChain chain = worker == null ? chains.get() : worker.calls;
        boolean isFirst = chain.isEmpty() && caller >= 0; // the caller had a queue
        if (isFirst) {
            chain.enter(caller);
        }
        chain.enter(stage.index());
        count(sender, stage);
        boolean isTimed = stage.isCallTimed();
        long startNs = isTimed ? clock.nanoTime() : 0;
        try {
            handle(worker, stage, event);
        } finally {
            chain.leave();
            if (isFirst) {
                chain.leave();
            }
            if (sender != null) {
                sender.stages.running(caller);
            }
        }
        if (isTimed) {
            long tookNs = clock.nanoTime() - startNs;
            stage.sample(tookNs); // unless it is annotated
            sample(sender, stage, tookNs);
            stage.ran(event, tookNs);
        }
        return true;
    }

    /** As {@link EventWorker} calls a handler: what it throws is reported, and an interrupt that it leaves is not for its sender. On a thread that is no worker that is the thread's own matter. */
    private void handle(@Nullable EventWorker worker, StageImpl<?> stage, @Nullable Object event) {
        try {
            stage.handle(event);
        } catch (Throwable e) {
            stage.countFailed();
            clearInterrupt(worker);
            runtime.handlerFailed(worker, stage, event, e);
        }
        clearInterrupt(worker);
    }

    private static void clearInterrupt(@Nullable EventWorker worker) {
        if (worker != null) {
            EventWorker.clearInterrupt();
        }
    }

    private void countRefused(@Nullable EventWorker worker) {
        if (worker != null) {
            worker.sender.countRefused(1);
            return;
        }
        OutsideSender shared = outside.shared();
        synchronized (shared) {
            shared.countRefused(1);
        }
    }

    private void count(@Nullable Sender sender, StageImpl<?> stage) {
        if (sender != null) {
            sender.stages.countSent(stage.index());
            sender.stages.countRun(stage.index());
            return;
        }
        OutsideSender shared = outside.shared();
        synchronized (shared) {
            shared.stages.countSent(stage.index());
            shared.stages.countRun(stage.index());
            shared.stages.running(-1);
        }
    }

    private void sample(@Nullable Sender sender, StageImpl<?> stage, long tookNs) {
        if (sender != null) {
            sender.stages.sample(stage.index(), tookNs, tookNs);
            return;
        }
        OutsideSender shared = outside.shared();
        synchronized (shared) {
            shared.stages.sample(stage.index(), tookNs, tookNs);
        }
    }
}
