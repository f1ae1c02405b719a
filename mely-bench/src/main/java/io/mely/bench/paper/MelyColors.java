// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.paper;

import io.mely.Color;
import io.mely.Engine;
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
    /** Colors stay with the core that stole them, so keys go home by taking fresh colors. 2 million of them are 130 MB. */
    private static final int SLOTS_MAX = 1 << 21;

    private static final int BLOCKS_MAX = 1 << 10;

    private final Mely mely;
    private final Color[] colors;
    private final int keys;
    private final int blocks;
    /** Written by the driver before it sends a round: its events see it through the sends. */
    private int block;

    private final List<Stage<Runnable>> stages = new ArrayList<>();

    MelyColors(Setup setup, Engine engine, Stealing stealing) {
        keys = setup.keys();
        int slots = SLOTS_MAX;
        while (slots / 2 > keys && slots / 2 > keys * BLOCKS_MAX) {
            slots /= 2;
        }
        blocks = Math.min(BLOCKS_MAX, (slots - 1) / keys);
        mely = Mely.builder()
                .name("paper")
                .cores(setup.workers())
                .pinned(setup.isPinned())
                .colors(slots)
                // Slot 0 is the default color.
                .placement(slot -> slot == 0 ? 0 : setup.homes().applyAsInt((slot - 1) % keys))
                .engine(engine)
                .stealing(stealing)
                .build();
        colors = new Color[keys * blocks];
        for (int i = 0; i < colors.length; i++) {
            colors[i] = mely.colorAt(i + 1);
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
        if (!stages.get(kind).send(colors[block * keys + key], event)) {
            throw new IllegalStateException("refused");
        }
    }

    @Override
    public MelyStats stats() {
        return mely.stats();
    }

    @Override
    public boolean rehome() {
        if (block + 1 == blocks) {
            return false;
        }
        block++;
        return true;
    }

    @Override
    public boolean isOnFirstWorker() {
        return Color.current().homeCore() == 0;
    }

    @Override
    public void close() {
        mely.close();
    }
}
