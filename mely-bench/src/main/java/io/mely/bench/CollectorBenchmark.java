// SPDX-License-Identifier: Apache-2.0
package io.mely.bench;

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

/**
 * What the garbage collector's write barriers add to send and run: the records are pooled, so they grow old, and each send stores
 * references into them. Run it once per collector: {@code -jvmArgsAppend -XX:+UseParallelGC}.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 500, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 5, time = 500, timeUnit = TimeUnit.MILLISECONDS)
@Fork(1)
@OperationsPerInvocation(SameCore.EVENTS)
@SuppressWarnings("NullAway.Init") // by the set-up methods
public class CollectorBenchmark {
    /** Whether a full collection moves the pools, colors and queues into the old generation first. */
    @Param({"false", "true"})
    public boolean afterFullGc;

    /** Whether each event is a new object, so that old records refer to young events. */
    @Param({"false", "true"})
    public boolean freshEvents;

    private SameCore one;
    private SameCore two;
    private SameCore many;

    /** Starts one runtime for each number of colors, and lets their pools grow to what they need. */
    @Setup
    public void start() {
        one = new SameCore(1, 1, freshEvents);
        two = new SameCore(1, 2, freshEvents);
        many = new SameCore(1, 64, freshEvents);
        one.bursts();
        two.alternateChain();
        many.bursts();
        if (afterFullGc) {
            System.gc();
        }
    }

    /** Checks that each event ran once. */
    @TearDown
    public void close() {
        one.close();
        two.close();
        many.close();
    }

    /** See {@link SendRunBenchmark#fused}. */
    @Benchmark
    public void fused() {
        one.fusedChain();
    }

    /** See {@link SendRunBenchmark#twoColors}. */
    @Benchmark
    public void twoColors() {
        two.alternateChain();
    }

    /** See {@link SendRunBenchmark#burst64Colors}. */
    @Benchmark
    public void burst64Colors() {
        many.bursts();
    }
}
