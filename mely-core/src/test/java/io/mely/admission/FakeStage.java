// SPDX-License-Identifier: Apache-2.0
package io.mely.admission;

import io.mely.Color;
import io.mely.Stage;
import io.mely.StageOptions;
import io.mely.StageStats;

/** Takes a time, and nothing else. */
record FakeStage(long processingTimeNs) implements Stage<Object> {
    @Override
    public boolean offer(Color color, Object event) {
        throw new UnsupportedOperationException();
    }

    @Override
    public boolean offer(long key, Object event) {
        throw new UnsupportedOperationException();
    }

    @Override
    public boolean offer(Object event) {
        throw new UnsupportedOperationException();
    }

    @Override
    public String name() {
        return "fake";
    }

    @Override
    public StageOptions options() {
        return StageOptions.defaults();
    }

    @Override
    public Color color() {
        throw new UnsupportedOperationException();
    }

    @Override
    public StageStats stats() {
        throw new UnsupportedOperationException();
    }
}
