// SPDX-License-Identifier: Apache-2.0
package io.mely.bench;

import io.mely.Color;
import io.mely.Mely;
import io.mely.MelyStats;
import io.mely.Stage;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/** A stream of empty events from a thread that is no core to a runtime of one core. Needs two CPUs. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
@OperationsPerInvocation(OutsideSendBenchmark.EVENTS)
@SuppressWarnings("NullAway.Init") // by the set-up methods
public class OutsideSendBenchmark {
    static final int EVENTS = 1 << 14;

    /** An odd number, so that all colors have their turn; large, so that neighbours in the table do not follow each other. */
    private static final int STRIDE = 40_503;

    /** Receivers; a power of two. */
    @Param({"1", "1024", "65536"})
    public int colors;

    /** How a sender names its receiver. */
    public enum By {
        /** With a {@link Color} that it has kept. */
        COLOR,
        /** By a key, which is hashed to a slot. */
        KEY
    }

    /** How this one does. */
    @Param({"COLOR", "KEY"})
    public By by;

    private final Signal signal = new Signal();
    private Tally tally;
    private Mely mely;
    private Stage<Tally.Token> receiver;
    private Color[] receivers;
    private long acked;
    private long expectedRun;

    /** Starts the runtime. */
    @Setup
    public void start() {
        tally = new Tally(signal, colors == 1);
        mely = Mely.builder()
                .name("bench")
                .pinned(false) // so that the kernel moves it away from a busy neighbour, as it does the threads beside
                // it
                .cores(1)
                .errorHandler(failure -> signal.fail(failure.toString()))
                .build();
        receiver = mely.stage("receiver", tally::count);
        receivers = new Color[colors];
        for (int i = 0; i < colors; i++) {
            receivers[i] = mely.colorAt(i);
        }
        mely.start();
    }

    /** Sends, and waits for the last event to run. */
    @Benchmark
    public void stream() {
        signal.arm();
        long first = tally.expect(EVENTS);
        expectedRun += EVENTS;
        int mask = receivers.length - 1;
        for (long i = first; i < first + EVENTS; i++) {
            if (i - acked >= Tally.WINDOW) {
                tally.awaitAcked(i - Tally.WINDOW + 1);
                acked = tally.ackedAcquire();
            }
            if (!send((int) (i * STRIDE) & mask, tally.token(i))) {
                throw new IllegalStateException("refused");
            }
        }
        tally.awaitAcked(first + EVENTS);
        signal.check(System.nanoTime());
    }

    private boolean send(int to, Tally.Token token) {
        return switch (by) {
            case COLOR -> receiver.offer(receivers[to], token);
            case KEY -> receiver.offer((long) to, token);
        };
    }

    /** Checks that nothing was lost or run twice. */
    @TearDown
    public void close() {
        mely.close();
        MelyStats stats = mely.stats();
        if (stats.run() != expectedRun || stats.sent() != expectedRun) {
            throw new IllegalStateException("expected " + expectedRun + " events: " + stats);
        }
    }
}
