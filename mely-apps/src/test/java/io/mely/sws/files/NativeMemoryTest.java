// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.files;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;

/** Property: what is taken and not released never exceeds the bound; what is released can be taken again. */
class NativeMemoryTest {
    @Test
    void take_upToTheBound() {
        NativeMemory memory = new NativeMemory(1_000);
        assertThat(memory.take(1_001)).isNull();
        ByteBuf most = Objects.requireNonNull(memory.take(999));
        assertThat(most.capacity()).isEqualTo(999);
        assertThat(memory.take(2)).isNull();
        ByteBuf last = Objects.requireNonNull(memory.take(1));
        assertThat(memory.usedBytes()).isEqualTo(1_000);
        most.release();
        last.release();
        assertThat(memory.usedBytes()).isZero();
        Objects.requireNonNull(memory.take(1_000)).release();
    }

    @Test
    void take_byManyThreads_keepsTheBound() throws InterruptedException {
        int bound = 10_000;
        NativeMemory memory = new NativeMemory(bound);
        ConcurrentLinkedQueue<String> failures = new ConcurrentLinkedQueue<>();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            Random random = new Random(i);
            threads.add(new Thread(() -> {
                for (int round = 0; round < 10_000; round++) {
                    ByteBuf block = memory.take(1 + random.nextInt(5_000));
                    if (memory.usedBytes() > bound) {
                        failures.add(memory.toString());
                    }
                    if (block != null) {
                        block.release();
                    }
                }
            }));
        }
        threads.forEach(Thread::start);
        for (Thread each : threads) {
            each.join();
        }
        assertThat(failures).isEmpty();
        assertThat(memory.usedBytes()).isZero();
    }
}
