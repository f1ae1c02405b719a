// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import io.mely.Activity;
import io.mely.Activity.State;
import io.mely.Color;
import io.mely.ErrorHandler;
import io.mely.Handler;
import io.mely.Mely;
import io.mely.Mely.CloseReport;
import io.mely.MelyStats;
import io.mely.Stage;
import io.mely.StageGraph;
import io.mely.StageOptions;
import io.mely.Stealing;
import io.mely.Timer;
import io.mely.spi.Poller;
import io.mely.spi.StageGroup;
import io.mely.spi.Supply;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * What is behind {@link Mely}: puts the parts of a runtime together. Public methods are described there.
 *
 * <p>{@link Lifecycle} has its phases, threads and close, {@link Books} its counters, {@link Sends} the ways in, {@link Core} the loop; what waits is in the {@link CoreQueue} of a core, or in
 * another {@link StageGroup}.
 */
public final class MelyRuntime {
    /** Name of the stage of what colors execute. */
    public static final String EXECUTE = "execute";

    private final RuntimeConfig config;
    private final Machine machine;
    private final RecordDepot depot;
    private final Core[] cores;
    private final ColorHomes homes;
    private final ColorIndex index;
    private final ColorTable colorTable;
    private final OutsideSenders outside;
    private final BlockingWork blockingWork;
    private final ColorExecutors executors = new ColorExecutors();
    private final Pools pools = new Pools();
    private final Stalls stalls;
    private final Watch watch;
    private final Wakeups wakeups;
    private final Books books;
    private final Lifecycle life;
    private final Sends sends;
    private final Stealing stealing;
    private final AtomicInteger stageCount = new AtomicInteger();
    private final AtomicInteger poolWorkers = new AtomicInteger();
    private final AtomicInteger parked = new AtomicInteger();
    private int supplies; // guarded by this
    private final List<Stage<?>> stages = new CopyOnWriteArrayList<>();
    private final StageImpl<Runnable> executeStage;
    private final ErrorHandler errorHandler;

    /** By name; none for a group whose stages are the cores' own. */
    private final Map<String, @Nullable StageGroup> groups = new HashMap<>();

    /** Groups whose stages are called by their senders. */
    private final Set<String> called = new HashSet<>();

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
        this.config = config;
        this.machine = machine;
        stealing = config.tuning().stealing();
        ErrorHandler handler = config.errorHandler();
        errorHandler = handler != null ? handler : MelyRuntime::logFailure;
        int forTests = config.hooks().pendingEventsMax();
        depot = new RecordDepot(forTests > 0 ? forTests : config.pendingEventsMax());
        cores = new Core[machine.cores()];
        colorTable = new ColorTable(config, slot -> new ColorImpl(this, slot));
        homes = new ColorHomes(
                config.colors() + ColorTable.OWN_MAX, config.hooks().firstHomes(cores.length));
        index = new ColorIndex(homes);
        outside = new OutsideSenders(this);
        blockingWork = new BlockingWork(this, config.name(), config.blockingLimit());
        stalls = new Stalls(this, cores, config.stallAfterNs(), config.stallListener());
        watch = new Watch(cores, stalls);
        boolean canSteal = stealing.enabled() && cores.length > 1;
        wakeups = new Wakeups(cores, canSteal, StealCosts.wakeWeight(stealing.timeLeft()));
        books = new Books(cores, pools, outside, blockingWork);
        life = new Lifecycle(config, machine, cores, pools, books, blockingWork, watch, stalls);
        Inbox[] inboxes = new Inbox[cores.length];
        sends = new Sends(this, life, outside, homes, inboxes, wakeups);
        executeStage = new StageImpl<>(EXECUTE, StageOptions.defaults(), stealing, Runnable::run, colorTable.at(0));
        try {
            makeCores(canSteal, inboxes);
            makeGroups();
            StageGroup main = groups.get(StageOptions.GROUP_DEFAULT);
            if (main != null) {
                executeStage.join(main);
            }
            stages.add(executeStage);
        } catch (Throwable e) {
            for (Core core : cores) {
                if (core != null) {
                    core.closePoller();
                }
            }
            throw e;
        }
    }

    private void makeCores(boolean canSteal, Inbox[] inboxes) {
        int count = cores.length;
        int[][] distances = machine.distances();
        StealCosts costs = new StealCosts(machine.distanceClasses(), stealing);
        TimeLeftIntervals intervals =
                canSteal ? costs.intervals() : new TimeLeftIntervals(Long.MAX_VALUE); // else nothing is worthy
        CoreQueue[] queues = new CoreQueue[count];
        for (int i = 0; i < count; i++) {
            queues[i] = new CoreQueue(i, intervals, index, depot.index());
            inboxes[i] = queues[i].inbox;
        }
        CoreQueue.connect(queues, core -> wakeups.handedIn(core, 0));
        Poller.Factory given = config.pollers();
        Poller.Factory pollers = given != null ? given : ParkingPoller::new;
        for (int i = 0; i < count; i++) {
            Thief thief = new Thief(
                    i,
                    queues,
                    wakeups::isEngaged,
                    distances,
                    stealing,
                    costs,
                    config.hooks().clock());
            cores[i] = new Core(i, new Core.Wiring(this, queues[i], thief, canSteal, machine.spinNs()), pollers);
            wakeups.add(cores[i]);
        }
    }

    private void makeGroups() {
        GroupWorkers workers = new GroupWorkers(this, cores, index, depot.index());
        config.groups().forEach((name, factory) -> {
            StageGroup group = factory == null || factory == RuntimeConfig.CALLED ? null : factory.create(workers);
            groups.put(name, group);
            if (factory == RuntimeConfig.CALLED) {
                called.add(name);
            }
            if (group != null) {
                makeVisitors(group);
            }
        });
    }

    private void makeVisitors(StageGroup group) {
        pools.add(group);
        for (Core core : cores) {
            StageGroup.Visitor visitor = group.visitor(core.core());
            if (visitor != null) {
                core.visit(visitor);
            }
        }
    }

    // ------------------------------------------------------------------ life

    /** See {@link Mely#start}. */
    public void start() {
        life.start();
    }

    public boolean isAccepting() {
        return !life.isDraining();
    }

    public void close() {
        close(Duration.ofNanos(config.closeDeadlineNs()));
    }

    public CloseReport close(Duration deadline) {
        if (Objects.requireNonNull(deadline, "deadline").isNegative()) {
            throw new IllegalArgumentException("deadline must be >= 0: deadline=" + deadline);
        }
        if (CoreThread.workerOf(Thread.currentThread(), this) != null) {
            throw new IllegalStateException("close() by one of the cores would wait for itself");
        }
        if (blockingWork.isCaller()) {
            throw new IllegalStateException("close() by blocking work would wait for itself");
        }
        return life.close(TimeUnit.NANOSECONDS.convert(deadline), () -> {
            stages.forEach(stage -> ((StageImpl<?>) stage).end());
            tellOfDiscarded();
            blockingWork.failRest(); // without a lock: what depends on them may call close, too, or wait for who does
            executors.discardAll();
        });
    }

    private void tellOfDiscarded() {
        ErrorHandler given = config.errorHandler();
        if (given != null
                && books.stats(true, List.of(), MelyStats.StallStats.NONE).discarded() > 0) {
            new Discards(given).tellOf(cores, books.workers(), depot.index(), index);
        }
    }

    public CompletionStage<CloseReport> shutdown(Duration drain) {
        if (Objects.requireNonNull(drain, "drain").isNegative()) {
            throw new IllegalArgumentException("drain must be >= 0: drain=" + drain);
        }
        CompletableFuture<CloseReport> done = new CompletableFuture<>();
        Thread closer = new Thread(null, () -> shutdown(drain, done), config.name() + "-close", 0, false);
        closer.setDaemon(true);
        CoreThread.startingThreads(closer::start);
        return done;
    }

    private void shutdown(Duration drain, CompletableFuture<CloseReport> done) {
        try {
            done.complete(close(drain));
        } catch (Throwable e) {
            done.completeExceptionally(e);
        }
    }

    // ------------------------------------------------------------------ colors, stages and work

    public Color color(long key) {
        return colorTable.ofKey(key);
    }

    public Color color(CharSequence name) {
        return colorTable.ofKey(colorTable.keyOf(name));
    }

    public Color colorAt(int slot) {
        checkSlot(slot);
        return colorTable.at(slot);
    }

    void checkSlot(int slot) {
        if (slot < 0 || slot >= config.colors()) {
            throw new IllegalArgumentException("slot must be 0 to " + (config.colors() - 1) + ": slot=" + slot);
        }
    }

    public Color defaultColor() {
        return colorTable.at(0);
    }

    public int colors() {
        return config.colors();
    }

    public int cores() {
        return cores.length;
    }

    public <E> Stage<E> stage(String name, StageOptions given, Handler<E> handler) {
        Objects.requireNonNull(name, "name");
        StageOptions options = config.stageOptions().apply(name, Objects.requireNonNull(given, "options"));
        Objects.requireNonNull(handler, "handler");
        if (!groups.containsKey(options.group())) {
            throw new IllegalArgumentException("group must be one of " + new TreeSet<>(groups.keySet()) + ": group="
                    + options.group() + ", stage=" + name);
        }
        StageGroup group = groups.get(options.group());
        Supply supply = options.supply();
        if (supply != null && supply.cores() < cores.length) {
            throw new IllegalArgumentException("supply must have stock for each core: supply.cores=" + supply.cores()
                    + ", cores=" + cores.length + ", stage=" + name);
        }
        ColorImpl own = options.singleThreaded() ? colorTable.makeOwn() : colorTable.at(0);
        StageImpl<E> stage = new StageImpl<>(name, options, stealing, handler, own);
        if (called.contains(options.group())) {
            stage.beCalled(groups.get(StageOptions.GROUP_DEFAULT));
        } else if (group != null) {
            stage.join(group);
        }
        if (stage.supply != null) {
            addSupply(stage, stage.supply);
        }
        stages.add(stage);
        return stage;
    }

    private synchronized void addSupply(StageImpl<?> stage, Supply supply) {
        stage.supplyNumber = supplies;
        for (Core core : cores) {
            core.parking().add(stage, supply);
        }
        supplies++;
    }

    public <T> CompletableFuture<T> blocking(Color color, Callable<T> work) {
        ColorImpl to = ours(color);
        return blockingWork.submit(to, Objects.requireNonNull(work, "work"));
    }

    private ColorImpl ours(Color color) {
        ColorImpl to = (ColorImpl) Objects.requireNonNull(color, "color");
        if (to.runtime() != this) {
            throw new IllegalArgumentException("color belongs to another runtime: color=" + color);
        }
        return to;
    }

    public ScheduledExecutorService executor(Color color) {
        return executors.make(ours(color));
    }

    Timer schedule(Duration delay, ColorImpl color, StageImpl<?> stage, @Nullable Object event) {
        StackRoom.check();
        long deadlineNs = dueNs(delay);
        EventWorker current = CoreThread.workerOf(Thread.currentThread(), this);
        Core owner = current instanceof CoreWorker worker ? worker.core : cores[color.homeCore()];
        TimerEntry timer = new TimerEntry(owner, color, stage, event, deadlineNs);
        if (!startTimer(timer)) {
            timer.drop();
        }
        return timer;
    }

    /** Starts a timer, unless a close has begun. One that begins afterwards drops it. */
    boolean startTimer(TimerEntry timer) {
        if (life.isDraining()) {
            return false;
        }
        timer.owner.addTimer(timer);
        if (life.isStopped()) {
            timer.drop(); // the core had left its loop
        }
        return true;
    }

    /** When a delay that begins now is over; in 73 years at most. */
    long dueNs(Duration delay) {
        long delayNs = TimeUnit.NANOSECONDS.convert(delay);
        return config.hooks().clock().nanoTime() + Math.max(0, Math.min(delayNs, Long.MAX_VALUE / 4));
    }

    // ------------------------------------------------------------------ errors and figures

    /** Tells the error handler; the worker is null on a thread that is none. */
    void handlerFailed(@Nullable EventWorker worker, StageImpl<?> stage, @Nullable Object event, Throwable cause) {
        try {
            // In here, as it may have to be made, and memory may be why the handler failed.
            ColorImpl color = worker == null ? null : runningColor(worker);
            int core = worker == null ? HandlerObserver.OUTSIDE : worker.coreIndex();
            errorHandler.onError(new ErrorHandler.Failure(
                    core, color == null ? stage.color() : color, stage, Command.reported(event), cause));
        } catch (Throwable e) {
            if (e != cause) {
                e.addSuppressed(cause);
            }
            Lifecycle.logError("the error handler threw", e);
        }
    }

    private static void logFailure(ErrorHandler.Failure failure) {
        Lifecycle.logError(
                "handler failed: stage=" + failure.stage().name() + ", color="
                        + failure.color().slot() + ", core=" + failure.core(),
                failure.cause());
    }

    public MelyStats stats() {
        return books.stats(life.isStopped(), stages.stream().map(Stage::stats).toList(), stalls.stats());
    }

    public StageGraph graph() {
        List<StageGraph.Node> nodes = new ArrayList<>();
        List<StageGraph.Edge> edges = new ArrayList<>();
        List<Stage<?>> known = List.copyOf(stages);
        for (Stage<?> stage : known) {
            nodes.add(new StageGraph.Node(
                    stage.options().group(), threadsOf(stage), stage.processingTimeNs(), stage.stats()));
            int to = nodes.size() - 1;
            StageCounts.Count count = books.ofStage(((StageImpl<?>) stage).index());
            for (int from = -1; from < known.size(); from++) {
                int sender = from < 0 ? -1 : ((StageImpl<?>) known.get(from)).index();
                long events = count.sentFrom(sender);
                if (events > 0) {
                    edges.add(new StageGraph.Edge(from, to, events));
                }
            }
        }
        return new StageGraph(nodes, edges);
    }

    public List<Activity> activity() {
        List<Activity> all = new ArrayList<>();
        for (Core core : cores) {
            CoreWorker owner = core.worker();
            State idle = core.isAsleep() ? State.ASLEEP : State.BETWEEN;
            all.add(activity(owner, core.core(), idle));
            for (CoreWorker worker : core.crew().all()) {
                if (worker != owner && worker.turn.isRunning) {
                    all.add(activity(worker, core.core(), State.BETWEEN));
                }
            }
        }
        for (EventWorker worker : books.poolWorkers()) {
            if (worker.turn.isRunning) {
                all.add(activity(worker, -1, State.BETWEEN));
            }
        }
        return all;
    }

    /** Of a worker, by plain reads. */
    private Activity activity(EventWorker worker, int core, State idle) {
        int stage = worker.turn.isRunning ? worker.sender.stages.running() : -1;
        Stage<?> running = null;
        for (Stage<?> each : stages) {
            running = ((StageImpl<?>) each).index() == stage ? each : running;
        }
        if (running == null) {
            return new Activity(core, worker.thread, idle, null, -1, 0, worker.runAcquire());
        }
        int number = worker.turn.number;
        ColorQueue color = index.peek(number);
        long timeLeftNs = color == null ? 0 : color.timeLeft();
        return new Activity(core, worker.thread, State.HANDLER, running, number - 1, timeLeftNs, worker.runAcquire());
    }

    private int threadsOf(Stage<?> stage) {
        StageGroup group = groups.get(stage.options().group());
        return stage.options().singleThreaded() ? 1 : group == null ? cores.length : group.threads(stage, cores.length);
    }

    @Override
    public String toString() {
        return "Mely{name=" + config.name() + ", cores=" + cores.length + ", phase=" + life.phaseName() + "}";
    }

    // ------------------------------------------------------------------ its parts

    /**
     * A core, for whoever steps it.
     *
     * @param number 0 to cores - 1
     * @return the core
     */
    public Core core(int number) {
        return cores[number];
    }

    RuntimeConfig config() {
        return config;
    }

    Lifecycle life() {
        return life;
    }

    Books books() {
        return books;
    }

    Sends sends() {
        return sends;
    }

    Wakeups wakeups() {
        return wakeups;
    }

    Watch watch() {
        return watch;
    }

    OutsideSenders outside() {
        return outside;
    }

    /** Where records come from. */
    RecordDepot depot() {
        return depot;
    }

    /** The colors that have queues, and where all of them live. */
    ColorIndex index() {
        return index;
    }

    int nextStageIndex() {
        return stageCount.getAndIncrement();
    }

    /** How many lanes wait for their stages' supplies, on all cores; never less than there are. */
    AtomicInteger parked() {
        return parked;
    }

    /** Whether a stage has a supply. */
    synchronized boolean hasSupplies() {
        return supplies != 0;
    }

    /** The core whose stock the next thread of a group takes from: each in turn. */
    int nextStockCore() {
        return Math.floorMod(poolWorkers.getAndIncrement(), cores.length);
    }

    /** The stage of commands. */
    StageImpl<Runnable> executeStage() {
        return executeStage;
    }

    /** The color whose event a worker runs; null between events, and while it runs one without a color. That worker. */
    @Nullable
    ColorImpl runningColor(EventWorker of) {
        Turn turn = of.turn;
        return turn.isRunning && turn.number != ColorIndex.NONE ? colorTable.at(turn.number - 1) : null;
    }

    int slotOf(long key) {
        return colorTable.slotOf(key);
    }

    /** The core on which the color of a number lives. A hint. */
    int homeOf(int number) {
        return homes.coreOfColor(number);
    }

    /** The observer of a new core or outside sender, if there is to be one. */
    @Nullable
    HandlerObserver newObserver(int core) {
        HandlerObserver.Factory observers = config.hooks().observers();
        return observers == null ? null : observers.create(core);
    }
}
