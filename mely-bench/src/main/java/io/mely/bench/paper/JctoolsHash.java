// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.paper;

import java.util.concurrent.locks.LockSupport;
import org.jctools.queues.varhandle.MpscUnboundedVarHandleArrayQueue;

/** A thread and a JCTools queue per worker; a key stays with its worker. */
final class JctoolsHash implements KeyedExecutor {
    private static final int CHUNK = 1 << 12;
    /** About 10 us: less than a wake-up costs both sides. */
    private static final int SPINS = 200;

    private final Setup setup;
    private final Worker[] workers;

    JctoolsHash(Setup setup) {
        this.setup = setup;
        workers = new Worker[setup.workers()];
        for (int i = 0; i < workers.length; i++) {
            workers[i] = new Worker(i);
        }
        for (Worker worker : workers) {
            worker.start();
        }
    }

    private static final class Worker extends Thread {
        final MpscUnboundedVarHandleArrayQueue<Runnable> queue = new MpscUnboundedVarHandleArrayQueue<>(CHUNK);
        volatile boolean isParked;
        volatile boolean isStopped;

        Worker(int index) {
            super("jctools-" + index);
        }

        @Override
        @SuppressWarnings("ThreadPriorityCheck") // a hint; right without it
        public void run() {
            int idle = 0;
            while (!isStopped) {
                if (runNext()) {
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

        /** False if there was nothing. */
        boolean runNext() {
            Runnable event = queue.poll();
            if (event == null) {
                return false;
            }
            event.run();
            return true;
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
        worker.queue.offer(event);
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
