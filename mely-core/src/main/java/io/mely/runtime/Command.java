// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * One command of a {@link ColorExecutor}: the event that runs it, its place among the executor's commands, and who has it.
 *
 * <pre>
 *   UNDECIDED ──decide──► PENDING ──begin──► RUNNING ◄──► INTERRUPTING
 *       │                    │                  │
 *       └────────take────────┤                  └──end──► RAN
 *                            └──take──► TAKEN
 *
 *   UNDECIDED     its sender has yet to see that the executor is open; only delayed commands begin here
 *   PENDING       whoever comes first: the color begins it, or somebody takes it, and then it never runs
 *   RUNNING       the color
 *   INTERRUPTING  the color, which waits for the interrupting thread before it goes on to other events
 *   RAN, TAKEN    nobody: it is done
 * </pre>
 *
 * Each step is a compare-and-set, so of those who try one wins.
 */
class Command implements OwnEvent {
    /** Zero, so that the constructor need not write it. */
    private static final int PENDING = 0;

    static final int UNDECIDED = 1;
    private static final int RUNNING = 2;
    private static final int INTERRUPTING = 3;
    private static final int RAN = 4;
    private static final int TAKEN = 5;

    private static final VarHandle STATE;

    static {
        try {
            STATE = MethodHandles.lookup().findVarHandle(Command.class, "state", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    final ColorExecutor executor;

    /** Null once it has run or was taken, for the collector's sake; kept when it threw, for the error handler. */
    private @Nullable Runnable body;

    /** The thread that runs it; published by RUNNING. */
    private @Nullable Thread runner;

    private volatile int state;

    /** See {@link CommandStack}. */
    @Nullable
    Command older;

    Command(ColorExecutor executor, Runnable body) {
        this.executor = executor;
        this.body = body;
    }

    /** A delayed one. */
    Command(ColorExecutor executor, Runnable body, int state) {
        this(executor, body);
        this.state = state;
    }

    // ------------------------------------------------------------------ the color

    /** As an event of the color. */
    @Override
    public void run() {
        if (tryBegin()) {
            runBegun();
        }
    }

    final boolean tryBegin() {
        runner = Thread.currentThread();
        return casState(PENDING, RUNNING);
    }

    /** After {@link #tryBegin} said yes. */
    final void runBegun() {
        Runnable begun = body;
        assert begun != null : "who begins it has it";
        try {
            begun.run();
            body = null;
        } finally {
            end();
            leave();
            executor.commandEnded();
        }
    }

    @SuppressWarnings("ThreadPriorityCheck") // a hint; right without it
    private void end() {
        while (!casState(RUNNING, RAN)) {
            Thread.yield(); // an interrupt under way must not meet the next event
        }
    }

    /** Takes it off the list it is in. In the color, once it is done. */
    void leave() {
        CommandStack.skipDone(this);
    }

    // ------------------------------------------------------------------ any thread

    /** Says that the executor was open after the command was in its list. False if it was taken since. */
    final boolean tryDecide() {
        return casState(UNDECIDED, PENDING);
    }

    /** Takes the command, so that it never runs; null if somebody else has or had it. */
    final @Nullable Runnable take() {
        if (!casState(PENDING, TAKEN) && !casState(UNDECIDED, TAKEN)) {
            return null;
        }
        Runnable taken = body;
        body = null;
        return taken;
    }

    final boolean isDone() {
        return state >= RAN;
    }

    final boolean isTaken() {
        return state == TAKEN;
    }

    /** What it will run, if that is a periodic command; a hint. */
    final boolean isPeriodic() {
        return body instanceof ScheduledCommand<?> scheduled && scheduled.isPeriodic();
    }

    /** Interrupts the thread that runs it, if one does. */
    final void interruptIfRunning() {
        if (casState(RUNNING, INTERRUPTING)) {
            try {
                Thread thread = runner;
                assert thread != null : "published by RUNNING";
                thread.interrupt();
            } finally {
                STATE.setVolatile(this, RUNNING);
            }
        }
    }

    /** What an error handler is told of: the command that a user gave us, if the event was one of ours. After it threw. */
    static @Nullable Object reported(@Nullable Object event) {
        if (event instanceof Command command && command.body != null) {
            Runnable failed = command.body;
            command.body = null;
            return failed;
        }
        return event;
    }

    private boolean casState(int expected, int next) {
        return STATE.compareAndSet(this, expected, next);
    }

    @Override
    public String toString() {
        return "Command{" + body + "}";
    }
}
