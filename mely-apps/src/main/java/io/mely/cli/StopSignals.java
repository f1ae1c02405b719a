// SPDX-License-Identifier: Apache-2.0
package io.mely.cli;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Turns SIGTERM and SIGINT into a stop that was asked for, SIGHUP into a reload, and SIGUSR1 into reopening of logs.
 *
 * <pre>
 *              first signal              main is through
 *   RUNNING ──────────────────► STOPPING ──────────────────► exit 0
 *                                  │ second signal
 *                                  ▼
 *                               exit 128 + number, at once
 *
 *   SIGHUP, SIGUSR1 while RUNNING: main reloads, reopens; later: nothing
 * </pre>
 *
 * <p>A shutdown hook alone can't do this: after one the JVM exits with 143 whatever the hook did, and it ignores every further
 * signal. So the handlers of {@code sun.misc.Signal} (module {@code jdk.unsupported}, there on 17 and 25) are used, by
 * reflection, for javac warns of them in a way that can't be turned off under {@code -Werror}. Where they can't be
 * installed a shutdown hook takes over and ends with {@code halt(0)}; then a second signal does nothing. With
 * {@code -Xrs} the JVM leaves signals to the kernel, and neither works.
 *
 * <p>A signal that was ignored when the JVM started (as {@code nohup} and background jobs of a shell do) stays so.
 *
 * <p><b>Threads.</b> Any; a handler runs on a thread of its own.
 */
public final class StopSignals {
    private static final List<String> NAMES = List.of("TERM", "INT", "HUP", "USR1");

    /** Of the system; the same on all of Unix. */
    private static final int HANGUP = 1;

    /** As Linux counts; other systems are asked. */
    private volatile int reopenNumber = 10;

    private final CountDownLatch stop = new CountDownLatch(1);
    private final AtomicBoolean isReloadAsked = new AtomicBoolean();
    private final AtomicBoolean isReopenAsked = new AtomicBoolean();

    /** One for each signal that main has not looked at. */
    private final Semaphore news = new Semaphore(0);

    private final CountDownLatch through = new CountDownLatch(1);
    private final AtomicInteger signals = new AtomicInteger();

    private StopSignals() {}

    /**
     * Installs the handlers.
     *
     * @return what to wait on
     */
    public static StopSignals install() {
        StopSignals signals = new StopSignals();
        if (!signals.installHandlers()) {
            Runtime.getRuntime().addShutdownHook(new Thread(signals::runHook, "stop"));
        }
        return signals;
    }

    /**
     * Makes signals that only {@link #onSignal} sends, for tests.
     *
     * @return what to wait on
     */
    public static StopSignals manual() {
        return new StopSignals();
    }

    /**
     * Waits for the first signal that stops, or for a reload: see {@link #takeReload}.
     *
     * @return whether a stop was asked for
     */
    public boolean await(Duration time) throws InterruptedException {
        boolean unused = news.tryAcquire(time.toNanos(), TimeUnit.NANOSECONDS);
        return isStopping();
    }

    /**
     * Whether a reload was asked for since the last call; many signals may be one.
     *
     * @return true once
     */
    public boolean takeReload() {
        return isReloadAsked.getAndSet(false);
    }

    /**
     * Whether logs are to be opened again since the last call; many signals may be one.
     *
     * @return true once
     */
    public boolean takeReopen() {
        return isReopenAsked.getAndSet(false);
    }

    /** Whether a signal has come. */
    public boolean isStopping() {
        return stop.getCount() == 0;
    }

    /** Says that main is through, and the process may end. */
    public void through() {
        through.countDown();
    }

    /**
     * Takes a signal.
     *
     * @param number as the system counts; the second one that stops ends the process
     */
    public void onSignal(int number) {
        if (number == HANGUP) {
            isReloadAsked.set(true);
            news.release();
        } else if (number == reopenNumber) {
            isReopenAsked.set(true);
            news.release();
        } else if (signals.incrementAndGet() == 1) {
            stop.countDown();
            news.release();
        } else {
            Runtime.getRuntime().halt(ExitCode.SIGNAL_BASE + number);
        }
    }

    /** Whether at least TERM and INT are handled; a machine may lack the others. */
    private boolean installHandlers() {
        try {
            Class<?> signalType = Class.forName("sun.misc.Signal");
            Class<?> handlerType = Class.forName("sun.misc.SignalHandler");
            Object handler = Proxy.newProxyInstance(
                    StopSignals.class.getClassLoader(), new Class<?>[] {handlerType}, dispatcher(signalType));
            int installed = 0;
            for (String name : NAMES) {
                installed += install(name, signalType, handlerType, handler) ? 1 : 0;
            }
            Object reopen = signalType.getConstructor(String.class).newInstance("USR1");
            reopenNumber = (Integer) signalType.getMethod("getNumber").invoke(reopen);
            return installed >= 2;
        } catch (ReflectiveOperationException | LinkageError absent) {
            return false;
        }
    }

    private static boolean install(String name, Class<?> signalType, Class<?> handlerType, Object handler)
            throws ReflectiveOperationException {
        try {
            Object signal = signalType.getConstructor(String.class).newInstance(name);
            signalType.getMethod("handle", signalType, handlerType).invoke(null, signal, handler);
            return true;
        } catch (InvocationTargetException refused) {
            if (refused.getCause() instanceof IllegalArgumentException) {
                return false;
            }
            throw refused;
        }
    }

    private InvocationHandler dispatcher(Class<?> signalType) throws NoSuchMethodException {
        var number = signalType.getMethod("getNumber");
        return (proxy, method, args) -> switch (method.getName()) {
            case "handle" -> {
                onSignal((Integer) number.invoke(args[0]));
                yield null;
            }
            case "equals" -> proxy == args[0];
            case "hashCode" -> System.identityHashCode(proxy);
            default -> "stop signals";
        };
    }

    private void runHook() {
        if (through.getCount() == 0) {
            return;
        }
        stop.countDown();
        news.release();
        try {
            // Bounded by main, which closes the server within the drain deadline.
            through.await();
            Runtime.getRuntime().halt(ExitCode.OK);
        } catch (InterruptedException endOfPatience) {
            Thread.currentThread().interrupt();
        }
    }
}
