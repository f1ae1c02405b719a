// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.paper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Property: a workload accepts a correct contender, and finds one that loses, doubles, reorders or spoils a single event. */
class WorkloadCheckTest {
    private static final long TIMEOUT_NS = Duration.ofSeconds(20).toNanos();
    /** For runs that do not end by themselves. */
    private static final long SHORT_TIMEOUT_NS = Duration.ofMillis(300).toNanos();

    record Named(String name, Supplier<Workload> make) {
        @Override
        public String toString() {
            return name;
        }
    }

    static List<Named> workloads() {
        return List.of(
                new Named("unbalanced", () -> new Unbalanced(tiny())),
                new Named("penalty", () -> new Penalty(new Penalty.Options(40, 4_096, 512))),
                new Named("cache-efficient", () -> new CacheEfficient(new CacheEfficient.Options(2, 40, 64))));
    }

    private static Unbalanced.Options tiny() {
        return Unbalanced.Options.paper().withColors(100);
    }

    private static Workload.Measured run(Workload workload, KeyedExecutor contender, long timeoutNs) {
        return workload.run(contender, 0, Duration.ofMillis(2).toNanos(), timeoutNs);
    }

    @ParameterizedTest
    @MethodSource("workloads")
    void run_acceptsCorrectContender(Named workload) {
        Workload.Measured measured = run(workload.make().get(), new Faulty(Fault.NONE, 0), TIMEOUT_NS);
        assertThat(measured.events()).isPositive();
        assertThat(measured.elapsedNs()).isPositive();
    }

    @ParameterizedTest
    @MethodSource("workloads")
    void run_findsLostEvent(Named workload) {
        for (int victim : new int[] {2, 50, 101}) {
            assertThatThrownBy(() -> run(workload.make().get(), new Faulty(Fault.LOSE, victim), SHORT_TIMEOUT_NS))
                    .as("event %d", victim)
                    .isInstanceOf(CheckFailedException.class)
                    .hasMessageContaining("lost");
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

    /** Only this workload ever has two events of one sender and one color pending. */
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

    static Stream<org.junit.jupiter.params.provider.Arguments> lanes() {
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
                org.junit.jupiter.params.provider.Arguments.of("lost", lost),
                org.junit.jupiter.params.provider.Arguments.of("swapped", swapped),
                org.junit.jupiter.params.provider.Arguments.of("overlapped", overlapped),
                org.junit.jupiter.params.provider.Arguments.of("stuck", stuck));
    }

    private enum Fault {
        NONE,
        LOSE,
        DOUBLE,
        SWAP,
        REFUSE
    }

    /** One thread, the caller's, and one planted bug. */
    private static final class Faulty implements KeyedExecutor {
        private final Fault fault;
        private final int victim;
        private final ArrayDeque<Runnable> pending = new ArrayDeque<>();
        private int sent;
        private Runnable held;
        private boolean isRunning;

        Faulty(Fault fault, int victim) {
            this.fault = fault;
            this.victim = victim;
        }

        @Override
        public void execute(int key, int kind, Runnable event) {
            sent++;
            if (sent == victim && fault != Fault.NONE) {
                switch (fault) {
                    case DOUBLE -> {
                        pending.add(event);
                        pending.add(event);
                    }
                    case SWAP -> held = event;
                    case REFUSE -> throw new IllegalStateException("refused");
                    default -> {}
                }
            } else {
                pending.add(event);
                if (held != null) {
                    pending.add(held);
                    held = null;
                }
            }
            if (!isRunning) {
                isRunning = true;
                for (Runnable next = pending.poll(); next != null; next = pending.poll()) {
                    next.run();
                }
                isRunning = false;
            }
        }

        @Override
        public void close() {}
    }
}
