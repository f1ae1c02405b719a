// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.simulate.workload;

import io.mely.Color;
import io.mely.Mely;
import io.mely.MelyBuilder;
import io.mely.MelyStats;
import io.mely.Policy;
import io.mely.Stage;
import io.mely.StageGraph;
import io.mely.StageOptions;
import io.mely.Stealing;
import io.mely.bench.libasync.Libasync;
import io.mely.bench.simulate.machine.Experiment;
import io.mely.bench.simulate.machine.Ledger;
import io.mely.bench.simulate.machine.MachineSpec;
import io.mely.bench.simulate.machine.Outcome;
import io.mely.bench.simulate.machine.TimeSharing;
import io.mely.bench.simulate.machine.Vm;
import io.mely.policy.Partition;
import io.mely.policy.VisitFigures;
import io.mely.policy.VisitPolicy;
import io.mely.runtime.ColorPlaces;
import io.mely.runtime.CoreThread;
import io.mely.runtime.Hooks;
import io.mely.runtime.MelyRuntime;
import io.mely.runtime.RuntimeConfig;
import io.mely.runtime.VirtualCores;
import io.mely.spi.Poller;
import io.mely.spi.StageGroup;
import io.mely.topology.CacheMap;
import io.mely.topology.CacheMap.Cache;
import io.mely.topology.CacheMap.Cpu;
import io.mely.topology.CpuSet;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.IntUnaryOperator;
import java.util.function.ToLongFunction;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/** Puts a runtime and a workload onto a virtual machine, and keeps the books of the run. */
public final class Rig implements Function<Experiment, Outcome> {
    /** The runtime's own default, which a virtual machine must not decide from this one's CPUs. */
    private static final long SPIN_NS = 20_000;

    private static final long SLICE_NS = 100_000;
    /** Of SunOS's and of Linux's time-sharing classes of 2008 at the default priority, about. */
    private static final double QUANTUM_US = 20_000;

    /** Assumed: a switch between threads by the kernel. What it does to the caches comes on top. */
    private static final double SWITCH_US = 2;

    private static final int COLORS = 1 << 20;
    private static final int EVENTS_MAX = 1 << 20;

    /** Makes one that runs experiments one after the other. */
    public Rig() {}

    @Override
    public Outcome apply(Experiment experiment) {
        return new Run(experiment).run();
    }

    /** The names of the engines that it can run. */
    public static List<String> engines() {
        List<String> engines = new ArrayList<>(List.of(
                "mely-off",
                "mely-base",
                "mely-timeleft",
                "mely-penalty",
                "mely-locality",
                "mely",
                "libasync-smp",
                "libasync-smp-ws",
                "libasync-mp"));
        engines.addAll(StagePolicies.byName().keySet());
        StagePolicies.PARTITIONED.keySet().stream().sorted().forEach(engines::add);
        return List.copyOf(engines);
    }

    static Stealing stealingOf(String name) {
        return switch (name) {
            case "mely-off" -> Stealing.off();
            case "mely-base" -> Stealing.base().withColorsMax(1); // the report's way
            case "mely-timeleft" -> new Stealing(true, false, true, false);
            case "mely-penalty" -> new Stealing(true, false, false, true);
            case "mely-locality" -> new Stealing(true, true, false, false);
            default -> {
                if (!engines().contains(name)) {
                    throw new IllegalArgumentException("engine must be one of " + engines() + ": engine=" + name);
                }
                yield Stealing.mely(); // of the cores' own group, if there is another one beside it
            }
        };
    }

    static CacheMap mapOf(MachineSpec spec) {
        List<Cpu> cpus = new ArrayList<>();
        for (int cpu = 0; cpu < spec.cpus(); cpu++) {
            List<Cache> caches = new ArrayList<>();
            for (int level = 0; level < spec.caches().size(); level++) {
                MachineSpec.CacheSpec cache = spec.caches().get(level);
                int first = cpu / cache.cpus() * cache.cpus();
                caches.add(new Cache(level + 1, cache.bytes(), CpuSet.range(first, first + cache.cpus())));
            }
            cpus.add(new Cpu(cpu, spec.packageOf(cpu), CpuSet.of(cpu), caches));
        }
        return CacheMap.of(cpus);
    }

    /** One experiment under way. What workloads see. */
    static final class Run {
        final Experiment experiment;
        final MachineSpec spec;
        final Vm vm;
        final Mely mely;
        private Libasync.@Nullable Places places; // of libasync-smp; else the runtime's
        final SplittableRandom random;
        final Map<String, Double> extras = new TreeMap<>();
        final Histogram sojournNs = new Histogram(3);

        private final VirtualCores cores;
        private final boolean hasNetwork;
        private final List<VirtualPoller> pollers = new ArrayList<>();
        private final PriorityQueue<VirtualPoller.Arrival> sharedArrivals = new PriorityQueue<>(); // for any core
        private @Nullable StageGroup group; // of the engine, unless it is the runtime's own
        private final Workload workload;
        private long events;
        private long arrived; // anywhere
        private double awayCycles;
        private double measuredFrom = -1;
        private @Nullable MelyStats before;
        private @Nullable Outcome outcome;
        private @Nullable StageGraph graph;
        private long visitsBefore;
        private long successesBefore;

        Run(Experiment experiment) {
            this.experiment = experiment;
            spec = experiment.machine();
            hasNetwork = experiment.parameter("network", 1) != 0; // else the cores park, and a poll is free
            random = new SplittableRandom(experiment.seed());
            CacheMap map = mapOf(spec);
            vm = new Vm(spec, VirtualCores.cpus(map, experiment.cores()), experiment.lookahead());
            workload = Workloads.byName(experiment);
            MelyRuntime runtime = VirtualCores.mely(configOf(workload.placement()), map);
            cores = new VirtualCores(runtime);
            mely = cores.mely();
        }

        private StageGroup.@Nullable Factory groupOf(IntUnaryOperator placement) {
            return switch (experiment.engine()) {
                case "libasync-smp" ->
                    Libasync.smp(false, placement, told -> places = told).groups();
                case "libasync-smp-ws" ->
                    Libasync.smp(true, placement, told -> places = told).groups();
                case "libasync-mp" -> Libasync.mp().groups();
                default -> {
                    Policy policy = stagePolicy();
                    StageGroup.Factory factory = policy == null ? null : policy.groups();
                    yield factory == null
                            ? null
                            : workers -> {
                                StageGroup made = factory.create(workers);
                                group = made;
                                return made;
                            };
                }
            };
        }

        private @Nullable Policy stagePolicy() {
            String engine = experiment.engine();
            double vainCycles = spec.cycles(1e3 * experiment.parameter("vainVisitUs", 0));
            Policy special = workload.policy(engine);
            VisitPolicy visits = visitPolicy(engine);
            if (special != null || visits == null) {
                return special != null ? special : StagePolicies.byName().get(engine);
            }
            return Policy.of(engine, vainCycles == 0 ? visits : VisitFigures.afterVain(visits, () -> idle(vainCycles)));
        }

        private @Nullable VisitPolicy visitPolicy(String engine) {
            Integer parts = StagePolicies.PARTITIONED.get(engine);
            return parts == null
                    ? StagePolicies.visits().get(engine)
                    : VisitPolicy.cohort().withPartition(Partition.of(trial(), parts));
        }

        /** A core that has found nothing at a stage sleeps there, whatever comes elsewhere. */
        private void idle(double cycles) {
            vm.doing(Ledger.Activity.IDLE);
            vm.work(cycles);
            vm.doing(Ledger.Activity.RUNTIME);
        }

        /** What the stages do under Cohort scheduling without partitions. */
        private StageGraph trial() {
            Run trial = new Run(experiment.withEngine("cohort"));
            trial.run();
            StageGraph graph = trial.graph;
            if (graph == null) {
                throw new IllegalStateException("the trial run has no end");
            }
            return graph;
        }

        private RuntimeConfig configOf(IntUnaryOperator placement) {
            String engine = experiment.engine();
            StageGroup.Factory group = groupOf(placement);
            Policy policy = group == null ? Policy.colored(stealingOf(engine)) : Policy.of(engine, group);
            int batch = engine.equals("mely") ? Integer.MAX_VALUE : Policy.BATCH_THRESHOLD_EVENTS;
            MelyBuilder builder = Mely.builder()
                    .name("virtual")
                    .cores(experiment.cores())
                    .colors(COLORS)
                    .blockingLimit(1)
                    .pendingEventsMax(EVENTS_MAX)
                    .closeDeadline(Duration.ZERO)
                    .policy(policy.withBatchThreshold((int) experiment.parameter("batch", batch))
                            .withTimeSlice(Duration.ofNanos((long) experiment.parameter("sliceNs", SLICE_NS)))
                            .withSpin(Duration.ofNanos((long) experiment.parameter("spinNs", SPIN_NS)))
                            .withThreadsPerCore(1))
                    .errorHandler(failure -> {
                        throw new IllegalStateException(
                                "a workload's handler failed: "
                                        + failure.stage().name(),
                                failure.cause());
                    })
                    .pollers(seat -> {
                        VirtualPoller poller = new VirtualPoller(seat, this);
                        pollers.add(poller);
                        return poller;
                    })
                    .stallAfter(Duration.ZERO, stall -> {});
            workload.groups().forEach(builder::policy);
            return Hooks.config(Hooks.NONE
                    .withHashSeed(experiment.seed())
                    .withClock(vm::clockNs)
                    .withPlacement(placement)
                    .on(builder));
        }

        Outcome run() {
            workload.setUp(this);
            cores.start();
            if (experiment.isRecorded()) {
                vm.record();
            }
            if (experiment.parameter("movers", 0) != 0) {
                vm.countMovers();
            }
            arrive(0, 0, workload::begin);
            vm.run(
                    new Vm.Body() {
                        @Override
                        public void enter(int core) {
                            cores.enter(core);
                        }

                        @Override
                        public void run(int core) {
                            cores.loop(core);
                        }
                    },
                    CoreThread::new,
                    new TimeSharing.Threads(
                            cores.poolThreads(),
                            spec.cycles(1e3 * experiment.parameter("quantumUs", QUANTUM_US)),
                            spec.cycles(1e3 * experiment.parameter("switchUs", SWITCH_US)),
                            experiment.parameter("favourSleepers", 1) != 0));
            Outcome done = outcome;
            if (done == null) {
                throw new IllegalStateException("the workload ended before it was measured: " + experiment.workload());
            }
            return done;
        }

        // -------------------------------------------------------------- for workloads

        /** A stage whose handler's time and data are the machine's. */
        <E> Stage<E> stage(String name, double expectedCycles, int penalty, int priority, Body<E> body) {
            long expectedNs = expectedCycles <= 0 ? 0 : Math.max(1, (long) (expectedCycles / spec.gigahertz()));
            return stage(name, new StageOptions(expectedNs, penalty, priority, false), body);
        }

        /** What a handler does. */
        interface Body<E> {
            void handle(E event);
        }

        /** The same, with options of its own; its time is measured by the runtime. */
        <E> Stage<E> stage(String name, StageOptions options, Body<E> body) {
            return mely.stage(name, options, event -> {
                vm.doing(Ledger.Activity.HANDLER);
                vm.work(spec.event().run());
                events++;
                body.handle(event);
                vm.doing(Ledger.Activity.RUNTIME);
            });
        }

        <E> void send(Stage<E> stage, Color color, E event) {
            vm.work(spec.event().send());
            checkSent(stage, stage.offer(color, event));
        }

        /** Without a color. */
        <E> void send(Stage<E> stage, E event) {
            vm.work(spec.event().send());
            checkSent(stage, stage.offer(event));
        }

        /** Brings an idle color home. */
        void goHome(Color color, int home) {
            Libasync.Places smp = places;
            int slot = color.slot();
            if ((smp == null ? color.homeCore() : smp.home(slot)) == home) {
                return;
            }
            while (!(smp == null ? ColorPlaces.isIdle(color) : smp.isIdle(slot))) {
                vm.work(500); // the handler has returned, its core has still to see that nothing follows
            }
            if (smp == null) {
                ColorPlaces.set(color, home);
            } else {
                smp.home(slot, home);
            }
        }

        private void checkSent(Stage<?> stage, boolean isIn) {
            if (!isIn && outcome == null) { // once measured, the runtime stops and refuses
                throw new IllegalStateException("refused: " + stage.name());
            }
        }

        /** Work of a handler whose color began on a core. */
        void burn(double cycles, int home) {
            vm.work(cycles);
            countAway(cycles, home);
        }

        /** The same, while it walks through lines that it changes. */
        void walk(int firstLine, int lines, double cycles, int home) {
            vm.walk(firstLine, lines, true, cycles);
            countAway(cycles, home);
        }

        private void countAway(double cycles, int home) {
            if (vm.core() != home) {
                awayCycles += cycles;
            }
        }

        void sojourn(double fromCycles) {
            sojournNs.recordValue(Math.max(0, (long) ((vm.now() - fromCycles) / spec.gigahertz())));
        }

        /** Something reaches a core's poller at a time. */
        void arrive(int core, double atCycles, Runnable what) {
            pollers.get(core).arrive(atCycles, what);
        }

        /** Something reaches the machine at a time, where any core may take it in: one that sleeps is woken, else it is the first that polls. */
        void arriveAnywhere(double atCycles, Runnable what) {
            share(new VirtualPoller.Arrival(atCycles, arrived++, what));
        }

        /** The core that sleeps longest awaits an arrival, if it comes before what that awaits now. */
        private void share(VirtualPoller.Arrival arrival) {
            VirtualPoller latest = null;
            for (VirtualPoller poller : pollers) {
                boolean isLater = poller.isAsleep && (latest == null || poller.awaitedAt > latest.awaitedAt);
                latest = isLater ? poller : latest;
            }
            if (latest == null || latest.awaitedAt <= arrival.at()) {
                sharedArrivals.add(arrival);
                return;
            }
            VirtualPoller.Arrival later = latest.awaited;
            if (later != null) {
                sharedArrivals.add(later);
            }
            latest.await(arrival);
            vm.interruptAt(latest.seat.core(), arrival.at());
        }

        double cyclesOfUs(long us) {
            return spec.cycles(us * 1e3);
        }

        /** Where a round, or a request, has ended: begins the measuring, or ends it and the run. False if it is over. */
        boolean goOn() {
            if (measuredFrom < 0) {
                if (vm.now() >= cyclesOfUs(experiment.warmUs())) {
                    vm.resetFigures();
                    measuredFrom = vm.now();
                    events = 0;
                    awayCycles = 0;
                    sojournNs.reset();
                    before = mely.stats();
                    visitsBefore = visits(VisitFigures::visits);
                    successesBefore = visits(VisitFigures::successes);
                    workload.measured();
                }
                return true;
            }
            if (outcome == null && vm.now() - measuredFrom >= cyclesOfUs(experiment.measureUs())) {
                end();
            }
            return outcome == null;
        }

        private void end() {
            workload.ended();
            graph = mely.graph();
            long visits = visits(VisitFigures::visits) - visitsBefore;
            if (visits > 0) {
                extras.put("visits", (double) visits);
                extras.put("successfulVisits", (double) (visits(VisitFigures::successes) - successesBefore));
            }
            vm.movers().forEach((name, misses) -> extras.put("movers." + name, (double) misses));
            MelyStats after = mely.stats();
            outcome = new Outcome(
                    experiment,
                    events,
                    vm.now() - measuredFrom,
                    vm.figures(),
                    since(after, MelyStats.CoreStats::steals),
                    since(after, MelyStats.CoreStats::stealAttempts),
                    since(after, MelyStats.CoreStats::rescues),
                    since(after, MelyStats.CoreStats::stealTimeNs),
                    awayCycles,
                    since(after, MelyStats.CoreStats::stolenTimeNs),
                    stealingOf(experiment.engine()).timeLeft(),
                    since(after, MelyStats.CoreStats::sleeps),
                    since(after, MelyStats.CoreStats::wakeups),
                    sojournNs.copy(),
                    new TreeMap<>(extras),
                    vm.spans());
            cores.stop();
        }

        /** A figure of all cores, if they go from stage to stage. */
        private long visits(ToLongFunction<StageGroup.Visitor> figure) {
            long sum = 0;
            for (int core = 0; group != null && core < experiment.cores(); core++) {
                StageGroup.Visitor visitor = group.visitor(core);
                sum += visitor == null ? 0 : figure.applyAsLong(visitor);
            }
            return sum;
        }

        private long since(MelyStats after, ToLongFunction<MelyStats.CoreStats> counter) {
            MelyStats start = before;
            long sum = after.cores().stream().mapToLong(counter).sum();
            return start == null
                    ? sum
                    : sum - start.cores().stream().mapToLong(counter).sum();
        }
    }

    /** What a virtual core blocks in: things arrive at their time. */
    static final class VirtualPoller implements Poller {
        /** Where it comes, and what happens then. */
        record Arrival(double at, long number, Runnable what) implements Comparable<Arrival> {
            @Override
            public int compareTo(Arrival other) {
                int byTime = Double.compare(at, other.at);
                return byTime != 0 ? byTime : Long.compare(number, other.number);
            }
        }

        private final Seat seat;
        private final Run run;
        private final PriorityQueue<Arrival> arrivals = new PriorityQueue<>();
        private long number;
        private boolean isAsleep;
        private @Nullable Arrival awaited; // of those for any core, while it sleeps; not among the shared ones then
        private double awaitedAt = Double.POSITIVE_INFINITY;

        VirtualPoller(Seat seat, Run run) {
            this.seat = seat;
            this.run = run;
        }

        void arrive(double at, Runnable what) {
            arrivals.add(new Arrival(at, number++, what));
            run.vm.interruptAt(seat.core(), at);
        }

        @Override
        public int poll() {
            if (run.hasNetwork) {
                run.vm.work(run.spec.cycles(run.spec.os().pollNs()));
            }
            int done = 0;
            for (Arrival next = arrivals.peek(); next != null && next.at() <= run.vm.now(); next = arrivals.peek()) {
                arrivals.remove();
                next.what().run();
                done++;
            }
            PriorityQueue<Arrival> shared = run.sharedArrivals;
            for (Arrival next = shared.peek(); next != null && next.at() <= run.vm.now(); next = shared.peek()) {
                shared.remove();
                next.what().run();
                done++;
            }
            return done;
        }

        private void await(@Nullable Arrival arrival) {
            awaited = arrival;
            awaitedAt = arrival == null ? Double.POSITIVE_INFINITY : arrival.at();
        }

        @Override
        public int block(long timeoutNs) {
            if (!seat.mayBlock()) {
                return 0;
            }
            double until = run.vm.now() + run.spec.cycles((double) timeoutNs);
            Arrival next = arrivals.peek();
            if (next != null) {
                until = Math.min(
                        until, next.at() + run.spec.cycles(run.spec.os().wakeLatencyNs()));
            }
            await(run.sharedArrivals.poll());
            until = Math.min(until, awaitedAt + run.spec.cycles(run.spec.os().wakeLatencyNs()));
            isAsleep = true;
            run.vm.block(until);
            isAsleep = false;
            Arrival unawaited = awaited;
            await(null);
            if (unawaited != null && unawaited.at() <= run.vm.now()) {
                run.sharedArrivals.add(unawaited); // it is taken at once
            } else if (unawaited != null) {
                run.share(unawaited);
            }
            return poll();
        }

        @Override
        public void wakeup() {
            run.vm.wake(seat.core());
        }
    }
}
