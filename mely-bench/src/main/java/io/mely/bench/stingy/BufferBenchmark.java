// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.stingy;

import io.mely.spi.Supply;
import io.mely.stingy.Stingy;
import io.mely.stingy.StingyAllocator;
import io.mely.stingy.StingyPlan;
import io.netty.buffer.PooledByteBufAllocator;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** What a buffer and its release cost: from Netty's pool, and from a region, by an event that has waited for it. The costs of {@code stingy run} are from here. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(3)
public class BufferBenchmark {
    private static final int BYTES = 4096;

    private final Stingy stingy = Stingy.of(
            StingyPlan.builder(1 << 20)
                    .site("read", BYTES + 1, 64, 0)
                    .stage("read", Map.of("read", 1))
                    .build(),
            1);
    private final StingyAllocator reads =
            stingy.allocator(PooledByteBufAllocator.DEFAULT).at("read");
    private final Supply supply = stingy.supply("read");

    /** As a thread of a core has it. */
    @Benchmark
    public boolean pool() {
        return PooledByteBufAllocator.DEFAULT.directBuffer(BYTES).release();
    }

    /** Taken for the event, allocated, given back, released. */
    @Benchmark
    public boolean region() {
        boolean isTaken = supply.tryTake(0, 1);
        var buffer = reads.buffer(BYTES);
        supply.giveBack(0);
        return buffer.release() && isTaken;
    }

    /** Of that, the accounts. */
    @Benchmark
    public boolean accounts() {
        boolean isTaken = supply.tryTake(0, 1);
        supply.giveBack(0);
        return isTaken;
    }
}
