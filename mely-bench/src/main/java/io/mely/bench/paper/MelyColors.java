// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.paper;

import io.mely.Color;
import io.mely.Mely;
import io.mely.MelyStats;
import io.mely.Stage;
import io.mely.StageOptions;
import io.mely.Stealing;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Mely through its public interface: a key is a color, a kind is a stage. */
final class MelyColors implements KeyedExecutor {
    private final Mely mely;
    private final Color[] colors;
    private final List<Stage<Runnable>> stages = new ArrayList<>();

    MelyColors(Setup setup, Stealing stealing) {
        int slots = Integer.highestOneBit(Math.max(2, setup.keys())) * 2;
        mely = Mely.builder()
                .name("paper")
                .cores(setup.workers())
                .pinned(setup.isPinned())
                .colors(slots)
                .placement(slot ->
                        slot >= 1 && slot <= setup.keys() ? setup.homes().applyAsInt(slot - 1) : 0)
                .stealing(stealing)
                .build();
        colors = new Color[setup.keys()];
        for (int key = 0; key < colors.length; key++) {
            // Slot 0 is the default color.
            colors[key] = mely.colorAt(key + 1);
        }
        for (Kind kind : setup.kinds()) {
            StageOptions options = StageOptions.defaults().withPenalty(kind.penalty());
            if (kind.processingTimeNs() > 0) {
                options = options.withProcessingTime(Duration.ofNanos(kind.processingTimeNs()));
            }
            stages.add(mely.<Runnable>stage(kind.name(), options, Runnable::run));
        }
        mely.start();
    }

    @Override
    public void execute(int key, int kind, Runnable event) {
        if (!stages.get(kind).send(colors[key], event)) {
            throw new IllegalStateException("refused");
        }
    }

    @Override
    public MelyStats stats() {
        return mely.stats();
    }

    @Override
    public void close() {
        mely.close();
    }
}
