// SPDX-License-Identifier: Apache-2.0
package io.mely.bench;

import io.mely.Version;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Warmup;

/** Costs of reading the version: a floor to compare other benchmarks with. */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 3, time = 1)
@Fork(1)
public class VersionBenchmark {

    /**
     * Reads the version.
     *
     * @return the version, for JMH to consume
     */
    @Benchmark
    public String version() {
        return Version.version();
    }
}
