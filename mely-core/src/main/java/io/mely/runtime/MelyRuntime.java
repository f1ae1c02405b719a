// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import io.mely.Color;
import io.mely.Handler;
import io.mely.Stage;
import io.mely.StageOptions;
import org.jspecify.annotations.Nullable;

/** Mely's own engine: color-queues, and whole-color stealing by its three heuristics. */
public final class MelyRuntime extends EngineRuntime {
    private final ColorHomes homes;
    private final ColorIndex index;
    private final RuntimeConfig config;
    private final Core[] cores;
    private final Inbox[] inboxes; // beside the cores, for the same reason as the flags of Wakeups
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
        colorTable = new ColorTable<>(config, this::makeColor);
        homes = new ColorHomes(config.colors() + ColorTable.OWN_MAX, config.firstHomes(cores.length));
        index = new ColorIndex(homes);
        inboxes = new Inbox[cores.length];
        boolean canSteal = config.stealing().enabled() && cores.length > 1;
        wakeups = new Wakeups(
                cores, canSteal, StealCosts.wakeWeight(config.stealing().timeLeft()));
        executeStage =
                new StageImpl<>("execute", StageOptions.defaults(), config.stealing(), Runnable::run, colorTable.at(0));
        try {
            makeCores(machine, canSteal);
        } catch (Throwable e) {
            closeMade(cores);
            throw e;
        }
    }

    private ColorImpl makeColor(int slot) {
        return new ColorImpl(this, slot);
    }

    private void makeCores(Machine machine, boolean canSteal) {
        int count = cores.length;
        int[][] distances = machine.distances();
        StealCosts costs = new StealCosts(machine.distanceClasses(), config.stealing());
        TimeLeftIntervals intervals = canSteal ? costs.intervals() : TimeLeftIntervals.none();
        CoreQueue[] queues = new CoreQueue[count];
        for (int i = 0; i < count; i++) {
            queues[i] = new CoreQueue(i, intervals, index, records());
            inboxes[i] = queues[i].inbox();
        }
        CoreQueue.connect(queues, core -> wakeups.handedIn(core, 0));
        for (int i = 0; i < count; i++) {
            Thief thief = new Thief(i, queues, wakeups::isEngaged, distances, config.stealing(), costs, config.clock());
            cores[i] = new Core(
                    i, new Core.Wiring(this, queues[i], homes, thief, canSteal, config, machine.spinNs()), pollers());
            wakeups.add(cores[i]);
        }
    }

    /** Sends to the color of a number from whatever thread calls. */
    boolean send(int number, StageImpl<?> stage, @Nullable Object event) {
        ColoredWorker worker = (ColoredWorker) CoreThread.workerOf(Thread.currentThread(), this);
        return worker != null
                ? ((Core) worker.core).send(worker, number, stage, event)
                : sendOutside(number, stage, event);
    }

    boolean sendOutside(int number, StageImpl<?> stage, @Nullable Object event) {
        return sendOutside(null, number - 1, stage, event, false);
    }

    @Override
    protected boolean sendUndecided(
            Inbox.Admission admission,
            RecordPool pool,
            @Nullable EngineColor color,
            int slot,
            EngineStage<?> stage,
            @Nullable Object event,
            boolean isFirst) {
        return handIn(slot + 1, stage, event, null, admission); // the claim is the fence
    }

    /**
     * Sends an event to the home of a color, wherever that is by then: see {@link CoreQueue}. Any thread.
     *
     * @param sender null if it is no worker
     * @param admission null if it is one
     * @return false if refused
     */
    boolean handIn(
            int number,
            EngineStage<?> stage,
            @Nullable Object event,
            @Nullable ColoredWorker sender,
            Inbox.@Nullable Admission admission) {
        while (true) {
            int where = homes.where(number);
            int home = ColorHomes.coreOf(where);
            long position = inboxes[home].offer(number, stage, event, homes, where, admission);
            if (position >= 0) {
                if (sender != null && sender.core.core() == home) {
                    sender.turn.handedIn(position);
                }
                wakeups.handedIn(home, stage.weight());
                return true;
            }
            wakeups.handedIn(home, 0); // a void entry is to be taken off, too
            if (position == Inbox.REFUSED) {
                return false;
            }
        }
    }

    @Override
    public Color color(long key) {
        return colorTable.ofKey(key);
    }

    @Override
    public long key(CharSequence name) {
        return colorTable.keyOf(name);
    }

    @Override
    protected Color colorOfSlot(int slot) {
        return colorTable.at(slot);
    }

    @Override
    public <E> Stage<E> stage(String name, StageOptions options, Handler<E> handler) {
        checkStage(name, options, handler);
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

    /** The colors that have queues, and where all of them live. */
    ColorIndex index() {
        return index;
    }

    /** The color of a number. */
    ColorImpl colorOf(int number) {
        return colorTable.at(number - 1);
    }

    int slotOf(long key) {
        return colorTable.slotOf(key);
    }

    /** The core on which the color of a number lives. A hint. */
    int homeOf(int number) {
        return homes.coreOfColor(number);
    }

    Wakeups wakeups() {
        return wakeups;
    }
}
