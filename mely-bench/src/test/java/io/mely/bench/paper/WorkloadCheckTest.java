// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.paper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Property: a workload accepts a correct contender, and finds one that loses, doubles, reorders or spoils a single event. */
class WorkloadCheckTest {
    private static final long TIMEOUT_NS = Duration.ofSeconds(20).toNanos();
    /** For runs that do not end by themselves. */
    private static final long SHORT_TIMEOUT_NS = Duration.ofMillis(80).toNanos();

    record Named(String name, Supplier<Workload> make) {
        @Override
        public String toString() {
            return name;
        }
    }

    static List<Named> workloads() {
        return List.of(
                new Named("unbalanced", () -> new Unbalanced(tiny())),
                new Named("spread", () -> new Unbalanced(tiny().withHomes(3))),
                new Named("penalty", () -> new Penalty(new Penalty.Options(40, 4_096, 512, false))),
                new Named("penalty, arrays kept", () -> new Penalty(new Penalty.Options(40, 4_096, 512, true))),
                new Named("cache-efficient", () -> new CacheEfficient(new CacheEfficient.Options(2, 40, 64))),
                new Named("fan-in", () -> new FanIn(new FanIn.Options(2, 16, 64))),
                new Named("ping-pong", () -> new PingPong(200)),
                new Named("chains", () -> new Chains(new Chains.Options(20, 16, 20))),
                new Named("timers", () -> new Timers(new Timers.Options(240, 16, 1_000_000))),
                new Named("priorities", () -> new Priorities(new Priorities.Options(4, 1_000, 2, 20_000))),
                new Named("idle-wake", () -> new IdleWake(new IdleWake.Options(10_000, 4, 1_000))),
                new Named(
                        "skewed-server",
                        () -> new SkewedServer(new SkewedServer.Options(2, 0.7, 20, 1_000, 10_000, 0.05))));
    }

    private static Unbalanced.Options tiny() {
        return Unbalanced.Options.paper().withColors(100);
    }

    private static Workload.Measured run(Workload workload, KeyedExecutor contender, long timeoutNs) {
        try (contender) {
            return workload.run(contender, 0, Duration.ofMillis(4).toNanos(), timeoutNs);
        }
    }

    @ParameterizedTest
    @MethodSource("workloads")
    void run_acceptsCorrectContender(Named workload) {
        Workload.Measured measured = run(workload.make().get(), new Faulty(Fault.NONE, 0), TIMEOUT_NS);
        assertThat(measured.events()).isPositive();
        assertThat(measured.elapsedNs()).isPositive();
    }

    /** All colors of a round take part, each with its share. */
    @ParameterizedTest
    @MethodSource("rounds")
    void run_sendsToEachKey(Named workload, List<Integer> shares) {
        Counting counting = new Counting();
        run(workload.make().get(), counting, TIMEOUT_NS);
        int rounds = counting.events.get(Rounds.DRIVER_KEY) - 1; // the last only stops the clock
        Map<Integer, Integer> expected = new TreeMap<>();
        expected.put(Rounds.DRIVER_KEY, rounds + 1);
        for (int key = 1; key < workload.make().get().keys(); key++) {
            expected.put(key, rounds * shares.get((key - 1) % shares.size()));
        }
        assertThat(counting.events).isEqualTo(expected);
    }

    static Stream<Arguments> rounds() {
        return Stream.of(
                Arguments.of(named("unbalanced"), List.of(1)),
                Arguments.of(named("penalty"), List.of(9)),
                Arguments.of(named("cache-efficient"), List.of(3, 1, 1)),
                Arguments.of(named("spread"), List.of(1)),
                Arguments.of(named("ping-pong"), List.of(100, 100)));
    }

    /** As the paper has it: half of the workers have the A's, with all that comes of them. */
    @Test
    void home_isEverySecondWorkerOfCacheEfficient() {
        CacheEfficient workload = new CacheEfficient(new CacheEfficient.Options(4, 40, 64));
        Map<Integer, Integer> keysAt = new TreeMap<>();
        for (int key = 1; key < workload.keys(); key++) {
            keysAt.merge(workload.home(key), 1, Integer::sum);
        }
        assertThat(keysAt).isEqualTo(Map.of(0, 40 * 3, 2, 40 * 3));
    }

    @Test
    void colorOf_takesEachColorOnceAPeriod() {
        for (int colors : new int[] {1, 2, 16, 64, 1_024, 65_536}) {
            for (int producer = 0; producer < 4; producer++) {
                for (long start : new long[] {0, colors, (1L << 31) - colors, 1L << 33}) {
                    BitSet seen = new BitSet();
                    for (int i = 0; i < colors; i++) {
                        seen.set(FanIn.colorOf(producer, start + i, colors));
                    }
                    assertThat(seen.cardinality()).isEqualTo(colors);
                    assertThat(seen.length()).isEqualTo(colors);
                }
            }
        }
    }

    /** Two workers, or two producers, that take turns do not meet: what a fan-in is to show. */
    @Test
    void colorOf_takesNoTurns() {
        int colors = 1_024;
        int changes = 0;
        int meetings = 0;
        for (int i = 0; i < colors; i++) {
            int color = FanIn.colorOf(0, i, colors);
            changes += (color ^ FanIn.colorOf(0, i + 1, colors)) & 1;
            meetings += 1 ^ (color ^ FanIn.colorOf(1, i, colors)) & 1;
        }
        assertThat(changes).isBetween(colors * 2 / 5, colors * 3 / 5);
        assertThat(meetings).isBetween(colors * 2 / 5, colors * 3 / 5);
    }

    private static Named named(String name) {
        return workloads().stream()
                .filter(workload -> workload.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    @ParameterizedTest
    @MethodSource("workloads")
    void run_findsLostEvent(Named workload) {
        for (int victim : new int[] {2, 50, 101}) {
            Faulty faulty = new Faulty(Fault.LOSE, victim);
            assertThatThrownBy(() -> run(workload.make().get(), faulty, SHORT_TIMEOUT_NS))
                    .as("event %d", victim)
                    .isInstanceOf(CheckFailedException.class)
                    .hasMessageContaining("lost");
            assertThat(faulty.hasActed()).as("event %d was sent at all", victim).isTrue();
        }
    }

    @ParameterizedTest
    @MethodSource("workloads")
    void run_findsDoubledEvent(Named workload) {
        for (int victim : new int[] {2, 50, 101}) {
            assertThatThrownBy(() -> run(workload.make().get(), new Faulty(Fault.DOUBLE, victim), SHORT_TIMEOUT_NS))
                    .as("event %d", victim)
                    .isInstanceOf(CheckFailedException.class);
        }
    }

    @ParameterizedTest
    @MethodSource("workloads")
    void run_findsFailedEvent(Named workload) {
        assertThatThrownBy(() -> run(workload.make().get(), new Faulty(Fault.REFUSE, 50), TIMEOUT_NS))
                .isInstanceOf(CheckFailedException.class)
                .hasMessageContaining("an event failed");
    }

    /** One producer, one color: every event waits behind another of its own. */
    @Test
    void run_findsReorderedEventsOfFanIn() {
        assertThatThrownBy(
                        () -> run(new FanIn(new FanIn.Options(1, 1, 64)), new Faulty(Fault.SWAP, 20), SHORT_TIMEOUT_NS))
                .isInstanceOf(CheckFailedException.class)
                .hasMessageContaining("out of order");
    }

    /** All of these are of one color, and sent without waiting. */
    @Test
    void run_findsReorderedRequests() {
        Supplier<Workload> workload =
                () -> new SkewedServer(new SkewedServer.Options(100, 0.9, 1, 1_000, 10_000, 0.05));
        assertThatCode(() -> run(workload.get(), new Faulty(Fault.NONE, 0), TIMEOUT_NS))
                .doesNotThrowAnyException();
        assertThatThrownBy(() -> run(workload.get(), new Faulty(Fault.SWAP, 20), TIMEOUT_NS))
                .isInstanceOf(CheckFailedException.class)
                .hasMessageContaining("out of order");
    }

    @Test
    void run_findsCancelledTimerThatFires() {
        Timers.Options options = new Timers.Options(240, 16, 1_000_000);
        assertThatThrownBy(() ->
                        run(new Timers(options.withTimeoutNs(100_000)), new Faulty(Fault.KEEP_TIMER, 0), TIMEOUT_NS))
                .isInstanceOf(CheckFailedException.class);
    }

    @Test
    void run_countsLatencyFromThePlannedInstant() {
        // Nothing runs until 60 ms after the first was sent, and the last is planned 2 ms later.
        Workload workload = new IdleWake(new IdleWake.Options(1_000_000, 1, 1_000));
        Workload.Measured measured = run(workload, new Late(Duration.ofMillis(60)), TIMEOUT_NS);
        assertThat(measured.extra("p50 us")).isGreaterThan(50_000);
    }

    /** Only this workload of the paper's ever has two events of one sender and one color pending. */
    @ParameterizedTest
    @MethodSource("reorderVictims")
    void run_findsReorderedEvents(int victim) {
        Supplier<Workload> workload = () -> new Unbalanced(tiny().withEventsPerColor(3));
        assertThatCode(() -> run(workload.get(), new Faulty(Fault.NONE, 0), TIMEOUT_NS))
                .doesNotThrowAnyException();
        assertThatThrownBy(() -> run(workload.get(), new Faulty(Fault.SWAP, victim), TIMEOUT_NS))
                .isInstanceOf(CheckFailedException.class)
                .hasMessageContaining("out of order");
    }

    static Stream<Integer> reorderVictims() {
        // The first or the second of a color's three events changes places with the next.
        return Stream.of(2, 3, 50);
    }

    @ParameterizedTest
    @MethodSource("lanes")
    void check_findsWrongLane(String name, Lane lane) {
        assertThatThrownBy(() -> lane.check(1, 2)).isInstanceOf(CheckFailedException.class);
    }

    static Stream<Arguments> lanes() {
        Lane lost = new Lane();
        lost.begin(0);
        lost.end(1);
        Lane swapped = new Lane();
        swapped.begin(1);
        swapped.end(1);
        swapped.begin(0);
        swapped.end(1);
        Lane overlapped = new Lane();
        overlapped.begin(0);
        overlapped.begin(1);
        overlapped.end(1);
        overlapped.end(1);
        Lane stuck = new Lane();
        stuck.begin(0);
        stuck.end(1);
        stuck.begin(1);
        return Stream.of(
                Arguments.of("lost", lost),
                Arguments.of("swapped", swapped),
                Arguments.of("overlapped", overlapped),
                Arguments.of("stuck", stuck));
    }

    /** One thread, and how many events each key was sent. */
    private static final class Counting implements KeyedExecutor {
        private final Faulty inner = new Faulty(Fault.NONE, 0);
        private final Map<Integer, Integer> events = new TreeMap<>();

        @Override
        public synchronized void execute(int key, int kind, Runnable event) {
            events.merge(key, 1, Integer::sum);
            inner.execute(key, kind, event);
        }

        @Override
        public void close() {
            inner.close();
        }
    }

    /** Runs nothing until some time after the first event was sent. */
    private static final class Late implements KeyedExecutor {
        private final ScheduledThreadPoolExecutor thread = new ScheduledThreadPoolExecutor(1);
        private final long delayNs;
        private boolean isFirst = true;

        Late(Duration delay) {
            delayNs = delay.toNanos();
        }

        @Override
        public void execute(int key, int kind, Runnable event) {
            if (isFirst) {
                isFirst = false;
                long readyNs = System.nanoTime() + delayNs;
                thread.execute(() -> {
                    for (long left = delayNs; left > 0; left = readyNs - System.nanoTime()) {
                        LockSupport.parkNanos(left);
                    }
                });
            }
            thread.execute(event);
        }

        @Override
        public void close() {
            thread.shutdownNow();
        }
    }

    private enum Fault {
        NONE,
        LOSE,
        DOUBLE,
        SWAP,
        REFUSE,
        /** Says that a timer is cancelled, and lets it fire. */
        KEEP_TIMER
    }

    /** One thread, and one planted bug: it befalls the so-and-so-manieth event that is sent, or timer that is due. */
    private static final class Faulty implements KeyedExecutor {
        private final Fault fault;
        private final int victim;
        private final ScheduledThreadPoolExecutor thread = new ScheduledThreadPoolExecutor(1);
        private int sent;
        private int scheduled;
        private Runnable held;

        Faulty(Fault fault, int victim) {
            this.fault = fault;
            this.victim = victim;
            thread.setRemoveOnCancelPolicy(true);
        }

        synchronized boolean hasActed() {
            return sent >= victim;
        }

        @Override
        public synchronized void execute(int key, int kind, Runnable event) {
            sent++;
            if (sent == victim && fault != Fault.NONE) {
                switch (fault) {
                    case DOUBLE -> {
                        thread.execute(event);
                        thread.execute(event);
                    }
                    case SWAP -> held = event;
                    case REFUSE -> throw new IllegalStateException("refused");
                    default -> {}
                }
            } else {
                thread.execute(event);
                if (held != null) {
                    thread.execute(held);
                    held = null;
                }
            }
        }

        @Override
        public boolean hasTimers() {
            return true;
        }

        @Override
        public synchronized Cancel schedule(int key, int kind, long delayNs, Runnable event) {
            scheduled++;
            if (fault == Fault.REFUSE && scheduled == victim) {
                throw new IllegalStateException("refused");
            }
            Future<?> timer = thread.schedule(() -> execute(key, kind, event), delayNs, TimeUnit.NANOSECONDS);
            return () -> fault == Fault.KEEP_TIMER || timer.cancel(false);
        }

        @Override
        public void close() {
            thread.shutdownNow();
        }
    }
}
