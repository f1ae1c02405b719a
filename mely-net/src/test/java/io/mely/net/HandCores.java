// SPDX-License-Identifier: Apache-2.0
package io.mely.net;

import io.mely.spi.Poller;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Cores made by hand: threads that keep the contract of {@link Poller} and nothing else, so that pollers are tested
 * without the runtime. A {@link Lane} is a color that runs on a random core each time, as if it was stolen again and again.
 */
final class HandCores implements AutoCloseable {
    private final List<HandCore> cores = new ArrayList<>();
    final AtomicReference<Throwable> failure = new AtomicReference<>();

    /** Builds the cores; {@link #start} runs them. */
    HandCores(Poller.Factory factory, int count) {
        for (int i = 0; i < count; i++) {
            cores.add(new HandCore(i, factory));
        }
    }

    static HandCores started(Poller.Factory factory, int count) {
        return new HandCores(factory, count).start();
    }

    HandCores start() {
        cores.forEach(Thread::start);
        return this;
    }

    HandCore core(int index) {
        return cores.get(index);
    }

    Lane lane(long seed) {
        return new Lane(seed);
    }

    @Override
    public void close() {
        for (HandCore core : cores) {
            core.stopSoon();
        }
        for (HandCore core : cores) {
            Await.until("end of " + core.getName(), () -> !core.isAlive());
        }
        if (failure.get() != null) {
            throw new AssertionError("an event failed", failure.get());
        }
    }

    final class HandCore extends Thread implements Poller.Seat {
        private static final int AWAKE = 0;
        private static final int SLEEPING = 1;

        private final int index;
        final Poller poller;
        final Queue<Runnable> events = new ConcurrentLinkedQueue<>();
        final AtomicInteger sleepFlag = new AtomicInteger();
        private volatile boolean isStopped;
        volatile long polls; // written by this thread
        volatile long blocks; // written by this thread

        HandCore(int index, Poller.Factory factory) {
            super("hand-core-" + index);
            setDaemon(true);
            this.index = index;
            poller = factory.create(this);
        }

        void send(Runnable event) {
            events.add(event);
            wake();
        }

        private void wake() {
            if (sleepFlag.compareAndSet(SLEEPING, AWAKE)) {
                poller.wakeup();
            }
        }

        void stopSoon() {
            isStopped = true;
            wake();
        }

        @Override
        public int core() {
            return index;
        }

        @Override
        public boolean mayBlock() {
            return sleepFlag.get() == SLEEPING && events.isEmpty() && !isStopped;
        }

        @Override
        @SuppressWarnings("NonAtomicOperationOnVolatileField") // one writer
        public void run() {
            try {
                poller.start();
                while (!isStopped) {
                    int done = runEvents() + poller.poll();
                    polls++;
                    if (done == 0) {
                        sleepFlag.set(SLEEPING);
                        if (mayBlock()) {
                            blocks++;
                            poller.block(Long.MAX_VALUE);
                        }
                        sleepFlag.set(AWAKE);
                    }
                }
                runEvents();
                poller.close();
            } catch (Throwable e) {
                failure.compareAndSet(null, e);
            }
        }

        private int runEvents() {
            int ran = 0;
            for (Runnable event = events.poll(); event != null; event = events.poll()) {
                try {
                    event.run();
                } catch (Throwable e) {
                    failure.compareAndSet(null, e);
                }
                if (++ran == 64) {
                    break;
                }
            }
            return ran;
        }
    }

    final class Lane implements Executor {
        private final Random random;
        private final Queue<Runnable> pending = new ArrayDeque<>(); // guarded by this
        private boolean isRunning; // guarded by this

        private Lane(long seed) {
            random = new Random(seed);
        }

        @Override
        public synchronized void execute(Runnable event) {
            pending.add(event);
            if (!isRunning) {
                isRunning = true;
                handOut();
            }
        }

        private void handOut() {
            cores.get(random.nextInt(cores.size())).send(this::runOne);
        }

        private void runOne() {
            Runnable event;
            synchronized (this) {
                event = pending.remove();
            }
            try {
                event.run();
            } finally {
                synchronized (this) {
                    if (pending.isEmpty()) {
                        isRunning = false;
                    } else {
                        handOut();
                    }
                }
            }
        }
    }
}
