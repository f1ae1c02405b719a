// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.load;

import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReference;

/** Lets slaves run their shares of a plan at the same time, and adds up what they measured. */
final class Master implements Closeable {
    private static final int CONNECT_MS = 10_000;

    private final List<Wire> slaves = new ArrayList<>();

    /**
     * Connects.
     *
     * @param addresses of the slaves, at least one
     */
    Master(List<InetSocketAddress> addresses) throws IOException {
        for (InetSocketAddress address : addresses) {
            Socket socket = new Socket();
            try {
                socket.connect(address, CONNECT_MS);
                slaves.add(new Wire(socket));
            } catch (IOException e) {
                socket.close();
                close();
                throw new IOException("slave " + address + ": " + e.getMessage(), e);
            }
        }
    }

    /** As {@link Injector#run}. Slaves for which no client is left do nothing. */
    Result run(Plan plan, Injector.Progress progress) throws IOException, InterruptedException {
        int count = Math.min(slaves.size(), plan.clients());
        List<Wire> used = slaves.subList(0, count);
        for (int i = 0; i < count; i++) {
            used.get(i).send(Wire.RUN, Wire.encode(plan.share(i, count).properties()));
        }
        for (Wire slave : used) {
            slave.expect(Wire.READY);
        }
        for (Wire slave : used) {
            slave.send(Wire.GO, "");
        }
        AtomicLongArray responses = new AtomicLongArray(count);
        AtomicLongArray errors = new AtomicLongArray(count);
        AtomicReference<IOException> failure = new AtomicReference<>();
        Result result = new Result();
        CountDownLatch left = new CountDownLatch(count);
        for (int i = 0; i < count; i++) {
            int slave = i;
            Thread thread = new Thread(
                    () -> {
                        try {
                            Result part = runAwait(used.get(slave), slave, responses, errors);
                            synchronized (result) {
                                result.add(part);
                            }
                        } catch (IOException e) {
                            failure.compareAndSet(null, e);
                        } finally {
                            left.countDown();
                        }
                    },
                    "slave-" + slave);
            thread.setDaemon(true);
            thread.start();
        }
        while (!left.await(1, TimeUnit.SECONDS)) {
            progress.at(sum(responses), sum(errors));
        }
        IOException cause = failure.get();
        if (cause != null) {
            throw cause;
        }
        return result;
    }

    private static Result runAwait(Wire slave, int index, AtomicLongArray responses, AtomicLongArray errors)
            throws IOException {
        while (true) {
            String[] line = slave.receive();
            switch (line[0]) {
                case Wire.AT -> {
                    String[] counts = line[1].split(" ", 2);
                    responses.set(index, Long.parseLong(counts[0]));
                    errors.set(index, Long.parseLong(counts[1]));
                }
                case Wire.RESULT -> {
                    return Result.of(Wire.decode(line[1]));
                }
                default -> throw new IOException("a slave says: " + line[0] + " " + line[1]);
            }
        }
    }

    private static long sum(AtomicLongArray values) {
        long sum = 0;
        for (int i = 0; i < values.length(); i++) {
            sum += values.get(i);
        }
        return sum;
    }

    @Override
    public void close() throws IOException {
        for (Wire slave : slaves) {
            slave.close();
        }
    }
}
