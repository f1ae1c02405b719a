// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.paper;

import java.util.ArrayDeque;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/** The floor: one thread and a queue of its own, without any atomic instruction between its events. */
final class OneThread implements KeyedExecutor {
    /** Ends the loop; told apart by identity. */
    private static final Runnable STOP = new Runnable() {
        @Override
        public void run() {}
    };

    /** Events of its own that resend themselves must not keep out what comes. */
    private static final int OUTSIDE_INTERVAL = 64;

    private final ArrayDeque<Runnable> own = new ArrayDeque<>();
    private final BlockingQueue<Runnable> outside = new LinkedBlockingQueue<>();
    private final Thread thread = new Thread(this::loop, "one-thread");

    OneThread() {
        thread.start();
    }

    @Override
    public void execute(int key, int kind, Runnable event) {
        if (Thread.currentThread() == thread) {
            own.add(event);
        } else {
            outside.add(event);
        }
    }

    private void loop() {
        try {
            Runnable event = outside.take();
            for (int ran = 1; event != STOP; ran++) {
                event.run();
                event = next(ran % OUTSIDE_INTERVAL == 0);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private Runnable next(boolean isOutsideFirst) throws InterruptedException {
        Runnable first = isOutsideFirst ? outside.poll() : null;
        if (first == null) {
            first = own.poll();
        }
        return first != null ? first : outside.take();
    }

    @Override
    public void close() {
        outside.add(STOP);
        Threads.join(thread);
    }
}
