// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import io.mely.ModelCheck;
import io.mely.Stealing;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

// What is given to an executor is refused and never runs; or runs once; or never runs and is returned by a shutdown,
// once. After
// a shutdown, when all of that is decided and not before, it is terminated.
@Tag("model")
class ExecutorLincheckTest {
    /** One core, and one executor over a color of it. */
    public static class Model extends RuntimeModel {
        private static final int COMMANDS = 4;

        final Core core = runtime.core(0);
        final ColorExecutor executor = new ColorExecutor(color(1));
        private final Numbered[] commands = new Numbered[COMMANDS];
        private final boolean[] isAccepted = new boolean[COMMANDS];
        private final int[] ran = new int[COMMANDS];
        private final int[] returned = new int[COMMANDS];
        private final CommandFuture<?>[] futures = new CommandFuture<?>[COMMANDS];
        private volatile boolean isShutdown;

        /** The commands exist; none was given. */
        public Model() {
            super(1, Stealing.off(), ParkingPoller::new);
            for (int i = 0; i < COMMANDS; i++) {
                commands[i] = new Numbered(this, i);
            }
        }

        private record Numbered(Model model, int number) implements Runnable {
            @Override
            public void run() {
                check(!model.executor.isTerminated(), "runs after the end");
                model.ran[number]++;
            }
        }

        /** Gives a command. */
        public boolean execute(int number) {
            isAccepted[number] = execute(commands[number]);
            return isAccepted[number];
        }

        boolean execute(Runnable command) {
            try {
                executor.execute(command);
                return true;
            } catch (RejectedExecutionException e) {
                return false;
            }
        }

        /** Gives a command whose time has come. */
        public boolean delay(int number) {
            CommandFuture<?> future =
                    new CommandFuture<>(executor, Executors.callable(commands[number]), executor.nowNs(), 0);
            futures[number] = future;
            isAccepted[number] = delay(future);
            return isAccepted[number];
        }

        boolean delay(CommandFuture<?> future) {
            return executor.delay(future);
        }

        /** A turn of the core's loop. */
        public void turn() {
            if (!runtime.life().isStopped()) {
                core.step();
            }
        }

        /** No more commands. */
        public void shutdown() {
            isShutdown = true;
            executor.shutdown();
        }

        /** Returns what has not begun. */
        public void shutdownNow() {
            isShutdown = true;
            note(executor.shutdownNow());
        }

        private void note(List<Runnable> neverBegun) {
            for (Runnable command : neverBegun) {
                synchronized (returned) {
                    returned[numberOf(command)]++;
                }
            }
        }

        private int numberOf(Runnable command) {
            if (command instanceof Numbered numbered) {
                return numbered.number;
            }
            int number = 0;
            while (futures[number] != command) {
                number++;
            }
            return number;
        }

        /** A close of the runtime without patience. */
        public void stop() {
            isShutdown = true;
            runtime.life().closeBegin();
            runtime.life().closeStop();
            note(executor.discard());
        }

        /** The books close. */
        @Validate
        public void validate() {
            for (int i = 0; i < 4; i++) {
                turn();
            }
            check(thrown == null, "a command found: " + thrown);
            for (int i = 0; i < COMMANDS; i++) {
                check(
                        ran[i] + returned[i] == (isAccepted[i] ? 1 : 0),
                        "command " + i + ": accepted=" + isAccepted[i] + ", ran=" + ran[i] + ", returned="
                                + returned[i]);
            }
            check(executor.isTerminated() == isShutdown, "terminated too late, or too early");
            check(executor.head.next() == executor.head, "a command is left");
        }
    }

    /** Refuses what comes behind the end. */
    public static class Specification {
        private boolean isShutdown;

        /** Accepted before the end. */
        public boolean execute(int number) {
            return !isShutdown;
        }

        /** Accepted before the end. */
        public boolean delay(int number) {
            return !isShutdown;
        }

        /** Nothing that is seen. */
        public void turn() {}

        /** From here on everything is refused. */
        public void shutdown() {
            isShutdown = true;
        }

        /** From here on everything is refused. */
        public void shutdownNow() {
            isShutdown = true;
        }

        /** From here on everything is refused. */
        public void stop() {
            isShutdown = true;
        }
    }

    private static ModelCheck check(Class<? extends Model> model) {
        return RuntimeModel.check(model, Specification.class)
                .asSteps("java.util.concurrent.FutureTask", "java.util.concurrent.CountDownLatch")
                .scenario("", "execute 0; execute 1 | turn; turn | shutdownNow", "")
                .scenario("", "execute 0 | turn; turn | shutdown", "execute 2")
                .scenario("execute 0", "execute 1 | turn | shutdown; shutdownNow", "")
                .scenario("execute 0", "execute 1 | turn | stop", "execute 2")
                .scenario("", "delay 0; delay 1 | turn; turn | shutdownNow", "")
                .scenario("delay 0", "delay 1 | turn; turn; turn | shutdown", "")
                .scenario("delay 0", "delay 1 | turn | stop", "execute 2");
    }

    @Test
    void command_hasOneEnd() {
        check(Model.class).holds();
    }

    /** A sender that looks at the phase, and puts its command into the list later. */
    public static class EarlyLook extends Model {
        @Override
        boolean execute(Runnable command) {
            if (executor.isShutdown()) {
                return false;
            }
            Command event = new Command(executor, command);
            synchronized (executor.lock) {
                executor.link(event);
            }
            return executor.color().sendEvent(runtime.executeStage(), event);
        }
    }

    @Test
    void earlyLook_isFound() {
        check(EarlyLook.class).isBrokenBy(2);
    }

    /** A sender that sends, and then puts its command into the list. */
    public static class LateList extends Model {
        @Override
        boolean execute(Runnable command) {
            if (executor.isShutdown()) {
                return false;
            }
            Command event = new Command(executor, command);
            if (!executor.color().sendEvent(runtime.executeStage(), event)) {
                return false;
            }
            synchronized (executor.lock) {
                executor.link(event);
            }
            return true;
        }
    }

    @Test
    void lateList_isFound() {
        check(LateList.class).isBrokenBy(1);
    }

    /** A sender that leaves the lock to others. */
    public static class NoLock extends Model {
        @Override
        boolean execute(Runnable command) {
            if (executor.isShutdown()) {
                return false;
            }
            Command event = new Command(executor, command);
            executor.link(event);
            return executor.color().sendEvent(runtime.executeStage(), event);
        }
    }

    @Test
    void noLock_isFound() {
        check(NoLock.class).isBrokenBy(1);
    }

    /** A delayed command whose timer is started before it is in the list. */
    public static class EarlyTimer extends Model {
        @Override
        boolean delay(CommandFuture<?> future) {
            Command event = new Command(executor, future);
            boolean isStarted =
                    runtime.startTimer(new TimerEntry(core, executor.color(), runtime.executeStage(), event, 1));
            synchronized (executor.lock) {
                executor.link(event);
            }
            return isStarted;
        }
    }

    @Test
    void earlyTimer_isFound() {
        check(EarlyTimer.class).isBrokenBy(6);
    }
}
