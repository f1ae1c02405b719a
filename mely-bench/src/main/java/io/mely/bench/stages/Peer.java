// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.stages;

import io.mely.Color;
import io.mely.Handler;
import io.mely.Mely;
import io.mely.Stage;
import io.mely.StageGraph;
import io.mely.StageOptions;
import io.mely.StageStats;
import io.mely.deploy.StageFactory;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The same handlers as those of the runtime, without it: a request is begun by one executor, and each stage hands what it sends to another one, or calls it.
 *
 * <p>A single-threaded stage has a lock. A stage's capacity is not kept.
 */
final class Peer implements Contender {
    private final Executor begins;
    private final Hops hops;
    private final Runnable stop;
    private final AtomicReference<@Nullable Exception> failed = new AtomicReference<>();
    private final Mely colors = Mely.builder().cores(1).build(); // never started; the handlers want some color

    /** Runs what a stage has sent. */
    @FunctionalInterface
    interface Hops {
        void run(Color color, Runnable event);
    }

    /**
     * Makes one.
     *
     * @param begins runs the first stage of a request
     * @param hops runs what a stage sends, or calls it
     * @param stop ends both when nothing is left
     */
    Peer(Executor begins, Hops hops, Runnable stop) {
        this.begins = begins;
        this.hops = hops;
        this.stop = stop;
    }

    @Override
    public StageFactory stages() {
        return new StageFactory() {
            @Override
            public <E> Stage<E> stage(String name, StageOptions options, Handler<E> handler) {
                return new PeerStage<>(name, options, handler);
            }
        };
    }

    @Override
    public Color color(long client) {
        return colors.color(client);
    }

    @Override
    public void begin(Runnable entrance) {
        begins.execute(entrance);
    }

    @Override
    public void start() {}

    @Override
    public @Nullable StageGraph graph() {
        return null;
    }

    @Override
    public void close() {
        stop.run();
        colors.close();
        Exception why = failed.get();
        if (why != null) {
            throw new IllegalStateException("a handler failed", why);
        }
    }

    /** Takes an event of whatever color to its handler. */
    private final class PeerStage<E> implements Stage<E> {
        private final String name;
        private final StageOptions options;
        private final Handler<E> handler;
        private final @Nullable ReentrantLock lock;

        PeerStage(String name, StageOptions options, Handler<E> handler) {
            this.name = name;
            this.options = options;
            this.handler = handler;
            lock = options.singleThreaded() ? new ReentrantLock() : null;
        }

        @Override
        public boolean offer(Color color, E event) {
            hops.run(color, () -> handle(event));
            return true;
        }

        @Override
        public boolean offer(long key, E event) {
            return offer(colors.color(key), event);
        }

        @Override
        public boolean offer(E event) {
            return offer(colors.defaultColor(), event);
        }

        private void handle(E event) {
            if (lock != null) {
                lock.lock();
            }
            try {
                handler.handle(event);
            } catch (Exception e) {
                failed.compareAndSet(null, e); // its request is not answered, and the close says why
            } finally {
                if (lock != null) {
                    lock.unlock();
                }
            }
        }

        @Override
        public boolean whenRoom(Runnable action) {
            return false; // there is always room
        }

        @Override
        public int waiting() {
            return 0;
        }

        @Override
        public String name() {
            return name;
        }

        @Override
        public StageOptions options() {
            return options;
        }

        @Override
        public Color color() {
            return colors.defaultColor();
        }

        @Override
        public long processingTimeNs() {
            return 0;
        }

        @Override
        public StageStats stats() {
            throw new IllegalStateException("a peer keeps no figures");
        }
    }
}
