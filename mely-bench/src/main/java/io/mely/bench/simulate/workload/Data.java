// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.simulate.workload;

import io.mely.bench.simulate.machine.Vm;
import java.util.ArrayDeque;

/** Blocks of memory of one size, as an allocator with a free list per core hands them out: the one freed last first. */
final class Data {
    static final int LINE_BYTES = 64;

    private final Vm vm;
    private final int bytes;
    private final java.util.List<ArrayDeque<Integer>> free = new java.util.ArrayList<>();

    Data(Vm vm, int cores, int bytes) {
        this.vm = vm;
        this.bytes = bytes;
        for (int i = 0; i < cores; i++) {
            free.add(new ArrayDeque<>());
        }
    }

    /** The first line of a block. */
    int take() {
        Integer line = free.get(vm.core()).pollFirst();
        return line != null ? line : vm.newData(bytes);
    }

    void give(int line) {
        free.get(vm.core()).addFirst(line);
    }
}
