// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.simulate.machine;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The stacks of the cores. One goes on at a time: on JDK 21 and later they are continuations of one thread, where the JVM lets us have them
 * (a switch takes 0.2 us); else each is a thread that waits for its turn (5 to 10 us). The order, and so the result, is the same.
 */
public abstract class Strands {
    /** Of a machine that does not run. */
    static final Strands NONE = new Strands() {
        @Override
        void runAll() {}

        @Override
        void switchTo(int from, int to) {
            throw new IllegalStateException("not running");
        }
    };

    /** Makes threads that the runtime accepts as its cores'. */
    @FunctionalInterface
    public interface ThreadMaker {
        /**
         * Makes a thread.
         *
         * @param body what it runs
         * @param name of the thread
         * @return not started
         */
        Thread make(Runnable body, String name);
    }

    private Strands() {}

    /** Runs them until all have ended; throws what broke one of them. */
    abstract void runAll();

    /** From inside a strand: lets another go on; returns when this one's turn comes again. */
    abstract void switchTo(int from, int to);

    static Strands make(int cores, Vm.Body body, ThreadMaker threads, Vm vm) {
        boolean wantsThreads = Boolean.getBoolean("mely.simulate.threads");
        return Continuations.ARE_THERE && !wantsThreads
                ? new Continuations(cores, body, threads, vm)
                : new Threads(cores, body, threads, vm);
    }

    private static RuntimeException broken(Throwable cause) {
        return new IllegalStateException("the simulated runtime broke down: " + cause, cause);
    }

    /** A thread for each core. */
    private static final class Threads extends Strands {
        private static final int SPINS = 200;

        private final Thread[] all;
        private final Thread waiter = Thread.currentThread();
        private volatile int turn = -1;
        private volatile boolean isOver;
        private volatile @Nullable Throwable failure;

        Threads(int cores, Vm.Body body, ThreadMaker threads, Vm vm) {
            all = new Thread[cores];
            for (int i = 0; i < cores; i++) {
                int core = i;
                all[i] = threads.make(() -> live(core, body, vm), "virtual-core-" + i);
                all[i].setDaemon(true); // a broken simulation leaves the others waiting
            }
        }

        private void live(int core, Vm.Body body, Vm vm) {
            await(core);
            try {
                body.enter(core);
                body.run(core);
                int next = vm.ended();
                if (next < 0) {
                    over();
                } else {
                    give(next);
                }
            } catch (Throwable e) {
                failure = e;
                over();
            }
        }

        private void over() {
            isOver = true;
            LockSupport.unpark(waiter);
        }

        @Override
        void runAll() {
            for (Thread thread : all) {
                thread.start();
            }
            give(0);
            while (!isOver) {
                LockSupport.park(this);
            }
            Throwable cause = failure;
            if (cause != null) {
                throw broken(cause);
            }
        }

        @Override
        void switchTo(int from, int to) {
            give(to);
            await(from);
        }

        private void give(int to) {
            turn = to;
            LockSupport.unpark(all[to]);
        }

        private void await(int core) {
            for (int i = 0; turn != core; i++) {
                if (i < SPINS) {
                    Thread.onSpinWait();
                } else {
                    LockSupport.park(this);
                }
            }
        }
    }

    /** Continuations of one thread. The class is not public, so it is called by handles. */
    private static final class Continuations extends Strands {
        static final boolean ARE_THERE;
        private static final @Nullable MethodHandle NEW;
        private static final @Nullable MethodHandle RUN;
        private static final @Nullable MethodHandle YIELD;
        private static final @Nullable Object SCOPE;

        static {
            MethodHandle make = null;
            MethodHandle run = null;
            MethodHandle yield = null;
            Object scope = null;
            try {
                Class<?> scopeClass = Class.forName("jdk.internal.vm.ContinuationScope");
                Class<?> type = Class.forName("jdk.internal.vm.Continuation");
                MethodHandles.Lookup lookup = MethodHandles.lookup();
                scope = scopeClass.getConstructor(String.class).newInstance("virtual-machine");
                make = lookup.findConstructor(type, MethodType.methodType(void.class, scopeClass, Runnable.class))
                        .asType(MethodType.methodType(Object.class, Object.class, Runnable.class));
                run = lookup.findVirtual(type, "run", MethodType.methodType(void.class))
                        .asType(MethodType.methodType(void.class, Object.class));
                yield = lookup.findStatic(type, "yield", MethodType.methodType(boolean.class, scopeClass))
                        .asType(MethodType.methodType(boolean.class, Object.class));
            } catch (ReflectiveOperationException | RuntimeException e) {
                make = null; // an older JDK, or one that does not open the package to us
            }
            ARE_THERE = make != null;
            NEW = make;
            RUN = run;
            YIELD = yield;
            SCOPE = scope;
        }

        private final Object[] all;
        private final ThreadMaker threads;
        private final Vm.Body body;
        private int turn;
        private boolean isOver;

        Continuations(int cores, Vm.Body body, ThreadMaker threads, Vm vm) {
            this.threads = threads;
            this.body = body;
            all = new Object[cores];
            for (int i = 0; i < cores; i++) {
                int core = i;
                Runnable life = () -> {
                    body.run(core);
                    int next = vm.ended();
                    isOver = next < 0;
                    turn = next;
                };
                all[i] = call(() -> need(NEW).invokeExact(SCOPE, life));
            }
        }

        @Override
        void runAll() {
            Throwable[] failure = {null};
            Thread carrier = threads.make(
                    () -> {
                        try {
                            carry();
                        } catch (Throwable e) {
                            failure[0] = e;
                        }
                    },
                    "virtual-cores");
            carrier.start();
            boolean isInterrupted = false;
            while (carrier.isAlive()) {
                try {
                    carrier.join();
                } catch (InterruptedException e) {
                    isInterrupted = true;
                }
            }
            if (isInterrupted) {
                Thread.currentThread().interrupt();
            }
            if (failure[0] != null) {
                throw broken(failure[0]);
            }
        }

        private void carry() {
            while (!isOver) {
                body.enter(turn);
                Object strand = all[turn];
                call(() -> {
                    need(RUN).invokeExact(strand);
                    return strand;
                });
            }
        }

        @Override
        void switchTo(int from, int to) {
            turn = to;
            try {
                boolean unused = (boolean) need(YIELD).invokeExact(SCOPE);
            } catch (RuntimeException | Error e) {
                throw e;
            } catch (Throwable e) {
                throw broken(e);
            }
        }

        private static MethodHandle need(@Nullable MethodHandle handle) {
            if (handle == null) {
                throw new IllegalStateException("no continuations here");
            }
            return handle;
        }

        /** A call by handle. */
        private interface Call {
            Object call() throws Throwable;
        }

        private static Object call(Call what) {
            try {
                return what.call();
            } catch (RuntimeException | Error e) {
                throw e;
            } catch (Throwable e) {
                throw broken(e);
            }
        }
    }
}
