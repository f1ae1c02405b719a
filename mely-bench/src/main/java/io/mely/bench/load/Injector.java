// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.load;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

/** Runs a plan in this process: its loops, each on a thread. */
final class Injector {
    /** Told once a second. */
    interface Progress {
        /**
         * How far it is.
         *
         * @param responses of all loops so far
         * @param errors of all loops so far
         */
        void at(long responses, long errors);
    }

    private Injector() {}

    /**
     * Runs a plan.
     *
     * @param plan with at least one client and thread
     * @param progress called by the calling thread
     * @return what was measured
     * @throws IOException if the server's name is unknown, or a loop failed: not if the server did
     */
    static Result run(Plan plan, Progress progress) throws IOException, InterruptedException {
        InetSocketAddress address = new InetSocketAddress(plan.host(), plan.port());
        if (address.isUnresolved()) {
            throw new IOException("no such host: " + plan.host());
        }
        int count = Math.min(plan.threads(), plan.clients());
        List<ClientLoop> loops = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            loops.add(new ClientLoop(plan, address, i, count));
        }
        // The clock starts when every thread is there and the native libraries are loaded: that can take seconds.
        CyclicBarrier start = new CyclicBarrier(count, () -> {
            long startNs = System.nanoTime();
            loops.forEach(loop -> loop.beginAt(startNs));
        });
        CountDownLatch left = new CountDownLatch(count);
        AtomicReference<Throwable> failure = new AtomicReference<>();
        for (ClientLoop loop : loops) {
            Thread thread = new Thread(
                    () -> {
                        try {
                            start.await();
                            loop.run();
                        } catch (Throwable t) {
                            failure.compareAndSet(null, t);
                            loops.forEach(ClientLoop::stop);
                        } finally {
                            left.countDown();
                        }
                    },
                    "load-" + loop);
            thread.setDaemon(true);
            thread.start();
        }
        try {
            while (!left.await(1, TimeUnit.SECONDS)) {
                progress.at(
                        loops.stream().mapToLong(ClientLoop::responsesSoFar).sum(),
                        loops.stream().mapToLong(ClientLoop::errorsSoFar).sum());
            }
        } finally {
            loops.forEach(ClientLoop::stop);
        }
        Throwable cause = failure.get();
        if (cause != null) {
            throw new IOException("the load generator failed: " + cause, cause);
        }
        Result result = new Result();
        loops.forEach(loop -> result.add(loop.result()));
        return result;
    }
}
