// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import io.mely.Color;
import io.mely.DropHandler;
import io.mely.Handler;
import io.mely.Stage;
import io.mely.StageOptions;
import io.mely.StageStats;
import io.mely.Stealing;
import io.mely.admission.Admission;
import io.mely.spi.StageGroup;
import java.util.Objects;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/** A stage: a handler with its profile, its group, and the color it falls back to. */
final class StageImpl<E> extends HandlerProfile implements Stage<E> {
    /** One call in so many takes its time, as one event in so many that wait does. */
    private static final int CALLS_MASK = Sender.SAMPLE_INTERVAL - 1;

    private final Handler<E> handler;
    private final boolean isSingleThreaded;
    private final ColorImpl own;

    /** Kept here, as is the number of its color, so that a send need not wait for more lines than it must. */
    private final Sends sends;

    private final MelyRuntime runtime;
    private final int ownNumber;
    private final int index;
    private final @Nullable StageBound bound;
    private final @Nullable Admission admission;
    private volatile boolean hasAdmissionFailed;
    private final @Nullable DropHandler dropHandler;
    private volatile boolean hasDropFailed;
    private final LongAdder refused = new LongAdder();
    private final LongAdder failed = new LongAdder();
    private final long madeNs;

    // of a stage of another group than the colored one; set before the first event
    private int uncoloredNumber; // of an event that is sent without a color
    private boolean keepsColors;
    private boolean isCalled;
    private int calls;

    /** Of a stage with a supply: its place in {@link Parking}. Set before anybody knows the stage. */
    int supplyNumber = -1;

    StageImpl(String name, StageOptions options, Stealing stealing, Handler<E> handler, ColorImpl own) {
        super(name, options, stealing);
        this.handler = handler;
        this.own = own;
        runtime = own.runtime();
        sends = runtime.sends();
        isSingleThreaded = options.singleThreaded();
        ownNumber = own.number();
        uncoloredNumber = ownNumber;
        index = runtime.nextStageIndex();
        Admission.Factory admissions = options.admission();
        admission = admissions == null ? null : admissions.create(this);
        boolean isCounted = options.capacity() > 0 || admission != null;
        bound = isCounted ? new StageBound(options.capacity() > 0 ? options.capacity() : Integer.MAX_VALUE) : null;
        dropHandler = options.dropHandler();
        madeNs = nowNs();
    }

    /** Makes it a stage of a group. */
    void join(StageGroup group) {
        keepsColors = group.keepsColors();
        uncoloredNumber = isSingleThreaded || keepsColors ? ownNumber : ColorIndex.NONE;
        sink = group.sink(this);
    }

    /** Makes its sender call it, see {@link Calls}; what has another color waits in a group, or is colored. */
    void beCalled(@Nullable StageGroup group) {
        if (group != null) {
            join(group);
        }
        isCalled = true;
        uncoloredNumber = isSingleThreaded ? ownNumber : ColorIndex.NONE;
    }

    boolean isCalled() {
        return isCalled;
    }

    /** The color of an event that is not called after all: without a color it has none, or the one of the stage if it is colored. */
    int queuedNumber(int number) {
        return number == ColorIndex.NONE && sink == null ? ownNumber : number;
    }

    @Override
    public boolean offer(Color color, E event) {
        if (!(color instanceof ColorImpl to) || to.runtime() != runtime) {
            throw new IllegalArgumentException(
                    "color belongs to another runtime: color=" + color + ", stage=" + name());
        }
        return sendTo(to.number(), event);
    }

    @Override
    public boolean offer(long key, E event) {
        return sendTo(runtime.slotOf(key) + 1, event);
    }

    /** Sends an event that runs in a color, unless the stage is single-threaded. */
    private boolean sendTo(int number, E event) {
        return sends.send(isSingleThreaded ? ownNumber : number, this, event);
    }

    @Override
    public boolean offer(E event) {
        return sends.send(uncoloredNumber, this, event);
    }

    @Override
    public ColorImpl color() {
        return own;
    }

    // ------------------------------------------------------------------ bound and figures

    /** Its place in {@link StageCounts}. */
    int index() {
        return index;
    }

    /** Decides on an event that is about to be sent; if the stage has a bound or an admission, counts it, see {@link StageBound}. False if it is not let in. */
    boolean tryEnter(@Nullable Object event, boolean isDue) {
        return bound == null
                || ((admission == null || isDue || admission.admits(event, bound.waiting(), nowNs()))
                        && bound.tryEnter(isDue));
    }

    private long nowNs() {
        return runtime.config().hooks().clock().nanoTime();
    }

    /** The time of an event was taken. */
    void ran(@Nullable Object event, long sojournNs) {
        if (admission != null) {
            try {
                admission.ran(event, sojournNs, nowNs());
            } catch (Throwable e) { // no reason to end the core; said once, as each event would say it
                if (!hasAdmissionFailed) {
                    hasAdmissionFailed = true;
                    Lifecycle.logError("the admission of a stage threw; the stage goes on: stage=" + name(), e);
                }
            }
        }
    }

    /** The event's handler is about to be called, or it was refused after all and nobody holds a lock. */
    void leave() {
        if (bound != null) {
            bound.leave();
        }
    }

    /** The event was refused after all. Whoever calls this, perhaps under a monitor, comes to {@link #refused} next. */
    void giveBack() {
        if (bound != null) {
            bound.giveBack();
        }
    }

    /** Whether a call takes the time: for the profile, for an admission, and now and then for the figures. */
    boolean isCallTimed() {
        int call = calls + 1; // races are harmless: it is a sample
        calls = call;
        return admission != null || isTimed() || (call & CALLS_MASK) == 0;
    }

    /** Whether an event that does not wait is let in. */
    boolean mayPass(@Nullable Object event) {
        return bound == null
                || ((admission == null || admission.admits(event, bound.waiting(), nowNs())) && bound.hasRoom());
    }

    /** An event was refused to its sender, who holds no lock any more. */
    void refused(@Nullable Object event) {
        refused.increment();
        if (bound != null) {
            bound.look(); // it may have been in for a moment
        }
        if (dropHandler != null) {
            try {
                dropHandler.dropped(this, event);
            } catch (Throwable e) { // not the sender's; said once, as each event would say it
                if (!hasDropFailed) {
                    hasDropFailed = true;
                    Lifecycle.logError("the drop handler of a stage threw; the stage goes on: stage=" + name(), e);
                }
            }
        }
    }

    @Override
    public boolean whenRoom(Runnable action) {
        Objects.requireNonNull(action, "action");
        return bound != null && bound.callForRoom(action);
    }

    @Override
    public int waiting() {
        return bound == null ? 0 : bound.waiting();
    }

    /** The runtime has stopped: nobody waits for room any more. */
    void end() {
        if (bound != null) {
            bound.end();
        }
    }

    void countFailed() {
        failed.increment();
    }

    @Override
    public StageStats stats() {
        StageCounts.Count count = runtime.books().ofStage(index);
        return new StageStats(
                name(),
                nowNs() - madeNs,
                count.sent(),
                refused.sum(),
                count.run(),
                failed.sum(),
                Math.max(0, count.sent() - count.run()),
                count.service(),
                count.sojourn());
    }

    // ------------------------------------------------------------------ for those who send and run

    boolean isSingleThreaded() {
        return isSingleThreaded;
    }

    /** Whether an event goes to the stage's group at once, and not by way of its color. */
    boolean isLaneOfItsOwn(int number) {
        return sink != null && (number == ColorIndex.NONE || keepsColors);
    }

    /** Calls the handler. */
    @SuppressWarnings({"unchecked", "NullAway"}) // only send fills records, with an E
    void handle(@Nullable Object event) throws Exception {
        handler.handle((E) event);
    }
}
