// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import io.mely.Color;
import io.mely.Handler;
import io.mely.Stage;
import io.mely.StageOptions;
import io.mely.queue.ColorIndex;
import io.mely.queue.CoreQueue;
import io.mely.queue.EventRecord;
import io.mely.queue.RecordIndex;
import io.mely.queue.TimeLeftIntervals;
import io.mely.steal.StealCosts;
import io.mely.steal.Thief;
import org.jspecify.annotations.Nullable;

/** Mely's own engine: color-queues, and whole-color stealing by its three heuristics. */
public final class MelyRuntime extends EngineRuntime {
    private final RuntimeConfig config;
    private final Core[] cores;
    private final Wakeups wakeups;
    private final ColorTable<ColorImpl> colorTable;
    private final StageImpl<Runnable> executeStage;

    /**
     * Builds a runtime.
     *
     * @param config checked by the builder
     */
    public MelyRuntime(RuntimeConfig config) {
        this(config, Machine.of(config));
    }

    /** Builds one on a machine that was looked at before. */
    MelyRuntime(RuntimeConfig config, Machine machine) {
        this(config, machine, new Core[machine.cores()]);
    }

    private MelyRuntime(RuntimeConfig config, Machine machine, Core[] cores) {
        super(config, machine, cores, new RecordIndex());
        this.config = config;
        this.cores = cores;
        colorTable = new ColorTable<>(config, cores.length, (slot, home) -> new ColorImpl(this, slot, home, records()));
        wakeups = new Wakeups(cores, StealCosts.wakeWeight(config.stealing().timeLeft()));
        executeStage =
                new StageImpl<>("execute", StageOptions.defaults(), config.stealing(), Runnable::run, colorTable.at(0));
        makeCores(machine);
    }

    private void makeCores(Machine machine) {
        int count = cores.length;
        int[][] distances = machine.distances();
        boolean canSteal = config.stealing().enabled() && count > 1;
        StealCosts costs =
                new StealCosts(machine.distanceClasses(), config.stealing().timeLeft());
        TimeLeftIntervals intervals = canSteal ? costs.intervals() : TimeLeftIntervals.none();
        CoreQueue[] queues = new CoreQueue[count];
        ColorIndex index = new ColorIndex();
        for (int i = 0; i < count; i++) {
            queues[i] = new CoreQueue(i, intervals, index);
        }
        for (int i = 0; i < count; i++) {
            Thief thief = new Thief(i, queues, distances, config.stealing(), costs, config.clock());
            cores[i] = new Core(
                    i,
                    new Core.Wiring(
                            this, queues[i], thief, intervals, canSteal, new Sender(depot()), config, machine.spinNs()),
                    pollers());
        }
    }

    boolean sendOutside(ColorImpl color, StageImpl<?> stage, @Nullable Object event) {
        return sendOutside(color, stage, event, false);
    }

    @Override
    protected void sendAccepted(
            EventRecord record, EngineColor to, EngineStage<?> stage, @Nullable Object event, boolean isFirst) {
        ColorImpl color = (ColorImpl) to;
        int weight = stage.weight();
        record.set(stage, event, weight);
        long left;
        if (color.append(record)) {
            color.opened(weight, stage.priority());
            color.markOpened();
            left = weight;
        } else {
            left = color.addLeft(weight, false);
            boolean isRaised = color.raiseUrgency(stage.priority());
            if (!isRaised && !cores[0].isPromotion(left, weight)) {
                return;
            }
        }
        Core target = cores[color.home()];
        target.queue().handIn(color);
        wakeups.handedIn(target, left);
    }

    @Override
    public Color color(long key) {
        return colorTable.ofKey(key);
    }

    @Override
    protected Color colorOfSlot(int slot) {
        return colorTable.at(slot);
    }

    @Override
    public <E> Stage<E> stage(String name, StageOptions options, Handler<E> handler) {
        ColorImpl own = options.singleThreaded() ? colorTable.makeOwn() : colorTable.at(0);
        return new StageImpl<>(name, options, config.stealing(), handler, own);
    }

    @Override
    protected StageImpl<Runnable> executeStage() {
        return executeStage;
    }

    /**
     * A core, for whoever steps it.
     *
     * @param index 0 to cores - 1
     * @return the core
     */
    public Core core(int index) {
        return cores[index];
    }

    Wakeups wakeups() {
        return wakeups;
    }
}
