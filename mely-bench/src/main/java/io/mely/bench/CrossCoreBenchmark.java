// SPDX-License-Identifier: Apache-2.0
package io.mely.bench;

import io.mely.Color;
import io.mely.Mely;
import io.mely.MelyStats;
import io.mely.Policy;
import io.mely.Stage;
import io.mely.Stealing;
import io.mely.runtime.Hooks;
import java.util.concurrent.TimeUnit;
import org.jctools.queues.varhandle.MpscLinkedVarHandleQueue;
import org.jctools.queues.varhandle.MpscUnboundedVarHandleArrayQueue;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * A stream of empty events from one core to another, beside the bare queues it could have gone through. Budget: 1.5 times a bare queue.
 *
 * <p>All keep {@link Tally#WINDOW} events under way at most and count with the same {@link Tally}. Needs two CPUs.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
@OperationsPerInvocation(CrossCoreBenchmark.EVENTS)
public class CrossCoreBenchmark {
    static final int EVENTS = 1 << 14;

    /** From a handler on core 0 to colors at home on core 1. */
    @Benchmark
    public void runtime(Cores state) {
        state.stream();
    }

    /** What the budget is measured by: a queue alone, which nobody can steal from. */
    @Benchmark
    public void bareArrayQueue(BareArray state) {
        state.stream();
    }

    /** The same with a node for each event. */
    @Benchmark
    public void bareLinkedQueue(BareLinked state) {
        state.stream();
    }

    /** A runtime of two cores. Stealing is off, so that each event crosses. */
    @State(Scope.Benchmark)
    @SuppressWarnings("NullAway.Init") // by the set-up methods
    public static class Cores {
        /** Most events sent by one run of the sending handler. */
        private static final int SLICE = 64;

        /** Receivers, sent to in turn. */
        @Param({"1", "64", "1024"})
        public int colors;

        private final Signal signal = new Signal();
        private Tally tally;
        private Mely mely;
        private Stage<Cores> sender;
        private Stage<Tally.Token> receiver;
        private Color senderColor;
        private Color[] receivers;

        // the sending handler's
        private long sent;
        private long sentEnd;
        private long acked;

        /** Starts it. */
        @Setup
        public void start() {
            tally = new Tally(signal, colors == 1);
            mely = Hooks.NONE
                    .withPlacement(slot -> slot == 1 ? 0 : 1)
                    .on(Mely.builder())
                    .name("bench")
                    .pinned(false) // so that the kernel moves it away from a busy neighbour, as it does the threads
                    // beside it
                    .cores(2)
                    .policy(Policy.colored(Stealing.off()))
                    .errorHandler(failure -> signal.fail(failure.toString()))
                    .build();
            sender = mely.stage("sender", Cores::runSender);
            receiver = mely.stage("receiver", tally::count);
            senderColor = mely.colorAt(1);
            receivers = new Color[colors];
            for (int i = 0; i < colors; i++) {
                receivers[i] = mely.colorAt(i + 2);
            }
            mely.start();
        }

        void stream() {
            signal.arm();
            sentEnd = tally.expect(EVENTS) + EVENTS;
            if (!sender.offer(senderColor, this)) {
                throw new IllegalStateException("refused");
            }
            signal.await();
        }

        private void runSender() {
            long first = sent;
            if (first - acked > Tally.WINDOW - SLICE) {
                acked = tally.ackedAcquire();
            }
            if (first - acked <= Tally.WINDOW - SLICE) {
                for (long i = first; i < first + SLICE; i++) {
                    if (!receiver.offer(receivers[(int) i & receivers.length - 1], tally.token(i))) {
                        signal.fail("refused");
                    }
                }
                sent = first + SLICE;
            }
            if (sent != sentEnd && !sender.offer(senderColor, this)) {
                signal.fail("refused");
            }
        }

        /** Checks that nothing was lost, run twice or run elsewhere. */
        @TearDown
        public void close() {
            mely.close();
            MelyStats stats = mely.stats();
            long atHome = stats.cores().get(1).run();
            if (atHome != sent || stats.run() != stats.sent() || stats.steals() != 0) {
                throw new IllegalStateException("expected " + sent + " events on core 1: " + stats);
            }
        }
    }

    /** Two threads and a queue: the benchmark's thread sends, the other one receives. */
    @SuppressWarnings("NullAway.Init") // by the set-up methods
    public abstract static class Bare {
        private final Signal signal = new Signal();
        private final Tally tally = new Tally(signal, true);
        private Thread receiver;
        private volatile boolean isOver;
        private long acked;

        /** Starts the receiver. */
        @Setup
        public void start() {
            receiver = new Thread(this::receive, "receiver");
            receiver.start();
        }

        abstract boolean offer(Tally.Token token);

        abstract void receive();

        /** Receives until the end; on a queue of known class, as calls through an interface would be measured too. */
        final boolean isOver() {
            return isOver;
        }

        final Tally tally() {
            return tally;
        }

        final void stream() {
            signal.arm();
            long first = tally.expect(EVENTS);
            for (long i = first; i < first + EVENTS; i++) {
                if (i - acked >= Tally.WINDOW) {
                    tally.awaitAcked(i - Tally.WINDOW + 1);
                    acked = tally.ackedAcquire();
                }
                if (!offer(tally.token(i))) {
                    throw new IllegalStateException("refused");
                }
            }
            tally.awaitAcked(first + EVENTS);
            signal.check(System.nanoTime());
        }

        /** Ends the receiver. */
        @TearDown
        public void close() throws InterruptedException {
            isOver = true;
            receiver.join();
        }
    }

    /** The unbounded array queue. */
    @State(Scope.Benchmark)
    public static class BareArray extends Bare {
        private final MpscUnboundedVarHandleArrayQueue<Tally.Token> queue =
                new MpscUnboundedVarHandleArrayQueue<>(1_024);

        @Override
        boolean offer(Tally.Token token) {
            return queue.offer(token);
        }

        @Override
        void receive() {
            while (!isOver()) {
                Tally.Token token = queue.poll();
                if (token == null) {
                    Thread.onSpinWait();
                } else {
                    tally().count(token);
                }
            }
        }
    }

    /** The linked queue; allocates a node for each event. */
    @State(Scope.Benchmark)
    public static class BareLinked extends Bare {
        private final MpscLinkedVarHandleQueue<Tally.Token> queue = new MpscLinkedVarHandleQueue<>();

        @Override
        boolean offer(Tally.Token token) {
            return queue.offer(token);
        }

        @Override
        void receive() {
            while (!isOver()) {
                Tally.Token token = queue.poll();
                if (token == null) {
                    Thread.onSpinWait();
                } else {
                    tally().count(token);
                }
            }
        }
    }
}
