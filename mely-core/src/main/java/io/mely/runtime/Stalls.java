// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import io.mely.MelyStats.PastStall;
import io.mely.MelyStats.StallStats;
import io.mely.StallListener;
import io.mely.StallListener.Stall;
import io.mely.spi.NanoClock;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Finds handlers that take too long, and says which they are. What it reads of a worker is a hint: it reads the count of runs before and after, and takes it for
 * true only if no handler has ended in between.
 *
 * <p><b>Threads.</b> {@link #look}: that of the {@link Watch}.
 */
final class Stalls {
    private static final System.Logger LOGGER = System.getLogger("io.mely");

    /** The last so many are kept, with their stacks, for who looks later. */
    private static final int KEPT = 8;

    private final MelyRuntime runtime;
    private final Core[] cores;
    private final long afterNs;
    private final StallListener listener;
    private final NanoClock clock;
    private volatile Told told = new Told(0, List.of()); // one writer: who looks

    /** How many were told, and the last of them. */
    private record Told(long count, List<Kept> last) {}

    private record Kept(Stall stall, long toldAtNs) {}

    Stalls(MelyRuntime runtime, Core[] cores, long afterNs, @Nullable StallListener listener) {
        this.runtime = runtime;
        this.cores = cores;
        this.afterNs = afterNs;
        this.listener = listener != null ? listener : stall -> LOGGER.log(Level.WARNING, describe(stall));
        clock = runtime.config().hooks().clock();
    }

    /** How long the next look may wait while a worker is in a handler. */
    long lookNs() {
        return Math.max(1_000_000, afterNs / 8);
    }

    /** Looks at every worker. Returns whether one is in a handler, also one that has lost its core to another. */
    boolean look(long nowNs) {
        boolean isInHandler = false;
        for (int i = 0; i < cores.length && afterNs != 0; i++) {
            for (CoreWorker worker : cores[i].crew().all()) {
                look(worker, nowNs);
                isInHandler |= worker.turn.isRunning;
            }
        }
        return isInHandler;
    }

    private void look(CoreWorker worker, long nowNs) {
        long ran = worker.runAcquire();
        if (!worker.turn.isRunning || ran != worker.stallRan) {
            worker.stallRan = ran;
            worker.stallSinceNs = nowNs;
            worker.isStallTold = false;
        } else if (!worker.isStallTold && nowNs - worker.stallSinceNs >= afterNs) {
            Stall stall = stallOf(worker, nowNs - worker.stallSinceNs);
            if (stall != null && worker.runAcquire() == ran) {
                worker.isStallTold = true;
                keep(stall, nowNs);
                tell(stall);
            }
        }
    }

    private void keep(Stall stall, long nowNs) {
        List<Kept> last = new ArrayList<>(told.last);
        if (last.size() == KEPT) {
            last.remove(0);
        }
        last.add(new Kept(stall, nowNs));
        told = new Told(told.count + 1, last);
    }

    /** What was told so far. Any thread. */
    StallStats stats() {
        Told told = this.told;
        long nowNs = clock.nanoTime();
        return new StallStats(
                told.count,
                told.last.stream()
                        .map(kept -> new PastStall(kept.stall, Duration.ofNanos(nowNs - kept.toldAtNs)))
                        .toList());
    }

    private void tell(Stall stall) {
        try {
            listener.onStall(stall);
        } catch (Throwable e) {
            Lifecycle.logError("the stall listener threw", e);
        }
    }

    /** What a worker is in; null if it is in no handler, or has no thread. */
    @Nullable
    Stall stallOf(EventWorker worker, long elapsedNs) {
        Thread thread = worker.thread;
        EventRecord record = worker.turn.isRunning ? worker.turn.first() : null;
        StageImpl<?> stage = record == null ? null : (StageImpl<?>) record.profile();
        if (thread == null || stage == null) {
            return null;
        }
        return new Stall(
                stage,
                runtime.runningColor(worker),
                worker.coreIndex(),
                thread,
                Duration.ofNanos(elapsedNs),
                List.of(thread.getStackTrace()));
    }

    /** For a message: the stage, the color, and the stack. */
    static String describe(Stall stall) {
        StringBuilder text = new StringBuilder("a handler takes long: stage="
                + stall.stage().name() + ", color="
                + (stall.color() == null ? "none" : stall.color().slot()) + ", core=" + stall.core() + ", thread="
                + stall.thread().getName() + ", elapsedMs=" + stall.elapsed().toMillis());
        for (StackTraceElement frame : stall.stack()) {
            text.append("\n    at ").append(frame);
        }
        return text.toString();
    }
}
