// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.simulate.workload;

import io.mely.bench.simulate.machine.Vm;
import java.util.ArrayDeque;

/**
 * Blocks of memory of one size. As an allocator with a free list per core hands them out, the one freed last first; or as a collected heap does, always the
 * ones after those handed out last, through the whole of the young generation.
 */
final class Data {
    static final int LINE_BYTES = 64;

    private final Vm vm;
    private final int bytes;
    private final int youngBlocks;
    private int young = -1;
    private int taken;
    private final java.util.List<ArrayDeque<Integer>> free = new java.util.ArrayList<>();

    /** Of a heap with such a young generation; 0 for an allocator with free lists. */
    Data(Vm vm, int cores, int bytes, double youngBytes) {
        this.vm = vm;
        this.bytes = bytes;
        youngBlocks = youngBytes == 0 ? 0 : (int) Math.max(1, youngBytes / bytes);
        for (int i = 0; i < cores; i++) {
            free.add(new ArrayDeque<>());
        }
    }

    /** The first line of a block. */
    int take() {
        if (youngBlocks > 0) {
            if (young < 0) {
                young = vm.newData((long) youngBlocks * bytes);
            }
            return young + taken++ % youngBlocks * (bytes / LINE_BYTES);
        }
        Integer line = free.get(vm.core()).pollFirst();
        return line != null ? line : vm.newData(bytes);
    }

    void give(int line) {
        if (youngBlocks == 0) {
            free.get(vm.core()).addFirst(line);
        }
    }
}
