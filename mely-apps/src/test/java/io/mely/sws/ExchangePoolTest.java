// SPDX-License-Identifier: Apache-2.0
package io.mely.sws;

import static org.assertj.core.api.Assertions.assertThat;

import io.mely.sws.files.NativeMemory;
import io.mely.sws.http.HeadFields;
import io.mely.sws.http.HeadLimits;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Property: requests under way have no more memory than there is, all of it is given back, and what lies idle on one core is nobody's want. */
class ExchangePoolTest {
    private static final HeadLimits LIMITS = new HeadLimits(8 << 10, 32 << 10, 100);

    // One core had all there is, and has no request any more: another one, which had none, can serve.
    @ParameterizedTest
    @CsvSource({"2, 3, 64", "8, 16, 64", "32, 32, 512", "2, 64, 1", "2, 0, 0"})
    void giveBack_leavesOtherCoresTheirPart(int cores, int nativeMib, int heapMib) {
        SwsConfig config = SwsConfig.builder(Path.of("/")).build();
        long nativeBytes = Math.max(MemoryBudget.limitBytesMin(cores), (long) nativeMib << 20);
        MemoryBudget budget = MemoryBudget.of(config, cores, nativeBytes);
        NativeMemory memory = new NativeMemory(budget.bufferBytes() - cores * (long) ThreadState.bytes(false, true));
        InputMemory inputs = InputMemory.of((long) heapMib << 20, cores);
        int keptMax = budget.exchangesKept(cores, inputs.bytesMax(), ThreadState.bytes(false, true));
        assertThat(keptMax).isBetween(MemoryBudget.REQUESTS_MIN, ExchangePool.KEPT_MAX);
        ExchangePool[] pools = new ExchangePool[cores];
        for (int core = 0; core < cores; core++) {
            pools[core] = pool(memory, inputs, keptMax);
            Deque<Exchange> taken = new ArrayDeque<>();
            for (Exchange each = pools[core].take(); each != null; each = pools[core].take()) {
                taken.add(each);
            }
            assertThat(taken).as("core %s", core).hasSizeGreaterThanOrEqualTo(MemoryBudget.REQUESTS_MIN);
            taken.forEach(pools[core]::giveBack);
            assertThat(pools[core].balance()).isZero();
        }
        for (ExchangePool each : pools) {
            each.close();
        }
        assertThat(memory.usedBytes() + inputs.usedBytes()).isZero();
    }

    // Room for a long head is made on the heap, which has others to serve, too.
    @Test
    void room_forLongHeads_isBounded() {
        NativeMemory memory = new NativeMemory(Long.MAX_VALUE);
        InputMemory inputs = new InputMemory(95 << 10);
        ExchangePool pool = pool(memory, inputs, ExchangePool.KEPT_MAX);
        Exchange first = filled(pool);
        Exchange second = filled(pool);
        assertThat(first.room()).isEqualTo(32 << 10);
        assertThat(inputs.usedBytes()).isEqualTo(56 << 10);
        assertThat(second.room()).as("without memory").isZero();
        assertThat(inputs.usedBytes()).isEqualTo(56 << 10);
        pool.giveBack(first);
        assertThat(second.room()).isEqualTo(32 << 10);
        pool.giveBack(second);
        pool.close();
        assertThat(inputs.usedBytes()).isZero();
    }

    private static ExchangePool pool(NativeMemory memory, InputMemory inputs, int keptMax) {
        return new ExchangePool(LIMITS, new HeadFields(false, false, false), 0, memory, inputs, keptMax);
    }

    private static Exchange filled(ExchangePool pool) {
        Exchange exchange = pool.take();
        assertThat(exchange).isNotNull();
        exchange.end = Exchange.IN_BYTES;
        return exchange;
    }
}
