// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import io.mely.Color;
import io.mely.Handler;
import io.mely.Prefetcher;
import io.mely.Stage;
import io.mely.StageOptions;
import io.mely.queue.ColorHomes;
import io.mely.queue.ColorIndex;
import io.mely.queue.CoreQueue;
import io.mely.queue.Inbox;
import io.mely.queue.RecordIndex;
import io.mely.queue.RecordPool;
import io.mely.queue.TimeLeftIntervals;
import io.mely.steal.Loans;
import io.mely.steal.StealCosts;
import io.mely.steal.Thief;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Mely's own engine: color-queues, and whole-color stealing by its three heuristics. */
public final class MelyRuntime extends EngineRuntime {
    /** Each so-many-th entry of an inbox looks at how long all of them will take. A power of two. */
    private static final int BACKLOG_INTERVAL = 256;

    /** So many wake-ups of work in short events are worth a thief's look, which mostly finds nothing that pays. Guess: that of a handler known to be long. */
    private static final int BACKLOG_WAKEUPS = 5;

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
        homes = new ColorHomes(config.colors(), config.firstHomes(cores.length));
        index = new ColorIndex(homes);
        inboxes = new Inbox[cores.length];
        boolean canSteal = config.stealing().enabled() && cores.length > 1;
        wakeups = new Wakeups(
                cores, canSteal, StealCosts.wakeWeight(config.stealing().timeLeft()));
        executeStage = new StageImpl<>(
                "execute", StageOptions.defaults(), config.stealing(), Runnable::run, null, colorTable.at(0));
        makeCores(machine, canSteal);
    }

    private ColorImpl makeColor(int slot) {
        homes.enter(slot + 1);
        return new ColorImpl(this, slot);
    }

    private void makeCores(Machine machine, boolean canSteal) {
        int count = cores.length;
        int[][] distances = machine.distances();
        StealCosts costs = new StealCosts(machine.distanceClasses(), config.stealing());
        Loans loans = new Loans(count);
        Gatherings gatherings = new Gatherings(count, loans, config.clock().nanoTime());
        TimeLeftIntervals intervals = canSteal ? costs.intervals() : TimeLeftIntervals.none();
        boolean hasShortQueue =
                config.hasShortQueue() && (!canSteal || config.stealing().timeLeft());
        long lengthyNs = config.isBriefFirst() ? CoreQueue.LENGTHY_NS : Long.MAX_VALUE;
        CoreQueue[] queues = new CoreQueue[count];
        for (int i = 0; i < count; i++) {
            queues[i] = new CoreQueue(i, intervals, index, records(), hasShortQueue, lengthyNs);
            queues[i].connect(queues, core -> wakeups.handedIn(core, 0));
            inboxes[i] = queues[i].inbox();
        }
        for (int i = 0; i < count; i++) {
            Sender sender = new Sender(depot());
            Thief thief = new Thief(
                    i,
                    queues,
                    wakeups::isEngaged,
                    distances,
                    config.stealing(),
                    costs,
                    loans,
                    sender.pool,
                    config.clock());
            cores[i] = new Core(
                    i,
                    new Core.Wiring(
                            this, queues[i], homes, thief, canSteal, sender, config, gatherings, machine.spinNs()),
                    pollers());
            wakeups.add(cores[i]);
        }
    }

    /** Sends to the color of a number from whatever thread calls. */
    boolean send(int number, StageImpl<?> stage, @Nullable Object event) {
        Core core = (Core) CoreThread.coreOf(Thread.currentThread(), this);
        return core != null ? core.send(number, stage, event) : sendOutside(number, stage, event);
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
     * @param sender null if it is no core
     * @param admission null if it is one
     * @return false if refused
     */
    boolean handIn(
            int number,
            EngineStage<?> stage,
            @Nullable Object event,
            @Nullable Core sender,
            Inbox.@Nullable Admission admission) {
        while (true) {
            int where = homes.where(number);
            int home = ColorHomes.coreOf(where);
            long position = inboxes[home].offer(number, stage, event, homes, where, admission);
            if (position >= 0) {
                if (sender != null && sender.core() == home) {
                    sender.queue().handedInByOwner(position);
                }
                boolean isLookDue = (position & BACKLOG_INTERVAL - 1) == 0;
                wakeups.handedIn(home, isLookDue ? backlog(home, stage.weight()) : stage.weight());
                return true;
            }
            wakeups.handedIn(home, 0); // a void entry is to be taken off, too
            if (position == Inbox.REFUSED) {
                return false;
            }
        }
    }

    /** What an event is worth to a thief with all those before it, which are taken for as long as it is; the less, the more thieves came in vain. */
    private long backlog(int home, long weight) {
        long all = inboxes[home].size() * weight / BACKLOG_WAKEUPS;
        return Math.max(weight, all >> cores[home].queue().vainHints());
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
        return makeStage(name, options, handler, null);
    }

    @Override
    public <E> Stage<E> stage(String name, StageOptions options, Handler<E> handler, Prefetcher<E> prefetcher) {
        Objects.requireNonNull(prefetcher, "prefetcher");
        checkStage(name, options, handler);
        for (Core core : cores) {
            core.prefetches();
        }
        return makeStage(name, options, handler, prefetcher);
    }

    private <E> Stage<E> makeStage(
            String name, StageOptions options, Handler<E> handler, @Nullable Prefetcher<E> prefetcher) {
        ColorImpl own = options.singleThreaded() ? colorTable.makeOwn() : colorTable.at(0);
        return new StageImpl<>(name, options, config.stealing(), handler, prefetcher, own);
    }

    /** Ends the prefetching of a stage. */
    void prefetcherFailed(StageImpl<?> stage, Throwable cause) {
        logError(stage.letGoOfPrefetcher(), cause);
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
