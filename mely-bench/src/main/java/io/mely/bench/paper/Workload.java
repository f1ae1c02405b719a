// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.paper;

import io.mely.MelyStats;
import io.mely.MelyStats.CoreStats;
import java.lang.management.CompilationMXBean;
import java.lang.management.ManagementFactory;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.ToLongFunction;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Colored events that any contender can run, a clock, and the books on them. An object serves one run.
 *
 * <p><b>Threads.</b> The caller's thread runs {@link #drive}. The clock is started and stopped by one thread at a time, and read
 * after {@link #drive}.
 */
abstract class Workload {
    private final CountDownLatch finished = new CountDownLatch(1);
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    private final Map<String, Double> extras = new LinkedHashMap<>();

    private @Nullable KeyedExecutor executor;
    private boolean keepsHomes;
    private boolean isCold;
    private long warmNs;
    private long measureNs;
    private long deadlineNs;
    private long startNs;
    private long elapsedNs;
    private long cpuNs;
    private long pausedNs;
    private long pausedCpuNs;
    private long pageFaults;
    private long compilingMs;
    private @Nullable MelyStats before;
    private @Nullable MelyStats after;

    /** All keys, the driver's included. */
    abstract int keys();

    /** The driver first. */
    abstract List<Kind> kinds();

    /** Events that may be pending at a time, at most; of those that arrive whatever happens, more than ever should be. */
    int pendingMax() {
        return 4 * keys();
    }

    /** The worker where a key's events are registered. */
    abstract int home(int key);

    /** Whether it is another workload if keys begin elsewhere than at their homes; else a contender may put them where it likes. */
    boolean needsHomes() {
        return false;
    }

    /** Sends the events, starts and stops the clock, and returns when all have run. */
    abstract void drive() throws InterruptedException;

    /** Events that ran between the start and the stop of the clock. */
    abstract long measuredEvents();

    /** Checks counts, order and results, after {@link #drive}; may {@link #note} figures. */
    abstract void check();

    /** By what contenders are compared. */
    Metric metric() {
        return Metric.K_EVENTS_PER_S;
    }

    /**
     * Nanoseconds an event takes on one thread that needs no scheduler at all, all events of a round in the best order.
     *
     * @return NaN if that says nothing about the workload
     */
    double bareNsPerEvent() {
        return Double.NaN;
    }

    /**
     * What handlers compute, with their data in the nearest caches: nanoseconds by the simulator's parameter that has it in cycles.
     *
     * @return nothing if they only burn cycles
     */
    Map<String, Double> bodiesNs() {
        return Map.of();
    }

    /** Measures what the contenders' load depends on; once a round, before them. */
    void calibrate() {}

    /** What {@link #calibrate} has measured, for {@link #calibrateAs} in another JVM; empty for nothing. */
    String calibration() {
        return "";
    }

    /** Takes over what another JVM has measured, in place of {@link #calibrate}. */
    void calibrateAs(String calibration) {
        throw new UnsupportedOperationException();
    }

    /** Whether it can be measured in the first seconds of a JVM's life. */
    boolean canBeCold() {
        return false;
    }

    /** How long it is measured then, if nothing else is said. */
    int coldMeasureMs() {
        return 3_000;
    }

    /** Cycles of work done by other threads than the driver's while the clock ran; -1 if the workload does not tell. */
    long awayCycles() {
        return -1;
    }

    /** Keys that were brought home while the clock ran; -1 if that is not done. */
    long broughtHome() {
        return -1;
    }

    /** Whether a contender can run this at all. */
    boolean suits(KeyedExecutor contender) {
        return true;
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

    /** Lets keys stay where they were stolen to, from round to round. Before the run. */
    final void keepHomes() {
        keepsHomes = true;
    }

    final boolean keepsHomes() {
        return keepsHomes;
    }

    /** Measures the first seconds of this JVM's life, as {@link #canBeCold} allows: nothing is compiled beforehand. Before the run. */
    final void beCold() {
        isCold = true;
    }

    final boolean isCold() {
        return isCold;
    }

    /** Since the start of this JVM, to the millisecond. */
    static long jvmAgeNs() {
        return TimeUnit.MILLISECONDS.toNanos(
                ManagementFactory.getRuntimeMXBean().getUptime());
    }

    /** Says which seconds of the JVM's life the figures cover. */
    final void noteLife(long fromAgeNs, long toAgeNs) {
        note("JVM from s", fromAgeNs / 1e9);
        note("JVM to s", toAgeNs / 1e9);
    }

    final KeyedExecutor executor() {
        KeyedExecutor current = executor;
        if (current == null) {
            throw new IllegalStateException("not running");
        }
        return current;
    }

    final long warmNs() {
        return warmNs;
    }

    final long measureNs() {
        return measureNs;
    }

    final void fail(Throwable cause) {
        failure.compareAndSet(null, cause);
        finished.countDown();
    }

    final boolean hasFailed() {
        return failure.get() != null;
    }

    /** All is done; ends {@link #awaitFinish}. */
    final void finish() {
        finished.countDown();
    }

    /** Waits for {@link #finish} or a failure. */
    final void awaitFinish() throws InterruptedException {
        if (!finished.await(deadlineNs - System.nanoTime(), TimeUnit.NANOSECONDS)) {
            throw new CheckFailedException("the run did not end: an event is lost");
        }
    }

    /** Whether what is waited for is overdue. */
    final boolean isOverdue() {
        return System.nanoTime() - deadlineNs > 0;
    }

    final void startClock() {
        pausedNs = 0;
        pausedCpuNs = 0;
        before = executor().stats();
        pageFaults = -PageFaults.count();
        compilingMs = -compilingMs();
        cpuNs = -processCpuNs();
        startNs = System.nanoTime();
    }

    /** What follows is the harness's own work and not measured, until {@link #resumeClock}; nothing else of the run goes on meanwhile. */
    final void pauseClock() {
        pausedCpuNs -= processCpuNs();
        pausedNs -= System.nanoTime();
    }

    final void resumeClock() {
        pausedNs += System.nanoTime();
        pausedCpuNs += processCpuNs();
    }

    /** Since the clock was started, without its pauses. */
    final long runningNs() {
        return System.nanoTime() - startNs - pausedNs;
    }

    final void stopClock() {
        elapsedNs = System.nanoTime() - startNs - pausedNs;
        cpuNs += processCpuNs() - pausedCpuNs;
        pageFaults += PageFaults.count();
        compilingMs += compilingMs();
        note("JIT %", 1e8 * compilingMs / elapsedNs);
        after = executor().stats();
    }

    /** While the clock ran, pauses included. */
    final long pageFaults() {
        return pageFaults;
    }

    /** Lets time pass on the caller's thread, unless the run has failed. */
    final void pause(long timeNs) throws InterruptedException {
        if (finished.await(timeNs, TimeUnit.NANOSECONDS) && !hasFailed()) {
            throw new IllegalStateException("finished");
        }
    }

    /** A figure that only this workload has. */
    final void note(String name, double value) {
        extras.put(name, value);
    }

    /**
     * Runs events for a time, and checks them.
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
        // Measuring takes time and the compiler, so that a cold run has only what is measured after it.
        double widthBefore = isCold ? Double.NaN : Width.measure();
        double lineNsBefore = isCold ? Double.NaN : LineTime.measureNs();
        double coldNsBefore = isCold ? Double.NaN : ColdTime.measureNs();
        long beginNs = System.nanoTime();
        deadlineNs = beginNs + timeoutNs;
        LostTime lost = LostTime.of(MelyColors.NAME);
        try {
            drive();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        } catch (RuntimeException e) {
            fail(e);
        }
        Throwable cause = failure.get();
        if (cause != null) {
            throw cause instanceof CheckFailedException failed
                    ? failed
                    : (CheckFailedException) new CheckFailedException("an event failed: " + cause).initCause(cause);
        }
        double lostShare = (double) lost.ns() / (System.nanoTime() - beginNs);
        note("width", mean(widthBefore, Width.measure()));
        double lineNs = mean(lineNsBefore, LineTime.measureNs());
        if (!Double.isNaN(lineNs)) {
            note("line ns", lineNs);
        }
        note("cold ns", mean(coldNsBefore, ColdTime.measureNs()));
        double busiestPercent = busiestPercent();
        if (!Double.isNaN(busiestPercent)) {
            note("busiest %", busiestPercent);
        }
        check();
        return new Measured(
                measuredEvents(),
                elapsedNs,
                cpuNs,
                difference(CoreStats::steals),
                difference(CoreStats::stealAttempts),
                difference(CoreStats::rescues),
                rescuesInAll(),
                difference(CoreStats::stealTimeNs),
                difference(CoreStats::stolenTimeNs),
                broughtHome(),
                awayCycles(),
                lostShare,
                Map.copyOf(extras));
    }

    private static double mean(double before, double after) {
        return Double.isNaN(before) ? after : (before + after) / 2;
    }

    private long rescuesInAll() {
        MelyStats ever = after;
        return ever == null
                ? 0
                : ever.cores().stream().mapToLong(CoreStats::rescues).sum();
    }

    /** Of all that ran, what the core ran that ran most. NaN where nothing did, or who runs does not count. */
    private double busiestPercent() {
        MelyStats from = before;
        MelyStats to = after;
        if (from == null || to == null) {
            return Double.NaN;
        }
        long most = IntStream.range(0, to.cores().size())
                .mapToLong(i -> to.cores().get(i).run() - from.cores().get(i).run())
                .max()
                .orElse(0);
        return 100.0 * most / difference(CoreStats::run);
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

    /** A compilation counts when it ends, whole. */
    private static long compilingMs() {
        CompilationMXBean bean = ManagementFactory.getCompilationMXBean();
        return bean != null && bean.isCompilationTimeMonitoringSupported() ? bean.getTotalCompilationTime() : 0;
    }

    static long processCpuNs() {
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
     * @param rescuesInAll those of the warm-up, too; 0 where there are none
     * @param stealNs time in successful steals
     * @param stolenNs time left in the stolen colors, as estimated by the runtime
     * @param broughtHome keys that were given fresh colors, since they had been stolen
     * @param awayCycles work done by other threads than the first core's
     * @param lost how many CPUs Mely's cores wanted and did not get, on average, the warm-up included; 0 where Linux does not say
     * @param extras figures that only this workload has, by name
     */
    record Measured(
            long events,
            long elapsedNs,
            long cpuNs,
            long steals,
            long attempts,
            long rescues,
            long rescuesInAll,
            long stealNs,
            long stolenNs,
            long broughtHome,
            long awayCycles,
            double lost,
            Map<String, Double> extras) {
        double kEventsPerS() {
            return events * 1e6 / elapsedNs;
        }

        double nsPerEvent() {
            return (double) elapsedNs / events;
        }

        double extra(String name) {
            return extras.getOrDefault(name, Double.NaN);
        }
    }
}
