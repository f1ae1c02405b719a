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

/** Send and run of one empty event on one core, its color at home there. Budget: 40 ns, 0 B. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
@OperationsPerInvocation(SameCore.EVENTS)
@SuppressWarnings("NullAway.Init") // by the set-up methods
public class SendRunBenchmark {
    /** Of the runtime. With two, the other one looks for something to steal. */
    @Param("1")
    public int cores;

    /** Whether a {@link io.mely.bench.record.Recorder} observes the runtime. */
    @Param("false")
    public boolean isRecorded;

    private SameCore one;
    private SameCore two;
    private SameCore many;

    /** Starts one runtime for each number of colors; the idle ones sleep. */
    @Setup
    public void start() {
        one = new SameCore(cores, 1, false, isRecorded);
        two = new SameCore(cores, 2, false, isRecorded);
        many = new SameCore(cores, 64, false, isRecorded);
    }

    /** Checks that each event ran once. */
    @TearDown
    public void close() {
        one.close();
        two.close();
        many.close();
    }

    /** A handler sends to its own color, in which nothing else waits. */
    @Benchmark
    public void fused() {
        one.fusedChain();
    }

    /** Two colors send to each other: each send opens an idle color, each run empties one. */
    @Benchmark
    public void twoColors() {
        two.alternateChain();
    }

    /** 1,000 events sent to 64 colors in turn, then run. */
    @Benchmark
    public void burst64Colors() {
        many.bursts();
    }

    /** 1,000 events sent to one color, then run. */
    @Benchmark
    public void burstOneColor() {
        one.bursts();
    }
}
