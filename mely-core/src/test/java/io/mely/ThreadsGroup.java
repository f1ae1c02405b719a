// SPDX-License-Identifier: Apache-2.0
package io.mely;

import io.mely.spi.Lane;
import io.mely.spi.StageGroup;
import io.mely.spi.Worker;
import io.mely.spi.Workers;
import java.util.Optional;
import java.util.concurrent.LinkedBlockingQueue;
import org.jspecify.annotations.Nullable;

/** A group with two threads of its own, which block in one queue. */
public final class ThreadsGroup implements StageGroup {
    private static final int THREADS = 2;

    private final Workers workers;
    private final LinkedBlockingQueue<Optional<Lane>> added = new LinkedBlockingQueue<>(); // empty: the end

    /** Its threads start with the runtime. */
    public ThreadsGroup(Workers workers) {
        this.workers = workers;
    }

    @Override
    public Sink sink(Stage<?> stage) {
        return lane -> added.add(Optional.of(lane));
    }

    @Override
    public @Nullable Visitor visitor(int core) {
        return null;
    }

    @Override
    public void start() {
        for (int i = 0; i < THREADS; i++) {
            if (!workers.startThread("threads-" + i, this::run)) {
                throw new IllegalStateException("no thread");
            }
        }
    }

    private void run(Worker worker) {
        boolean goesOn = true;
        while (goesOn) {
            goesOn = take().map(worker::run).orElse(false);
        }
    }

    private Optional<Lane> take() {
        try {
            return added.take();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void stop() {
        for (int i = 0; i < THREADS; i++) {
            added.add(Optional.empty());
        }
    }
}
