// SPDX-License-Identifier: Apache-2.0
package io.mely.simulation;

import io.mely.Color;
import io.mely.Handler;
import io.mely.Mely;
import io.mely.MelyBuilder;
import io.mely.Policy;
import io.mely.Stage;
import io.mely.StageOptions;
import io.mely.Stealing;
import io.mely.Timer;
import io.mely.policy.DemandPolicy;
import io.mely.policy.Discipline;
import io.mely.policy.Partition;
import io.mely.policy.Service;
import io.mely.policy.VisitPolicy;
import io.mely.runtime.Hooks;
import io.mely.simulation.Simulation.World;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The workload of the campaigns, by seed: few colors that meet on few homes, handlers that send to their own and other colors, timers that
 * are cancelled, priorities, long and short stages, throwing and stalling handlers, outside threads, arrivals, a close at any time.
 *
 * <p>The shape of the runtime is drawn from the seed alone, so that a shrunk list of choices keeps it; all else is drawn from the choices.
 *
 * <p>Stages are the cores' own and those of another policy beside them; or all are of one policy under test: see {@link Subject}.
 */
final class Chaos implements Consumer<World> {
    private static final int EVENTS_MAX = 120;
    private static final int SHORT = 0; // of the stages
    private static final String GROUP = "central";
    private static final String CALLED = "called";

    /** Events without a color have a number from here on, each its own, in its place; under a policy under test they have the default color. */
    private static final int LOOSE = 10_000;

    private static final int PAYLOAD_DEPTH_MAX = 4;

    /** How many a handler sends: mostly few, at times what several may take from each other. */
    private static final int[] SENDS = {0, 1, 2, 0, 1, 2, 1, 5};

    private static final class Planned extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Planned() {
            super("planned", null, false, false);
        }
    }

    /** The caller: of an event that its sender's handler calls; null if it is queued. */
    private record Message(Ledger.Entry entry, int depth, Ledger.@Nullable Entry caller) {
        Message(Ledger.Entry entry, int depth) {
            this(entry, depth, null);
        }
    }

    private record Armed(Timer timer, Message message) {}

    private final long seed;
    private final @Nullable Supplier<Policy> tested;
    private final int colors;
    private final int cores;
    private World world;
    private Ledger ledger;
    private final List<Stage<Message>> stages = new ArrayList<>();
    private final List<Armed> armed = new ArrayList<>();
    private Stage<Message> single;
    private @Nullable Stage<Message> loose;

    /** Takes few; who is refused there waits for room. In some seeds. */
    private @Nullable Stage<Message> narrow;

    /** Its events are called by their senders, if they have no color or the sender's; else queued. In some seeds. */
    private @Nullable Stage<Message> called;

    /** Some stages wait for it, in some seeds. What a handler takes is freed at any time, by anybody. */
    private @Nullable Stock stock;

    private final List<Stock.Item> kept = new ArrayList<>();

    private int waits;
    private int callsToCome;
    private int looseEvents;
    private int events;
    private int thrown;
    private int reported;

    private Chaos(long seed, @Nullable Supplier<Policy> tested) {
        this.seed = seed;
        this.tested = tested;
        cores = 2 + of(1, 3);
        colors = 2 + of(2, 7);
    }

    /** A number of the seed's own, whatever is chosen later. */
    private int of(int salt, int bound) {
        return (int)
                Math.floorMod(((seed + 1) * 0x9E3779B97F4A7C15L ^ salt * 0xbf58476d1ce4e5b9L) >>> 17, (long) bound);
    }

    /** The run of a seed under the runtime's own policies. */
    static Simulation.Result run(long seed, UnaryOperator<Simulation> change) {
        return run(seed, null, change);
    }

    /** The same of a list of choices, in the shape of a seed. */
    static Simulation.Result replay(long seed, int[] choices, UnaryOperator<Simulation> change) {
        return replay(seed, choices, null, change);
    }

    /** The run of a seed; a policy under test is that of all stages. */
    static Simulation.Result run(long seed, @Nullable Supplier<Policy> tested, UnaryOperator<Simulation> change) {
        return run(Simulation.ofSeed(seed), seed, tested, change);
    }

    /** The same of a list of choices, in the shape of a seed. */
    static Simulation.Result replay(
            long seed, int[] choices, @Nullable Supplier<Policy> tested, UnaryOperator<Simulation> change) {
        return run(Simulation.ofChoices(seed, choices), seed, tested, change);
    }

    private static Simulation.Result run(
            Simulation simulation, long seed, @Nullable Supplier<Policy> tested, UnaryOperator<Simulation> change) {
        Chaos chaos = new Chaos(seed, tested);
        Simulation configured = change.apply(simulation).cores(chaos.cores).settings(chaos::settings);
        if (chaos.isFlood()) {
            configured.pendingEventsMax(64);
        }
        return configured.tryRun(chaos);
    }

    private boolean isFlood() {
        return of(3, 64) == 0;
    }

    private MelyBuilder settings(MelyBuilder builder) {
        int homes = 1 + of(4, cores);
        Stealing[] stealings = {
            Stealing.mely(),
            Stealing.mely(),
            Stealing.base(),
            new Stealing(true, true, false, false),
            new Stealing(true, false, true, false),
            new Stealing(true, true, true, false),
            Stealing.off()
        };
        if (hasGroup()) {
            builder.policy(GROUP, groupPolicy());
        }
        if (hasCalled()) {
            builder.policy(CALLED, Policy.passThrough());
        }
        Policy policy = tested != null ? tested.get() : Policy.colored(stealings[of(8, stealings.length)]);
        return Hooks.of(builder)
                .withPlacement(slot -> slot % homes)
                .on(builder)
                .colors(16)
                .policy(policy.withBatchThreshold(1 + of(5, 10))
                        .withTimeSlice(Duration.ofNanos(of(6, 2) == 0 ? 100_000 : 3_000))
                        .withSpin(Duration.ofNanos(of(7, 3) == 0 ? 1_000 : 0)));
    }

    private Policy groupPolicy() {
        VisitPolicy[] visits = {
            VisitPolicy.cohort().withStacks(),
            VisitPolicy.cohort().withSwitch(2, Duration.ofNanos(5_000)),
            VisitPolicy.roundRobin().withService(Service.gated(2)).withDiscipline(Discipline.LAST_IN_FIRST_OUT),
            VisitPolicy.mg1().withService(Service.cutoff(1_000)),
            VisitPolicy.srpt().withDiscipline(Discipline.SMALLEST_FIRST),
            VisitPolicy.dbr(),
            VisitPolicy.longestQueueFirst().withService(Service.gated()),
            VisitPolicy.fairShare().withReplicas(cores),
            VisitPolicy.cohort().withReplicas(cores).withStacks(),
            VisitPolicy.roundRobin().withStacks().withPartition(partition()),
            VisitPolicy.random(3).withService(Service.timed(Duration.ofNanos(2_000))),
            VisitPolicy.fairShare().withService(Service.batched(1, 4)),
            VisitPolicy.longestQueueFirst().withStacks()
        };
        return switch (of(40, 8)) {
            case 0, 1, 2 -> Policy.centralQueue();
            case 3 -> Policy.eventLoop();
            case 4 -> Policy.of("by-demand", DemandPolicy.of(Duration.ofNanos(8_000)));
            default -> Policy.of("visits", visits[of(41, visits.length)]);
        };
    }

    /** Every stage in a part of its own, as far as there are cores. */
    private Partition partition() {
        List<String> names = List.of("s0", "s1", "s2", "s3", "single", "loose", "narrow");
        return new Partition(
                cores,
                IntStream.range(0, names.size()).boxed().collect(Collectors.toMap(names::get, i -> i % cores)),
                1,
                0,
                0);
    }

    private boolean hasCalled() {
        return tested == null && of(44, 3) == 0;
    }

    private boolean hasGroup() {
        return tested == null && of(19, 3) != 0;
    }

    /** In a third of the seeds there is no stage of a group, in a third some are, in the rest all. */
    private boolean isOfGroup(int stage) {
        return hasGroup() && (of(19, 3) == 2 || of(20 + stage, 2) == 0);
    }

    @Override
    public void accept(World simulated) {
        world = simulated;
        ledger = new Ledger(world);
        makeStock();
        long[] timesNs = {100, 60_000, 0, 2_000};
        int[] priorities = {3, 3, of(9, 8), of(10, 8)};
        int[] penalties = {1, 1, 10, 1 + of(11, 3) * 500};
        for (int i = 0; i < timesNs.length; i++) {
            StageOptions options =
                    StageOptions.defaults().withPriority(priorities[i]).withPenalty(penalties[i]);
            if (timesNs[i] != 0) {
                options = options.withProcessingTime(Duration.ofNanos(timesNs[i]));
            }
            Stock ofStage = stock;
            boolean isSupplied = ofStage != null && of(47 + i, 2) == 0;
            Handler<Message> handler = isSupplied ? message -> handleSupplied(ofStage, message) : this::handle;
            options = isSupplied ? options.withSupply(ofStage) : options;
            stages.add(world.mely().stage("s" + i, isOfGroup(i) ? options.withGroup(GROUP) : options, handler));
        }
        StageOptions one = StageOptions.defaults().asSingleThreaded();
        single = world.mely().stage("single", isOfGroup(4) ? one.withGroup(GROUP) : one, this::handle);
        StageOptions noColor = StageOptions.defaults();
        if (hasGroup()) {
            Stock ofLoose = stock;
            StageOptions options = noColor.withGroup(GROUP);
            loose = ofLoose == null
                    ? world.mely().stage("loose", options, this::handle)
                    : world.mely()
                            .stage("loose", options.withSupply(ofLoose), message -> handleSupplied(ofLoose, message));
        } else if (tested != null) {
            loose = world.mely().stage("loose", noColor, this::handle);
        }
        if (of(42, 4) == 0) {
            StageOptions few = StageOptions.defaults().withCapacity(1 + of(43, 2));
            narrow = world.mely().stage("narrow", isOfGroup(5) ? few.withGroup(GROUP) : few, this::handle);
        }
        if (hasCalled()) {
            called = world.mely().stage("called", StageOptions.defaults().withGroup(CALLED), this::handleCalled);
        }
        if (tested instanceof Runnable check) {
            world.checkAfterSteps(check);
        }
        world.onFailure(failure -> {
            world.check(Check.CRASH, failure.cause() instanceof Planned, "handler failed: " + failure.cause());
            reported++;
        });
        int threads = 1 + of(12, 3);
        for (int i = 0; i < threads; i++) {
            String name = "outside " + i;
            int[] left = {4 + of(13 + i, 24)};
            world.outsideThread(name, () -> {
                outside(name);
                return --left[0] > 0 && events < EVENTS_MAX;
            });
        }
        if (of(16, 3) == 0) {
            Duration deadline = of(17, 3) == 0 ? Duration.ofNanos(of(18, 3) * 20_000L) : null;
            world.closeAfter(10 + world.choose(300), deadline);
        }
        world.checkAtEnd(() -> {
            for (Armed timer : armed) {
                world.check(Check.LIVENESS, !timer.timer.isPending(), "timer left over");
            }
            Mely.CloseReport report = world.closeReport();
            boolean hasAllRun = report == null || report.isDrained();
            world.check(Check.LIVENESS, !hasAllRun || callsToCome == 0, "wait for room still: " + callsToCome);
            world.check(Check.CRASH, thrown == reported, "thrown " + thrown + ", reported " + reported);
        });
    }

    private void makeStock() {
        if (tested != null || of(44, 3) != 0) {
            return;
        }
        Stock made = new Stock(cores, 1 + of(45, 3), 1, of(46, 3) == 0 ? 2 : Stock.SLICES_MAX);
        stock = made;
        if (of(51, 2) == 0) {
            made.onlyFor(event -> ((Message) event).depth % 2 == 0);
        }
        world.checkAfterSteps(made::check);
        world.checkAtEnd(made::checkAtEnd);
    }

    private void handleSupplied(Stock of, Message message) {
        if (of.isNeededBy(message) && world.choose(4) != 3) {
            kept.add(of.alloc());
        }
        free();
        handle(message);
    }

    /** Frees an object, if there is one and the seed says so. */
    private void free() {
        if (stock != null && !kept.isEmpty() && world.choose(3) != 2) {
            stock.free(kept.remove(world.choose(kept.size())));
        }
    }

    // ------------------------------------------------------------------ outside threads

    private void outside(String name) {
        free();
        switch (world.choose(12)) {
            case 10 -> schedule();
            case 11 -> cancel();
            case 9 -> {
                int core = world.choose(cores);
                world.arrive(core, () -> send("poller " + core, 0));
            }
            case 8 -> {
                if (isFlood()) {
                    flood(name);
                } else {
                    send(name, 0);
                }
            }
            case 7 -> {
                int slot = 1 + world.choose(colors);
                for (int i = 0; i < 3; i++) {
                    send(name, 0, slot);
                }
            }
            default -> send(name, 0);
        }
    }

    private void flood(String name) {
        int slot = 1 + world.choose(colors);
        Stage<Message> stage = stages.get(0);
        Color color = world.mely().colorAt(slot);
        for (int i = 0; i < 1_500; i++) {
            Ledger.Entry entry = ledger.sending(name, slot);
            if (!ledger.sent(entry, stage.offer(color, new Message(entry, PAYLOAD_DEPTH_MAX)))) {
                return;
            }
        }
    }

    // ------------------------------------------------------------------ everybody

    private void send(String sender, int depth) {
        send(sender, depth, 1 + world.choose(colors));
    }

    private void send(String sender, int depth, int slot) {
        events++;
        if (loose != null && world.choose(8) == 7) {
            sendLoose(sender, depth);
            return;
        }
        if (narrow != null && world.choose(3) == 0) {
            sendNarrow(sender, depth, slot);
            return;
        }
        int chosen = world.choose(stages.size() + 2);
        Stage<Message> stage = chosen == stages.size() ? single : stages.get(chosen > stages.size() ? SHORT : chosen);
        Color color = world.mely().colorAt(slot);
        int runsIn = stage == single ? single.color().slot() : slot;
        Ledger.Entry entry = ledger.sending(sender, runsIn);
        ledger.sent(entry, stage.offer(color, new Message(entry, depth)));
    }

    /** Who is refused waits, and sends when it is called; sometimes it sends nothing, and if it is refused then, too, it gives up. */
    private void sendNarrow(String sender, int depth, int slot) {
        if (!offerNarrow(sender, depth, slot)) {
            String waiter = "waiter " + waits++;
            callsToCome++;
            boolean isKept = narrow.whenRoom(() -> {
                callsToCome--;
                boolean unused = world.choose(4) != 0 && offerNarrow(waiter, depth, slot);
            });
            callsToCome -= isKept ? 0 : 1;
        }
    }

    private boolean offerNarrow(String sender, int depth, int slot) {
        Ledger.Entry entry = ledger.sending(sender, slot);
        return ledger.sent(entry, narrow.offer(world.mely().colorAt(slot), new Message(entry, depth)));
    }

    /** In its own color, without one, or in another one: then it has a queue. */
    private void call(Message by) {
        String self = "caller in " + by.entry.slot();
        int chosen = world.choose(3);
        boolean isOwn = chosen == 0 && by.entry.slot() < 16;
        if (chosen == 2) {
            int slot = 1 + world.choose(colors);
            if (slot != by.entry.slot()) {
                events++;
                Ledger.Entry entry = ledger.sending(self, slot);
                ledger.sent(entry, called.offer(world.mely().colorAt(slot), new Message(entry, PAYLOAD_DEPTH_MAX)));
                return;
            }
        }
        Ledger.Entry entry = ledger.scheduling(isOwn ? by.entry.slot() : LOOSE + looseEvents++);
        Message message = new Message(entry, PAYLOAD_DEPTH_MAX, by.entry);
        if (isOwn ? called.offer(world.mely().colorAt(by.entry.slot()), message) : called.offer(message)) {
            ledger.called(entry);
        } else {
            ledger.sent(entry, false);
        }
    }

    private void handleCalled(Message message) {
        if (message.caller == null) {
            handle(message);
            return;
        }
        ledger.beginCalled(message.entry, message.caller);
        world.yieldPoint();
        if (events < EVENTS_MAX && world.choose(2) == 0) {
            send("called " + message.entry, PAYLOAD_DEPTH_MAX);
        }
        world.yieldPoint();
        if (world.fault(Fault.THROWING_HANDLER, 16)) {
            thrown++;
            throw new Planned();
        }
    }

    private void sendLoose(String sender, int depth) {
        int slot = tested == null
                ? LOOSE + looseEvents++
                : world.mely().defaultColor().slot();
        Ledger.Entry entry = ledger.sending(sender, slot);
        ledger.sent(entry, loose.offer(new Message(entry, depth)));
    }

    private void schedule() {
        events++;
        int slot = 1 + world.choose(colors);
        Ledger.Entry entry = ledger.scheduling(slot);
        Message message = new Message(entry, PAYLOAD_DEPTH_MAX - 1);
        long delayNs = new long[] {0, 700, 20_000, 3_000_000}[world.choose(4)];
        Stage<Message> stage = stages.get(world.choose(stages.size()));
        Timer timer = world.mely().colorAt(slot).schedule(Duration.ofNanos(delayNs), stage, message);
        armed.add(new Armed(world.watch(timer), message));
    }

    private void cancel() {
        if (!armed.isEmpty()) {
            Armed chosen = armed.get(world.choose(armed.size()));
            if (chosen.timer.cancel()) {
                ledger.cancelled(chosen.message.entry);
            }
        }
    }

    private void handle(Message message) {
        ledger.begin(message.entry);
        try {
            if (message.entry.slot() < LOOSE) {
                world.check(
                        Check.EXCLUSION,
                        Color.current().slot() == message.entry.slot(),
                        "runs in color " + Color.current().slot() + ": " + message.entry);
            }
            world.yieldPoint();
            if (message.depth < PAYLOAD_DEPTH_MAX) {
                handleBusily(message);
            }
            if (world.fault(Fault.THROWING_HANDLER, 16)) {
                thrown++;
                throw new Planned();
            }
        } finally {
            ledger.end(message.entry);
        }
    }

    private void handleBusily(Message message) {
        boolean hasStalled = stall(16); // what thieves have taken meanwhile is not there any more for what is sent now
        String self = "color " + message.entry.slot();
        int sends = events >= EVENTS_MAX ? 0 : hasStalled ? 2 : SENDS[world.choose(SENDS.length)];
        for (int i = 0; i < sends; i++) {
            boolean isOwn = message.entry.slot() < 16 && world.choose(3) == 0;
            send(self, message.depth + 1, isOwn ? message.entry.slot() : 1 + world.choose(colors));
        }
        if (called != null && world.choose(4) == 3) {
            call(message);
        }
        switch (world.choose(16)) {
            case 13 -> schedule();
            case 14 -> cancel();
            case 15 -> world.work(Duration.ofNanos(50_000));
            default -> world.work(Duration.ofNanos(100));
        }
        boolean unused = stall(48);
        world.yieldPoint();
    }

    private boolean stall(int oneIn) {
        boolean isSo = world.fault(Fault.STALLED_HANDLER, oneIn);
        if (isSo) {
            world.stall(Duration.ofMillis(1 + 20 * world.choose(3)));
        }
        return isSo;
    }
}
