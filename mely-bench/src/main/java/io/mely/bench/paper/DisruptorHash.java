// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.paper;

import com.lmax.disruptor.RingBuffer;
import com.lmax.disruptor.YieldingWaitStrategy;
import com.lmax.disruptor.dsl.Disruptor;
import com.lmax.disruptor.dsl.ProducerType;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A ring per worker; a key stays with its worker.
 * The rings hold a whole round: a handler that waited for its own ring would wait for ever. Outside senders wait for room.
 */
final class DisruptorHash implements KeyedExecutor {

    private final Setup setup;
    private final List<Disruptor<Slot>> rings = new ArrayList<>();

    private static final class Slot {
        private @Nullable Runnable event;

        void runAndForget() {
            Runnable next = event;
            event = null;
            if (next != null) {
                next.run();
            }
        }
    }

    private static final class Worker extends Thread {
        Worker(Runnable body) {
            super(body, "disruptor");
        }
    }

    DisruptorHash(Setup setup) {
        this.setup = setup;
        int room = setup.ringRoom();
        for (int i = 0; i < setup.workers(); i++) {
            Disruptor<Slot> ring =
                    new Disruptor<>(Slot::new, room, Worker::new, ProducerType.MULTI, new YieldingWaitStrategy());
            ring.handleEventsWith((slot, sequence, isLast) -> slot.runAndForget());
            ring.start();
            rings.add(ring);
        }
    }

    @Override
    public void execute(int key, int kind, Runnable event) {
        RingBuffer<Slot> ring = rings.get(setup.homes().applyAsInt(key)).getRingBuffer();
        if (!(Thread.currentThread() instanceof Worker)) {
            ring.publishEvent((slot, sequence) -> slot.event = event);
        } else if (!ring.tryPublishEvent((slot, sequence) -> slot.event = event)) {
            throw new IllegalStateException("the ring is full");
        }
    }

    @Override
    public void close() {
        rings.forEach(Disruptor::halt);
    }
}
