// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.RunnableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;

/**
 * A color as the JDK's executor service. Each command is an event of the color, and is in a list of its executor as well, where a shutdown finds it; who of
 * the two comes first has it: see {@link Command}.
 *
 * <h2>Phases</h2>
 *
 * <pre>
 *   OPEN ──shutdown──► SHUTDOWN ──────────────────┐
 *    │                    │                       ├──nothing pending, nothing running──► TERMINATED
 *    └──────────shutdownNow, end of the runtime──► STOP ──┘
 * </pre>
 *
 * <h2>Nothing lost</h2>
 *
 * A sender puts its command into the list, then reads the phase, and only then sends the event. A shutdown writes the phase, and then walks through the list. So
 * either the sender sees the shutdown and takes its command back, or the shutdown sees the command. Whoever ends a command, or takes one, looks at the phase after that, and if it is
 * not open at the list: the last of them finds all done, and terminates the executor. The list of what was sent is looked at before that of what is delayed, as a periodic
 * command goes from the one to the other.
 */
final class ColorExecutor extends AbstractExecutorService implements ScheduledExecutorService {
    private static final int OPEN = 0;
    private static final int SHUTDOWN = 1;
    private static final int STOP = 2;
    private static final int TERMINATED = 3;

    /** 73 years, so that differences of times do not overflow. */
    private static final long DELAY_NS_MAX = Long.MAX_VALUE / 4;

    private static final VarHandle PHASE;
    private static final VarHandle SEQUENCE;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            PHASE = lookup.findVarHandle(ColorExecutor.class, "phase", int.class);
            SEQUENCE = lookup.findVarHandle(ColorExecutor.class, "sequence", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final ColorImpl color;

    /** Sent to the color. */
    final CommandStack sent = new CommandStack();

    /** Waiting for their time. What is done is taken out by who made it so. */
    final ConcurrentSkipListSet<DelayedCommand> delayed = new ConcurrentSkipListSet<>();

    private final CountDownLatch terminated = new CountDownLatch(1);
    private volatile int phase; // forward only

    @SuppressWarnings("UnusedVariable") // SEQUENCE
    private volatile long sequence;

    ColorExecutor(ColorImpl color) {
        this.color = color;
    }

    ColorImpl color() {
        return color;
    }

    // ------------------------------------------------------------------ commands without a delay

    @Override
    public void execute(Runnable command) {
        Objects.requireNonNull(command, "command");
        StackRoom.check(); // also for taking it back
        if (phase != OPEN) {
            throw shutDown();
        }
        Command event = new Command(this, command);
        boolean isKept = false;
        try {
            sent.push(event);
            isKept = phase == OPEN && color.sendEvent(color.runtime().executeStage(), event);
        } finally {
            if (!isKept) {
                isKept = !executeTakeBack(event); // else a shutdown has it
            }
        }
        if (!isKept) {
            throw phase != OPEN ? shutDown() : refused();
        }
    }

    private boolean executeTakeBack(Command event) {
        if (event.take() == null) {
            return false;
        }
        sent.popDone();
        commandEnded();
        return true;
    }

    @Override
    protected <T> RunnableFuture<T> newTaskFor(Callable<T> callable) {
        return new CommandFuture<>(this, callable);
    }

    @Override
    protected <T> RunnableFuture<T> newTaskFor(Runnable runnable, T value) {
        return new CommandFuture<>(this, Executors.callable(runnable, value));
    }

    @Override
    public <T> List<Future<T>> invokeAll(Collection<? extends Callable<T>> commands) throws InterruptedException {
        beforeInvoke(commands);
        return super.invokeAll(commands);
    }

    @Override
    public <T> List<Future<T>> invokeAll(Collection<? extends Callable<T>> commands, long timeout, TimeUnit unit)
            throws InterruptedException {
        beforeInvoke(commands);
        return super.invokeAll(commands, timeout, unit);
    }

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

    private <V> ScheduledFuture<V> start(Callable<V> callable, long delay, long periodNs, TimeUnit unit) {
        Objects.requireNonNull(unit, "unit");
        StackRoom.check(); // also for taking it back
        long delayNs = Math.max(0, Math.min(unit.toNanos(delay), DELAY_NS_MAX));
        ScheduledCommand<V> future = new ScheduledCommand<>(this, callable, nowNs() + delayNs, periodNs);
        if (delayNs == 0) {
            execute(future); // in order with what is executed
        } else if (phase != OPEN || !delay(future)) {
            throw phase != OPEN ? shutDown() : refused();
        }
        return future;
    }

    /**
     * Lets a command wait for its time.
     *
     * @return false if the executor or the runtime is closed, and nothing was kept
     */
    boolean delay(ScheduledCommand<?> future) {
        DelayedCommand command = new DelayedCommand(this, future);
        boolean isKept = false;
        try {
            delayed.add(command);
            if (phase == OPEN && command.tryDecide()) {
                future.waitsAs(command);
                startTimer(command);
                isKept = !color.runtime().life().isDraining(); // which drops timers
            }
        } finally {
            if (!isKept) {
                isKept = !takeBack(command); // else it has run, or a shutdown has it
            } else if (future.isDone()) {
                forget(command); // cancelled before it was known where it waits
            }
        }
        return isKept;
    }

    private void startTimer(DelayedCommand command) {
        Duration delay = Duration.ofNanos(Math.max(0, command.timeNs - nowNs()));
        TimerEntry timer = (TimerEntry) color.schedule(delay, command);
        command.timer = timer;
        if (command.isTaken()) {
            timer.cancelChecked(); // but not if the event of another has run it, which may need this one: see
            // DelayedCommand
        }
    }

    /** Takes a delayed command that was cancelled. */
    void forget(DelayedCommand command) {
        boolean unused = takeBack(command);
    }

    private boolean takeBack(DelayedCommand command) {
        if (command.take() == null) {
            return false;
        }
        delayedTaken(command);
        commandEnded();
        return true;
    }

    private void delayedTaken(DelayedCommand command) {
        delayed.remove(command);
        TimerEntry timer = command.timer;
        if (timer != null) {
            timer.cancelChecked();
        }
    }

    /** The event of a timer. In the color. */
    void runFirstDue() {
        long nowNs = nowNs();
        for (DelayedCommand command : delayed) {
            if (command.timeNs - nowNs > 0) {
                return;
            }
            if (command.tryBegin()) {
                command.runBegun();
                return;
            }
        }
    }

    /** Of the runtime's clock, which the timers go by. */
    long nowNs() {
        return color.runtime().config().hooks().clock().nanoTime();
    }

    long nextSequence() {
        return (long) SEQUENCE.getAndAdd(this, 1L);
    }

    // ------------------------------------------------------------------ the end

    @Override
    public void shutdown() {
        StackRoom.check();
        advance(SHUTDOWN);
        cancelAll(take(Command::isPeriodic));
        tryTerminate();
    }

    @Override
    public List<Runnable> shutdownNow() {
        List<Runnable> neverBegun = discard();
        sent.interruptRunning();
        for (DelayedCommand command : delayed) {
            command.interruptIfRunning();
        }
        return neverBegun;
    }

    /** Shuts down, and lets nothing begin that has not. */
    List<Runnable> discard() {
        StackRoom.check();
        advance(STOP);
        List<Runnable> neverBegun = take(command -> true);
        cancelAll(neverBegun);
        tryTerminate();
        return neverBegun;
    }

    private List<Runnable> take(Predicate<Command> condition) {
        List<Runnable> taken = new ArrayList<>(sent.take(condition));
        for (DelayedCommand command : delayed) {
            Runnable body = condition.test(command) ? command.take() : null;
            if (body != null) {
                taken.add(body);
                delayedTaken(command);
            }
        }
        return taken;
    }

    /** Nobody is to wait for ever for what will never run. */
    private static void cancelAll(List<Runnable> commands) {
        for (Runnable command : commands) {
            if (command instanceof RunnableFuture<?> future) {
                try {
                    if (future instanceof ScheduledCommand<?> ours) {
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

    /** After a command is done. */
    void commandEnded() {
        if (phase != OPEN) {
            tryTerminate();
        }
    }

    private void tryTerminate() {
        if (sent.areAllDone() && areAllDelayedDone() && advance(TERMINATED)) {
            terminated.countDown();
        }
    }

    private boolean areAllDelayedDone() {
        for (DelayedCommand command : delayed) {
            if (!command.isDone()) {
                return false;
            }
        }
        return true;
    }

    private boolean advance(int to) {
        int from = phase;
        while (from < to) {
            if (PHASE.compareAndSet(this, from, to)) {
                return true;
            }
            from = phase;
        }
        return false;
    }

    @Override
    public boolean isShutdown() {
        return phase != OPEN;
    }

    /** Whether nothing begins any more. */
    boolean isStopped() {
        return phase >= STOP;
    }

    @Override
    public boolean isTerminated() {
        return phase == TERMINATED;
    }

    @Override
    public boolean awaitTermination(long timeout, TimeUnit unit) throws InterruptedException {
        if (unit.toNanos(timeout) > 0 && !isTerminated()) {
            color.checkMayWait();
        }
        return terminated.await(timeout, unit);
    }

    private RejectedExecutionException shutDown() {
        return new RejectedExecutionException("the executor is shut down: color=" + color.slot());
    }

    private RejectedExecutionException refused() {
        return new RejectedExecutionException("refused, closed or full: color=" + color.slot());
    }

    @Override
    public String toString() {
        String name = switch (phase) {
            case OPEN -> "open";
            case TERMINATED -> "terminated";
            default -> "shut down";
        };
        return "ColorExecutor{color=" + color.slot() + ", phase=" + name + "}";
    }
}
