// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.paper;

import io.mely.Color;
import io.mely.Mely;
import io.mely.MelyStats;
import io.mely.Policy;
import io.mely.Stage;
import io.mely.StageOptions;
import io.mely.runtime.Hooks;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Mely through its public interface: a key is a color, a kind is a stage. */
final class MelyColors implements KeyedExecutor {
    /** Of the runtime; the names of its threads begin with it. */
    static final String NAME = "paper";

    /** Colors stay with the core that stole them, so a key goes home by taking a fresh color. 2 million are 24 MB of tables, and 80 bytes more for each that has a queue. */
    private static final int SLOTS_MAX = 1 << 21;

    /** Slots for each key, where that is less. */
    private static final int SLOTS_PER_KEY = 1 << 10;

    @SuppressWarnings({"unchecked", "rawtypes"}) // empty
    private static final Stage<Runnable>[] NO_STAGES = new Stage[0];

    private final Mely mely;
    private final int keys;
    private final IntUnaryOperator homes;
    /** By key, once one has had to be brought home. Written by the driver before it sends a round: its events see it through the sends. */
    private int @Nullable [] slots;
    /** By core: the next slot at home there that no key has had. */
    private final int[] freshSlots;

    /** By kind. */
    private final Stage<Runnable>[] stages;

    MelyColors(Setup setup, Policy policy, boolean isOurs) {
        keys = setup.keys();
        homes = setup.homes();
        Policy tuned = isOurs ? policy : policy.withBatchThreshold(Policy.BATCH_THRESHOLD_EVENTS);
        mely = Hooks.NONE
                .withPlacement(placement(setup))
                .on(Mely.builder())
                .name(NAME)
                .cores(setup.workers())
                .pinned(setup.isPinned())
                .colors(slots(keys))
                .policy(tuned)
                .build();
        freshSlots = new int[setup.workers()];
        for (int i = 0; i < freshSlots.length; i++) {
            freshSlots[i] = keys + 1 + i;
        }
        List<Stage<Runnable>> made = new ArrayList<>();
        for (Kind kind : setup.kinds()) {
            StageOptions options =
                    StageOptions.defaults().withPenalty(kind.penalty()).withPriority(kind.priority());
            if (kind.processingTimeNs() > 0) {
                options = options.withProcessingTime(Duration.ofNanos(kind.processingTimeNs()));
            }
            made.add(mely.stage(kind.name(), options, Runnable::run));
        }
        stages = made.toArray(NO_STAGES);
        mely.start();
    }

    /** Slot 0 is the default color; the keys' first colors follow, then fresh ones for each core in turn. */
    static IntUnaryOperator placement(Setup setup) {
        int keys = setup.keys();
        IntUnaryOperator homes = setup.homes();
        return slot -> slot == 0 ? 0 : slot <= keys ? homes.applyAsInt(slot - 1) : (slot - keys - 1) % setup.workers();
    }

    /** Slots for so many keys, and for the fresh colors that bring them home. */
    static int slots(int keys) {
        int slots = SLOTS_MAX;
        while (slots / 2 > keys && slots / 2 > keys * SLOTS_PER_KEY) {
            slots /= 2;
        }
        return slots;
    }

    private int slotOf(int key) {
        int[] slots = this.slots;
        return slots == null ? 1 + key : slots[key];
    }

    @Override
    public void execute(int key, int kind, Runnable event) {
        if (!stages[kind].offer(mely.colorAt(slotOf(key)), event)) {
            throw new IllegalStateException("refused");
        }
    }

    @Override
    public boolean hasTimers() {
        return true;
    }

    @Override
    public Cancel schedule(int key, int kind, long delayNs, Runnable event) {
        return mely.colorAt(slotOf(key)).schedule(Duration.ofNanos(delayNs), stages[kind], event)::cancel;
    }

    @Override
    public MelyStats stats() {
        return mely.stats();
    }

    @Override
    public boolean leavesKeysAway() {
        return true;
    }

    @Override
    public Homing rehome(int key) {
        int home = homes.applyAsInt(key);
        if (mely.colorAt(slotOf(key)).homeCore() == home) {
            return Homing.AT_HOME;
        }
        int slot = freshSlots[home];
        if (slot >= mely.colors()) {
            return Homing.STAYS;
        }
        freshSlots[home] = slot + freshSlots.length;
        int[] slots = this.slots;
        if (slots == null) {
            slots = IntStream.rangeClosed(1, keys).toArray();
            this.slots = slots;
        }
        slots[key] = slot;
        return Homing.BROUGHT;
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
