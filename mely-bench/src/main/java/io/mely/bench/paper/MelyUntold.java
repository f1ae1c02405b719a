// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.paper;

import io.mely.Color;
import io.mely.Mely;
import io.mely.MelyBuilder;
import io.mely.MelyStats;
import io.mely.Stage;
import java.time.Duration;
import java.util.Arrays;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/**
 * Mely as a user finds it who annotates nothing: the builder's defaults, a color for each key, and either one stage for events of all kinds or the
 * color as an {@link java.util.concurrent.Executor}.
 *
 * <p>A key's color is that of a number, by default the key itself, so that two keys may share a color. If the workload needs homes, the numbers are
 * searched for: each key has one whose color is no other key's and lives at the key's home.
 */
final class MelyUntold implements KeyedExecutor {
    /** Of the slots at one home, keys take at most 3 of 4. The search for a free one then takes 4 tries for each core, on average. */
    private static final int SHARE_OF = 4;

    private final Mely mely;
    /** Null: events go to {@link Color#execute}. */
    private final @Nullable Stage<Runnable> stage;
    /** Null: keys are where the runtime puts them. */
    private final @Nullable Homes homes;
    /** By key. Written by the driver before it sends a round: its events see it through the sends. */
    private final long[] numbers;
    /** By key, for the executor; else empty. */
    private final Color[] colors;

    private MelyUntold(Setup setup, boolean hasStage) {
        MelyBuilder builder =
                Mely.builder().name(MelyColors.NAME).cores(setup.workers()).pinned(setup.isPinned());
        if (setup.needsHomes()) {
            builder.colors(MelyColors.slots(setup.keys()));
        }
        mely = builder.build();
        stage = hasStage ? mely.stage("event", Runnable::run) : null;
        homes = setup.needsHomes() ? new Homes(mely, setup) : null;
        numbers = new long[setup.keys()];
        colors = new Color[hasStage ? 0 : setup.keys()];
        for (int key = 0; key < numbers.length; key++) {
            long number = homes == null ? key : homes.fresh(key);
            if (number < 0) {
                throw new IllegalStateException("too few colors at home: keys=" + setup.keys());
            }
            set(key, number);
        }
        mely.start();
    }

    /** One stage for events of all kinds. */
    static MelyUntold stage(Setup setup) {
        return new MelyUntold(setup, true);
    }

    /** The color as an executor. */
    static MelyUntold executor(Setup setup) {
        return new MelyUntold(setup, false);
    }

    private void set(int key, long number) {
        numbers[key] = number;
        if (stage == null) {
            colors[key] = mely.color(number);
        }
    }

    /** The numbers of keys that have homes. One thread at a time: the builder's, then the driver. */
    private static final class Homes {
        private final Mely mely;
        private final Setup setup;
        private final BitSet taken = new BitSet();
        /** By home. */
        private final int[] room;

        private long next;

        Homes(Mely mely, Setup setup) {
            this.mely = mely;
            this.setup = setup;
            room = new int[setup.workers()];
            Arrays.fill(room, mely.colors() / setup.workers() / SHARE_OF * (SHARE_OF - 1));
        }

        /** A number whose color lives at the home of a key and was never used; -1 if there is no room for one more. */
        long fresh(int key) {
            int home = setup.homes().applyAsInt(key);
            if (room[home] == 0) {
                return -1;
            }
            room[home]--;
            while (true) {
                long number = next++;
                Color color = mely.color(number);
                if (color.homeCore() == home && !taken.get(color.slot())) {
                    taken.set(color.slot());
                    return number;
                }
            }
        }

        boolean isAtHome(int key, long number) {
            return mely.color(number).homeCore() == setup.homes().applyAsInt(key);
        }
    }

    @Override
    public void execute(int key, int kind, Runnable event) {
        Stage<Runnable> only = stage;
        if (only == null) {
            colors[key].execute(event);
        } else if (!only.offer(numbers[key], event)) {
            throw new IllegalStateException("refused");
        }
    }

    @Override
    public boolean hasTimers() {
        return true;
    }

    @Override
    public Cancel schedule(int key, int kind, long delayNs, Runnable event) {
        Stage<Runnable> only = stage;
        Duration delay = Duration.ofNanos(delayNs);
        return only == null
                ? colors[key].schedule(delay, event)::cancel
                : mely.color(numbers[key]).schedule(delay, only, event)::cancel;
    }

    @Override
    public MelyStats stats() {
        return mely.stats();
    }

    @Override
    public boolean leavesKeysAway() {
        return homes != null;
    }

    @Override
    public Homing rehome(int key) {
        Homes known = homes;
        if (known == null || known.isAtHome(key, numbers[key])) {
            return Homing.AT_HOME;
        }
        long number = known.fresh(key);
        if (number < 0) {
            return Homing.STAYS;
        }
        set(key, number);
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
