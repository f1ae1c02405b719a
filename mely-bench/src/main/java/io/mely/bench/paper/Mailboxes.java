// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.paper;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jctools.queues.varhandle.unpadded.MpscLinkedVarHandleUnpaddedQueue;

/** The usual way to order by key on a pool: a mailbox per key, which is in the pool at most once. */
final class Mailboxes implements KeyedExecutor {
    /** Events in a row, as many as Mely's batch threshold. */
    private static final int BATCH = 10;

    private final ExecutorService pool;
    private final Mailbox[] mailboxes;
    /** Its thread is started by the first timer. */
    private final ScheduledThreadPoolExecutor timers = new ScheduledThreadPoolExecutor(1);

    Mailboxes(Setup setup, ExecutorService pool) {
        this.pool = pool;
        mailboxes = new Mailbox[setup.keys()];
        for (int key = 0; key < mailboxes.length; key++) {
            mailboxes[key] = new Mailbox(pool);
        }
        timers.setRemoveOnCancelPolicy(true);
    }

    private static final class Mailbox extends AtomicInteger implements Runnable {
        private final transient ExecutorService pool;
        /** Without the 376 bytes of padding of its sibling: there may be a mailbox for each of 50,000 keys. */
        private final transient MpscLinkedVarHandleUnpaddedQueue<Runnable> queue =
                new MpscLinkedVarHandleUnpaddedQueue<>();

        Mailbox(ExecutorService pool) {
            this.pool = pool;
        }

        void add(Runnable event) {
            queue.offer(event);
            if (getAndIncrement() == 0) {
                pool.execute(this);
            }
        }

        @Override
        public void run() {
            int ran = 0;
            while (ran < BATCH) {
                Runnable event = queue.poll();
                if (event == null) {
                    break;
                }
                event.run();
                ran++;
                // The own count, so that a chain in one key goes on without the pool.
                if (ran == get()) {
                    break;
                }
            }
            if (addAndGet(-ran) > 0) {
                pool.execute(this);
            }
        }
    }

    @Override
    public void execute(int key, int kind, Runnable event) {
        mailboxes[key].add(event);
    }

    @Override
    public boolean hasTimers() {
        return true;
    }

    @Override
    public Cancel schedule(int key, int kind, long delayNs, Runnable event) {
        Mailbox mailbox = mailboxes[key];
        Future<?> timer = timers.schedule(() -> mailbox.add(event), delayNs, TimeUnit.NANOSECONDS);
        return () -> timer.cancel(false);
    }

    @Override
    public void close() {
        timers.shutdownNow();
        Threads.stop(pool);
    }
}
