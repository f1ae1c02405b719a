// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.simulate.workload;

import io.mely.Color;
import io.mely.Mely;
import io.mely.MelyBuilder;
import io.mely.MelyStats;
import io.mely.Policy;
import io.mely.Stage;
import io.mely.StageOptions;
import io.mely.Stealing;
import io.mely.bench.libasync.Libasync;
import io.mely.bench.simulate.machine.Experiment;
import io.mely.bench.simulate.machine.Ledger;
import io.mely.bench.simulate.machine.MachineSpec;
import io.mely.bench.simulate.machine.Outcome;
import io.mely.bench.simulate.machine.Vm;
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
        private final Workload workload;
        private long events;
        private double awayCycles;
        private double measuredFrom = -1;
        private @Nullable MelyStats before;
        private @Nullable Outcome outcome;

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
                    Policy policy = StagePolicies.byName().get(experiment.engine());
                    yield policy == null ? null : policy.groups();
                }
            };
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
                    CoreThread::new);
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
            return mely.stage(name, new StageOptions(expectedNs, penalty, priority, false), event -> {
                vm.doing(Ledger.Activity.HANDLER);
                vm.work(spec.event().run());
                events++;
                body.handle(event);
                vm.doing(Ledger.Activity.RUNTIME);
            });
        }

        /** What a handler does. */
        interface Body<E> {
            void handle(E event);
        }

        <E> void send(Stage<E> stage, Color color, E event) {
            vm.work(spec.event().send());
            checkSent(stage, stage.offer(color, event));
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
        private record Arrival(double at, long number, Runnable what) implements Comparable<Arrival> {
            @Override
            public int compareTo(Arrival other) {
                int byTime = Double.compare(at, other.at);
                return byTime != 0 ? byTime : Long.compare(number, other.number);
            }
        }

        private final Seat seat;
        private final Run run;
        private final java.util.PriorityQueue<Arrival> arrivals = new java.util.PriorityQueue<>();
        private long number;

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
            return done;
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
            run.vm.block(until);
            return poll();
        }

        @Override
        public void wakeup() {
            run.vm.wake(seat.core());
        }
    }
}
