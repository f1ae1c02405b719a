// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.paper;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/** A virtual thread and a queue per key, where the JDK has them. */
final class VirtualThreads implements KeyedExecutor {
    /** Ends the loop; told apart by identity. */
    private static final Runnable STOP = new Runnable() {
        @Override
        public void run() {}
    };

    private final Lane[] lanes;

    private static final class Lane implements Runnable {
        final BlockingQueue<Runnable> queue = new LinkedBlockingQueue<>();

        @Override
        public void run() {
            try {
                for (Runnable event = queue.take(); event != STOP; event = queue.take()) {
                    event.run();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Whether this JDK has them. */
    static boolean areThere() {
        return Runtime.version().feature() >= 21;
    }

    /** Takes as many carriers as the first object of this JVM asked for. */
    VirtualThreads(Setup setup) {
        if (System.getProperty("jdk.virtualThreadScheduler.parallelism") == null) {
            System.setProperty("jdk.virtualThreadScheduler.parallelism", Integer.toString(setup.workers()));
            System.setProperty("jdk.virtualThreadScheduler.maxPoolSize", Integer.toString(setup.workers()));
        }
        lanes = new Lane[setup.keys()];
        for (int key = 0; key < lanes.length; key++) {
            lanes[key] = new Lane();
            start(lanes[key]);
        }
    }

    private static void start(Runnable body) {
        try {
            // Java 17 compiles this.
            Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, body);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void execute(int key, int kind, Runnable event) {
        lanes[key].queue.add(event);
    }

    @Override
    public void close() {
        for (Lane lane : lanes) {
            lane.queue.add(STOP);
        }
    }
}
