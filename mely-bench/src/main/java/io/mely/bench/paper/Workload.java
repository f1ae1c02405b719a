// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.paper;

import io.mely.MelyStats;
import io.mely.MelyStats.CoreStats;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Fork/join rounds of colored events. A driver event, at home on the first core, registers a round; the last event of the round sends
 * the driver again. An object serves one run.
 *
 * <p><b>Threads.</b> The fields of the clock belong to the driver's color; the caller reads them after the latch.
 */
abstract class Workload {
    /** Of the driver in every workload. */
    static final int DRIVER_KEY = 0;

    static final int DRIVER_KIND = 0;

    /** Dear to steal, so that rounds are registered on the first core as in the paper. */
    static final Kind DRIVER = new Kind("driver", 1, 1_000_000);

    /** The least of so many rounds is taken: the first are not compiled yet, and neighbours only add. */
    static final int BARE_TRIES = 12;

    private final CountDownLatch finished = new CountDownLatch(1);
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    private final Event driver = new Driver();

    private @Nullable KeyedExecutor executor;
    private boolean keepsHomes;
    private boolean isHomingOver;
    private long broughtHome;
    private long warmNs;
    private long measureNs;
    private long startNs;
    private boolean isMeasuring;
    private int rounds;
    private int firstMeasured;
    private long elapsedNs;
    private long cpuNs;
    private @Nullable MelyStats before;
    private @Nullable MelyStats after;

    /** All keys, the driver's included. */
    abstract int keys();

    /** The driver first. */
    abstract List<Kind> kinds();

    /** The worker where a key's events are registered. */
    abstract int home(int key);

    /** Events of one round, without the driver. */
    abstract int eventsPerRound();

    /** Sends a round; the last of its events calls {@link #roundDone}. */
    abstract void register(int round);

    /** Nanoseconds an event takes on one thread that needs no scheduler at all, all events of a round in the best order. */
    abstract double bareNsPerEvent();

    /** Checks counts, order and results after so many rounds. */
    abstract void check(int roundsRun);

    /** Cycles of work done by other threads than the driver's; -1 if the workload does not tell. */
    long awayCycles() {
        return -1;
    }

    /** An event that hands its exceptions to the run instead of to the contender. */
    abstract class Event implements Runnable {
        abstract void handle();

        @Override
        public final void run() {
            try {
                handle();
            } catch (Throwable t) {
                fail(t);
            }
        }
    }

    /** The paper registers each round on the first core. Whether there are keys to look after, for this contender. */
    final boolean goesHome() {
        return !keepsHomes && executor().leavesKeysAway();
    }

    /**
     * Brings the keys home that may have been left elsewhere. The driver, before a round, if {@link #goesHome}. A workload with
     * many keys overrides it and asks only for those of which it knows that they moved.
     */
    void goHome() {
        for (int key = 0; key < keys(); key++) {
            goHome(key);
        }
    }

    /**
     * Brings one key home.
     *
     * @return whether it was elsewhere
     */
    final boolean goHome(int key) {
        return switch (executor().rehome(key)) {
            case AT_HOME -> false;
            case BROUGHT -> {
                broughtHome++;
                yield true;
            }
            case STAYS -> {
                isHomingOver = true;
                yield true;
            }
        };
    }

    private final class Driver extends Event {
        @Override
        void handle() {
            long nowNs = System.nanoTime();
            if (rounds == 0) {
                startNs = nowNs;
            } else if (!isMeasuring && nowNs - startNs >= warmNs) {
                isMeasuring = true;
                firstMeasured = rounds;
                broughtHome = 0;
                before = executor().stats();
                cpuNs = -processCpuNs();
                startNs = System.nanoTime();
            } else if (isMeasuring && (nowNs - startNs >= measureNs || isHomingOver)) {
                elapsedNs = nowNs - startNs;
                cpuNs += processCpuNs();
                after = executor().stats();
                finished.countDown();
                return;
            }
            if (goesHome()) {
                goHome(DRIVER_KEY);
                goHome();
            }
            register(rounds++);
        }
    }

    /** Called once a round, by its last event. */
    final void roundDone() {
        executor().execute(DRIVER_KEY, DRIVER_KIND, driver);
    }

    /** Lets keys stay where they were stolen to, from round to round. Before the run. */
    final void keepHomes() {
        keepsHomes = true;
    }

    final KeyedExecutor executor() {
        KeyedExecutor current = executor;
        if (current == null) {
            throw new IllegalStateException("not running");
        }
        return current;
    }

    final void fail(Throwable cause) {
        failure.compareAndSet(null, cause);
        finished.countDown();
    }

    /**
     * Runs rounds for a time, and checks them.
     *
     * @param contender runs the events
     * @param newWarmNs before the clock starts
     * @param newMeasureNs then measured, rounded up to whole rounds, at least one
     * @param timeoutNs after which an event is taken for lost
     * @return what was measured
     * @throws CheckFailedException if the contender did anything wrong
     */
    final Measured run(KeyedExecutor contender, long newWarmNs, long newMeasureNs, long timeoutNs) {
        executor = contender;
        warmNs = newWarmNs;
        measureNs = newMeasureNs;
        contender.execute(DRIVER_KEY, DRIVER_KIND, driver);
        boolean isInTime;
        try {
            isInTime = finished.await(timeoutNs, TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
        Throwable cause = failure.get();
        if (cause != null) {
            throw cause instanceof CheckFailedException failed
                    ? failed
                    : (CheckFailedException) new CheckFailedException("an event failed: " + cause).initCause(cause);
        }
        if (!isInTime) {
            throw new CheckFailedException("round " + rounds + " did not end: an event is lost");
        }
        check(rounds);
        long away = awayCycles();
        return new Measured(
                (long) eventsPerRound() * (rounds - firstMeasured),
                elapsedNs,
                cpuNs,
                difference(CoreStats::steals),
                difference(CoreStats::stealAttempts),
                difference(CoreStats::rescues),
                difference(CoreStats::stealTimeNs),
                difference(CoreStats::stolenTimeNs),
                executor().leavesKeysAway() ? broughtHome : -1,
                away < 0 ? -1 : away * (rounds - firstMeasured) / Math.max(1, rounds));
    }

    private long difference(ToLongFunction<CoreStats> counter) {
        MelyStats from = before;
        MelyStats to = after;
        if (from == null || to == null) {
            return -1;
        }
        return to.cores().stream().mapToLong(counter).sum()
                - from.cores().stream().mapToLong(counter).sum();
    }

    private static long processCpuNs() {
        return ManagementFactory.getOperatingSystemMXBean() instanceof com.sun.management.OperatingSystemMXBean bean
                ? bean.getProcessCpuTime()
                : 0;
    }

    /**
     * What a run gave. Counters are -1 where the contender or the workload has none.
     *
     * @param events run while the clock ran
     * @param elapsedNs of that
     * @param cpuNs of the whole process, collector and compiler included
     * @param steals colors taken
     * @param attempts victims locked
     * @param rescues steals from a core that was stuck, or preempted, in one handler; whatever the time left
     * @param stealNs time in successful steals
     * @param stolenNs time left in the stolen colors, as estimated by the runtime
     * @param broughtHome keys that were given fresh colors, since they had been stolen
     * @param awayCycles work done by other threads than the first core's
     */
    record Measured(
            long events,
            long elapsedNs,
            long cpuNs,
            long steals,
            long attempts,
            long rescues,
            long stealNs,
            long stolenNs,
            long broughtHome,
            long awayCycles) {
        double kEventsPerS() {
            return events * 1e6 / elapsedNs;
        }
    }
}
