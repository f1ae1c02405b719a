// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import java.util.Arrays;

/**
 * The stages whose handlers one thread is in, each called by the one before.
 *
 * <p><b>Threads.</b> One. <b>Bounds.</b> No stage is in it twice.
 */
final class CallChain {
    private int[] stages = new int[4];
    private int depth;

    boolean isEmpty() {
        return depth == 0;
    }

    boolean contains(int stage) {
        for (int i = 0; i < depth; i++) {
            if (stages[i] == stage) {
                return true;
            }
        }
        return false;
    }

    void enter(int stage) {
        assert !contains(stage) : "entered twice: stage=" + stage;
        if (depth == stages.length) {
            stages = Arrays.copyOf(stages, 2 * depth);
        }
        stages[depth++] = stage;
    }

    void leave() {
        depth--;
    }
}
