// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.simulate.workload;

import io.mely.Color;
import io.mely.Stage;
import io.mely.StageOptions;
import io.mely.bench.simulate.machine.Experiment;
import io.mely.bench.stingy.model.BufferProgram;
import io.mely.deploy.stingy.RuntimePlan;
import io.mely.stingy.Stingy;
import io.mely.stingy.StingyPlaces;
import io.mely.stingy.StingyPlan;
import io.mely.stingy.StingyStats;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.IntUnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A {@link BufferProgram} under a closed loop: so many requests are in flight; each that has ended begins anew after a round trip.
 *
 * <p>With {@code stingy=1} buffers are in the places of the runtime's own {@link Stingy}, and stages wait by its supplies; what the accounts cost is charged. Otherwise, and for what Stingy refuses, they come from a free list for each size, last in, first out,
 * as of Netty's caches of a thread. What a buffer takes beside that is {@code poolNs}, and {@code bufferNs} in the region. A handler writes each line that it allocates, and reads each line that its request held before: walks, whose misses overlap. A stage's code is
 * {@code codeBytes} times its weight, and is read by the first event of a run of them, as it is by the paper's objective.
 *
 * <p>Not in the model: the kernel's memory, the heap's, and that of the connections.
 *
 * <p><b>Shape.</b> One core: the paper's machine, and each core has its own region. Events have a color if the engine is the cores' own, each request its own; else none, and wait in the order sent. <b>Source.</b> spec: Stingy §1, §2, §6.
 */
final class Buffers implements Workload {
    private static final int NEVER = -1;

    /** A request under way: the lines, and if they are in the region the places, of what it holds. */
    private static final class Request {
        final int number;
        int step;
        double since;
        final List<List<Held>> held = new ArrayList<>();

        Request(int number, int objects) {
            this.number = number;
            for (int object = 0; object < objects; object++) {
                held.add(new ArrayList<>());
            }
        }
    }

    private record Held(int line, long place) {}

    private final Experiment experiment;
    private final BufferProgram program;
    private final List<BufferProgram.Step> steps;
    private final int[] entries;
    private final int inFlight;
    private final boolean isStingy;
    private final double handlerCycles;
    private final double roundTripCycles;
    private final int codeBytes;
    private final double poolCycles;
    private final double bufferCycles;
    private final List<Stage<Request>> stages = new ArrayList<>();
    private final int[] codeLines;
    private final int[] turns; // of the next stages, by stage
    private final Map<Integer, Data> free = new HashMap<>(); // by lines of a buffer
    private Rig.Run run;
    private @Nullable Stingy stingy;
    private @Nullable StingyPlaces places;
    private int regionLine;
    private int lastStep = NEVER;
    private int started;
    private long ended;

    @SuppressWarnings("NullAway.Init") // set up before anything is asked
    Buffers(Experiment experiment) {
        this.experiment = experiment;
        program = Objects.requireNonNull(experiment.program(), "program");
        if (experiment.cores() != 1) {
            throw new IllegalArgumentException("cores must be 1: cores=" + experiment.cores());
        }
        steps = program.steps();
        entries = program.entries();
        inFlight = (int) experiment.parameter("inFlight", 1);
        isStingy = experiment.parameter("stingy", 0) != 0;
        handlerCycles = experiment.machine().cycles(experiment.parameter("handlerNs", 0));
        roundTripCycles = experiment.machine().cycles(experiment.parameter("roundTripUs", 0) * 1e3);
        codeBytes = (int) experiment.parameter("codeBytes", 0);
        poolCycles = experiment.machine().cycles(experiment.parameter("poolNs", 0));
        bufferCycles = experiment.machine().cycles(experiment.parameter("bufferNs", 0));
        codeLines = new int[steps.size()];
        turns = new int[steps.size()];
    }

    @Override
    public IntUnaryOperator placement() {
        return slot -> 0;
    }

    @Override
    public void setUp(Rig.Run toUse) {
        run = toUse;
        StingyPlan plan = isStingy ? RuntimePlan.of(program.plan()) : null;
        if (plan != null) {
            Stingy made = Stingy.of(plan, 1);
            stingy = made;
            places = new StingyPlaces(made);
            regionLine = run.vm.newData(plan.bytes());
        }
        for (int step = 0; step < steps.size(); step++) {
            String name = steps.get(step).name();
            codeLines[step] = run.vm.newData(Math.max(1, codeBytes(step)));
            StageOptions options = StageOptions.defaults();
            Stingy supplies = stingy;
            if (supplies != null && plan != null && plan.stages().contains(name)) {
                options = options.withSupply(supplies.supply(name));
            }
            stages.add(run.stage(name, options, this::handle));
        }
    }

    private int codeBytes(int step) {
        return (int) (codeBytes * steps.get(step).weight());
    }

    @Override
    public void begin() {
        for (int i = 0; i < inFlight; i++) {
            Request request = new Request(i, program.objects());
            run.arrive(0, run.random.nextDouble() * roundTripCycles, () -> start(request));
        }
    }

    private void start(Request request) {
        request.step = entries[started++ % entries.length];
        request.since = run.vm.now();
        send(request);
    }

    private void send(Request request) {
        Stage<Request> stage = stages.get(request.step);
        if (experiment.engine().startsWith("mely")) {
            Color color = run.mely.colorAt(1 + request.number);
            run.send(stage, color, request);
        } else {
            run.send(stage, request);
        }
    }

    private void handle(Request request) {
        BufferProgram.Step step = steps.get(request.step);
        if (lastStep != request.step) {
            run.vm.stream(codeLines[request.step], codeBytes(request.step) / Data.LINE_BYTES, false);
            lastStep = request.step;
        }
        for (int object : step.freesFirst()) {
            free(request, object);
        }
        for (int object = 0; object < program.objects(); object++) {
            for (Held held : request.held.get(object)) {
                run.vm.stream(held.line, lines(object), false);
            }
        }
        for (int i = 0; i < step.allocs().length; i++) {
            int object = step.allocs()[i];
            List<Held> held = request.held.get(object);
            while (held.size() < step.counts()[i]) {
                Held fresh = allocate(object);
                held.add(fresh);
                run.vm.stream(fresh.line, lines(object), true);
            }
        }
        run.vm.work(handlerCycles);
        for (int object : step.frees()) {
            free(request, object);
        }
        int[] next = step.next();
        if (next.length == 0) {
            end(request);
        } else {
            request.step = next[turns[request.step]++ % next.length];
            send(request);
        }
    }

    private void end(Request request) {
        for (int object = 0; object < program.objects(); object++) {
            free(request, object);
        }
        ended++;
        run.sojourn(request.since);
        if (run.goOn()) {
            run.arrive(0, run.vm.now() + roundTripCycles, () -> start(request));
        }
    }

    private int lines(int object) {
        return (program.bytes(object) + Data.LINE_BYTES - 1) / Data.LINE_BYTES;
    }

    private Held allocate(int object) {
        StingyPlaces region = places;
        int site = program.site(object);
        long place = region == null || site < 0 ? StingyPlaces.NONE : region.take(site, program.bytes(object));
        run.vm.work(place == StingyPlaces.NONE ? poolCycles : bufferCycles);
        return place == StingyPlaces.NONE
                ? new Held(ordinary(object).take(), StingyPlaces.NONE)
                : new Held(regionLine + StingyPlaces.offset(place) / Data.LINE_BYTES, place);
    }

    private Data ordinary(int object) {
        return free.computeIfAbsent(lines(object), lines -> new Data(run.vm, 1, lines * Data.LINE_BYTES, 0));
    }

    private void free(Request request, int object) {
        for (Held held : request.held.get(object)) {
            if (held.place == StingyPlaces.NONE) {
                ordinary(object).give(held.line);
            } else {
                Objects.requireNonNull(places).give(held.place);
            }
        }
        request.held.get(object).clear();
    }

    @Override
    public void measured() {
        ended = 0;
    }

    @Override
    public void ended() {
        run.extras.put("requests", (double) ended);
        Stingy asked = stingy;
        if (asked != null) {
            StingyStats stats = asked.stats();
            run.extras.put("outside", (double) stats.sites().stream()
                    .mapToLong(StingyStats.SiteStats::fallbacks)
                    .sum());
            run.extras.put("passed", (double)
                    stats.passed().values().stream().mapToLong(Long::longValue).sum());
        }
    }
}
