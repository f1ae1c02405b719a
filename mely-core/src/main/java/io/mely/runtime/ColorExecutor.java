// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.RunnableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A color as the JDK's executor service. Each command is an event of the color, sent at once or by a timer, and is in a list of its executor until it begins, where a shutdown finds it: see {@link Command}.
 *
 * <h2>One short lock</h2>
 *
 * One lock guards what has not begun, how many have not ended, and the phase. Nothing of the runtime or of a user is called under it: no event is sent, no timer is started, nothing is run, cancelled or interrupted.
 * So only users of this executor wait for it, each for a few steps of another. A core that runs a command is one of them. It is a monitor, as a thread that waits for one needs no memory of the heap.
 *
 * <pre>
 *   OPEN ──shutdown──► SHUTDOWN ──────────────────┐
 *    │                    │                       ├──nothing unfinished──► terminated
 *    └──────────shutdownNow, end of the runtime──► STOP ──┘
 * </pre>
 *
 * <h2>The order of times</h2>
 *
 * One core looks after all timers of an executor, wherever its color lives and whoever starts them. It fires them in the order of their times, and events of one sender run in the order sent.
 */
final class ColorExecutor extends AbstractExecutorService implements ScheduledExecutorService {
    private static final int OPEN = 0;
    private static final int SHUTDOWN = 1;
    private static final int STOP = 2;

    /** 73 years, so that differences of times do not overflow. */
    private static final long DELAY_NS_MAX = Long.MAX_VALUE / 4;

    private final ColorImpl color;
    private final Core timerCore;
    private final CountDownLatch terminated = new CountDownLatch(1);

    /** The thread that runs a command. Null when none does, and while somebody interrupts it. */
    private final AtomicReference<@Nullable Thread> runner = new AtomicReference<>();

    final Object lock = new Object();

    /** Head of the list of what has not begun, oldest first. */
    final Command head = new Command(this, () -> {}); // its links are guarded by the lock

    private int unfinished; // guarded by the lock; commands that were accepted and have no end yet
    private volatile int phase; // forward only; written under the lock

    ColorExecutor(ColorImpl color) {
        this.color = color;
        timerCore = color.runtime().core(color.homeCore());
    }

    ColorImpl color() {
        return color;
    }

    // ------------------------------------------------------------------ commands without a delay

    @Override
    public void execute(Runnable command) {
        Objects.requireNonNull(command, "command");
        StackRoom.check(); // also for taking it back
        if (!give(new Command(this, command), null)) {
            throw refusal();
        }
    }

    /**
     * Puts a command into the list, and then sends it or starts its timer.
     *
     * @return false if the executor or the runtime is closed or full, and nothing was kept
     */
    private boolean give(Command command, @Nullable TimerEntry timer) {
        synchronized (lock) {
            if (phase != OPEN) {
                return false;
            }
            link(command);
        }
        boolean isKept = false;
        try {
            isKept = timer == null
                    ? color.sendEvent(color.runtime().executeStage(), command)
                    : color.runtime().startTimer(timer);
        } finally {
            if (!isKept) {
                isKept = !takeBack(command); // else a shutdown has it
            }
        }
        return isKept;
    }

    /** With the lock. */
    void link(Command command) {
        command.link(head);
        unfinished++;
    }

    private boolean takeBack(Command command) {
        boolean isTaken;
        synchronized (lock) {
            isTaken = command.unlink();
        }
        if (isTaken) {
            finished(1);
        }
        return isTaken;
    }

    @Override
    protected <T> RunnableFuture<T> newTaskFor(Callable<T> callable) {
        return new CommandFuture<>(this, callable, 0, 0); // nobody asks for its time
    }

    @Override
    protected <T> RunnableFuture<T> newTaskFor(Runnable runnable, T value) {
        return newTaskFor(Executors.callable(runnable, value));
    }

    /** Unlike {@code invokeAll}, it does not wait in the {@code get} of a {@link CommandFuture}, which throws in this color. */
    @Override
    public <T> T invokeAny(Collection<? extends Callable<T>> commands) throws InterruptedException, ExecutionException {
        beforeInvoke(commands);
        return super.invokeAny(commands);
    }

    @Override
    public <T> T invokeAny(Collection<? extends Callable<T>> commands, long timeout, TimeUnit unit)
            throws InterruptedException, ExecutionException, TimeoutException {
        beforeInvoke(commands);
        return super.invokeAny(commands, timeout, unit);
    }

    private void beforeInvoke(Collection<?> commands) {
        if (!commands.isEmpty()) {
            color.checkMayWait();
        }
    }

    // ------------------------------------------------------------------ commands for later

    @Override
    public ScheduledFuture<?> schedule(Runnable command, long delay, TimeUnit unit) {
        return start(Executors.callable(command), delay, 0, unit);
    }

    @Override
    public <V> ScheduledFuture<V> schedule(Callable<V> callable, long delay, TimeUnit unit) {
        return start(Objects.requireNonNull(callable, "callable"), delay, 0, unit);
    }

    @Override
    public ScheduledFuture<?> scheduleAtFixedRate(Runnable command, long initialDelay, long period, TimeUnit unit) {
        Callable<?> callable = Executors.callable(command);
        return start(callable, initialDelay, periodNs("period", period, unit), unit);
    }

    @Override
    public ScheduledFuture<?> scheduleWithFixedDelay(Runnable command, long initialDelay, long delay, TimeUnit unit) {
        Callable<?> callable = Executors.callable(command);
        return start(callable, initialDelay, -periodNs("delay", delay, unit), unit);
    }

    private static long periodNs(String name, long period, TimeUnit unit) {
        Objects.requireNonNull(unit, "unit");
        if (period <= 0) {
            throw new IllegalArgumentException(name + " must be > 0: " + name + "=" + period);
        }
        return Math.min(unit.toNanos(period), DELAY_NS_MAX);
    }

    /** A delay of nothing is no delay: such a command keeps its place among those that are executed. */
    private <V> ScheduledFuture<V> start(Callable<V> callable, long delay, long periodNs, TimeUnit unit) {
        Objects.requireNonNull(unit, "unit");
        StackRoom.check(); // also for taking it back
        long delayNs = Math.max(0, Math.min(unit.toNanos(delay), DELAY_NS_MAX));
        CommandFuture<V> future = new CommandFuture<>(this, callable, nowNs() + delayNs, periodNs);
        if (delayNs == 0) {
            execute(future);
        } else if (!delay(future)) {
            throw refusal();
        }
        return future;
    }

    /** Lets a command wait for its time. False if the executor or the runtime is closed, and nothing was kept. */
    boolean delay(CommandFuture<?> future) {
        Command command = new Command(this, future);
        TimerEntry timer = new TimerEntry(timerCore, color, color.runtime().executeStage(), command, future.timeNs);
        future.timer = timer; // a cancel reads it; one that came before is seen below
        boolean isKept = give(command, timer);
        if (future.isDone()) {
            forget(timer);
        }
        return isKept;
    }

    /** Lets go of a delayed command that was cancelled, and of its timer. */
    void forget(TimerEntry timer) {
        if (timer.event instanceof Command command) {
            boolean unused = takeBack(command);
        }
        timer.cancelChecked();
    }

    /** Of the runtime's clock, which the timers go by. */
    long nowNs() {
        return color.runtime().config().hooks().clock().nanoTime();
    }

    // ------------------------------------------------------------------ from the beginning of a command to its end

    /** The event of a command. */
    @SuppressWarnings("ThreadPriorityCheck") // a hint; right without it
    void run(Command command) {
        synchronized (lock) {
            if (!command.unlink()) {
                return;
            }
            runner.set(Thread.currentThread());
        }
        try {
            command.body.run();
        } finally {
            while (!runner.compareAndSet(Thread.currentThread(), null)) {
                Thread.yield(); // an interrupt under way must not meet the next event
            }
            finished(1);
        }
    }

    private void interruptRunning() {
        Thread interrupted = runner.getAndSet(null);
        if (interrupted != null) {
            try {
                interrupted.interrupt();
            } finally {
                runner.set(interrupted);
            }
        }
    }

    /** So many commands have come to their end. The last of them terminates an executor that is shut down. */
    private void finished(int count) {
        boolean isOver;
        synchronized (lock) {
            unfinished -= count;
            isOver = unfinished == 0 && phase != OPEN;
        }
        if (isOver) {
            terminated.countDown();
        }
    }

    // ------------------------------------------------------------------ the end

    @Override
    public void shutdown() {
        List<Runnable> unused =
                advance(SHUTDOWN, body -> body instanceof CommandFuture<?> future && future.isPeriodic());
    }

    @Override
    public List<Runnable> shutdownNow() {
        List<Runnable> neverBegun = discard();
        interruptRunning();
        return neverBegun;
    }

    /** Shuts down, and lets nothing begin that has not. */
    List<Runnable> discard() {
        return advance(STOP, body -> true);
    }

    /** Goes on to a phase. Takes and cancels what has not begun and a condition is true of; returns it, oldest first. */
    private List<Runnable> advance(int to, Predicate<Runnable> condition) {
        StackRoom.check();
        List<Runnable> taken;
        synchronized (lock) {
            taken = new ArrayList<>(unfinished); // the last step that needs memory
            phase = Math.max(phase, to);
            Command command = head.next();
            while (command != head) {
                Command next = command.next();
                if (condition.test(command.body)) {
                    taken.add(command.body);
                    boolean unused = command.unlink();
                }
                command = next;
            }
        }
        try {
            cancelAll(taken);
        } finally {
            finished(taken.size());
        }
        return taken;
    }

    /** Nobody is to wait for ever for what will never run. */
    private static void cancelAll(List<Runnable> commands) {
        for (Runnable command : commands) {
            if (command instanceof RunnableFuture<?> future) {
                try {
                    if (future instanceof CommandFuture<?> ours) {
                        ours.cancelChecked(false);
                    } else {
                        future.cancel(false);
                    }
                } catch (RuntimeException e) { // of a future that is not ours, or of what it calls
                    Lifecycle.logError("a command could not be cancelled", e);
                }
            }
        }
    }

    @Override
    public boolean isShutdown() {
        return phase != OPEN;
    }

    /** Whether nothing begins any more. */
    boolean isStopped() {
        return phase == STOP;
    }

    @Override
    public boolean isTerminated() {
        return terminated.getCount() == 0;
    }

    @Override
    public boolean awaitTermination(long timeout, TimeUnit unit) throws InterruptedException {
        if (unit.toNanos(timeout) > 0 && !isTerminated()) {
            color.checkMayWait();
        }
        return terminated.await(timeout, unit);
    }

    private RejectedExecutionException refusal() {
        String why = phase != OPEN ? "the executor is shut down" : "refused, closed or full";
        return new RejectedExecutionException(why + ": color=" + color.slot());
    }

    @Override
    public String toString() {
        String name = isTerminated() ? "terminated" : phase != OPEN ? "shut down" : "open";
        return "ColorExecutor{color=" + color.slot() + ", phase=" + name + "}";
    }
}
