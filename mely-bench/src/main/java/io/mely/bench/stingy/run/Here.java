// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.stingy.run;

import com.sun.management.OperatingSystemMXBean;
import io.mely.Mely;
import io.mely.Policy;
import io.mely.Stage;
import io.mely.StageOptions;
import io.mely.bench.paper.Cycles;
import io.mely.bench.report.Stat;
import io.mely.bench.report.TextTable;
import io.mely.bench.stingy.model.BufferProgram;
import io.mely.deploy.stingy.RuntimePlan;
import io.mely.stingy.Stingy;
import io.mely.stingy.StingyAllocator;
import io.mely.stingy.StingyPlan;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * A {@link BufferProgram} on this machine: one core, real buffers of Netty's pool and of the region in turn, the events of all stages in one queue. Handlers write each line that they allocate, read each line that the request held
 * before, and compute. The code of stages is whatever the compiler makes of this class, so it is not as the model's weights say.
 *
 * <p>Throughput is by a second of this process' CPU time, the collector's and the compiler's included: then it says something also where other programs use the machine.
 *
 * <p><b>Errors.</b> A handler's exception ends the run as an IllegalStateException.
 */
public final class Here {
    private static final int LINE_BYTES = 64;

    /** Each in flight goes round so often, at least. */
    private static final int ROUNDS_OF_EACH = 8;

    /** Share of a run before the clock starts. */
    private static final int WARM_PART = 4;

    private final BufferProgram program;
    private final int handlerNs;
    private final int requests;
    private final int rounds;

    /**
     * Of a program.
     *
     * @param program stages, buffers, plan
     * @param handlerNs what each handler computes
     * @param requests of each run, at least
     * @param rounds runs with and without
     */
    public Here(BufferProgram program, int handlerNs, int requests, int rounds) {
        this.program = program;
        this.handlerNs = handlerNs;
        this.requests = requests;
        this.rounds = rounds;
    }

    /** What a run gave. */
    private record Found(double perSecond, OptionalDouble misses) {}

    /**
     * Measures.
     *
     * @param counts of requests in flight
     * @return a table
     * @throws InterruptedException if the thread is interrupted
     */
    public String measure(List<Integer> counts) throws InterruptedException {
        int cycles = (int) Math.round(handlerNs / Cycles.measureNs());
        Found unused = new Run(1, false, cycles).run();
        unused = new Run(1, true, cycles).run(); // compiled by now
        List<List<String>> table = new ArrayList<>();
        boolean hasMisses = true;
        for (int inFlight : counts) {
            List<Found> ordinary = new ArrayList<>();
            List<Found> stingy = new ArrayList<>();
            for (int round = 0; round < rounds; round++) {
                ordinary.add(new Run(inFlight, false, cycles).run());
                stingy.add(new Run(inFlight, true, cycles).run());
            }
            double[] ratios = new double[rounds];
            for (int round = 0; round < rounds; round++) {
                ratios[round] = stingy.get(round).perSecond / ordinary.get(round).perSecond;
            }
            Stat ratio = Stat.of(ratios);
            hasMisses &= ordinary.get(0).misses.isPresent();
            table.add(List.of(
                    Integer.toString(inFlight),
                    format("%,.0f", median(ordinary)),
                    format("%,.0f", median(stingy)),
                    format("%.2f (%.2f to %.2f)", ratio.median(), ratio.least(), ratio.most()),
                    misses(ordinary),
                    misses(stingy)));
        }
        return format("One core here, by CPU time; median of %d runs of each in turn.%n", rounds)
                + TextTable.of(
                        List.of("in flight", "requests/CPU s", "stingy", "ratio", "misses/request", "stingy"), table)
                + (hasMisses ? "" : "No misses: " + MissCounter.whyNot() + "." + System.lineSeparator());
    }

    private static long cpuNs() {
        return ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getProcessCpuTime();
    }

    private static double median(List<Found> found) {
        return Stat.of(found.stream().mapToDouble(Found::perSecond).toArray()).median();
    }

    private static String misses(List<Found> found) {
        return found.stream().allMatch(each -> each.misses.isPresent())
                ? format(
                        "%,.0f",
                        Stat.of(found.stream()
                                        .mapToDouble(each -> each.misses.getAsDouble())
                                        .toArray())
                                .median())
                : "-";
    }

    private static String format(String pattern, Object... values) {
        return String.format(Locale.ROOT, pattern, values);
    }

    /** One run. A handler whose thread has lost its CPU is left to that thread, while another one runs the core: so several may run at once. */
    private final class Run {
        private final int inFlight;
        private final int total;
        private final int cycles;
        private final List<BufferProgram.Step> steps = program.steps();
        private final int[] entries = program.entries();
        private final AtomicIntegerArray turns = new AtomicIntegerArray(steps.size());
        private final List<Stage<Request>> stages = new ArrayList<>();
        private final @Nullable Stingy stingy;
        private final @Nullable StingyAllocator allocator;
        private final CountDownLatch over = new CountDownLatch(1);
        private final AtomicInteger started = new AtomicInteger();
        private final AtomicReference<Throwable> failure = new AtomicReference<>();
        private final AtomicInteger ended = new AtomicInteger();
        private volatile long startNs; // of CPU time
        private volatile long endNs;
        private volatile long sum; // so that nothing is left out

        /** Of so many requests in flight. */
        Run(int inFlight, boolean isStingy, int cycles) {
            this.inFlight = inFlight;
            this.cycles = cycles;
            total = Math.max(requests, ROUNDS_OF_EACH * inFlight);
            stingy = isStingy ? Stingy.of(RuntimePlan.of(program.plan()), 1) : null;
            allocator = stingy == null ? null : stingy.allocator(PooledByteBufAllocator.DEFAULT);
        }

        /** A request under way. */
        private final class Request {
            private int step;
            private final List<List<ByteBuf>> held = new ArrayList<>();

            Request() {
                for (int object = 0; object < program.objects(); object++) {
                    held.add(new ArrayList<>());
                }
            }
        }

        Found run() throws InterruptedException {
            OptionalDouble misses;
            try (MissCounter counter = MissCounter.ofChildren()) { // of the threads that are started from here on
                Mely mely = Mely.builder()
                        .name("stingy-run")
                        .cores(1)
                        .pinned(false)
                        .policy(Policy.centralQueue())
                        .errorHandler(failed -> fail(failed.cause()))
                        .build();
                try (mely) {
                    makeStages(mely);
                    mely.start();
                    for (int i = 0; i < inFlight; i++) {
                        begin(new Request());
                    }
                    over.await();
                }
                misses = counter.count();
            }
            Throwable failed = failure.get();
            if (failed != null) {
                throw new IllegalStateException("a handler failed", failed);
            }
            double seconds = (endNs - startNs) / 1e9;
            double measured = total - total / WARM_PART;
            return new Found(
                    measured / seconds,
                    misses.isPresent() ? OptionalDouble.of(misses.getAsDouble() / total) : OptionalDouble.empty());
        }

        private void fail(Throwable cause) {
            failure.compareAndSet(null, cause);
            over.countDown();
        }

        private void makeStages(Mely mely) {
            StingyPlan plan = stingy == null ? null : stingy.plan();
            for (BufferProgram.Step step : steps) {
                StageOptions options = StageOptions.defaults();
                if (stingy != null && plan != null && plan.stages().contains(step.name())) {
                    options = options.withSupply(stingy.supply(step.name()));
                }
                stages.add(mely.stage(step.name(), options, this::handle));
            }
        }

        private void begin(Request request) {
            int number = started.getAndIncrement();
            if (number < total) {
                request.step = entries[number % entries.length];
                stages.get(request.step).send(request);
            }
        }

        private void handle(Request request) {
            BufferProgram.Step step = steps.get(request.step);
            long seen = 0;
            for (int object : step.freesFirst()) {
                free(request, object);
            }
            for (List<ByteBuf> buffers : request.held) {
                for (ByteBuf buffer : buffers) {
                    seen += read(buffer);
                }
            }
            for (int i = 0; i < step.allocs().length; i++) {
                List<ByteBuf> held = request.held.get(step.allocs()[i]);
                while (held.size() < step.counts()[i]) {
                    held.add(written(allocate(step.allocs()[i])));
                }
            }
            sum = seen + Cycles.burn(seen, cycles);
            for (int object : step.frees()) {
                free(request, object);
            }
            int[] next = step.next();
            if (next.length == 0) {
                end(request);
            } else {
                request.step = next[turns.getAndIncrement(request.step) % next.length];
                stages.get(request.step).send(request);
            }
        }

        private void end(Request request) {
            for (int object = 0; object < program.objects(); object++) {
                free(request, object);
            }
            int count = ended.incrementAndGet();
            if (count == total / WARM_PART) {
                startNs = cpuNs();
            }
            if (count == total) {
                endNs = cpuNs();
                over.countDown();
            } else {
                begin(request);
            }
        }

        private ByteBuf allocate(int object) {
            int bytes = program.bytes(object);
            StingyAllocator regions = allocator;
            return regions == null || program.site(object) < 0
                    ? PooledByteBufAllocator.DEFAULT.directBuffer(bytes)
                    : regions.at(program.site(object)).buffer(bytes);
        }

        private ByteBuf written(ByteBuf buffer) {
            ByteBuffer memory = buffer.internalNioBuffer(0, buffer.capacity());
            for (int at = memory.position(); at < memory.limit(); at += LINE_BYTES) {
                memory.put(at, (byte) at);
            }
            return buffer;
        }

        private long read(ByteBuf buffer) {
            ByteBuffer memory = buffer.internalNioBuffer(0, buffer.capacity());
            long seen = 0;
            for (int at = memory.position(); at < memory.limit(); at += LINE_BYTES) {
                seen += memory.get(at);
            }
            return seen;
        }

        private void free(Request request, int object) {
            List<ByteBuf> buffers = request.held.get(object);
            for (ByteBuf buffer : buffers) {
                boolean unused = buffer.release();
            }
            buffers.clear();
        }
    }
}
