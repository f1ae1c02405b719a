// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.paper;

import java.util.concurrent.locks.LockSupport;
import org.agrona.concurrent.ManyToOneConcurrentArrayQueue;

/**
 * A thread and an array queue of Agrona's per worker; a key stays with its worker. Not shared with {@link JctoolsHash}, so that each queue
 * is the only one at its call sites.
 */
final class AgronaHash implements KeyedExecutor {
    /** About 10 us: less than a wake-up costs both sides. */
    private static final int SPINS = 200;

    private final Setup setup;
    private final Worker[] workers;

    /** Agrona needs {@code --add-opens java.base/jdk.internal.misc=ALL-UNNAMED}. */
    static boolean isThere() {
        return Object.class.getModule().isOpen("jdk.internal.misc", AgronaHash.class.getModule());
    }

    AgronaHash(Setup setup) {
        this.setup = setup;
        int room = setup.ringRoom();
        workers = new Worker[setup.workers()];
        for (int i = 0; i < workers.length; i++) {
            workers[i] = new Worker(i, room);
        }
        for (Worker worker : workers) {
            worker.start();
        }
    }

    private static final class Worker extends Thread {
        final ManyToOneConcurrentArrayQueue<Runnable> queue;
        volatile boolean isParked;
        volatile boolean isStopped;

        Worker(int index, int room) {
            super("agrona-" + index);
            queue = new ManyToOneConcurrentArrayQueue<>(room);
        }

        @Override
        @SuppressWarnings("ThreadPriorityCheck") // a hint; right without it
        public void run() {
            int idle = 0;
            while (!isStopped) {
                Runnable event = queue.poll();
                if (event != null) {
                    event.run();
                    idle = 0;
                } else if (++idle < SPINS / 4) {
                    Thread.onSpinWait();
                } else if (idle < SPINS) {
                    Thread.yield(); // as Mely's cores
                } else {
                    park();
                    idle = 0;
                }
            }
        }

        /** The flag, then the look; a sender's claim, which is a CAS and which the queue counts, then the look at the flag. */
        private void park() {
            isParked = true;
            if (queue.isEmpty() && !isStopped) {
                LockSupport.park(this);
            }
            isParked = false;
        }

        void wake() {
            if (isParked) {
                LockSupport.unpark(this);
            }
        }
    }

    @Override
    public void execute(int key, int kind, Runnable event) {
        Worker worker = workers[setup.homes().applyAsInt(key)];
        while (!worker.queue.offer(event)) {
            if (Thread.currentThread() instanceof Worker) {
                throw new IllegalStateException("the queue is full");
            }
            worker.wake();
            Thread.onSpinWait();
        }
        if (Thread.currentThread() != worker) {
            worker.wake();
        }
    }

    @Override
    public void close() {
        for (Worker worker : workers) {
            worker.isStopped = true;
            LockSupport.unpark(worker);
            Threads.join(worker);
        }
    }
}
