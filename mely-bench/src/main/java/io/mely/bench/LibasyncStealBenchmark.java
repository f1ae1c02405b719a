// SPDX-License-Identifier: Apache-2.0
package io.mely.bench;

import io.mely.bench.libasync.LibasyncTable;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * libasync-smp's base steal beside {@link StealBenchmark}'s: the events of one color are found by following the links of the victim's list,
 * under its lock, so the cost grows with what is pending there.
 *
 * <p>The stolen color has two events, behind all others in the list. Each operation steals them into the thief's list, takes them out there and
 * puts them back, which are a few links whatever is pending. One thread, no lock: what a steal costs is the list's.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
@State(Scope.Benchmark)
@SuppressWarnings("NullAway.Init") // by the set-up method
public class LibasyncStealBenchmark {
    /** Events pending at the victim. */
    @Param({"10", "100", "1000", "10000", "100000"})
    public int pending;

    private LibasyncTable table;

    /** Fills the victim. */
    @Setup
    public void fill() {
        table = new LibasyncTable(pending);
    }

    /** A steal, and back. */
    @Benchmark
    public void stealAndReturn() {
        table.stealAndReturn();
    }
}
