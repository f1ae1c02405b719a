// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.paper;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * <i>fan-in</i>: outside threads send empty events to many colors, with a bounded number under way; the cost of an event.
 *
 * <p>Each producer owns a ring of event objects and sends the next one when it has run: nothing is allocated, no counter is
 * shared, and a contender that lags holds its producers up. A producer that has to wait spins for a little, then yields, then sleeps:
 * there are more threads than CPUs.
 */
final class FanIn extends Workload {
    private static final int KIND = 1;
    /** About 10 us. */
    private static final int SPINS = 200;

    private static final int YIELDS = 50;
    private static final long NAP_NS = 50_000;
    /** A producer tells how far it is every so many events. */
    private static final int REPORT = 64;
    /** Least to measure, in events under way. */
    private static final int PERIODS_MIN = 4;

    /** Two lines of 64 bytes. */
    private static final int STRIDE = 16;

    private static final int MIXES = 3;
    private static final int ODD_FACTOR = 0x2C1B3C6D;
    private static final int OFFSET = 0x297A2D39;

    private static final VarHandle IS_UNDER_WAY;
    private static final VarHandle IS_RUNNING;
    private static final VarHandle LONGS = MethodHandles.arrayElementVarHandle(long[].class);

    static {
        try {
            IS_UNDER_WAY = MethodHandles.lookup().findVarHandle(Token.class, "isUnderWay", boolean.class);
            IS_RUNNING = MethodHandles.lookup().findVarHandle(Place.class, "isRunning", boolean.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /**
     * The size.
     *
     * @param producers threads that send
     * @param colors a power of two
     * @param underWay most events sent and not yet run, of all producers
     */
    record Options(int producers, int colors, int underWay) {
        static Options usual(int producers, int colors) {
            return new Options(producers, colors, 4_096);
        }
    }

    private final Options options;
    private final Place[] places;
    private final List<Producer> producers = new ArrayList<>();
    /** By producer: events sent, now and then. */
    private final long[] progress;

    private volatile boolean isOver;
    private long measured;

    FanIn(Options options) {
        this.options = options;
        places = new Place[options.colors()];
        Homes.inOrder(places.length, i -> places[i] = new Place(options.producers()));
        progress = new long[(options.producers() + 1) * STRIDE];
        for (int i = 0; i < options.producers(); i++) {
            producers.add(new Producer(i));
        }
    }

    /** The books of a color: the next number from each producer. */
    private static final class Place {
        private final int[] next;
        private boolean isRunning;
        private int faults;

        Place(int producers) {
            next = new int[producers];
        }

        void run(int producer, int number) {
            if (isRunning || next[producer] != number) {
                faults++;
            }
            IS_RUNNING.setOpaque(this, true); // a plain store may be dropped for the next
            next[producer]++;
            IS_RUNNING.setOpaque(this, false);
        }
    }

    private final class Token extends Event {
        private final int producer;
        private int color;
        private int number;

        @SuppressWarnings("unused") // through the handle
        private volatile boolean isUnderWay;

        Token(int producer) {
            this.producer = producer;
        }

        @Override
        void handle() {
            if (!isUnderWayPlain()) {
                throw new CheckFailedException("more events than were sent");
            }
            places[color].run(producer, number);
            // Pairs with the acquire of the producer, which then writes the fields again.
            IS_UNDER_WAY.setRelease(this, false);
        }

        boolean isUnderWayPlain() {
            return (boolean) IS_UNDER_WAY.get(this);
        }

        boolean isUnderWayAcquire() {
            return (boolean) IS_UNDER_WAY.getAcquire(this);
        }

        void isUnderWayPlain(boolean value) {
            IS_UNDER_WAY.set(this, value);
        }
    }

    private final class Producer extends Thread {
        private final int index;
        private final Token[] tokens;
        private long sent;

        Producer(int index) {
            super("producer-" + index);
            this.index = index;
            tokens = new Token[Math.max(1, options.underWay() / options.producers())];
            for (int i = 0; i < tokens.length; i++) {
                tokens[i] = new Token(index);
            }
        }

        @Override
        public void run() {
            try {
                send();
            } catch (Throwable t) {
                fail(t);
            }
        }

        private void send() {
            KeyedExecutor executor = executor();
            int shift = Integer.numberOfTrailingZeros(options.colors());
            int next = 0;
            while (!isOver) {
                Token token = tokens[next];
                if (!await(token)) {
                    return;
                }
                int color = colorOf(index, sent, options.colors());
                token.color = color;
                token.number = (int) (sent >>> shift);
                token.isUnderWayPlain(true);
                executor.execute(1 + color, KIND, token);
                if ((++sent & (REPORT - 1)) == 0) {
                    LONGS.setRelease(progress, (index + 1) * STRIDE, sent);
                }
                next = next + 1 == tokens.length ? 0 : next + 1;
            }
            for (Token token : tokens) {
                await(token);
            }
        }

        /** Returns false if the run has failed. It yields since there are more threads than CPUs. */
        @SuppressWarnings("ThreadPriorityCheck")
        private boolean await(Token token) {
            for (int tries = 0; token.isUnderWayAcquire(); tries++) {
                if (tries < SPINS) {
                    Thread.onSpinWait();
                } else if (tries < SPINS + YIELDS) {
                    Thread.yield();
                } else {
                    LockSupport.parkNanos(NAP_NS);
                    if (hasFailed() || isOverdue()) {
                        return false;
                    }
                }
            }
            return true;
        }
    }

    @Override
    int keys() {
        return 1 + options.colors();
    }

    @Override
    int pendingMax() {
        return options.underWay();
    }

    @Override
    List<Kind> kinds() {
        return List.of(Rounds.DRIVER, new Kind("event", 0, 1));
    }

    @Override
    int home(int key) {
        return key;
    }

    private long sent() {
        long sum = 0;
        for (int i = 1; i <= options.producers(); i++) {
            sum += (long) LONGS.getAcquire(progress, i * STRIDE);
        }
        return sum;
    }

    @Override
    void drive() throws InterruptedException {
        producers.forEach(Thread::start);
        pause(warmNs());
        startClock();
        long before = sent();
        pause(measureNs());
        // A slow contender on a busy machine, or a very short run.
        while (sent() - before < (long) PERIODS_MIN * options.underWay() && !hasFailed() && !isOverdue()) {
            pause(NAP_NS);
        }
        measured = sent() - before;
        stopClock();
        isOver = true;
        for (Producer producer : producers) {
            producer.join();
            for (Token token : producer.tokens) {
                if (token.isUnderWayAcquire() && !hasFailed()) {
                    throw new CheckFailedException("an event is lost");
                }
            }
        }
        if (!hasFailed()) {
            close();
        }
    }

    /** A last event in each color: behind it nothing can be left, not even an event too many. */
    private void close() throws InterruptedException {
        AtomicInteger left = new AtomicInteger(places.length);
        for (int color = 0; color < places.length; color++) {
            executor().execute(1 + color, KIND, new Event() {
                @Override
                void handle() {
                    if (left.decrementAndGet() == 0) {
                        finish();
                    }
                }
            });
        }
        awaitFinish();
    }

    @Override
    long measuredEvents() {
        return measured;
    }

    @Override
    Metric metric() {
        return Metric.NS_PER_EVENT;
    }

    /** All colors once in a period, mixed, and not as the other producers do: neither workers nor producers take turns. */
    static int colorOf(int producer, long sequence, int colors) {
        int mask = colors - 1;
        int half = (Integer.numberOfTrailingZeros(colors) + 1) / 2;
        int x = (int) sequence & mask;
        for (int i = 0; i < MIXES; i++) {
            // Each step can be undone, so that colors stay apart.
            x = x * ODD_FACTOR + (producer + 1) * OFFSET & mask;
            x ^= x >>> half;
        }
        return x;
    }

    @Override
    void check() {
        int[][] expected = new int[places.length][options.producers()];
        for (Producer producer : producers) {
            long whole = producer.sent / places.length;
            for (int[] counts : expected) {
                counts[producer.index] += (int) whole;
            }
            for (long i = whole * places.length; i < producer.sent; i++) {
                expected[colorOf(producer.index, i, places.length)][producer.index]++;
            }
        }
        for (int i = 0; i < places.length; i++) {
            Place place = places[i];
            for (int p = 0; p < options.producers(); p++) {
                if (place.next[p] != expected[i][p] || place.faults != 0) {
                    throw new CheckFailedException("key " + (i + 1) + ": " + place.next[p] + " of " + expected[i][p]
                            + " events of producer " + p + " ran, " + place.faults + " out of order");
                }
            }
        }
    }
}
